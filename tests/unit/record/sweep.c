/* SPDX-License-Identifier: MIT */
#include "record/sweep.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct scratch s;

static int open_dir(const char *name)
{
	int fd = open(scratch_path(&s, name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

START_TEST(test_only_our_names)
{
	static const char *const theirs[] = { "perf.dat",       "perf.data.", "perf.data.1x",
					      "xperf.data",     "notes.txt",  "recording.json~",
					      "perf.data.guest" };
	size_t n = sizeof(theirs) / sizeof(*theirs);
	int fd;

	scratch_init(&s);
	ck_assert_int_eq(mkdir(scratch_path(&s, "d"), 0700), 0);
	ck_assert_int_eq(scratch_run(&s, "cd d && touch perf.data perf.data.old recording.json "
					 "perf.data.2026080312000102 recording.json.new "
					 "qemu.socket"),
			 0);
	for (size_t i = 0; i < n; i++) {
		char name[64];

		snprintf(name, sizeof(name), "d/%s", theirs[i]);
		scratch_put(&s, name, "kept");
	}
	fd = open_dir("d");
	ck_assert(sweep_directory(fd));
	ck_assert(sweep_directory(fd));
	close(fd);
	ck_assert_int_eq(scratch_run(&s, "test $(ls -A d | wc -l) = 7"), 0);
	for (size_t i = 0; i < n; i++) {
		char name[64];

		snprintf(name, sizeof(name), "d/%s", theirs[i]);
		ck_assert(scratch_holds(&s, name, "kept"));
	}
	scratch_fini(&s);
}
END_TEST

/* Links in place of data, and in data that is a directory: the links go, what they show stays. */
START_TEST(test_links_are_not_followed)
{
	int fd;

	scratch_init(&s);
	ck_assert_int_eq(scratch_run(&s, "mkdir -p d/perf.data/kcore_dir out/sub && "
					 "echo kept >out/file && echo kept >out/perf.data && "
					 "touch d/perf.data/data d/perf.data/kcore_dir/kcore && "
					 "ln -s \"$PWD/out\" d/perf.data/kcore_dir/link && "
					 "ln -s \"$PWD/out\" d/perf.data.1 && "
					 "ln -s \"$PWD/out/file\" d/recording.json && "
					 "ln -s nowhere d/perf.data.2"),
			 0);
	fd = open_dir("d");
	ck_assert(sweep_directory(fd));
	close(fd);
	ck_assert_int_eq(rmdir(scratch_path(&s, "d")), 0);
	ck_assert(scratch_holds(&s, "out/file", "kept\n"));
	ck_assert(scratch_holds(&s, "out/perf.data", "kept\n"));
	ck_assert(scratch_has(&s, "out/sub"));
	scratch_fini(&s);
}
END_TEST

/* More than one buffer of names, and a directory deeper than perf makes any. */
START_TEST(test_many_and_deep)
{
	int fd;

	scratch_init(&s);
	ck_assert_int_eq(scratch_run(&s, "mkdir d && cd d && touch $(seq -f perf.data.%.0f 1 3000) "
					 "&& mkdir perf.data && cd perf.data && "
					 "touch $(seq 1 2000)"),
			 0);
	fd = open_dir("d");
	ck_assert(sweep_directory(fd));
	ck_assert_int_eq(scratch_run(&s, "test -z \"$(ls -A d)\""), 0);
	ck_assert_int_eq(scratch_run(&s, "mkdir -p d/perf.data/1/2/3/4/5/6/7/8/9/10"), 0);
	ck_assert(!sweep_directory(fd));
	ck_assert(scratch_has(&s, "d/perf.data/1/2/3/4/5/6/7/8/9/10"));
	close(fd);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_one_name)
{
	int fd;

	scratch_init(&s);
	ck_assert_int_eq(scratch_run(&s, "mkdir -p d/perf.data.1 && touch d/perf.data.1/data "
					 "d/perf.data.2 d/perf.data.3"),
			 0);
	fd = open_dir("d");
	ck_assert(sweep_name(fd, "perf.data.1"));
	ck_assert(sweep_name(fd, "perf.data.3"));
	ck_assert(!scratch_has(&s, "d/perf.data.1"));
	ck_assert(scratch_has(&s, "d/perf.data.2"));
	ck_assert(!scratch_has(&s, "d/perf.data.3"));
	close(fd);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("sweep", test_only_our_names, test_links_are_not_followed, test_many_and_deep,
	   test_one_name)
