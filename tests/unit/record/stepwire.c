/* SPDX-License-Identifier: MIT */
#include "record/stepwire.h"

#include "support/suite.h"

#include <sys/socket.h>
#include <unistd.h>

#define MANY 1000

static struct stepwire a, b;

static void begin(void)
{
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	a = (struct stepwire){ .fd = ends[0] };
	b = (struct stepwire){ .fd = ends[1] };
}

static void send_number(uint64_t number)
{
	struct stepwire_message message = { .kind = STEPWIRE_ADD, .address = number };

	stepwire_send(&a, &message);
}

/* More than the socket takes: none is lost, and they keep their order. */
START_TEST(test_many)
{
	struct stepwire_message message;
	uint64_t n = 0;

	begin();
	for (uint64_t i = 0; i < MANY; i++)
		send_number(i);
	ck_assert_uint_gt(a.n, 0);
	ck_assert(!stepwire_flush(&a));
	while (n < MANY) {
		stepwire_flush(&a);
		ck_assert_int_eq(stepwire_receive(&b, &message), 1);
		ck_assert_int_eq(message.kind, STEPWIRE_ADD);
		ck_assert_uint_eq(message.address, n++);
	}
	ck_assert(stepwire_flush(&a));
	ck_assert_uint_eq(n, MANY);
	ck_assert_int_eq(stepwire_receive(&b, &message), 0);
	stepwire_close(&a);
	ck_assert_int_eq(stepwire_receive(&b, &message), -1);
	stepwire_close(&b);
	ck_assert_int_eq(stepwire_receive(&b, &message), -1);
}
END_TEST

/* Nobody reads any more: no signal, and nothing is kept. */
START_TEST(test_to_nobody)
{
	begin();
	for (uint64_t i = 0; i < MANY; i++)
		send_number(i);
	stepwire_close(&b);
	ck_assert(stepwire_flush(&a));
	send_number(1);
	ck_assert_uint_eq(a.n, 0);
	stepwire_close(&a);
	send_number(1);
	ck_assert_uint_eq(a.n, 0);
}
END_TEST

/* What it has sent before it went away is read, though it has not read what it was sent. */
START_TEST(test_unread)
{
	struct stepwire_message message = { .kind = STEPWIRE_STOP };

	begin();
	stepwire_send(&b, &message);
	send_number(1);
	send_number(2);
	stepwire_close(&a);
	for (uint64_t n = 1; n <= 2; n++) {
		ck_assert_int_eq(stepwire_receive(&b, &message), 1);
		ck_assert_uint_eq(message.address, n);
	}
	ck_assert_int_eq(stepwire_receive(&b, &message), -1);
	stepwire_close(&b);
}
END_TEST

/* A message that is none of ours ends it. */
START_TEST(test_size)
{
	struct stepwire_message message, more[2] = { { .kind = STEPWIRE_STOP } };

	begin();
	ck_assert_int_eq(send(a.fd, "short", 5, 0), 5);
	ck_assert_int_eq(stepwire_receive(&b, &message), -1);
	ck_assert_int_eq(send(a.fd, more, sizeof(more), 0), (ssize_t)sizeof(more));
	ck_assert_int_eq(stepwire_receive(&b, &message), -1);
	stepwire_close(&a);
	stepwire_close(&b);
}
END_TEST

SUITE_MAIN("record/stepwire", test_many, test_to_nobody, test_unread, test_size)
