/* SPDX-License-Identifier: MIT */
#include "trace/file.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>

static struct scratch s;
static struct err err;

static struct file *create(const char *name)
{
	struct file *file = NULL;

	err = (struct err)ERR_INIT;
	ck_assert_msg(file_create(scratch_path(&s, name), &file, &err) == 0, "%s", err.msg);
	return file;
}

static void write_text(struct file *file, const char *text)
{
	ck_assert_int_eq(file_write(file, text, strlen(text), &err), 0);
}

/*
 * Has there be no /proc for the rest of the test (a process of its own), so that the file has a
 * name from the beginning. false: that is not allowed.
 */
static bool without_proc(const char *test)
{
	if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	    mount("none", "/proc", "tmpfs", 0, NULL) == 0)
		return true;
	printf("SKIP %s: a tmpfs cannot be mounted here\n", test);
	return false;
}

/* At the end of the test: LeakSanitizer needs it. */
static void with_proc(void)
{
	ck_assert_int_eq(umount("/proc"), 0);
}

/* How many names a file has in this directory before it is committed. */
static unsigned int names_meanwhile(void)
{
	int fd = open(scratch_path(&s, "."), O_WRONLY | O_TMPFILE, 0600);

	close(fd);
	return fd < 0 || access("/proc/self/fd", F_OK) < 0 ? 1 : 0;
}

static void refuse(const char *name, const char *why)
{
	struct file *file = NULL;

	err = (struct err)ERR_INIT;
	ck_assert_int_eq(file_create(scratch_path(&s, name), &file, &err), -1);
	ck_assert_ptr_null(file);
	ck_assert_msg(strstr(err.msg, why) != NULL, "\"%s\" lacks \"%s\"", err.msg, why);
	ck_assert_ptr_nonnull(strstr(err.msg, name));
	ck_assert_str_ne(err.hint, "");
}

START_TEST(test_new_file)
{
	struct stat st;
	struct file *file;

	scratch_init(&s);
	umask(027);
	file = create("a.fxt");
	write_text(file, "one ");
	ck_assert(!scratch_has(&s, "a.fxt"));
	ck_assert_uint_eq(scratch_count(&s), names_meanwhile());
	write_text(file, "two");
	ck_assert_uint_eq(file_bytes(file), 7);
	ck_assert_int_eq(file_commit(file, &err), 0);
	ck_assert(scratch_holds(&s, "a.fxt", "one two"));
	ck_assert_uint_eq(scratch_count(&s), 1);
	ck_assert_int_eq(stat(scratch_path(&s, "a.fxt"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0640);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_old_file_is_kept)
{
	struct file *file;

	scratch_init(&s);
	scratch_put(&s, "a.fxt", "old");
	scratch_put(&s, "a.fxt.old", "older");
	file = create("a.fxt");
	write_text(file, "new");
	ck_assert(scratch_holds(&s, "a.fxt", "old"));
	ck_assert(scratch_holds(&s, "a.fxt.old", "older"));
	ck_assert_int_eq(file_commit(file, &err), 0);
	ck_assert(scratch_holds(&s, "a.fxt", "new"));
	ck_assert(scratch_holds(&s, "a.fxt.old", "old"));
	ck_assert_uint_eq(scratch_count(&s), 2);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_discard_leaves_all)
{
	struct file *file;

	scratch_init(&s);
	scratch_put(&s, "a.fxt", "old");
	scratch_put(&s, "a.fxt.old", "older");
	file = create("a.fxt");
	write_text(file, "new");
	file_discard(file);
	file_discard(NULL);
	ck_assert(scratch_holds(&s, "a.fxt", "old"));
	ck_assert(scratch_holds(&s, "a.fxt.old", "older"));
	ck_assert_uint_eq(scratch_count(&s), 2);
	scratch_fini(&s);
}
END_TEST

/* The old file's new name is taken by a directory: nothing may change. */
START_TEST(test_cannot_keep_the_old_one)
{
	struct file *file;

	scratch_init(&s);
	scratch_put(&s, "a.fxt", "old");
	ck_assert_int_eq(mkdir(scratch_path(&s, "a.fxt.old"), 0777), 0);
	file = create("a.fxt");
	write_text(file, "new");
	ck_assert_int_eq(file_commit(file, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "a.fxt.old"));
	ck_assert(scratch_holds(&s, "a.fxt", "old"));
	ck_assert_uint_eq(scratch_count(&s), 2);
	scratch_fini(&s);
}
END_TEST

/* The new file cannot take its place (it was removed): the old one has its name. */
START_TEST(test_old_file_comes_back)
{
	struct file *file;

	if (!without_proc("test_old_file_comes_back"))
		return;
	scratch_init(&s);
	scratch_put(&s, "a.fxt", "old");
	file = create("a.fxt");
	file_unlink_temporary();
	ck_assert_int_eq(file_commit(file, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(ENOENT)));
	ck_assert(scratch_holds(&s, "a.fxt", "old"));
	ck_assert_uint_eq(scratch_count(&s), 1);
	with_proc();
	scratch_fini(&s);
}
END_TEST

START_TEST(test_directory_appears_meanwhile)
{
	struct file *file;

	scratch_init(&s);
	file = create("a.fxt");
	ck_assert_int_eq(mkdir(scratch_path(&s, "a.fxt"), 0777), 0);
	ck_assert_int_eq(file_commit(file, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(EISDIR)));
	ck_assert_uint_eq(scratch_count(&s), 1);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_bad_paths)
{
	char name[NAME_MAX + 2];

	scratch_init(&s);
	refuse("none/a.fxt", "there is no directory");
	ck_assert_ptr_nonnull(strstr(err.hint, "mkdir"));
	ck_assert_int_eq(mkdir(scratch_path(&s, "d.fxt"), 0777), 0);
	refuse("d.fxt", "it is a directory");
	ck_assert_int_eq(symlink("nothing", scratch_path(&s, "l.fxt")), 0);
	refuse("l.fxt", "symbolic link to nothing");
	memset(name, 'n', NAME_MAX);
	memcpy(name + NAME_MAX - 4, ".fxt", 5);
	refuse(name, "too long");
	scratch_put(&s, "file", "");
	err = (struct err)ERR_INIT;
	ck_assert_int_eq(file_create(scratch_path(&s, "file/a.fxt"), &(struct file *){ 0 }, &err),
			 -1);
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(ENOTDIR)));
	ck_assert_uint_eq(scratch_count(&s), 3);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_unwritable_directory)
{
	scratch_init(&s);
	ck_assert_int_eq(chmod(s.dir, 0555), 0);
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	refuse("a.fxt", strerror(EACCES));
	ck_assert_ptr_nonnull(strstr(err.hint, "-output"));
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(chmod(s.dir, 0755), 0);
	scratch_fini(&s);
}
END_TEST

