/* SPDX-License-Identifier: MIT */
#include "base/input.h"

#include "support/suite.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

START_TEST(test_reads_up_to_the_end)
{
	int fds[2];
	struct input in = input_fd(&fds[0]);
	struct err err;
	char buf[8] = "";

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], "hello", 5), 5);
	ck_assert_int_eq(in.read(in.ctx, buf, 3, &err), 3);
	ck_assert_mem_eq(buf, "hel", 3);
	ck_assert_int_eq(in.read(in.ctx, buf, sizeof(buf), &err), 2);
	ck_assert_mem_eq(buf, "lo", 2);
	close(fds[1]);
	ck_assert_int_eq(in.read(in.ctx, buf, sizeof(buf), &err), 0);
	close(fds[0]);
}
END_TEST

START_TEST(test_failure)
{
	int fd = -1;
	struct input in = input_fd(&fd);
	struct err err = ERR_INIT;
	char buf[8];

	ck_assert_int_eq(in.read(in.ctx, buf, sizeof(buf), &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "Bad file descriptor"));
}
END_TEST

static int wake_fd;

static void wake(int sig)
{
	(void)sig;
	ck_assert_int_eq(write(wake_fd, "x", 1), 1);
}

/* A signal in the middle of a read that waits is no failure. */
START_TEST(test_signal)
{
	struct sigaction sa = { .sa_handler = wake };
	struct itimerval soon = { .it_value = { .tv_usec = 50000 } };
	int fds[2];
	struct input in = input_fd(&fds[0]);
	struct err err;
	char buf[8];

	ck_assert_int_eq(pipe(fds), 0);
	wake_fd = fds[1];
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	ck_assert_int_eq(in.read(in.ctx, buf, sizeof(buf), &err), 1);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

SUITE_MAIN("input", test_reads_up_to_the_end, test_failure, test_signal)
