/* SPDX-License-Identifier: MIT */
#include "base/child.h"

#include "base/err.h"
#include "base/xalloc.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const char *const no_env[] = { NULL };

static void start(struct child *c, const char *command, const char *const env[])
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
	struct err err = ERR_INIT;

	ck_assert_msg(child_start(c, "/bin/sh", argv, env, NULL, 0, &err) == 0, "%s", err.msg);
}

/* All that comes from fd up to its end. */
static const char *all_of(int fd)
{
	static char buf[4096];
	size_t n = 0;
	ssize_t got;

	while ((got = read(fd, buf + n, sizeof(buf) - 1 - n)) > 0)
		n += (size_t)got;
	buf[n] = '\0';
	return buf;
}

START_TEST(test_both_outputs_and_the_status)
{
	struct child c;
	int status;

	start(&c, "echo out; echo err >&2; exit 3", no_env);
	ck_assert_str_eq(all_of(c.out), "out\n");
	ck_assert_str_eq(all_of(c.err), "err\n");
	status = child_reap(&c);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 3);
	ck_assert_int_eq(c.out, -1);
}
END_TEST

START_TEST(test_environment)
{
	const char *const env[] = { "MT_TEST_A=new", "MT_TEST_C=3", NULL };
	struct child c;

	setenv("MT_TEST_A", "old", 1);
	setenv("MT_TEST_AB", "ab", 1);
	start(&c, "echo $MT_TEST_A $MT_TEST_AB $MT_TEST_C; env | grep -c ^MT_TEST_A=", env);
	ck_assert_str_eq(all_of(c.out), "new ab 3\n1\n");
	ck_assert_int_eq(child_reap(&c), 0);
}
END_TEST

START_TEST(test_surroundings)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	char want[64];
	struct child c;
	sigset_t all;

	/*
	 * Neither a blocked nor an ignored SIGPIPE is handed on; standard input is empty. Signals
	 * 32 and 33 are glibc's own: its posix_spawn, with which make starts us, ignores them.
	 */
	sigaction(SIGPIPE, &ignore, NULL);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	start(&c,
	      "cat; cut -d' ' -f5 /proc/$$/stat; grep -E 'SigBlk|SigIgn' /proc/self/status | cut -f2 |"
	      "sed s/180000000/000000000/",
	      no_env);
	snprintf(want, sizeof(want), "%d\n%016d\n%016d\n", (int)c.pid, 0, 0);
	ck_assert_str_eq(all_of(c.out), want);
	ck_assert_int_eq(child_reap(&c), 0);
}
END_TEST

/* Standard input and output closed in our process: the pipes must not get their numbers. */
START_TEST(test_closed_standard_files)
{
	struct child c;

	close(0);
	close(1);
	start(&c, "echo out; echo err >&2", no_env);
	ck_assert_str_eq(all_of(c.out), "out\n");
	ck_assert_str_eq(all_of(c.err), "err\n");
	ck_assert_int_eq(child_reap(&c), 0);
}
END_TEST

START_TEST(test_what_cannot_be_run)
{
	char *argv[] = { (char *)"x", NULL };
	struct err err = ERR_INIT;
	struct child c;

	ck_assert_int_eq(child_start(&c, "/nonexistent/x", argv, no_env, NULL, 0, &err), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_str_eq(err.msg, "cannot run /nonexistent/x: No such file or directory");
	ck_assert_int_eq(child_start(&c, "/etc/passwd", argv, no_env, NULL, 0, &err), -1);
	ck_assert_int_eq(errno, EACCES);
	/* no zombie is left of either */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(test_kill_reaches_the_group)
{
	struct child c;
	char line[32];
	pid_t grandchild;

	start(&c, "sleep 100 & echo $!; wait", no_env);
	ck_assert_int_gt(read(c.out, line, sizeof(line) - 1), 0);
	grandchild = (pid_t)atoi(line);
	ck_assert(!child_ended(&c));
	child_kill(&c, SIGKILL);
	/* the grandchild held the pipe: its end shows that it is gone */
	ck_assert_str_eq(all_of(c.out), "");
	ck_assert_int_eq(child_reap(&c), SIGKILL);
	child_kill(&c, SIGKILL);
	ck_assert_int_gt(grandchild, 1);
}
END_TEST

START_TEST(test_reap_ends_what_is_left_behind)
{
	struct child c;
	int out;

	start(&c, "sleep 100 & exit 0", no_env);
	out = dup(c.out);
	ck_assert_int_eq(child_reap(&c), 0);
	ck_assert_str_eq(all_of(out), "");
	close(out);
}
END_TEST

START_TEST(test_ended)
{
	struct child c;
	struct pollfd p;

	start(&c, "read x", no_env);
	p = (struct pollfd){ .fd = c.ended_fd, .events = POLLIN };
	if (c.ended_fd >= 0)
		ck_assert_int_eq(poll(&p, 1, -1), 1);
	while (!child_ended(&c))
		usleep(1000);
	ck_assert(child_ended(&c));
	ck_assert(WIFEXITED(child_reap(&c)));
}
END_TEST

/* Our death is the child's: a process in between starts one and is killed. */
START_TEST(test_dies_with_us)
{
	int fds[2], status;
	pid_t pid, orphan;

	/* so that we are told how the child ended */
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		struct child c;
		char *argv[] = { (char *)"sh", (char *)"-c", (char *)"exec sleep 100", NULL };

		if (child_start(&c, "/bin/sh", argv, no_env, NULL, 0, NULL) ||
		    write(fds[1], &c.pid, sizeof(c.pid)) != (ssize_t)sizeof(c.pid))
			_exit(1);
		pause();
	}
	close(fds[1]);
	ck_assert_int_eq(read(fds[0], &orphan, sizeof(orphan)), (ssize_t)sizeof(orphan));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(waitpid(orphan, &status, 0), orphan);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGKILL);
	close(fds[0]);
}
END_TEST

