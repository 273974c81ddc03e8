/* SPDX-License-Identifier: MIT */
#include "perf/trouble.h"

#include "support/suite.h"

static void trouble_is(const char *line, int64_t time, int32_t pid, int32_t tid, uint64_t ip,
		       uint32_t code, const char *message)
{
	struct intern *names = intern_new(0);
	struct event ev;

	ck_assert_msg(trouble_read(str_of(line), names, &ev), "%s", line);
	ck_assert_int_eq(ev.kind, EVENT_ERROR);
	ck_assert_int_eq(ev.has_time, time >= 0);
	if (time >= 0)
		ck_assert_int_eq(ev.time, time);
	ck_assert_int_eq(ev.pid, pid);
	ck_assert_int_eq(ev.tid, tid);
	ck_assert_uint_eq(ev.error.ip, ip);
	ck_assert_uint_eq(ev.error.code, code);
	ck_assert_str_eq(intern_str(names, ev.error.message).p, message);
	ck_assert(!ev.in_tx);
	ck_assert_uint_eq(ev.region, 0);
	intern_free(names);
}

static void no_trouble(const char *line)
{
	struct intern *names = intern_new(0);
	struct event ev;

	ck_assert_msg(!trouble_read(str_of(line), names, &ev), "%s", line);
	ck_assert_uint_eq(intern_count(names), 0);
	intern_free(names);
}

START_TEST(test_errors)
{
	trouble_is(
		" instruction trace error type 1 time 47170.086912826 cpu -1 pid 293415 tid 293416 ip 0x7ffff7327730 code 7: Overflow packet",
		47170086912826, 293415, 293416, 0x7ffff7327730, 7, "Overflow packet");
	trouble_is(
		"   instruction trace error type 1 cpu -1 pid 293415 tid 293415 ip 0x7ffff7327730 code 7: Overflow packet",
		-1, 293415, 293415, 0x7ffff7327730, 7, "Overflow packet");
	trouble_is(
		" instruction trace error type 1 time 1021983.206228655 cpu 1 pid 105468 tid 105468 ip 0 code 8: Lost trace data",
		1021983206228655, 105468, 105468, 0, 8, "Lost trace data");
	trouble_is(
		" instruction trace error type 1 time 78.287624064 cpu 6 pid -1 tid -1 ip 0xffffffff8101c4fd code 6: Trace doesn't match instruction",
		78287624064, 0, 0, 0xffffffff8101c4fd, 6, "Trace doesn't match instruction");
	trouble_is(
		" instruction trace error type 1 time 1.5 machine_pid 18436 vcpu 0 cpu 6 pid 1 tid 2 ip 0x1 code 9: Unknown error!",
		1500000000, 1, 2, 1, 9, "Unknown error!");
	trouble_is(
		" instruction trace error type 1 time 1.5 cpu -1 pid 1 tid 2 ip 0xffffffffb0999ed5 code 10: Never-ending loop (refer perf config intel-pt.max-loops)",
		1500000000, 1, 2, 0xffffffffb0999ed5, 10,
		"Never-ending loop (refer perf config intel-pt.max-loops)");
	trouble_is("instruction trace error type 1 cpu 0 pid 0 tid 0 ip 0xABCDEF code 4294967295: ",
		   -1, 0, 0, 0xabcdef, UINT32_MAX, "");
}
END_TEST

START_TEST(test_other_lines)
{
	const char *whole =
		" instruction trace error type 1 time 1.5 machine_pid 4 vcpu 0 cpu 6 pid 1 tid 2 ip 0x1 code 9: ";

	no_trouble("");
	no_trouble("7 instruction trace errors");
	/* each beginning of one */
	for (size_t n = strlen(whole); n-- > 0;) {
		char *text = strndup(whole, n);

		no_trouble(text);
		free(text);
	}
	no_trouble(" instruction trace error type x cpu 0 pid 0 tid 0 ip 0 code 1: a");
	no_trouble(" instruction trace error type 1 cpu x pid 0 tid 0 ip 0 code 1: a");
	no_trouble(" instruction trace error type 1 cpu 0 pid 9999999999 tid 0 ip 0 code 1: a");
	no_trouble(" instruction trace error type 1 cpu 0 pid 0 tid 0 ip 1 code 1: a");
	no_trouble(
		" instruction trace error type 1 cpu 0 pid 0 tid 0 ip 0x12345678901234567 code 1: a");
	no_trouble(" instruction trace error type 1 cpu 0 pid 0 tid 0 ip 0 code 4294967296: a");
	no_trouble(
		" instruction trace error type 1 time 9999999999999.5 cpu 0 pid 0 tid 0 ip 0 code 1: a");
}
END_TEST

START_TEST(test_messages)
{
	static const char *const messages[] = {
		"Warning:",
		"  Warning: 3 of them",
		"WARNING: Kernel address maps are restricted",
		"AUX data lost 1 times out of 2!",
		"[ perf record: Woken up 1 times ]",
		"7 instruction trace errors",
	};
	static const char *const others[] = {
		"", "warning:", "7 errors", "instruction trace errors", "[perf ", "AUX data",
	};

	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++)
		ck_assert_msg(trouble_is_message(str_of(messages[i])), "%s", messages[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ck_assert_msg(!trouble_is_message(str_of(others[i])), "%s", others[i]);
}
END_TEST

SUITE_MAIN("trouble", test_errors, test_other_lines, test_messages)
