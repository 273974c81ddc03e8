/* SPDX-License-Identifier: MIT */
#include "record/buffers.h"

#include <inttypes.h>
#include <stdio.h>

#define DATA_TOTAL_MAX ((uint64_t)256 << 20)
#define DEFAULT_PAGE   4096
/* What perf itself takes when it may not lock freely (tools/perf/arch/x86/util/intel-pt.c). */
#define DATA_BESIDE_AUX ((uint64_t)256 << 10)

static uint64_t page_size(const struct host *host)
{
	return host->page_size ? host->page_size : DEFAULT_PAGE;
}

/* The largest power of two that is not above n; 0 for 0. */
static uint64_t round_down(uint64_t n)
{
	return n ? (uint64_t)1 << (63 - __builtin_clzll(n)) : 0;
}

/* The smallest power of two that is not below n, which is at most 1 << 63 and not 0. */
static uint64_t round_up(uint64_t n)
{
	uint64_t down = round_down(n);

	return down == n ? n : down << 1;
}

struct size_text buffers_size_text(uint64_t bytes)
{
	static const char units[] = "KMGT";
	struct size_text text;
	uint64_t n = bytes;
	size_t unit = 0;

	while (n && n % 1024 == 0 && unit < sizeof(units) - 1) {
		n /= 1024;
		unit++;
	}
	if (unit == 0)
		snprintf(text.s, sizeof(text.s), "%" PRIu64, n);
	else
		snprintf(text.s, sizeof(text.s), "%" PRIu64 "%c", n, units[unit - 1]);
	return text;
}

/* What a data buffer beside the AUX area takes, with its header page; bytes. */
static uint64_t data_bytes(const struct host *host)
{
	return DATA_BESIDE_AUX + page_size(host);
}

/* What kernel.perf_event_mlock_kb would have to be for n AUX areas of that size. */
static uint64_t needed_mlock_kb(const struct host *host, uint64_t bytes, uint64_t n)
{
	uint64_t each_kb = (bytes + data_bytes(host)) / 1024;

	return (each_kb * n + host->n_cpus - 1) / host->n_cpus;
}

static int too_large(const struct host *host, uint64_t bytes, uint64_t n, uint64_t largest,
		     struct err *err)
{
	uint64_t kb = needed_mlock_kb(host, bytes, n);

	err_set(err,
		"-snapshot-size %s cannot be had: perf would lock %" PRIu64 " buffer%s of it, and "
		"kernel.perf_event_mlock_kb (%" PRIu64 " KiB for each of %u CPUs) with "
		"RLIMIT_MEMLOCK (%s) allows less",
		buffers_size_text(bytes).s, n, n == 1 ? "" : "s", host->mlock_kb, host->n_cpus,
		buffers_size_text(host->memlock).s);
	if (largest < BUFFERS_AUX_MIN)
		return err_hint(err,
				"`sudo sysctl kernel.perf_event_mlock_kb=%" PRIu64 "`, or run "
				"as root",
				kb);
	return err_hint(err,
			"-snapshot-size %s is the largest that fits; or `sudo sysctl "
			"kernel.perf_event_mlock_kb=%" PRIu64 "`, or run as root",
			buffers_size_text(largest).s, kb);
}

int buffers_check_size(uint64_t bytes, struct err *err)
{
	if (bytes >= BUFFERS_AUX_MIN && bytes <= BUFFERS_AUX_MAX)
		return 0;
	return err_set(err, "-snapshot-size %s is not from 4K to 256T", buffers_size_text(bytes).s);
}

int buffers_pt(const struct host *host, uint64_t bytes, uint64_t n, bool privileged,
	       struct buffers *sizes, struct err *err)
{
	uint64_t page = page_size(host), lockable = host_lockable(host), each, largest;

	if (buffers_check_size(bytes, err) < 0)
		return -1;
	*sizes = (struct buffers){ .aux_pages = round_up((bytes + page - 1) / page) };
	sizes->aux_bytes = sizes->aux_pages * page;
	if (privileged || lockable == UINT64_MAX)
		return 0;
	sizes->data_pages = round_up(DATA_BESIDE_AUX / page);
	each = lockable / n;
	largest = each > data_bytes(host) ? round_down(each - data_bytes(host)) : 0;
	if (sizes->aux_bytes <= largest)
		return 0;
	return too_large(host, sizes->aux_bytes, n, largest, err);
}

uint64_t buffers_data(const struct host *host, uint64_t n, uint64_t most)
{
	uint64_t lockable = host_lockable(host), page = page_size(host), pages, fit;

	if (!host_locks_freely(host) && lockable == UINT64_MAX)
		return 0;
	/* what may be locked is also for each buffer's header page */
	fit = lockable / 2 / n / page;
	fit = fit > 2 ? round_down(fit - 1) : 1;
	pages = round_down(DATA_TOTAL_MAX / n / page);
	if (pages > most)
		pages = most;
	if (pages > fit)
		pages = fit;
	return pages ? pages : 1;
}
