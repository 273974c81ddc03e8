/* SPDX-License-Identifier: MIT */
#include "record/workdir.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scratch s;
static struct err err;

static struct workdir *open_well(const char *path)
{
	struct workdir *dir;

	ck_assert_msg(workdir_open(path, &dir, &err) == 0, "%s", err.msg);
	return dir;
}

static void must_fail(const char *path, const char *why, const char *hint)
{
	struct workdir *dir = NULL;

	err = (struct err)ERR_INIT;
	ck_assert_int_eq(workdir_open(path, &dir, &err), -1);
	ck_assert_ptr_null(dir);
	ck_assert_msg(strstr(err.msg, why) != NULL, "not '%s': %s", why, err.msg);
	ck_assert_msg(strstr(err.hint, hint) != NULL, "not '%s': %s", hint, err.hint);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_mode & 07777;
}

START_TEST(test_temporary)
{
	struct workdir *dir, *other;
	char *path;

	scratch_init(&s);
	ck_assert_int_eq(setenv("TMPDIR", s.dir, 1), 0);
	dir = open_well(NULL);
	other = open_well(NULL);
	ck_assert_uint_eq(scratch_count(&s), 2);
	ck_assert(workdir_is_temporary(dir));
	path = strdup(workdir_path(dir));
	ck_assert_int_eq(strncmp(path, s.dir, strlen(s.dir)), 0);
	ck_assert_uint_eq(mode_of(path), 0700);
	ck_assert_int_eq(strncmp(workdir_data(dir), path, strlen(path)), 0);
	ck_assert_str_eq(workdir_data(dir) + strlen(path), "/perf.data");
	scratch_put(&s, workdir_data(dir) + strlen(s.dir) + 1, "data");
	workdir_close(dir);
	ck_assert_int_eq(access(path, F_OK), -1);
	workdir_close(other);
	ck_assert_uint_eq(scratch_count(&s), 0);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
	free(path);
	scratch_fini(&s);
}
END_TEST

/* Relative to where we are now, also when we are elsewhere later. */
START_TEST(test_temporary_relative)
{
	struct workdir *dir;

	scratch_init(&s);
	ck_assert_int_eq(chdir(s.dir), 0);
	ck_assert_int_eq(mkdir("tmp", 0700), 0);
	ck_assert_int_eq(setenv("TMPDIR", "tmp", 1), 0);
	dir = open_well(NULL);
	ck_assert_int_eq(workdir_path(dir)[0], '/');
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(access(workdir_path(dir), F_OK), 0);
	workdir_close(dir);
	ck_assert_int_eq(rmdir(scratch_path(&s, "tmp")), 0);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_given)
{
	struct workdir *dir;

	scratch_init(&s);
	ck_assert_int_eq(chdir(s.dir), 0);
	dir = open_well("a/b/c//");
	ck_assert(!workdir_is_temporary(dir));
	ck_assert_str_eq(workdir_path(dir), scratch_path(&s, "a/b/c"));
	ck_assert_uint_eq(mode_of("a/b/c"), 0700);
	scratch_put(&s, "a/b/c/perf.data", "old");
	scratch_put(&s, "a/b/c/recording.json", "old");
	scratch_put(&s, "a/b/c/notes", "mine");
	workdir_close(dir);
	ck_assert(scratch_holds(&s, "a/b/c/perf.data", "old"));
	ck_assert_int_eq(scratch_run(&s, "mkdir a/b/c/perf.data.1 && touch a/b/c/perf.data.1/data"),
			 0);
	dir = open_well(scratch_path(&s, "a/b/c"));
	ck_assert(!scratch_has(&s, "a/b/c/perf.data"));
	ck_assert(!scratch_has(&s, "a/b/c/perf.data.1"));
	ck_assert(!scratch_has(&s, "a/b/c/recording.json"));
	ck_assert(scratch_holds(&s, "a/b/c/notes", "mine"));
	workdir_close(dir);
	ck_assert_int_eq(chdir("/"), 0);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_useless_directories)
{
	scratch_init(&s);
	scratch_put(&s, "file", "mine");
	must_fail(scratch_path(&s, "file"), strerror(ENOTDIR), "-working-directory");
	must_fail(scratch_path(&s, "file/below"), strerror(ENOTDIR), "-working-directory");
	must_fail("", strerror(ENOENT), "-working-directory");
	ck_assert(scratch_holds(&s, "file", "mine"));
	ck_assert_int_eq(setenv("TMPDIR", scratch_path(&s, "none"), 1), 0);
	must_fail(NULL, "/none: No such file", "TMPDIR");
	ck_assert_int_eq(setenv("TMPDIR", scratch_path(&s, "file"), 1), 0);
	must_fail(NULL, strerror(ENOTDIR), "TMPDIR");
	/* as one that is not set */
	ck_assert_int_eq(setenv("TMPDIR", "", 1), 0);
	workdir_close(open_well(NULL));
	scratch_fini(&s);
}
END_TEST