/* The link stays; what it points to is replaced, and kept beside that. */
START_TEST(test_symbolic_link)
{
	struct file *file;
	char target[64] = "";

	scratch_init(&s);
	ck_assert_int_eq(mkdir(scratch_path(&s, "d"), 0777), 0);
	scratch_put(&s, "d/b.fxt", "old");
	ck_assert_int_eq(symlink("d/b.fxt", scratch_path(&s, "a.fxt")), 0);
	file = create("a.fxt");
	write_text(file, "new");
	ck_assert_int_eq(file_commit(file, &err), 0);
	ck_assert_int_eq(readlink(scratch_path(&s, "a.fxt"), target, sizeof(target)), 7);
	ck_assert_str_eq(target, "d/b.fxt");
	ck_assert(scratch_holds(&s, "d/b.fxt", "new"));
	ck_assert(scratch_holds(&s, "d/b.fxt.old", "old"));
	ck_assert_uint_eq(scratch_count(&s), 2);
	scratch_fini(&s);
}
END_TEST

/* A name in the current directory, and that directory is left while the file is open. */
START_TEST(test_relative_path)
{
	struct file *file;

	scratch_init(&s);
	ck_assert_int_eq(chdir(s.dir), 0);
	ck_assert_int_eq(file_create("a.fxt", &file, &err), 0);
	write_text(file, "new");
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(file_commit(file, &err), 0);
	ck_assert(scratch_holds(&s, "a.fxt", "new"));
	scratch_fini(&s);
}
END_TEST

START_TEST(test_device)
{
	struct file *file;

	scratch_init(&s);
	ck_assert_int_eq(symlink("/dev/full", scratch_path(&s, "a.fxt")), 0);
	file = create("a.fxt");
	err = (struct err)ERR_INIT;
	ck_assert_int_eq(file_write(file, "x", 1, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(ENOSPC)));
	ck_assert_str_ne(err.hint, "");
	file_discard(file);
	ck_assert(scratch_has(&s, "a.fxt"));
	ck_assert_uint_eq(scratch_count(&s), 1);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_pipe)
{
	struct file *file;
	char got[8] = "";
	int fd;

	scratch_init(&s);
	ck_assert_int_eq(mkfifo(scratch_path(&s, "a.fxt"), 0666), 0);
	fd = open(scratch_path(&s, "a.fxt"), O_RDONLY | O_NONBLOCK);
	file = create("a.fxt");
	write_text(file, "new");
	ck_assert_int_eq(file_commit(file, &err), 0);
	ck_assert_int_eq(read(fd, got, sizeof(got)), 3);
	ck_assert_str_eq(got, "new");
	close(fd);
	ck_assert_uint_eq(scratch_count(&s), 1);
	scratch_fini(&s);
}
END_TEST

