/* SPDX-License-Identifier: MIT */
#include "record/stephits.h"

#include "base/monotonic.h"
#include "base/xalloc.h"
#include "record/passed.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

/* Looks at both clocks; the quickest counts. */
#define LOOKS 5

/*
 * The time stamp counter and CLOCK_MONOTONIC, which is no clock of perf's, but runs as evenly; and
 * is the recording's own when that has real time.
 */
static void measure(struct tsc_clock *clock)
{
	struct tsc_moment best = { .error = INT64_MAX };

	for (int i = 0; i < LOOKS; i++) {
		int64_t before = monotonic_ns();
		uint64_t tsc = __rdtsc();
		int64_t after = monotonic_ns();

		if (after - before >= best.error)
			continue;
		best = (struct tsc_moment){
			.tsc = tsc,
			.time = before + (after - before) / 2,
			.error = after - before,
		};
	}
	tsc_clock_moment(clock, &best);
}

void stephits_begin(struct stephits *hits, bool multi, bool real)
{
	stephits_forget(hits);
	hits->multi = multi;
	hits->real = real;
	hits->claimed = hits->snapshots = 0;
	hits->tsc = (struct tsc_clock){ .exact = false };
	measure(&hits->tsc);
}

static void take_hit(struct stephits *hits, const struct stepwire_message *m)
{
	struct hit hit = {
		.time = m->time,
		.ip = m->address,
		.pid = m->pid,
		.tid = m->tid,
	};
	struct passed passed;

	measure(&hits->tsc);
	/* which words are OCaml's hangs on the counter, whatever the recording's time is */
	passed = passed_read(&hits->tsc, m->now, m->di, m->si);
	hit.arg = passed.arg;
	/* the stepper's time stands still from an instruction to the next */
	if (hits->real)
		hit.passed = passed.time < hit.time ? passed.time : hit.time;
	hits->all = xreallocarray(hits->all, hits->n + 1, sizeof(*hits->all));
	hits->all[hits->n++] = hit;
	hits->ready += !hits->multi;
}

void stephits_taken(struct stephits *hits)
{
	hits->ready += hits->ready < hits->n;
}

void stephits_take(struct stephits *hits, const struct stepwire_message *m)
{
	if (m->kind == STEPWIRE_HIT) {
		take_hit(hits, m);
		return;
	}
	hits->executed =
		xreallocarray(hits->executed, hits->n_executed + 1, sizeof(*hits->executed));
	hits->executed[hits->n_executed++] = m->pid;
}

bool stephits_any(const struct stephits *hits)
{
	return hits->ready || hits->n_executed;
}

void stephits_forget(struct stephits *hits)
{
	hits->n = hits->ready = hits->n_executed = 0;
}

static int add(void *self, pid_t pid, uint64_t address, bool all_threads, struct err *err)
{
	struct stephits *hits = self;
	const struct stepaim aim = { .pid = pid, .address = address, .first = !all_threads };
	const struct stepwire_message message = {
		.kind = STEPWIRE_ADD,
		.pid = pid,
		.address = address,
		.flag = aim.first,
	};

	if (kill(pid, 0) < 0 && errno == ESRCH)
		return err_set(err, "there is no process %d any more", (int)pid);
	if (hits->wire->fd >= 0)
		stepwire_send(hits->wire, &message);
	else
		stepaims_add(&hits->aims, &aim);
	return 0;
}

static void set_armed(struct stephits *hits, bool armed)
{
	const struct stepwire_message message = {
		.kind = armed ? STEPWIRE_ARM : STEPWIRE_DISARM,
	};

	hits->armed = armed;
	stepwire_send(hits->wire, &message);
}

static void arm(void *self)
{
	struct stephits *hits = self;

	hits->claimed = 0;
	set_armed(hits, true);
}

/* With a snapshot for each it stays on: none is to be missed. */
static void disarm(void *self)
{
	struct stephits *hits = self;

	if (!hits->multi)
		set_armed(hits, false);
}

static int no_fd(const void *self)
{
	(void)self;
	return -1;
}

static size_t take_all(void *self, struct hit *out, size_t max)
{
	struct stephits *hits = self;
	size_t n = hits->ready < max ? hits->ready : max;

	if (hits->multi && n > 1)
		n = 1;
	if (n == 0)
		return 0;
	memcpy(out, hits->all, n * sizeof(*out));
	memmove(hits->all, hits->all + n, (hits->n - n) * sizeof(*out));
	hits->n -= n;
	hits->ready -= n;
	if (hits->multi) {
		hits->claimed += n;
		hits->snapshots += n;
	}
	return n;
}

static bool take_executed(void *self, pid_t *pid)
{
	struct stephits *hits = self;

	if (hits->n_executed == 0)
		return false;
	*pid = hits->executed[0];
	hits->n_executed--;
	memmove(hits->executed, hits->executed + 1, hits->n_executed * sizeof(*pid));
	return true;
}

struct hit_source stephits_source(struct stephits *hits)
{
	static const struct hit_source_ops ops = {
		.add = add,
		.arm = arm,
		.disarm = disarm,
		.fd = no_fd,
		.read = take_all,
		.executed = take_executed,
	};

	return (struct hit_source){ .ops = &ops, .self = hits };
}

void stephits_fini(struct stephits *hits)
{
	stepaims_fini(&hits->aims);
	free(hits->all);
	free(hits->executed);
	*hits = (struct stephits){ .n = 0 };
}