START_TEST(test_no_permission)
{
	bool root = getuid() == 0;

	scratch_init(&s);
	ck_assert_int_eq(mkdir(scratch_path(&s, "ro"), 0777), 0);
	scratch_put(&s, "ro/perf.data", "old");
	ck_assert_int_eq(chmod(scratch_path(&s, "ro"), 0555), 0);
	ck_assert_int_eq(chmod(s.dir, 0755), 0);
	if (root)
		ck_assert_int_eq(seteuid(65534), 0);
	must_fail(scratch_path(&s, "ro"), strerror(EACCES), "-working-directory");
	must_fail(scratch_path(&s, "ro/a/b"), strerror(EACCES), "-working-directory");
	ck_assert_int_eq(setenv("TMPDIR", scratch_path(&s, "ro"), 1), 0);
	must_fail(NULL, strerror(EACCES), "TMPDIR");
	if (root)
		ck_assert_int_eq(seteuid(0), 0);
	ck_assert(scratch_holds(&s, "ro/perf.data", "old"));
	ck_assert_int_eq(chmod(scratch_path(&s, "ro"), 0755), 0);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_two_at_once)
{
	struct workdir *dir;
	char who[128];

	scratch_init(&s);
	dir = open_well(s.dir);
	scratch_put(&s, "perf.data", "being recorded");
	snprintf(who, sizeof(who), "process %d is recording into %s", (int)getpid(), s.dir);
	must_fail(s.dir, who, "two directories");
	ck_assert(scratch_holds(&s, "perf.data", "being recorded"));
	workdir_close(dir);
	workdir_close(open_well(s.dir));
	scratch_fini(&s);
}
END_TEST

START_TEST(test_keep_first)
{
	struct workdir *dir;

	scratch_init(&s);
	dir = open_well(s.dir);
	ck_assert_uint_eq(workdir_keep_first(dir, 0), 0);
	ck_assert_int_eq(scratch_run(&s, "touch perf.data.2026080300000003 perf.data "
					 "perf.data.2026080300000001 perf.data.old notes && "
					 "mkdir perf.data.2026080300000002 && "
					 "touch perf.data.2026080300000002/data"),
			 0);
	ck_assert_uint_eq(workdir_keep_first(dir, 4), 0);
	ck_assert_uint_eq(workdir_keep_first(dir, 2), 2);
	ck_assert(scratch_has(&s, "perf.data"));
	ck_assert(scratch_has(&s, "perf.data.2026080300000001"));
	ck_assert_uint_eq(scratch_count(&s), 4);
	ck_assert_uint_eq(workdir_keep_first(dir, 0), 2);
	ck_assert(scratch_has(&s, "notes"));
	ck_assert(scratch_has(&s, "perf.data.old"));
	workdir_close(dir);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_full_file_system)
{
	struct workdir *dir;
	uint64_t bytes;

	scratch_init(&s);
	ck_assert_int_eq(mkdir(scratch_path(&s, "small"), 0777), 0);
	if (scratch_run(&s, "mount -t tmpfs -o mode=755,size=4m none small 2>/dev/null") != 0) {
		printf("SKIP test_full_file_system: a tmpfs cannot be mounted here\n");
		scratch_fini(&s);
		return;
	}
	dir = open_well(scratch_path(&s, "small"));
	bytes = workdir_free_bytes(dir);
	ck_assert_uint_eq(bytes, 4 << 20);
	ck_assert_int_eq(scratch_run(&s, "head -c 3145728 /dev/zero >small/perf.data"), 0);
	ck_assert_uint_eq(workdir_free_bytes(dir), 1 << 20);
	workdir_close(dir);
	/* what an earlier recording takes is given back first */
	workdir_close(open_well(scratch_path(&s, "small")));
	ck_assert_int_eq(scratch_run(&s, "head -c 3149824 /dev/zero >small/other"), 0);
	must_fail(scratch_path(&s, "small"), "1044480 bytes are free", "free some space");
	ck_assert_int_eq(setenv("TMPDIR", scratch_path(&s, "small"), 1), 0);
	must_fail(NULL, "bytes are free", "free some space");
	ck_assert_int_eq(scratch_run(&s, "test $(ls -A small) = other && umount small"), 0);
	scratch_fini(&s);
}
END_TEST

