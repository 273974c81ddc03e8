/* SPDX-License-Identifier: MIT */
/* Each test is a process of its own. */
#include "record/signals.h"

#include "support/suite.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

static struct signals signals;
static struct err err;
static volatile sig_atomic_t handled;

static void on_signal(int sig)
{
	handled = sig;
}

/* As if started by a shell in the foreground. */
static void set_up(void)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR2, SIGCHLD };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		signal(all[i], SIG_DFL);
}

static void begin(void)
{
	ck_assert_msg(signals_open(&signals, &err) == 0, "%s", err.msg);
}

/* Waits for the next one; it has to be from here, not from a terminal. */
static void expect(int sig)
{
	struct pollfd p = { .fd = signals.fd, .events = POLLIN };
	bool by_terminal = true;

	ck_assert_int_eq(poll(&p, 1, -1), 1);
	ck_assert_int_eq(signals_next(&signals, &by_terminal), sig);
	ck_assert(!by_terminal);
}

static void expect_none(void)
{
	bool by_terminal;

	ck_assert_int_eq(signals_next(&signals, &by_terminal), 0);
}

START_TEST(test_they_come_by_the_file)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR2, SIGCHLD };

	set_up();
	signal(SIGINT, on_signal);
	begin();
	expect_none();
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		kill(getpid(), all[i]);
		expect(all[i]);
	}
	expect_none();
	ck_assert_int_eq(handled, 0);
	signals_close(&signals);
}
END_TEST

START_TEST(test_a_child_that_ends)
{
	pid_t pid;

	set_up();
	begin();
	pid = fork();
	if (pid == 0)
		_exit(0);
	expect(SIGCHLD);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	signals_close(&signals);
}
END_TEST

/* nohup, and a shell script's `command &`. */
START_TEST(test_what_was_ignored_stays_so)
{
	set_up();
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	begin();
	kill(getpid(), SIGHUP);
	kill(getpid(), SIGINT);
	kill(getpid(), SIGTERM);
	expect(SIGTERM);
	expect_none();
	signals_close(&signals);
	kill(getpid(), SIGHUP);
}
END_TEST

/* Then nobody could ask for a snapshot. */
START_TEST(test_but_for_a_snapshot)
{
	set_up();
	signal(SIGUSR2, SIG_IGN);
	begin();
	kill(getpid(), SIGUSR2);
	expect(SIGUSR2);
	signals_close(&signals);
}
END_TEST

START_TEST(test_the_mask_before_is_kept)
{
	sigset_t mask, now;

	set_up();
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	begin();
	ck_assert_int_eq(sigismember(&signals.old, SIGUSR1), 1);
	ck_assert_int_eq(sigismember(&signals.old, SIGTERM), 1);
	ck_assert_int_eq(sigismember(&signals.old, SIGINT), 0);
	signals_close(&signals);
	sigprocmask(SIG_SETMASK, NULL, &now);
	ck_assert_int_eq(sigismember(&now, SIGTERM), 1);
	ck_assert_int_eq(sigismember(&now, SIGINT), 0);
}
END_TEST

/* One that came and was not taken meets its handler; a request for a snapshot, nobody. */
START_TEST(test_those_that_come_late)
{
	set_up();
	signal(SIGINT, on_signal);
	begin();
	kill(getpid(), SIGINT);
	kill(getpid(), SIGUSR2);
	ck_assert_int_eq(handled, 0);
	signals_close(&signals);
	ck_assert_int_eq(handled, SIGINT);
	kill(getpid(), SIGUSR2);
}
END_TEST

/* They are taken again after that, as session_wait does. */
START_TEST(test_opened_again)
{
	set_up();
	begin();
	signals_close(&signals);
	begin();
	kill(getpid(), SIGTERM);
	expect(SIGTERM);
	kill(getpid(), SIGUSR2);
	expect(SIGUSR2);
	signals_close(&signals);
}
END_TEST

SUITE_MAIN("signals", test_they_come_by_the_file, test_a_child_that_ends,
	   test_what_was_ignored_stays_so, test_but_for_a_snapshot, test_the_mask_before_is_kept,
	   test_those_that_come_late, test_opened_again)
