/* SPDX-License-Identifier: MIT */
/* Each test runs in a process of its own, which is libcheck's default. */
#include "cli/interrupt.h"

#include "base/intern.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* As if started by a shell in the foreground. */
static void install(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	interrupt_install();
}

START_TEST(test_the_first_signal_is_noted)
{
	install();
	ck_assert_int_eq(interrupt_signal(), 0);
	raise(SIGTERM);
	ck_assert_int_eq(interrupt_signal(), SIGTERM);
}
END_TEST

START_TEST(test_the_second_one_ends_the_process)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		install();
		raise(SIGINT);
		raise(SIGHUP);
		_exit(77);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 1);
}
END_TEST

/* The trace that is open leaves no temporary file, and the older one stays. */
START_TEST(test_the_second_one_removes_the_temporary)
{
	struct scratch s;
	pid_t pid;
	int status;

	scratch_init(&s);
	scratch_put(&s, "t.fxt", "older");
	pid = fork();
	if (pid == 0) {
		struct trace_options options = {
			.path = scratch_path(&s, "t.fxt"),
			.names = intern_new(0),
		};
		struct trace *trace;

		install();
		if (trace_open(&options, &trace, NULL) < 0)
			_exit(78);
		raise(SIGINT);
		raise(SIGINT);
		_exit(77);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 1);
	ck_assert_int_eq(scratch_run(&s, "[ $(ls -A) = t.fxt ] && grep -q older t.fxt"), 0);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_what_was_ignored_stays_so)
{
	signal(SIGHUP, SIG_IGN);
	interrupt_install();
	raise(SIGHUP);
	ck_assert_int_eq(interrupt_signal(), 0);
}
END_TEST

START_TEST(test_a_closed_pipe_makes_writes_fail)
{
	int fds[2];

	interrupt_install();
	ck_assert_int_eq(pipe(fds), 0);
	close(fds[0]);
	ck_assert_int_eq(write(fds[1], "x", 1), -1);
	ck_assert_int_eq(errno, EPIPE);
	ck_assert_int_eq(interrupt_signal(), 0);
}
END_TEST

SUITE_MAIN("interrupt", test_the_first_signal_is_noted, test_the_second_one_ends_the_process,
	   test_the_second_one_removes_the_temporary, test_what_was_ignored_stays_so,
	   test_a_closed_pipe_makes_writes_fail)