/* Someone in our place, with something in perf's place, is killed; the test inherits the rest. */
static void kill_one_that_records(const char *path)
{
	struct workdir *dir;
	int ready[2];
	pid_t us;
	char c;

	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	us = fork();
	if (us == 0) {
		pid_t perf;

		dir = open_well(path);
		fclose(fopen(workdir_data(dir), "w"));
		perf = fork();
		if (perf == 0) {
			setpgid(0, 0);
			execl("/bin/sleep", "sleep", "1000", NULL);
			_exit(1);
		}
		setpgid(perf, perf);
		workdir_guard(dir, perf);
		write(ready[1], "", 1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	ck_assert_int_eq(kill(us, SIGKILL), 0);
	/* all three, or this waits for ever */
	while (waitpid(-1, NULL, 0) > 0)
		;
	ck_assert_int_eq(errno, ECHILD);
}

START_TEST(test_killed)
{
	scratch_init(&s);
	ck_assert_int_eq(setenv("TMPDIR", s.dir, 1), 0);
	kill_one_that_records(NULL);
	ck_assert_uint_eq(scratch_count(&s), 0);
	kill_one_that_records(scratch_path(&s, "given"));
	ck_assert(scratch_has(&s, "given/perf.data"));
	/* nobody holds it any longer */
	workdir_close(open_well(scratch_path(&s, "given")));
	scratch_fini(&s);
}
END_TEST

/* perf follows links, and opens its file long after we have looked. */
START_TEST(test_where_others_have_a_say)
{
	scratch_init(&s);
	ck_assert_int_eq(scratch_run(&s, "mkdir -m 777 all && mkdir -m 1777 tmp && mkdir own"), 0);
	must_fail(scratch_path(&s, "all"), "everybody may write there", "chmod o-w /");
	must_fail(scratch_path(&s, "tmp"), "everybody may write there", "one's own");
	if (geteuid() == 0) {
		ck_assert_int_eq(scratch_run(&s, "cd tmp && mkdir theirs && chown 65534 theirs && "
						 "ln -s ../own link && chown -h 65534 link"),
				 0);
		must_fail(scratch_path(&s, "tmp/theirs"), "another user made it", "one's own");
		must_fail(scratch_path(&s, "tmp/link"), "symbolic link", "one's own");
	}
	/* one's own link is followed, and a directory in a sticky one is made */
	ck_assert_int_eq(scratch_run(&s, "ln -s ../own tmp/mine"), 0);
	workdir_close(open_well(scratch_path(&s, "tmp/mine")));
	workdir_close(open_well(scratch_path(&s, "tmp/new")));
	ck_assert_uint_eq(mode_of(scratch_path(&s, "tmp/new")), 0700);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_temporary_where_all_may_rename)
{
	scratch_init(&s);
	ck_assert_int_eq(chmod(s.dir, 0777), 0);
	ck_assert_int_eq(setenv("TMPDIR", s.dir, 1), 0);
	must_fail(NULL, "no sticky bit", "chmod +t");
	ck_assert_uint_eq(scratch_count(&s), 0);
	ck_assert_int_eq(chmod(s.dir, 01777), 0);
	workdir_close(open_well(NULL));
	unsetenv("TMPDIR");
	scratch_fini(&s);
}
END_TEST

/* Only what we made: the directory was there, or its parent. */
START_TEST(test_handed_over)
{
	struct workdir *dir;
	struct stat st;
	static const char *const theirs[] = { "new", "new/er", "new/er/perf.data" };

	if (getuid() != 0)
		return;
	scratch_init(&s);
	setenv("SUDO_UID", "4321", 1);
	setenv("SUDO_GID", "4321", 1);
	dir = open_well(scratch_path(&s, "new/er"));
	scratch_put(&s, "new/er/perf.data", "");
	workdir_close(dir);
	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++) {
		ck_assert_int_eq(stat(scratch_path(&s, theirs[i]), &st), 0);
		ck_assert_uint_eq(st.st_uid, 4321);
		ck_assert_uint_eq(st.st_gid, 4321);
	}
	ck_assert_int_eq(mkdir(scratch_path(&s, "there"), 0700), 0);
	workdir_close(open_well(scratch_path(&s, "there")));
	ck_assert_int_eq(stat(scratch_path(&s, "there"), &st), 0);
	ck_assert_uint_eq(st.st_uid, 0);
	/* nor what is in one that is refused */
	scratch_put(&s, "there/perf.data", "");
	ck_assert_int_eq(chmod(scratch_path(&s, "there"), 0777), 0);
	must_fail(scratch_path(&s, "there"), "everybody may write there", "chmod o-w /");
	ck_assert_int_eq(stat(scratch_path(&s, "there/perf.data"), &st), 0);
	ck_assert_uint_eq(st.st_uid, 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("workdir", test_temporary, test_temporary_relative, test_given, test_useless_directories,
	   test_no_permission, test_two_at_once, test_keep_first, test_full_file_system,
	   test_killed, test_where_others_have_a_say, test_temporary_where_all_may_rename,
	   test_handed_over)
