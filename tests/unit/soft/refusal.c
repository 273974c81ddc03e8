/* SPDX-License-Identifier: MIT */
#include "soft/refusal.h"

#include "support/suite.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect_refused(pid_t pid, int why, const char *text)
{
	struct err err = ERR_INIT;

	ck_assert_int_eq(refusal(pid, why, &err), -1);
	ck_assert_msg(strstr(err.msg, text) != NULL, "%s", err.msg);
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
	expect_refused(pid, EPERM, "is traced already, by process");
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	expect_refused(pid, EPERM, "it has ended");
	waitpid(pid, &status, 0);
	expect_refused(pid, ESRCH, "there is no process");
	expect_refused(getpid(), EPERM, "no permission");
	expect_refused(getpid(), ENOSYS, "cannot be traced");
}
END_TEST

SUITE_MAIN("soft/refusal", test_refused)
