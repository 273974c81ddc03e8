/* SPDX-License-Identifier: MIT */
#include "record/stephits.h"

#include "base/monotonic.h"
#include "support/suite.h"

#include <unistd.h>
#include <x86intrin.h>

static struct stepwire wire = { .fd = -1 };
static struct stephits hits;
static struct hit_source source;

static void begin(bool real)
{
	hits = (struct stephits){ .wire = &wire };
	stephits_begin(&hits, false, real);
	source = stephits_source(&hits);
}

static struct hit hit_with(uint64_t di, uint64_t si)
{
	const struct stepwire_message m = {
		.kind = STEPWIRE_HIT,
		.pid = 1,
		.tid = 2,
		.address = 3,
		.time = monotonic_ns(),
		.now = monotonic_ns(),
		.di = di,
		.si = si,
	};
	struct hit hit = { 0 };

	ck_assert(!stephits_any(&hits));
	stephits_take(&hits, &m);
	ck_assert(stephits_any(&hits));
	ck_assert_uint_eq(source.ops->read(source.self, &hit, 1), 1);
	ck_assert_uint_eq(source.ops->read(source.self, &hit, 1), 0);
	ck_assert_int_eq(hit.time, m.time);
	ck_assert_int_eq(hit.pid, 1);
	ck_assert_int_eq(hit.tid, 2);
	ck_assert_uint_eq(hit.ip, 3);
	return hit;
}

/* With a snapshot for each hit it is told when that is there, counts, and is not asked for again.
 */
START_TEST(test_each_has_a_snapshot)
{
	const struct stepwire_message m = {
		.kind = STEPWIRE_HIT, .pid = 1, .tid = 2, .address = 3
	};
	struct hit some[3];

	begin(false);
	stephits_begin(&hits, true, false);
	stephits_take(&hits, &m);
	stephits_take(&hits, &m);
	ck_assert(!stephits_any(&hits));
	ck_assert_uint_eq(source.ops->read(source.self, some, 3), 0);
	stephits_taken(&hits);
	stephits_taken(&hits);
	/* one too many means nothing */
	stephits_taken(&hits);
	ck_assert(stephits_any(&hits));
	ck_assert_uint_eq(hits.snapshots, 0);
	ck_assert_uint_eq(source.ops->read(source.self, some, 3), 1);
	ck_assert_uint_eq(hits.snapshots, 1);
	ck_assert_uint_eq(hits.claimed, 1);
	source.ops->arm(source.self);
	ck_assert_uint_eq(hits.claimed, 0);
	ck_assert_uint_eq(source.ops->read(source.self, some, 3), 1);
	ck_assert_uint_eq(source.ops->read(source.self, some, 3), 0);
	ck_assert_uint_eq(hits.snapshots, 2);
	/* it stays on */
	source.ops->disarm(source.self);
	ck_assert(hits.armed);
	stephits_fini(&hits);
}
END_TEST

/* The counter's value from before the hit is a time between the two looks at the clock. */
START_TEST(test_passed)
{
	int64_t before, after;
	uint64_t tsc;
	struct hit hit;

	begin(true);
	usleep(20000);
	before = monotonic_ns();
	tsc = __rdtsc();
	after = monotonic_ns();
	usleep(1000);
	hit = hit_with(tsc, 5);
	ck_assert_uint_eq(hit.arg, 5);
	/* the clocks are compared to some 100 ns */
	ck_assert_int_ge(hit.passed, before - 100000);
	ck_assert_int_le(hit.passed, after + 100000);
	/* OCaml's numbers */
	hit = hit_with(2 * tsc + 1, 11);
	ck_assert_uint_eq(hit.arg, 5);
	ck_assert_int_ge(hit.passed, before - 100000);
	hit = hit_with(1, 11);
	ck_assert_uint_eq(hit.arg, 5);
	ck_assert_int_eq(hit.passed, 0);
	hit = hit_with(0, 11);
	ck_assert_uint_eq(hit.arg, 11);
	ck_assert_int_eq(hit.passed, 0);
	stephits_fini(&hits);
}
END_TEST

/* It is no time of a recording whose time is another one. */
START_TEST(test_not_real)
{
	struct hit hit;

	begin(false);
	usleep(20000);
	hit = hit_with(__rdtsc(), 5);
	ck_assert_int_eq(hit.passed, 0);
	ck_assert_uint_eq(hit.arg, 5);
	stephits_fini(&hits);
}
END_TEST

START_TEST(test_executed)
{
	pid_t pid = 0;

	begin(false);
	for (pid_t i = 1; i < 4; i++)
		stephits_take(&hits,
			      &(struct stepwire_message){ .kind = STEPWIRE_EXECUTED, .pid = i });
	for (pid_t i = 1; i < 4; i++) {
		ck_assert(stephits_any(&hits));
		ck_assert(source.ops->executed(source.self, &pid));
		ck_assert_int_eq(pid, i);
	}
	ck_assert(!source.ops->executed(source.self, &pid));
	ck_assert(!stephits_any(&hits));
	stephits_fini(&hits);
}
END_TEST

/* Before there is a process, what is added and said is kept for it. */
START_TEST(test_before_start)
{
	begin(false);
	ck_assert_int_eq(source.ops->fd(source.self), -1);
	ck_assert_int_eq(source.ops->add(source.self, getpid(), 7, true, NULL), 0);
	ck_assert(stepaims_has(&hits.aims, getpid(), 1, 7));
	ck_assert_int_eq(source.ops->add(source.self, 0x7fffffff, 7, true, NULL), -1);
	source.ops->arm(source.self);
	ck_assert(hits.armed);
	source.ops->disarm(source.self);
	ck_assert(!hits.armed);
	stephits_fini(&hits);
}
END_TEST

SUITE_MAIN("record/stephits", test_each_has_a_snapshot, test_passed, test_not_real, test_executed,
	   test_before_start)
