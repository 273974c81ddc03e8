/* SPDX-License-Identifier: MIT */
/*
 * Held against the same machine's other clocks: perf's clock may be asked to be CLOCK_MONOTONIC_RAW
 * (attr.use_clockid), but its own can only be told from its own events; so what is checked is that
 * a name record which the test takes itself lies where the measured clocks say.
 */
#include "record/clock.h"

#include "record/ring.h"
#include "support/suite.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLACK 2000000 /* ns: for a machine that does not let us run between two looks */

static int64_t wall(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static int open_own(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.comm = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The time, on perf's clock, at which our name is set. */
static int64_t stamp(void)
{
	const struct perf_event_header *header;
	struct ring ring;
	int64_t time = 0;
	int fd = open_own();

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ring_map(&ring, fd, 1), 0);
	prctl(PR_SET_NAME, "stamped");
	ring_sync(&ring);
	header = ring_peek(&ring);
	ck_assert_ptr_nonnull(header);
	ck_assert_uint_eq(header->type, PERF_RECORD_COMM);
	memcpy(&time, (const char *)header + header->size - 8, 8);
	ring_unmap(&ring);
	close(fd);
	return time;
}

START_TEST(test_wall_offset)
{
	int64_t offset, before, after, time;

	ck_assert_int_eq(perf_clock_wall_offset(&offset), 0);
	before = wall();
	time = stamp();
	after = wall();
	ck_assert_int_ge(time + offset, before - SLACK);
	ck_assert_int_le(time + offset, after + SLACK);
}
END_TEST

START_TEST(test_name_stays)
{
	char name[16], now[16];
	int64_t offset;

	prctl(PR_SET_NAME, "a name of mine");
	prctl(PR_GET_NAME, name);
	ck_assert_int_eq(perf_clock_wall_offset(&offset), 0);
	prctl(PR_GET_NAME, now);
	ck_assert_str_eq(now, name);
}
END_TEST

/* Two moments and what passed between them, by the counter and by its frequency as they tell it. */
START_TEST(test_tsc)
{
	uint64_t tsc[3];
	int64_t time[3], error[3], expected;
	int i;

	if (perf_clock_tsc(&tsc[0], &time[0], &error[0]) < 0)
		ck_abort_msg("no counter");
	for (i = 1; i < 3; i++) {
		usleep(50000);
		ck_assert_int_eq(perf_clock_tsc(&tsc[i], &time[i], &error[i]), 0);
		ck_assert_uint_gt(tsc[i], tsc[i - 1]);
		ck_assert_int_gt(time[i], time[i - 1]);
		ck_assert_int_ge(error[i], 0);
	}
	expected = time[0] + (int64_t)((double)(tsc[1] - tsc[0]) / (double)(tsc[2] - tsc[0]) *
				       (double)(time[2] - time[0]));
	ck_assert_int_ge(time[1], expected - error[0] - error[1] - error[2] - 20);
	ck_assert_int_le(time[1], expected + error[0] + error[1] + error[2] + 20);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { test_wall_offset, test_name_stays, test_tsc, NULL };
	int fd = open_own();

	if (fd < 0) {
		printf("SKIP clock: perf_event_open: %s\n", strerror(errno));
		return EXIT_SUCCESS;
	}
	close(fd);
	return suite_run("clock", tests);
}
