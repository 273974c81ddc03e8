/* SPDX-License-Identifier: MIT */
#include "perf/position.h"

#include "support/suite.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE  (64u << 20)
#define QUART (SIZE / 4)

START_TEST(test_what_is_touched_of_a_mapping)
{
	char path[] = "/tmp/magic-trace-test-XXXXXX";
	int fd = mkstemp(path);
	volatile const char *map;
	uint64_t before, after;
	unsigned sum = 0;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, SIZE), 0);
	ck_assert(!position_of(getpid(), path, &before)); /* not mapped */
	map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne((const void *)map, MAP_FAILED);
	ck_assert(position_of(getpid(), path, &before));
	for (size_t i = 0; i < QUART; i += 4096)
		sum += (unsigned char)map[i];
	ck_assert(position_of(getpid(), path, &after));
	ck_assert_uint_eq(sum, 0);
	/* the kernel maps some pages around each one that is touched */
	ck_assert_uint_ge(after, before + QUART / 2);
	ck_assert_uint_lt(after, SIZE / 2);
	unlink(path);
	ck_assert(!position_of(getpid(), path, &after));
	close(fd);
}
END_TEST

START_TEST(test_nobody_to_ask)
{
	uint64_t bytes;

	ck_assert(!position_of(0x7fffffff, "/proc/self/exe", &bytes));
	ck_assert(!position_of(getpid(), "/nonexistent", &bytes));
	ck_assert(!position_of(getpid(), "/", &bytes));
	/* a test program maps itself */
	ck_assert(position_of(getpid(), "/proc/self/exe", &bytes));
	ck_assert_uint_gt(bytes, 0);
}
END_TEST

SUITE_MAIN("perf/position", test_what_is_touched_of_a_mapping, test_nobody_to_ask)
