/* SPDX-License-Identifier: MIT */
#include "soft/highfd.h"

#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* libcheck runs each test in a process of its own: limits are not put back. */
static void set_limit(rlim_t soft, rlim_t hard)
{
	const struct rlimit limit = { .rlim_cur = soft, .rlim_max = hard };

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void expect_limit(rlim_t soft, rlim_t hard)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_uint_eq(limit.rlim_cur, soft);
	ck_assert_uint_eq(limit.rlim_max, hard);
}

/* Of a file that is /dev/null; the old number is free afterwards, unless it is the same. */
static int move(void)
{
	int fd = open("/dev/null", O_RDWR), high = highfd_move(fd);
	struct stat st, null;

	ck_assert_int_eq(fstat(high, &st), 0);
	ck_assert_int_eq(stat("/dev/null", &null), 0);
	ck_assert_uint_eq(st.st_rdev, null.st_rdev);
	if (high != fd) {
		ck_assert_int_eq(fcntl(high, F_GETFD), FD_CLOEXEC);
		ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
		ck_assert_int_eq(errno, EBADF);
	}
	return high;
}

START_TEST(test_above_the_limit)
{
	int high;

	set_limit(64, 200);
	high = move();
	ck_assert_int_ge(high, 64);
	ck_assert_int_lt(high, 200);
	ck_assert_int_ne(move(), high);
	expect_limit(64, 200);
	/* what "closes all" closes */
	for (int fd = 3; fd < sysconf(_SC_OPEN_MAX); fd++)
		close(fd);
	ck_assert_int_eq(fcntl(high, F_GETFD), FD_CLOEXEC);
	/* a low limit leaves room as well */
	set_limit(12, 200);
	ck_assert_int_ge(move(), 12);
	expect_limit(12, 200);
}
END_TEST

START_TEST(test_no_room_above)
{
	set_limit(64, 64);
	ck_assert_int_eq(move(), 48);
	ck_assert_int_eq(move(), 49);
	expect_limit(64, 64);
	/* nor below a limit as low as this */
	set_limit(31, 31);
	ck_assert_int_lt(move(), 31);
	ck_assert_int_eq(highfd_move(-1), -1);
}
END_TEST

/* The room above is taken. */
START_TEST(test_little_room_above)
{
	set_limit(64, 65);
	ck_assert_int_eq(move(), 64);
	ck_assert_int_eq(move(), 48);
	expect_limit(64, 65);
}
END_TEST

SUITE_MAIN("soft/highfd", test_above_the_limit, test_no_room_above, test_little_room_above)
