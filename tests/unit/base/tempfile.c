/* SPDX-License-Identifier: MIT */
#include "base/tempfile.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <sys/stat.h>
#include <unistd.h>

/* It can be written and read, has no name, and lies where TMPDIR says. */
START_TEST(test_file)
{
	struct scratch s;
	struct stat st, dir;
	char got[4] = "";
	int fd;

	scratch_init(&s);
	setenv("TMPDIR", s.dir, 1);
	fd = tempfile_open("x");
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "abc", 3), 3);
	ck_assert_int_eq(pread(fd, got, 4, 0), 3);
	ck_assert_str_eq(got, "abc");
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(stat(s.dir, &dir), 0);
	ck_assert_uint_eq(st.st_nlink, 0);
	ck_assert(st.st_dev == dir.st_dev);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	close(fd);
	/* nothing is left: a directory that is not empty is not removed */
	ck_assert_int_eq(rmdir(s.dir), 0);
	ck_assert_int_eq(tempfile_open("x"), -1);
}
END_TEST

/* Empty is not given. */
START_TEST(test_default)
{
	int fd;

	setenv("TMPDIR", "", 1);
	fd = tempfile_open("x");
	ck_assert_int_ge(fd, 0);
	close(fd);
	unsetenv("TMPDIR");
	fd = tempfile_open("x");
	ck_assert_int_ge(fd, 0);
	close(fd);
}
END_TEST

SUITE_MAIN("tempfile", test_file, test_default)
