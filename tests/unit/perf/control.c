/* SPDX-License-Identifier: MIT */
#include "perf/control.h"

#include "support/suite.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static struct control c;

static void open_it(void)
{
	struct err err = ERR_INIT;

	ck_assert_msg(control_open(&c, &err) == 0, "%s", err.msg);
}

START_TEST(test_commands_and_answers)
{
	char line[64];
	unsigned first, second;

	open_it();
	first = control_send(&c, "ping");
	second = control_send(&c, "snapshot");
	ck_assert_int_eq(read(c.pass[0], line, sizeof(line)), 14);
	ck_assert_int_eq(memcmp(line, "ping\nsnapshot\n", 14), 0);
	control_take(&c);
	ck_assert(!control_is_answered(&c, first));

	/* as perf writes it, in pieces */
	ck_assert_int_eq(write(c.pass[1], "ac", 2), 2);
	control_take(&c);
	ck_assert(!control_is_answered(&c, first));
	ck_assert_int_eq(write(c.pass[1], "k\n\0ack", 6), 6);
	control_take(&c);
	ck_assert(control_is_answered(&c, first));
	ck_assert(!control_is_answered(&c, second));
	ck_assert_int_eq(write(c.pass[1], "\n", 2), 2);
	control_take(&c);
	ck_assert(control_is_answered(&c, second));
	ck_assert(!control_has_ended(&c));
	control_close(&c);
	ck_assert_int_eq(c.commands, -1);
}
END_TEST

/* perf is gone: no SIGPIPE, which would end this test, and the end is seen. */
START_TEST(test_perf_has_ended)
{
	unsigned number;
	int theirs;

	open_it();
	theirs = dup(c.pass[1]);
	ck_assert_int_eq(write(theirs, "ack\n", 5), 5);
	control_started(&c);
	close(theirs);
	number = control_send(&c, "stop");
	control_take(&c);
	ck_assert(control_is_answered(&c, number));
	control_take(&c);
	ck_assert(control_has_ended(&c));
	number = control_send(&c, "stop");
	control_take(&c);
	ck_assert(!control_is_answered(&c, number));
	control_close(&c);
}
END_TEST

/* A perf that does not read: sending never waits. */
START_TEST(test_full_pipe)
{
	unsigned number = 0;

	open_it();
	for (int i = 0; i < 100000; i++)
		number = control_send(&c, "snapshot");
	ck_assert_uint_eq(number, 100000);
	ck_assert(!control_is_answered(&c, 1));
	control_close(&c);
}
END_TEST

START_TEST(test_all_closed_on_exec)
{
	open_it();
	ck_assert_int_eq(fcntl(c.commands, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fcntl(c.answers, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fcntl(c.pass[0], F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fcntl(c.pass[1], F_GETFD), FD_CLOEXEC);
	/* perf's ends are as it expects them: reads of it wait */
	ck_assert_int_eq(fcntl(c.pass[0], F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_eq(fcntl(c.pass[1], F_GETFL) & O_NONBLOCK, 0);
	control_close(&c);
}
END_TEST

START_TEST(test_none)
{
	c = CONTROL_NONE;
	control_send(&c, "stop");
	control_take(&c);
	ck_assert(!control_is_answered(&c, 1));
	ck_assert(!control_has_ended(&c));
	control_started(&c);
	control_close(&c);
}
END_TEST

SUITE_MAIN("control", test_commands_and_answers, test_perf_has_ended, test_full_pipe,
	   test_all_closed_on_exec, test_none)