/* Then the kernel does not keep the status, and a failure must not pass for success. */
START_TEST(test_ignored_sigchld)
{
	struct child c;
	int status;

	signal(SIGCHLD, SIG_IGN);
	start(&c, "exit 3", no_env);
	ck_assert_str_eq(all_of(c.out), "");
	status = child_reap(&c);
	ck_assert(WIFEXITED(status));
	ck_assert_int_ne(WEXITSTATUS(status), 0);
	ck_assert_int_eq(c.out, -1);
}
END_TEST

START_TEST(test_no_other_file_is_handed_on)
{
	struct child c;
	int fd = fcntl(0, F_DUPFD, 77);

	ck_assert_int_ge(fd, 77);
	/* 3 is the directory that is listed */
	start(&c, "exec ls /proc/self/fd", no_env);
	ck_assert_str_eq(all_of(c.out), "0\n1\n2\n3\n");
	ck_assert_int_eq(child_reap(&c), 0);
	close(fd);
}
END_TEST

static int file_with(struct scratch *s, const char *text)
{
	int fd;

	scratch_put(s, "passed", text);
	fd = open(scratch_path(s, "passed"), O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(unlink(scratch_path(s, "passed")), 0);
	return fd;
}

/* Puts a file with that text at number `to`. What was there (libcheck's own) comes back with it. */
static int put_at(struct scratch *s, int to, const char *text)
{
	int saved = fcntl(to, F_DUPFD_CLOEXEC, 20), fd = file_with(s, text);

	if (fd != to) {
		ck_assert_int_eq(dup3(fd, to, O_CLOEXEC), to);
		close(fd);
	}
	return saved;
}

static void put_back(int saved, int at)
{
	close(at);
	if (saved >= 0) {
		dup3(saved, at, O_CLOEXEC);
		close(saved);
	}
}

static void start_with(struct child *c, const char *command, const int *pass, size_t n)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
	struct err err = ERR_INIT;

	ck_assert_msg(child_start(c, "/bin/sh", argv, no_env, pass, n, &err) == 0, "%s", err.msg);
}

/* The numbers that they have here say nothing: also when they are those of one another. */
START_TEST(test_files_handed_on)
{
	const int pass[] = { 4, 3, 9 };
	int saved[3], flags[3], status;
	const char *got;
	struct scratch s;
	struct child c;

	scratch_init(&s);
	saved[0] = put_at(&s, 4, "one\n");
	saved[1] = put_at(&s, 3, "two\n");
	saved[2] = put_at(&s, 9, "three\n");
	start_with(&c, "cat <&3; cat <&4; cat <&5; exec ls /proc/self/fd", pass, 3);
	got = all_of(c.out);
	status = child_reap(&c);
	for (int i = 0; i < 3; i++) {
		flags[i] = fcntl(pass[i], F_GETFD);
		put_back(saved[i], pass[i]);
	}
	/* 6 is the directory that is listed */
	ck_assert_str_eq(got, "one\ntwo\nthree\n0\n1\n2\n3\n4\n5\n6\n");
	ck_assert_int_eq(status, 0);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(flags[i], FD_CLOEXEC);
	scratch_fini(&s);
}
END_TEST

