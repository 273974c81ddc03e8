/* SPDX-License-Identifier: MIT */
#include "soft/refusal.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static void expect(const struct err *err, const char *message, const char *hint)
{
	ck_assert_msg(strstr(err->msg, message) != NULL, "%s", err->msg);
	ck_assert_msg(strstr(err->hint, hint) != NULL, "%s: %s", err->msg, err->hint);
}

static void expect_refused(pid_t pid, int why, const char *message, const char *hint)
{
	struct err err = ERR_INIT;

	ck_assert_int_eq(refusal(pid, why, &err), -1);
	expect(&err, message, hint);
}

/* What ptrace(2) says to a user without privileges, and what we make of it. */
static void expect_of_nobody(pid_t pid, const char *message, const char *hint)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		ck_assert_int_eq(setresgid(NOBODY, NOBODY, NOBODY), 0);
		ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
		ck_assert_int_eq(ptrace(PTRACE_SEIZE, pid, NULL, NULL), -1);
		expect_refused(pid, errno, message, hint);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

/* A program that sleeps, run by nobody; what it is allowed is the file's. */
static pid_t start(const char *path)
{
	int ends[2];
	char byte;
	pid_t pid;

	/* closed by its exec */
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		if (setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
		    setresuid(NOBODY, NOBODY, NOBODY) == 0)
			execl(path, "sleeper", "100", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

START_TEST(test_refused)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	expect_refused(pid, EPERM, "is traced already, by process", "end that one first");
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	expect_refused(pid, EPERM, "it is a zombie", "");
	waitpid(pid, &status, 0);
	expect_refused(pid, ESRCH, "there is no process", "");
	expect_refused(getpid(), EPERM, "no permission", "CAP_SYS_PTRACE");
	expect_refused(getpid(), ENOSYS, "cannot be traced", "--cap-add SYS_PTRACE");
	expect_refused(getpid(), EIO, "cannot be traced", "");
}
END_TEST

static void *sleeps(void *p)
{
	pause();
	return p;
}

START_TEST(test_first_thread_ended)
{
	siginfo_t info = { 0 };
	pthread_t thread;
	pid_t pid = fork();

	if (pid == 0) {
		pthread_create(&thread, NULL, sleeps, NULL);
		pthread_exit(NULL);
	}
	/* its end is not told before the other's */
	while (ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0 || errno != EPERM)
		waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
	stop(pid);
}
END_TEST

START_TEST(test_of_kernel)
{
	struct err err = ERR_INIT;
	char comm[32] = "";
	FILE *file = fopen("/proc/2/comm", "r");

	/* in a pid namespace of its own there are none */
	if (file) {
		ck_assert_ptr_nonnull(fgets(comm, sizeof(comm), file));
		fclose(file);
	}
	if (strcmp(comm, "kthreadd\n") == 0)
		expect_of_nobody(2, "is a thread of the kernel", "");
	refusal_machine(getpid(), &err);
	expect(&err, "not 64-bit x86", "64-bit x86");
}
END_TEST

START_TEST(test_not_permitted)
{
	struct scratch s;
	struct statvfs fs;
	pid_t pid;

	scratch_init(&s);
	ck_assert_int_eq(scratch_run(&s, "chmod 755 . && cp /bin/sleep plain && "
					 "cp /bin/sleep setuid && chmod 4755 setuid && "
					 "cp /bin/sleep unreadable && chmod 711 unreadable"),
			 0);
	expect_of_nobody(getpid(), "no permission", "belongs to another user");
	pid = start(scratch_path(&s, "unreadable"));
	expect_of_nobody(pid, "no permission", "may not be read");
	stop(pid);
	ck_assert_int_eq(statvfs(s.dir, &fs), 0);
	if (!(fs.f_flag & ST_NOSUID)) {
		pid = start(scratch_path(&s, "setuid"));
		expect_of_nobody(pid, "no permission", "is setuid");
		stop(pid);
	}
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("soft/refusal", test_refused, test_first_thread_ended, test_of_kernel,
	   test_not_permitted)