/* As in /tmp. */
static void make_public(const char *name, mode_t mode)
{
	ck_assert_int_eq(mkdir(scratch_path(&s, name), 0777), 0);
	ck_assert_int_eq(chmod(scratch_path(&s, name), mode), 0);
}

static void give(const char *name, uid_t uid)
{
	ck_assert_int_eq(lchown(scratch_path(&s, name), uid, uid), 0);
}

/* With fs.protected_symlinks and fs.protected_fifos off, as they are on some systems, we refuse. */
START_TEST(test_planted)
{
	struct file *file;

	if (geteuid() != 0)
		return;
	scratch_init(&s);
	umask(022);
	make_public("t", 01777);
	scratch_put(&s, "victim", "precious");
	ck_assert_int_eq(symlink("../victim", scratch_path(&s, "t/l.fxt")), 0);
	give("t/l.fxt", 65534);
	refuse("t/l.fxt", "symbolic link of another user's");
	ck_assert_int_eq(symlink("/nowhere/none", scratch_path(&s, "t/n.fxt")), 0);
	give("t/n.fxt", 65534);
	refuse("t/n.fxt", "symbolic link of another user's");
	ck_assert_int_eq(mkfifo(scratch_path(&s, "t/p.fxt"), 0666), 0);
	give("t/p.fxt", 65534);
	refuse("t/p.fxt", "pipe or a device of another user's");
	ck_assert(scratch_holds(&s, "victim", "precious"));
	/* without the sticky bit it is no better */
	make_public("w", 0777);
	ck_assert_int_eq(symlink("../victim", scratch_path(&s, "w/l.fxt")), 0);
	give("w/l.fxt", 65534);
	refuse("w/l.fxt", "symbolic link of another user's");
	/* one's own, and that of the directory's owner, are followed */
	give("t/l.fxt", 0);
	file = create("t/l.fxt");
	write_text(file, "new");
	ck_assert_int_eq(file_commit(file, &err), 0);
	ck_assert(scratch_holds(&s, "victim", "new"));
	give("t/l.fxt", 65534);
	give("t", 65534);
	file = create("t/l.fxt");
	ck_assert_int_eq(file_commit(file, &err), 0);
	ck_assert(scratch_holds(&s, "victim", ""));
	scratch_fini(&s);
}
END_TEST

