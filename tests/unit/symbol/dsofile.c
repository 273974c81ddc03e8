/* SPDX-License-Identifier: MIT */
/* The files are copies of a small program with build-ids of their own. */
#include "symbol/dsofile.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <signal.h>
#include <sys/wait.h>

static struct scratch scratch;

static void begin(void)
{
	scratch_init(&scratch);
	scratch_put(&scratch, "p.c", "int main(void) { return 0; }\n");
	ck_assert_int_eq(scratch_run(&scratch, "gcc p.c -o one -Wl,--build-id=0xabcd0001 && "
					       "gcc p.c -o two -Wl,--build-id=0xabcd0002 && "
					       "gcc p.c -o none -Wl,--build-id=none"),
			 0);
}

/* Whether the file is opened, and by which path. */
static void check(const struct dsofile *file, const char *want, const char *want_id)
{
	char id[BUILDID_HEX], *name = NULL;
	struct err err = ERR_INIT;
	int fd = dsofile_open(file, &name, id, &err);

	if (!want) {
		ck_assert_int_eq(fd, -1);
		ck_assert_str_ne(err.msg, "");
		ck_assert_ptr_nonnull(strstr(err.hint, "-symfs"));
		return;
	}
	ck_assert_msg(fd >= 0, "%s", err.msg);
	ck_assert_str_eq(name, want);
	ck_assert_str_eq(id, want_id);
	free(name);
	close(fd);
}

static uint64_t inode_of(const char *name)
{
	struct stat st;

	ck_assert_int_eq(stat(scratch_path(&scratch, name), &st), 0);
	return st.st_ino;
}

START_TEST(test_same_file)
{
	struct dsofile file = { .build_id = "abcd0001" };
	char path[600];

	begin();
	snprintf(path, sizeof(path), "%s", scratch_path(&scratch, "one"));
	file.path = path;
	check(&file, path, "abcd0001");
	/* the inode does not matter when there is a build-id */
	file.inode = inode_of("two");
	check(&file, path, "abcd0001");
	file.build_id = "abcd0002";
	check(&file, NULL, NULL);
	file.build_id = "";
	check(&file, NULL, NULL);
	file.inode = inode_of("one");
	check(&file, path, "abcd0001");
	/* neither is known: it may be any */
	file.inode = 0;
	check(&file, NULL, NULL);
	strcat(path, " (deleted)");
	file.build_id = "abcd0001";
	check(&file, scratch_path(&scratch, "one"), "abcd0001");
	snprintf(path, sizeof(path), "%s", scratch_path(&scratch, "none"));
	file.build_id = "";
	file.inode = inode_of("none");
	check(&file, path, "");
	file.build_id = "abcd0001";
	check(&file, NULL, NULL);
	scratch_fini(&scratch);
}
END_TEST

/* Below another root paths are trusted, build-ids still count. */
START_TEST(test_symfs)
{
	struct dsofile file = { .path = "/usr/bin/p", .build_id = "" };
	char want[600];

	begin();
	ck_assert_int_eq(scratch_run(&scratch, "mkdir -p usr/bin && cp one usr/bin/p"), 0);
	snprintf(want, sizeof(want), "%s", scratch_path(&scratch, "usr/bin/p"));
	file.symfs = scratch.dir;
	check(&file, want, "abcd0001");
	file.inode = 1;
	check(&file, want, "abcd0001");
	file.build_id = "abcd0002";
	check(&file, NULL, NULL);
	scratch_fini(&scratch);
}
END_TEST

/* perf's own copy of a file that is another one now. */
START_TEST(test_perf_copy)
{
	struct dsofile file = { .build_id = "abcd0001" };
	char path[600], want[600];

	begin();
	ck_assert_int_eq(setenv("HOME", scratch.dir, 1), 0);
	ck_assert_int_eq(scratch_run(&scratch,
				     "mkdir -p .debug/.build-id/ab/cd0001 && "
				     "mv one .debug/.build-id/ab/cd0001/elf && cp two one"),
			 0);
	snprintf(path, sizeof(path), "%s", scratch_path(&scratch, "one"));
	snprintf(want, sizeof(want), "%s",
		 scratch_path(&scratch, ".debug/.build-id/ab/cd0001/elf"));
	file.path = path;
	check(&file, want, "abcd0001");
	/* a copy that is not what its place says */
	ck_assert_int_eq(scratch_run(&scratch, "cp two .debug/.build-id/ab/cd0001/elf"), 0);
	check(&file, NULL, NULL);
	scratch_fini(&scratch);
}
END_TEST

/* What a process that still runs has. */
START_TEST(test_live)
{
	struct dsofile file = { .build_id = "" };
	char path[600], want[64], id[BUILDID_HEX], *name = NULL;
	pid_t pid;
	int fd;

	begin();
	ck_assert_int_eq(scratch_run(&scratch, "cp \"$(command -v sleep)\" sleep"), 0);
	snprintf(path, sizeof(path), "%s", scratch_path(&scratch, "sleep"));
	file.path = path;
	file.inode = inode_of("sleep");
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		execl(path, path, "60", (char *)NULL);
		_exit(1);
	}
	file.pid = pid;
	snprintf(want, sizeof(want), "/proc/%d/exe", (int)pid);
	for (int i = 0; i < 1000; i++) {
		char now[600] = "";

		if (readlink(want, now, sizeof(now) - 1) > 0 && strcmp(now, path) == 0)
			break;
		usleep(1000);
	}
	ck_assert_int_eq(scratch_run(&scratch, "rm sleep && cp one sleep"), 0);
	fd = dsofile_open(&file, &name, id, NULL);
	ck_assert_int_ge(fd, 0);
	ck_assert_str_eq(name, want);
	free(name);
	close(fd);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	check(&file, NULL, NULL);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_vdso)
{
	struct dsofile file = { .path = "[vdso]", .build_id = "", .same_machine = true };
	char id[BUILDID_HEX], again[BUILDID_HEX], *name = NULL;
	struct err err = ERR_INIT;
	int fd = dsofile_open(&file, &name, id, &err);

	ck_assert_msg(fd >= 0, "%s", err.msg);
	close(fd);
	free(name);
	/* of another machine only by its build-id */
	file.same_machine = false;
	ck_assert_int_eq(dsofile_open(&file, &name, again, &err), -1);
	file.build_id = id;
	fd = dsofile_open(&file, &name, again, &err);
	ck_assert_int_ge(fd, 0);
	ck_assert_str_eq(id, again);
	close(fd);
	free(name);
}
END_TEST

SUITE_MAIN("symbol/dsofile", test_same_file, test_symfs, test_perf_copy, test_live, test_vdso)