/* The one file twice, and our standard input closed. */
START_TEST(test_file_handed_on_twice)
{
	struct scratch s;
	struct child c;
	int fd;

	scratch_init(&s);
	close(0);
	fd = file_with(&s, "one\n");
	ck_assert_int_eq(fd, 0);
	start_with(&c, "cat <&3; cat <&4; cat", (const int[]){ fd, fd }, 2);
	ck_assert_str_eq(all_of(c.out), "one\n");
	ck_assert_int_eq(child_reap(&c), 0);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_files_that_cannot_be_handed_on)
{
	char *argv[] = { (char *)"true", NULL };
	const int bad[] = { 0, 999 };
	const int many[CHILD_PASS_MAX + 1] = { 0 };
	struct err err = ERR_INIT;
	struct child c;

	ck_assert_int_eq(child_start(&c, "/bin/true", argv, no_env, bad, 2, &err), -1);
	ck_assert_int_eq(errno, EBADF);
	ck_assert_ptr_nonnull(strstr(err.msg, "/bin/true"));
	ck_assert_int_eq(child_start(&c, "/bin/true", argv, no_env, many, CHILD_PASS_MAX + 1, &err),
			 -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

/* Both just too low and lower than the numbers that its files get. */
START_TEST(test_limit_of_open_files)
{
	char *argv[] = { (char *)"true", NULL };
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	for (limit.rlim_cur = 4; limit.rlim_cur <= 10; limit.rlim_cur++) {
		struct err err = ERR_INIT;
		struct child c;

		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
		ck_assert_int_eq(child_start(&c, "/bin/true", argv, no_env, NULL, 0, &err), -1);
		ck_assert_str_eq(err.msg, "cannot make pipes for /bin/true: Too many open files");
		ck_assert_ptr_nonnull(strstr(err.hint, "ulimit -n"));
	}
}
END_TEST

START_TEST(test_find)
{
	struct scratch s;
	char *path, *found;

	scratch_init(&s);
	ck_assert_int_eq(scratch_run(&s, "mkdir a b c && echo x >b/tool && mkdir c/tool"), 0);
	path = strdup(scratch_path(&s, "a:"));
	path = realloc(path, 600);
	strcat(path, scratch_path(&s, "b:"));
	strcat(path, scratch_path(&s, "c"));
	setenv("PATH", path, 1);

	ck_assert_ptr_null(child_find("no-such-tool"));
	ck_assert_int_eq(errno, ENOENT);
	/* not executable, and a directory */
	ck_assert_ptr_null(child_find("tool"));
	ck_assert_int_eq(errno, EACCES);
	ck_assert_int_eq(chmod(scratch_path(&s, "b/tool"), 0755), 0);
	found = child_find("tool");
	ck_assert_str_eq(found, scratch_path(&s, "b/tool"));
	free(found);
	found = child_find("/bin/sh");
	ck_assert_str_eq(found, "/bin/sh");
	free(found);
	ck_assert_ptr_null(child_find(""));
	ck_assert_ptr_null(child_find("/nonexistent/tool"));

	setenv("PATH", "/bin:/usr/bin", 1);
	free(path);
	scratch_fini(&s);
}
END_TEST

/* As root we run no tool that another user may have put there; others do as a shell does. */
START_TEST(test_find_tool)
{
	char *found, *safe, *path;
	struct scratch s;

	scratch_init(&s);
	ck_assert_int_eq(
		scratch_run(&s,
			    "umask 022 && chmod 755 . && mkdir all one && cp /bin/true all/tool && "
			    "cp all/tool one && chmod 1777 all"),
		0);
	ck_assert_int_eq(chdir(s.dir), 0);
	safe = strdup(scratch_path(&s, "one/tool"));
	path = xasprintf("%s/all:one:", s.dir);
	setenv("PATH", path, 1);
	if (geteuid() == 0) {
		/* the first entry is everybody's, the second relative, the third empty */
		ck_assert_ptr_null(child_find_tool("tool"));
		ck_assert_int_eq(errno, EACCES);
		free(path);
		path = xasprintf("%s/all:one::%s/one", s.dir, s.dir);
		setenv("PATH", path, 1);
		found = child_find_tool("tool");
		ck_assert_str_eq(found, safe);
		free(found);
		ck_assert_int_eq(chmod(safe, 0757), 0);
		ck_assert_ptr_null(child_find_tool("tool"));
		ck_assert_int_eq(errno, EACCES);
		ck_assert_int_eq(seteuid(65534), 0);
	}
	found = child_find_tool("tool");
	ck_assert_str_eq(found, scratch_path(&s, "all/tool"));
	free(found);
	setenv("PATH", "", 1);
	ck_assert_int_eq(chdir("one"), 0);
	found = child_find_tool("tool");
	ck_assert_str_eq(found, "./tool");
	free(found);
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
	setenv("PATH", "/bin:/usr/bin", 1);
	ck_assert_int_eq(chdir("/"), 0);
	free(path);
	free(safe);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("child", test_both_outputs_and_the_status, test_environment, test_surroundings,
	   test_closed_standard_files, test_what_cannot_be_run, test_kill_reaches_the_group,
	   test_reap_ends_what_is_left_behind, test_ended, test_dies_with_us, test_ignored_sigchld,
	   test_no_other_file_is_handed_on, test_files_handed_on, test_file_handed_on_twice,
	   test_files_that_cannot_be_handed_on, test_limit_of_open_files, test_find, test_find_tool)