/* Another user's file of that name stays theirs. */
START_TEST(test_file_of_another)
{
	struct file *file;
	struct stat st;

	if (geteuid() != 0)
		return;
	scratch_init(&s);
	make_public("t", 01777);
	scratch_put(&s, "t/a.fxt", "theirs");
	give("t/a.fxt", 65534);
	file = create("t/a.fxt");
	write_text(file, "ours");
	ck_assert_int_eq(file_commit(file, &err), 0);
	ck_assert(scratch_holds(&s, "t/a.fxt", "ours"));
	ck_assert(scratch_holds(&s, "t/a.fxt.old", "theirs"));
	ck_assert_int_eq(stat(scratch_path(&s, "t/a.fxt"), &st), 0);
	ck_assert_uint_eq(st.st_uid, 0);
	ck_assert_int_eq(stat(scratch_path(&s, "t/a.fxt.old"), &st), 0);
	ck_assert_uint_eq(st.st_uid, 65534);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_given_to_the_invoker)
{
	struct file *file;
	struct stat st;

	if (geteuid() != 0)
		return;
	scratch_init(&s);
	setenv("SUDO_UID", "4321", 1);
	setenv("SUDO_GID", "1234", 1);
	scratch_put(&s, "a.fxt", "old");
	file = create("a.fxt");
	ck_assert_int_eq(file_commit(file, &err), 0);
	ck_assert_int_eq(stat(scratch_path(&s, "a.fxt"), &st), 0);
	ck_assert_uint_eq(st.st_uid, 4321);
	ck_assert_uint_eq(st.st_gid, 1234);
	/* what we did not make stays whose it was */
	ck_assert_int_eq(stat(scratch_path(&s, "a.fxt.old"), &st), 0);
	ck_assert_uint_eq(st.st_uid, 0);
	ck_assert_int_eq(mkfifo(scratch_path(&s, "p.fxt"), 0666), 0);
	ck_assert_int_ge(open(scratch_path(&s, "p.fxt"), O_RDONLY | O_NONBLOCK), 0);
	file = create("p.fxt");
	ck_assert_int_eq(file_commit(file, &err), 0);
	ck_assert_int_eq(stat(scratch_path(&s, "p.fxt"), &st), 0);
	ck_assert_uint_eq(st.st_uid, 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_disk_full_leaves_all)
{
	char page[4096] = { 0 };
	struct file *file;
	int i;

	scratch_init(&s);
	ck_assert_int_eq(mkdir(scratch_path(&s, "small"), 0777), 0);
	if (scratch_run(&s, "mount -t tmpfs -o size=64k none small 2>/dev/null") != 0) {
		printf("SKIP test_disk_full_leaves_all: a tmpfs cannot be mounted here\n");
		scratch_fini(&s);
		return;
	}
	scratch_put(&s, "small/a.fxt", "old");
	file = create("small/a.fxt");
	err = (struct err)ERR_INIT;
	for (i = 0; i < 32 && file_write(file, page, sizeof(page), &err) == 0; i++)
		;
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(ENOSPC)));
	ck_assert_ptr_nonnull(strstr(err.hint, "free some space"));
	file_discard(file);
	ck_assert(scratch_holds(&s, "small/a.fxt", "old"));
	ck_assert(!scratch_has(&s, "small/a.fxt.old"));
	ck_assert_int_eq(scratch_run(&s, "umount small"), 0);
	scratch_fini(&s);
}
END_TEST

/* The kernel and the file system decide whether the file has no name; the rest is the same. */
START_TEST(test_named_meanwhile)
{
	struct file *file;
	struct stat st;

	if (!without_proc("test_named_meanwhile"))
		return;
	scratch_init(&s);
	umask(027);
	scratch_put(&s, "a.fxt", "old");
	scratch_put(&s, "a.fxt.old", "older");
	file = create("a.fxt");
	write_text(file, "new");
	ck_assert_uint_eq(scratch_count(&s), 3);
	ck_assert_int_eq(file_commit(file, &err), 0);
	ck_assert(scratch_holds(&s, "a.fxt", "new"));
	ck_assert(scratch_holds(&s, "a.fxt.old", "old"));
	ck_assert_uint_eq(scratch_count(&s), 2);
	ck_assert_int_eq(stat(scratch_path(&s, "a.fxt"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0640);
	ck_assert_uint_eq(st.st_nlink, 1);
	with_proc();
	scratch_fini(&s);
}
END_TEST

/* Its directory was removed meanwhile: there is nowhere to put it. */
START_TEST(test_directory_goes_meanwhile)
{
	struct file *file;

	scratch_init(&s);
	ck_assert_int_eq(mkdir(scratch_path(&s, "d"), 0777), 0);
	file = create("d/a.fxt");
	write_text(file, "new");
	ck_assert_int_eq(scratch_run(&s, "rm -r d"), 0);
	ck_assert_int_eq(file_commit(file, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(ENOENT)));
	ck_assert_uint_eq(scratch_count(&s), 0);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_unlink_temporary)
{
	struct file *file;

	if (!without_proc("test_unlink_temporary"))
		return;
	scratch_init(&s);
	file_unlink_temporary();
	file = create("a.fxt");
	ck_assert_uint_eq(scratch_count(&s), 1);
	file_unlink_temporary();
	ck_assert_uint_eq(scratch_count(&s), 0);
	file_unlink_temporary();
	file_discard(file);
	/* Nothing of a file that is in place is touched. */
	file = create("a.fxt");
	ck_assert_int_eq(file_commit(file, &err), 0);
	file_unlink_temporary();
	ck_assert_uint_eq(scratch_count(&s), 1);
	with_proc();
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("trace/file", test_new_file, test_old_file_is_kept, test_discard_leaves_all,
	   test_cannot_keep_the_old_one, test_old_file_comes_back, test_directory_appears_meanwhile,
	   test_bad_paths, test_unwritable_directory, test_symbolic_link, test_relative_path,
	   test_device, test_pipe, test_planted, test_file_of_another, test_given_to_the_invoker,
	   test_disk_full_leaves_all, test_named_meanwhile, test_directory_goes_meanwhile,
	   test_unlink_temporary)
