/* SPDX-License-Identifier: MIT */
#include "record/leftover.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct scratch s;

/* Gives it a time of so many seconds ago. */
static void age(const char *name, time_t seconds)
{
	const struct timespec at[2] = { { .tv_sec = time(NULL) - seconds },
					{ .tv_sec = time(NULL) - seconds } };

	ck_assert_int_eq(utimensat(AT_FDCWD, scratch_path(&s, name), at, AT_SYMLINK_NOFOLLOW), 0);
}

static void make(const char *name, time_t seconds)
{
	ck_assert_int_eq(mkdir(scratch_path(&s, name), 0700), 0);
	age(name, seconds);
}

static size_t find(char **first)
{
	char own[4096];

	snprintf(own, sizeof(own), "%s", scratch_path(&s, "magic-trace-ABCDEF"));
	return leftover_find(own, first);
}

START_TEST(test_finds_what_was_left)
{
	char *first;

	scratch_init(&s);
	ck_assert_uint_eq(find(&first), 0);
	ck_assert_ptr_null(first);
	make("magic-trace-abc123", 60);
	ck_assert_uint_eq(find(&first), 1);
	ck_assert_str_eq(first, scratch_path(&s, "magic-trace-abc123"));
	free(first);
	make("magic-trace-abc124", 86400);
	ck_assert_uint_eq(find(&first), 2);
	ck_assert_ptr_nonnull(first);
	free(first);
	scratch_fini(&s);
}
END_TEST

/* Those of others, of recordings that go on or are about to begin, and what is no directory. */
START_TEST(test_leaves_out_what_was_not)
{
	char *first;
	int held;

	scratch_init(&s);
	make("magic-trace-young1", 0);
	make("magic-trace-longer1", 60);
	make("magic-trace", 60);
	make("other-trace-abc123", 60);
	scratch_put(&s, "magic-trace-file01", "");
	age("magic-trace-file01", 60);
	ck_assert_int_eq(symlink("other-trace-abc123", scratch_path(&s, "magic-trace-link01")), 0);
	age("magic-trace-link01", 60);
	make("magic-trace-held01", 60);
	held = open(scratch_path(&s, "magic-trace-held01"), O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(flock(held, LOCK_EX), 0);
	ck_assert_uint_eq(find(&first), 0);
	ck_assert_ptr_null(first);
	close(held);
	ck_assert_uint_eq(find(&first), 1);
	free(first);
	/* this needs root, and tells nothing else */
	if (chown(scratch_path(&s, "magic-trace-held01"), 1, 1) == 0)
		ck_assert_uint_eq(find(&first), 0);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_without_a_directory)
{
	char *first;

	ck_assert_uint_eq(leftover_find("/no/such/magic-trace-abc123", &first), 0);
	ck_assert_ptr_null(first);
}
END_TEST

SUITE_MAIN("leftover", test_finds_what_was_left, test_leaves_out_what_was_not,
	   test_without_a_directory)
