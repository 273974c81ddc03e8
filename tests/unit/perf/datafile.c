/* SPDX-License-Identifier: MIT */
#include "perf/datafile.h"

#include "support/scratch.h"
#include "support/suite.h"

static struct scratch s;

START_TEST(test_bytes)
{
	scratch_init(&s);
	ck_assert_uint_eq(datafile_bytes(scratch_path(&s, "perf.data")), 0);
	ck_assert_uint_eq(datafile_bytes(""), 0);
	scratch_put(&s, "perf.data", "12345");
	ck_assert_uint_eq(datafile_bytes(scratch_path(&s, "perf.data")), 5);
	ck_assert_int_eq(scratch_run(&s, "rm perf.data && mkdir -p perf.data/kcore_dir"), 0);
	ck_assert_uint_eq(datafile_bytes(scratch_path(&s, "perf.data")), 0);
	scratch_put(&s, "perf.data/data", "123");
	ck_assert_uint_eq(datafile_bytes(scratch_path(&s, "perf.data")), 3);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_names)
{
	scratch_init(&s);
	ck_assert_uint_eq(datafile_count_named(scratch_path(&s, "perf.data")), 0);
	ck_assert_int_eq(
		scratch_run(
			&s,
			"touch perf.data perf.data.old perf.data. perf.data2 xperf.data.2026 other.2026"),
		0);
	ck_assert_uint_eq(datafile_count_named(scratch_path(&s, "perf.data")), 0);
	ck_assert_int_eq(
		scratch_run(&s,
			    "touch perf.data.2026112920492205; mkdir perf.data.2026112920492256"),
		0);
	ck_assert_uint_eq(datafile_count_named(scratch_path(&s, "perf.data")), 2);
	ck_assert_uint_eq(datafile_count_named("/nonexistent/perf.data"), 0);
	/* in the directory where we are */
	ck_assert_int_eq(chdir(s.dir), 0);
	ck_assert_uint_eq(datafile_count_named("perf.data"), 2);
	ck_assert_int_eq(chdir("/"), 0);
	scratch_fini(&s);
}
END_TEST

/* The file, or the one in the directory; nothing that is neither. */
START_TEST(test_open)
{
	struct err err;
	char got[4] = "";
	int fd;

	scratch_init(&s);
	ck_assert_int_eq(datafile_open(scratch_path(&s, "perf.data"), &err), -1);
	ck_assert_int_eq(datafile_open("/dev/null", &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "neither"));
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(scratch_run(&s, i ? "rm perf.data && mkdir perf.data" : "true"),
				 0);
		scratch_put(&s, i ? "perf.data/data" : "perf.data", "123");
		fd = datafile_open(scratch_path(&s, "perf.data"), &err);
		ck_assert_int_ge(fd, 0);
		ck_assert_int_eq(read(fd, got, 4), 3);
		ck_assert_str_eq(got, "123");
		close(fd);
	}
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("datafile", test_bytes, test_names, test_open)
