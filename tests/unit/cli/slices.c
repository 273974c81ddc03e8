/* SPDX-License-Identifier: MIT */
/* Where a data file is cut, and what is repeated; tests/e2e/slices.py decodes slices. */
#include "cli/slices.h"

#include "soft/packet.h"
#include "soft/perfdata.h"
#include "support/scratch.h"
#include "support/suite.h"

#define PID 77

static struct scratch scratch;
static struct slices slices;

/* A recording of about so many kilobytes of packets, from 1 ms on. Its path. */
static const char *record(unsigned int kilobytes, bool mtc, bool per_cpu)
{
	static char *command_line[] = { NULL };
	struct perfdata_config config = {
		.pt = { .cyc = true, .mtc = mtc, .cbr = 10, .ctc_ratio = 40, .tnt_max = 6 },
		.tsc_hz = 1000000000,
		.per_cpu = per_cpu,
		.n_cpus = 1,
		.command_line = command_line,
		.pid = PID,
		.comm = "prog",
	};
	struct perfdata_aux aux = { .pid = PID, .tid = PID, .cpu = per_cpu ? 0 : -1, .time = 1 };
	const char *path = scratch_path(&scratch, "perf.data");
	struct packet *pt = packet_new(&config.pt);
	uint64_t clock = 1000000;
	struct perfdata *pd;
	struct err err;

	ck_assert_msg(perfdata_open(path, &config, &pd, &err) == 0, "%s", err.msg);
	packet_on(pt, clock, 0x401000);
	while (packet_total(pt) < kilobytes * 1024u) {
		clock += 10;
		packet_indirect(pt, clock, clock % 20 ? 0x401000 : 0x402000);
		packet_tick(pt, clock, 0x401000);
	}
	packet_off(pt, clock);
	aux.bytes = packet_bytes(pt, &aux.n);
	perfdata_aux(pd, &aux);
	ck_assert_msg(perfdata_close(pd, &err) == 0, "%s", err.msg);
	packet_free(pt);
	return path;
}

static size_t plan(const struct perf_script_args *args, unsigned int jobs)
{
	slices_plan(&slices, args, jobs);
	/* what is there has no gap, and all of it is there */
	for (size_t i = 0; i < slices.n; i++) {
		ck_assert_int_le(slices.v[i].from, slices.v[i].to);
		if (i)
			ck_assert_int_eq(slices.v[i].from, slices.v[i - 1].to + 1);
	}
	if (slices.n) {
		ck_assert_int_eq(slices.v[0].from, args->from);
		ck_assert_int_eq(slices.v[slices.n - 1].to, args->to ? args->to : INT64_MAX);
	}
	return slices.n;
}

START_TEST(test_plan)
{
	struct perf_script_args args = { .mode = PERF_PT, .filter = "/f" };

	unsetenv(SLICES_CUTS);
	scratch_init(&scratch);
	args.data = record(2100, false, false);
	ck_assert_uint_eq(plan(&args, 1), 0);
	ck_assert_uint_eq(plan(&args, 2), 2);
	/* by the data, of which there is as much at all times */
	ck_assert_int_gt(slices.v[1].from, 1000000);
	ck_assert_uint_eq(plan(&args, 3), 3);
	/* half a megabyte each */
	ck_assert_uint_eq(plan(&args, 1000), 4);
	args.from = slices.v[2].from;
	ck_assert_uint_eq(plan(&args, 1000), 2);
	args.to = args.from + 1000;
	ck_assert_uint_eq(plan(&args, 1000), 0);
	args.from = args.to = 0;
	args.filter = NULL;
	ck_assert_uint_eq(plan(&args, 2), 0);
	args.filter = "/f";
	args.mode = PERF_SAMPLING;
	ck_assert_uint_eq(plan(&args, 2), 0);
	args.mode = PERF_PT;
	args.data = record(2100, true, false);
	ck_assert_uint_eq(plan(&args, 2), 0);
	args.data = record(2100, false, true);
	ck_assert_uint_eq(plan(&args, 2), 0);
	args.data = record(500, false, false);
	ck_assert_uint_eq(plan(&args, 2), 0);
	args.data = "/dev/null";
	ck_assert_uint_eq(plan(&args, 2), 0);
	slices_close(&slices);
	scratch_fini(&scratch);
}
END_TEST

/* For tests: little is cut as well, anywhere. */
START_TEST(test_random)
{
	struct perf_script_args args = { .mode = PERF_PT, .filter = "/f" };
	char seed[16];
	size_t most = 0;

	scratch_init(&scratch);
	args.data = record(50, false, false);
	for (int i = 0; i < 100; i++) {
		snprintf(seed, sizeof(seed), "%d", i);
		setenv(SLICES_CUTS, seed, 1);
		most = plan(&args, 100) > most ? slices.n : most;
	}
	ck_assert_uint_eq(most, SLICES_MAX);
	unsetenv(SLICES_CUTS);
	slices_close(&slices);
	scratch_fini(&scratch);
}
END_TEST

static bool repeats(size_t slice, struct event ev)
{
	ev.has_time = ev.time >= 0;
	return slices_repeats(&slices, slice, &ev);
}

static struct event cbr(int64_t time, int32_t tid, uint32_t mhz)
{
	struct event ev = { .kind = EVENT_CBR, .pid = PID, .tid = tid, .time = time };

	ev.cbr.mhz = mhz;
	return ev;
}

START_TEST(test_repeated)
{
	struct event error = { .kind = EVENT_ERROR, .time = 5 };
	struct event no_time = { .kind = EVENT_ERROR, .time = -1 };

	ck_assert(!repeats(0, error));
	slices.n = 2;
	slices.v[0] = (struct slice){ .from = 0, .to = 9, .fd = -1 };
	slices.v[1] = (struct slice){ .from = 10, .to = INT64_MAX, .fd = -1 };
	ck_assert(!repeats(0, error));
	ck_assert(repeats(1, error));
	ck_assert(!repeats(0, no_time));
	ck_assert(repeats(1, no_time));
	for (int32_t tid = 0; tid < 40; tid++) {
		ck_assert(!repeats(0, cbr(1, tid, 1000)));
		ck_assert(!repeats(0, cbr(2, tid, 1000)));
	}
	ck_assert(repeats(1, cbr(10, 39, 1000)));
	ck_assert(!repeats(1, cbr(11, 39, 2000)));
	ck_assert(!repeats(1, cbr(12, 39, 1000)));
	ck_assert(!repeats(1, cbr(13, 40, 1000)));
	slices_close(&slices);
	ck_assert_uint_eq(slices.n, 0);
}
END_TEST

SUITE_MAIN("cli/slices", test_plan, test_random, test_repeated)
