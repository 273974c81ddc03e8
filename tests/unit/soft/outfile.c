/* SPDX-License-Identifier: MIT */
#include "soft/outfile.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <sys/wait.h>

static struct scratch s;
static struct err err;

static struct outfile *open_file(const char *path)
{
	struct outfile *file = NULL;

	ck_assert_msg(outfile_open(path, &file, &err) == 0, "%s", err.msg);
	return file;
}

START_TEST(test_order)
{
	struct outfile *file;

	scratch_init(&s);
	file = open_file(scratch_path(&s, "f"));
	ck_assert_uint_eq(outfile_size(file), 0);
	outfile_put(file, "....one ", 8);
	outfile_put(file, NULL, 0);
	outfile_put_head(file, "HEAD", 4);
	ck_assert_uint_eq(outfile_size(file), 8);
	outfile_put(file, "two", 3);
	ck_assert_uint_eq(outfile_size(file), 11);
	ck_assert_int_eq(outfile_close(file, &err), 0);
	ck_assert(scratch_holds(&s, "f", "HEADone two"));
	scratch_fini(&s);
}
END_TEST

/* Pieces of many sizes, to ten times what a buffer may hold. */
START_TEST(test_much)
{
	const size_t n = 10 << 20;
	char *want = malloc(n), *got;
	struct outfile *file;
	size_t have;

	scratch_init(&s);
	file = open_file(scratch_path(&s, "f"));
	for (size_t i = 0; i < n; i++)
		want[i] = (char)(i * 2654435761u >> 24);
	for (size_t at = 0, size = 1; at < n; at += size, size = (size * 7 + 3) % 700001) {
		size = size < n - at ? size : n - at;
		outfile_put(file, want + at, size);
	}
	ck_assert_uint_eq(outfile_size(file), n);
	ck_assert_int_eq(outfile_close(file, &err), 0);
	got = scratch_get(scratch_path(&s, "f"), &have);
	ck_assert_uint_eq(have, n);
	ck_assert_mem_eq(got, want, n);
	free(got);
	free(want);
	scratch_fini(&s);
}
END_TEST

/* It is empty and nobody else's to read, whatever was there. */
START_TEST(test_private)
{
	struct stat st;

	scratch_init(&s);
	scratch_put(&s, "old", "something old");
	ck_assert_int_eq(chmod(scratch_path(&s, "old"), 0644), 0);
	umask(0);
	ck_assert_int_eq(outfile_close(open_file(scratch_path(&s, "old")), &err), 0);
	ck_assert_int_eq(outfile_close(open_file(scratch_path(&s, "new")), &err), 0);
	ck_assert_int_eq(stat(scratch_path(&s, "old"), &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(st.st_size, 0);
	ck_assert_int_eq(stat(scratch_path(&s, "new"), &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_failure)
{
	struct outfile *file;
	struct stat before, after;
	char big[4096] = "";

	ck_assert_int_eq(outfile_open("/nowhere/f", &file, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "/nowhere/f: No such file"));

	ck_assert_int_eq(stat("/dev/full", &before), 0);
	file = open_file("/dev/full");
	for (int i = 0; i < 1000; i++)
		outfile_put(file, big, sizeof(big));
	outfile_put_head(file, big, 4);
	ck_assert_int_eq(outfile_close(file, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "/dev/full: No space left"));
	ck_assert_str_ne(err.hint, "");
	/* what waits to the end fails too */
	file = open_file("/dev/full");
	outfile_put(file, "x", 1);
	ck_assert_int_eq(outfile_close(file, &err), -1);
	ck_assert_int_eq(stat("/dev/full", &after), 0);
	ck_assert_int_eq(after.st_mode, before.st_mode);
}
END_TEST

/* What a child that lets go of it holds is not written twice. */
START_TEST(test_abandon)
{
	struct outfile *file;
	int status;
	pid_t child;

	scratch_init(&s);
	file = open_file(scratch_path(&s, "f"));
	outfile_put(file, "once", 4);
	child = fork();
	if (child == 0) {
		outfile_abandon(file);
		exit(0); /* not _exit: what the C library buffers is written now */
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(outfile_close(file, &err), 0);
	ck_assert(scratch_holds(&s, "f", "once"));
	outfile_abandon(NULL);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_link)
{
	struct outfile *file;
	struct scratch other;

	scratch_init(&other);
	scratch_put(&other, "victim", "precious");
	ck_assert_int_eq(symlink("victim", scratch_path(&other, "f")), 0);
	ck_assert_int_eq(outfile_open(scratch_path(&other, "f"), &file, &err), -1);
	ck_assert(scratch_holds(&other, "victim", "precious"));
	scratch_fini(&other);
}
END_TEST

SUITE_MAIN("outfile", test_order, test_much, test_private, test_failure, test_abandon, test_link)
