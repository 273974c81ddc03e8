/* SPDX-License-Identifier: MIT */
#include "symbol/tablecache.h"

#include "support/random.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <fcntl.h>
#include <time.h>

static const char id[] = "0123456789abcdef";

static struct tablecache *open_cache(struct scratch *s)
{
	return tablecache_open(scratch_path(s, "a/cache"), id);
}

static void put(struct tablecache *cache, uint64_t number, const char *text)
{
	struct blob blob = { 0 };

	blob_put(&blob, text, strlen(text));
	tablecache_put(cache, number, &blob);
	blob_fini(&blob);
}

static void check(struct tablecache *cache, uint64_t number, const char *text)
{
	struct blob blob;

	if (!text) {
		ck_assert(!tablecache_get(cache, number, &blob));
		return;
	}
	ck_assert(tablecache_get(cache, number, &blob));
	ck_assert_uint_eq(blob.n, strlen(text));
	ck_assert_mem_eq(blob.p, text, blob.n);
	blob_fini(&blob);
}

START_TEST(test_kept)
{
	struct tablecache *cache;
	struct scratch s;
	struct stat st;

	scratch_init(&s);
	cache = open_cache(&s);
	check(cache, 1, NULL);
	tablecache_close(cache);
	/* nothing was put: nothing is made */
	ck_assert(!scratch_has(&s, "a"));
	cache = open_cache(&s);
	put(cache, TABLECACHE_FILE, "the file");
	put(cache, 7, "");
	tablecache_close(cache);
	ck_assert_int_eq(stat(scratch_path(&s, "a/cache"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0700);
	ck_assert_int_eq(stat(scratch_path(&s, "a/cache/0123456789abcdef.tables"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	/* more is added to what is there */
	cache = open_cache(&s);
	check(cache, TABLECACHE_FILE, "the file");
	check(cache, 7, "");
	check(cache, 8, NULL);
	put(cache, 8, "eight");
	check(cache, 8, "eight");
	put(cache, 7, "seven");
	tablecache_close(cache);
	cache = open_cache(&s);
	check(cache, TABLECACHE_FILE, "the file");
	check(cache, 7, "seven");
	check(cache, 8, "eight");
	tablecache_close(cache);
	tablecache_close(NULL);
	scratch_fini(&s);
}
END_TEST

/* What was closed is opened again, unless it is another one by now. */
START_TEST(test_rest)
{
	struct tablecache *cache, *other;
	struct scratch s;

	scratch_init(&s);
	cache = open_cache(&s);
	tablecache_rest(cache);
	put(cache, 1, "one");
	put(cache, 2, "two");
	tablecache_close(cache);
	cache = open_cache(&s);
	tablecache_rest(cache);
	check(cache, 1, "one");
	tablecache_rest(cache);
	tablecache_rest(cache);
	put(cache, 3, "three");
	tablecache_close(cache);
	cache = open_cache(&s);
	check(cache, 1, "one");
	check(cache, 2, "two");
	check(cache, 3, "three");
	/* another run writes it meanwhile */
	put(cache, 4, "four");
	tablecache_rest(cache);
	other = open_cache(&s);
	put(other, 5, "five");
	tablecache_close(other);
	check(cache, 1, NULL);
	check(cache, 4, "four");
	tablecache_close(cache);
	cache = open_cache(&s);
	check(cache, 1, NULL);
	check(cache, 4, "four");
	tablecache_close(cache);
	scratch_fini(&s);
}
END_TEST

/* The directory need not be given from the root. */
START_TEST(test_relative)
{
	struct tablecache *cache;
	struct scratch s;
	char back[4096];

	scratch_init(&s);
	ck_assert_ptr_nonnull(getcwd(back, sizeof(back)));
	ck_assert_int_eq(chdir(s.dir), 0);
	cache = tablecache_open("cache", id);
	put(cache, 1, "one");
	tablecache_close(cache);
	ck_assert_int_eq(chdir(back), 0);
	ck_assert(scratch_has(&s, "cache/0123456789abcdef.tables"));
	scratch_fini(&s);
}
END_TEST

/* A damaged file gives what is right of it, or nothing; and can be written anew. */
START_TEST(test_damaged)
{
	struct tablecache *cache;
	uint64_t random = 1;
	struct scratch s;
	char *whole;
	size_t n;

	scratch_init(&s);
	cache = open_cache(&s);
	put(cache, 1, "the first table");
	put(cache, 2, "the second table");
	tablecache_close(cache);
	whole = scratch_get(scratch_path(&s, "a/cache/0123456789abcdef.tables"), &n);
	for (int round = 0; round < 500; round++) {
		size_t at = below(&random, n), size = round % 2 ? n : below(&random, n);
		const char *path = scratch_path(&s, "a/cache/0123456789abcdef.tables");
		int fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
		struct blob blob;

		ck_assert_int_eq(pwrite(fd, whole, n, 0), (ssize_t)n);
		ck_assert_int_eq(pwrite(fd, "\xff", 1, (off_t)at), 1);
		ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
		close(fd);
		cache = open_cache(&s);
		if (tablecache_get(cache, 1, &blob)) {
			ck_assert_uint_eq(blob.n, strlen("the first table"));
			ck_assert_mem_eq(blob.p, "the first table", blob.n);
			blob_fini(&blob);
		}
		put(cache, 1, "again");
		tablecache_close(cache);
		cache = open_cache(&s);
		check(cache, 1, "again");
		tablecache_close(cache);
	}
	free(whole);
	scratch_fini(&s);
}
END_TEST

/* What cannot be a cache, or is not ours, is none. */
START_TEST(test_not_ours)
{
	static const char *const commands[] = {
		"mkdir -p a/cache && ln -s /dev/zero a/cache/0123456789abcdef.tables",
		"mkdir -p a/cache && mkfifo a/cache/0123456789abcdef.tables",
		"mkdir -p a/cache && mkdir a/cache/0123456789abcdef.tables",
		"mkdir a && : >a/cache",
		"ln -s /proc a",
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		struct tablecache *cache;
		struct scratch s;

		scratch_init(&s);
		ck_assert_int_eq(scratch_run(&s, commands[i]), 0);
		cache = open_cache(&s);
		check(cache, 1, NULL);
		put(cache, 1, "one");
		tablecache_close(cache);
		/* no half-written file is left */
		ck_assert_int_ne(scratch_run(&s, "ls a/cache/*.tables.* 2>/dev/null | grep ."), 0);
		scratch_fini(&s);
	}
}
END_TEST

START_TEST(test_somebody_elses)
{
	struct tablecache *cache;
	struct scratch s;

	if (geteuid() != 0) {
		printf("SKIP tablecache/owner: the test is not run by root\n");
		return;
	}
	scratch_init(&s);
	cache = open_cache(&s);
	put(cache, 1, "one");
	tablecache_close(cache);
	ck_assert_int_eq(chown(scratch_path(&s, "a/cache/0123456789abcdef.tables"), 1, 1), 0);
	cache = open_cache(&s);
	check(cache, 1, NULL);
	tablecache_close(cache);
	/* where another user may put what he likes */
	ck_assert_int_eq(chown(scratch_path(&s, "a/cache/0123456789abcdef.tables"), 0, 0), 0);
	cache = open_cache(&s);
	check(cache, 1, "one");
	tablecache_close(cache);
	ck_assert_int_eq(chown(scratch_path(&s, "a/cache"), 1, 1), 0);
	cache = open_cache(&s);
	check(cache, 1, NULL);
	put(cache, 1, "two");
	tablecache_close(cache);
	ck_assert_int_eq(chown(scratch_path(&s, "a/cache"), 0, 0), 0);
	cache = open_cache(&s);
	check(cache, 1, "one");
	tablecache_close(cache);
	scratch_fini(&s);
}
END_TEST

/* A file under another's name says nothing of it. */
START_TEST(test_another)
{
	struct tablecache *cache;
	struct scratch s;

	scratch_init(&s);
	cache = open_cache(&s);
	put(cache, 1, "one");
	tablecache_close(cache);
	ck_assert_int_eq(scratch_run(&s, "cd a/cache && cp 0123456789abcdef.tables "
					 "0123456789abcde0.tables"),
			 0);
	cache = tablecache_open(scratch_path(&s, "a/cache"), "0123456789abcde0");
	check(cache, 1, NULL);
	put(cache, 1, "two");
	tablecache_close(cache);
	cache = tablecache_open(scratch_path(&s, "a/cache"), "0123456789abcde0");
	check(cache, 1, "two");
	tablecache_close(cache);
	scratch_fini(&s);
}
END_TEST

/* The oldest files go when all are too large; others stay. */
START_TEST(test_bounded)
{
	struct tablecache *cache;
	struct scratch s;

	scratch_init(&s);
	ck_assert_int_eq(scratch_run(&s, "mkdir -p a/cache && cd a/cache && "
					 "truncate -s 1G new.tables && "
					 "truncate -s 1G old.tables && truncate -s 9G other && "
					 "touch -d 2001-01-01 old.tables && "
					 "touch -d 2000-01-01 other"),
			 0);
	cache = open_cache(&s);
	put(cache, 1, "one");
	tablecache_close(cache);
	ck_assert(scratch_has(&s, "a/cache/new.tables"));
	ck_assert(!scratch_has(&s, "a/cache/old.tables"));
	ck_assert(scratch_has(&s, "a/cache/other"));
	ck_assert(scratch_has(&s, "a/cache/0123456789abcdef.tables"));
	scratch_fini(&s);
}
END_TEST

static void check_directory(const char *cache, const char *home, const char *want)
{
	char *got;

	cache ? setenv("XDG_CACHE_HOME", cache, 1) : unsetenv("XDG_CACHE_HOME");
	home ? setenv("HOME", home, 1) : unsetenv("HOME");
	got = tablecache_directory();
	ck_assert_pstr_eq(got, want);
	free(got);
}

START_TEST(test_directory)
{
	check_directory("/c", "/h", "/c/magic-trace");
	check_directory("relative", "/h", "/h/.cache/magic-trace");
	check_directory("", "/h", "/h/.cache/magic-trace");
	check_directory(NULL, "/h", "/h/.cache/magic-trace");
	check_directory(NULL, NULL, NULL);
	check_directory(NULL, "h", NULL);
}
END_TEST

/* As after `sudo -E`. */
START_TEST(test_directory_of_another)
{
	struct scratch other;

	if (geteuid() != 0)
		return;
	scratch_init(&other);
	ck_assert_int_eq(chown(other.dir, 65534, 65534), 0);
	check_directory(other.dir, "/h", NULL);
	check_directory(NULL, other.dir, NULL);
	scratch_fini(&other);
}
END_TEST

SUITE_MAIN("symbol/tablecache", test_kept, test_rest, test_relative, test_damaged, test_not_ours,
	   test_somebody_elses, test_another, test_bounded, test_directory,
	   test_directory_of_another)
