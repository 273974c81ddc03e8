/* SPDX-License-Identifier: MIT */
#include "symbol/maps.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "support/target.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

START_TEST(test_same_file)
{
	struct mapping a = { .inode = 1, .major = 2, .path = "/usr/bin/a b" }, b = a, c = a;

	b.start = 0x1000;
	c.inode = 3;
	ck_assert(mapping_same_file(&a, &b));
	ck_assert(!mapping_same_file(&a, &c));
	ck_assert(str_eq(mapping_path(&a), STR("/usr/bin/a b")));
	a.path = "/x\ny (deleted)";
	ck_assert(!mapping_same_file(&a, &b));
	ck_assert(str_eq(mapping_path(&a), STR("/x\ny")));
}
END_TEST

/* A file that this process has mapped; the mapping of it as the kernel tells it. */
static struct mapping map_file(struct procmaps *maps, const char *path)
{
	struct mapping found = { 0 };
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	struct err err;

	ck_assert_ptr_ne(at, MAP_FAILED);
	ck_assert_int_eq(fstat(fd, &st), 0);
	close(fd);
	ck_assert_int_eq(maps_read(getpid(), maps, &err), 0);
	ck_assert_ptr_nonnull(procmaps_find(maps, (uintptr_t)at));
	found = *procmaps_find(maps, (uintptr_t)at);
	ck_assert_uint_eq(found.inode, st.st_ino);
	ck_assert(found.executable);
	return found;
}

static bool reads(const struct mapping *mapping, const char *content, char **name)
{
	char buf[100] = "";
	struct err err;
	int fd = maps_open(getpid(), mapping, name, &err);
	bool same;

	if (fd < 0)
		return false;
	same = read(fd, buf, sizeof(buf) - 1) >= 0 && strcmp(buf, content) == 0;
	close(fd);
	return same;
}

/* A child of ours without the right to use /proc/PID/map_files. */
static bool reads_as_nobody(const struct mapping *mapping, const char *content)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		char *name;

		if (setuid(65534) != 0)
			_exit(2);
		/* a process may look at itself only while it is dumpable, which setuid ends */
		prctl(PR_SET_DUMPABLE, 1);
		_exit(!reads(mapping, content, &name));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status == 0;
}

START_TEST(test_names)
{
	static const char *const names[] = { "plain",       "a b",   "new\nline",
					     "x (deleted)", "tab\t", "(deleted)" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct mapping mapping;
		struct scratch s;
		struct procmaps maps;
		char *name;

		scratch_init(&s);
		chmod(s.dir, 0755);
		scratch_put(&s, names[i], names[i]);
		mapping = map_file(&maps, scratch_path(&s, names[i]));
		ck_assert_str_eq(mapping.path, scratch_path(&s, names[i]));
		ck_assert(reads(&mapping, names[i], &name));
		ck_assert_ptr_nonnull(name);
		ck_assert_str_eq(name, scratch_path(&s, names[i]));
		free(name);
		if (getuid() == 0)
			ck_assert(reads_as_nobody(&mapping, names[i]));
		procmaps_fini(&maps);
		scratch_fini(&s);
	}
}
END_TEST

/* Only root can read them then, through /proc/PID/map_files. */
START_TEST(test_deleted_and_replaced)
{
	struct mapping mapping;
	struct scratch s;
	struct procmaps maps;
	bool root = getuid() == 0;
	char *name;

	if (!root)
		puts("SKIP maps/map_files: not root");
	scratch_init(&s);
	chmod(s.dir, 0755);
	scratch_put(&s, "f", "old");
	mapping = map_file(&maps, scratch_path(&s, "f"));
	scratch_put(&s, "g", "new");
	ck_assert_int_eq(rename(scratch_path(&s, "g"), scratch_path(&s, "f")), 0);
	ck_assert(reads(&mapping, "old", &name) == root);
	ck_assert_ptr_null(name);
	if (root)
		ck_assert(!reads_as_nobody(&mapping, "new"));
	procmaps_fini(&maps);

	/* the path now has " (deleted)" behind it */
	mapping = map_file(&maps, scratch_path(&s, "f"));
	unlink(scratch_path(&s, "f"));
	procmaps_fini(&maps);
	mapping = map_file(&maps, "/proc/self/exe");
	procmaps_fini(&maps);
	scratch_put(&s, "h", "third");
	mapping = map_file(&maps, scratch_path(&s, "h"));
	mapping.path = "/nowhere (deleted)";
	ck_assert(reads(&mapping, "third", &name) == root);
	ck_assert_ptr_null(name);
	/* a FIFO in its place does not hold us up */
	unlink(scratch_path(&s, "h"));
	ck_assert_int_eq(mkfifo(scratch_path(&s, "h"), 0600), 0);
	mapping.path = scratch_path(&s, "h");
	ck_assert(reads(&mapping, "third", &name) == root);
	procmaps_fini(&maps);
	scratch_fini(&s);
}
END_TEST

static void refuse(pid_t pid, const char *why)
{
	struct procmaps maps;
	struct err err = ERR_INIT;

	ck_assert_int_eq(maps_read(pid, &maps, &err), -1);
	ck_assert_msg(strstr(err.msg, why) != NULL, "%s", err.msg);
}

START_TEST(test_no_process)
{
	char comm[64] = "";
	FILE *file;
	pid_t pid;

	refuse(0x7fffffff, "there is no process 2147483647");
	pid = fork();
	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	refuse(pid, "has ended"); /* a zombie */
	waitpid(pid, NULL, 0);
	refuse(pid, "has ended");
	file = fopen("/proc/2/comm", "r");
	if (file && fgets(comm, sizeof(comm), file) && strcmp(comm, "kthreadd\n") == 0)
		refuse(2, "thread of the kernel");
	else
		puts("SKIP maps/kernel thread: there is none in this pid namespace");
	if (file)
		fclose(file);
}
END_TEST

START_TEST(test_no_permission)
{
	int status;
	pid_t pid;

	if (getuid() != 0) {
		puts("SKIP maps/permission: the test cannot become another user");
		return;
	}
	pid = fork();
	if (pid == 0) {
		struct procmaps maps;
		struct err err = ERR_INIT;

		if (setuid(65534) != 0)
			_exit(2);
		_exit(maps_read(getppid(), &maps, &err) != -1 || !strstr(err.msg, "permission") ||
		      !strstr(err.hint, "root"));
	}
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
}
END_TEST

SUITE_MAIN("symbol/maps", test_same_file, test_names, test_deleted_and_replaced, test_no_process,
	   test_no_permission)
