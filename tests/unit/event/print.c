/* SPDX-License-Identifier: MIT */
#include "event/print.h"

#include "support/suite.h"

#include <string.h>

static struct intern *names;

static uint32_t id(const char *name)
{
	return intern_add(names, str_of(name));
}

static const char *print(const struct event *ev)
{
	static char buf[512];

	ck_assert_uint_eq(event_print(buf, sizeof(buf), ev, names), strlen(buf));
	return buf;
}

static struct event event(enum event_kind kind)
{
	return (struct event){
		.kind = kind, .has_time = true, .time = 12000000345, .pid = 10, .tid = 11
	};
}

START_TEST(test_branches)
{
	struct event ev = event(EVENT_BRANCH);

	names = intern_new(0);
	ev.branch.kind = BRANCH_CALL;
	ev.branch.src = (struct location){ 0x401136, 6, id("main"), id("/bin/x") };
	ev.branch.dst = (struct location){ 0x401020, 0, id("f"), id("/bin/x") };
	ck_assert_str_eq(
		print(&ev),
		"12.000000345 10/11 branch call 401136 main+0x6 (/bin/x) => 401020 f+0x0 (/bin/x)");
	ev.branch.kind = BRANCH_SYSCALL;
	ev.branch.state = TRACE_END;
	ev.in_tx = true;
	ev.branch.dst = (struct location){ 0 };
	ck_assert_str_eq(
		print(&ev),
		"12.000000345 10/11 branch end syscall tx 401136 main+0x6 (/bin/x) => 0 [unknown]");
	ev.branch.kind = BRANCH_NONE;
	ev.branch.state = TRACE_START;
	ev.in_tx = false;
	ev.branch.src = (struct location){ 0, 0, INTERN_NONE, id("[unknown]") };
	ck_assert_str_eq(print(&ev),
			 "12.000000345 10/11 branch start 0 [unknown] ([unknown]) => 0 [unknown]");
	intern_free(names);
}
END_TEST

START_TEST(test_others)
{
	struct location frames[2];
	struct event ev;

	names = intern_new(0);
	frames[0] = (struct location){ 0x401136, 6, id("main"), id("x") };
	frames[1] = (struct location){ 0x401023, 3, id(""), INTERN_NONE };
	ev = event(EVENT_SAMPLE);
	ev.sample.frames = frames;
	ev.sample.n = 2;
	ck_assert_str_eq(print(&ev), "12.000000345 10/11 sample 2: main+0x6 > +0x3");
	ev.sample.n = 0;
	ck_assert_str_eq(print(&ev), "12.000000345 10/11 sample 0:");
	ev = event(EVENT_EXTRA);
	ev.extra.name = id("branch-misses");
	ev.extra.count = 50;
	ev.extra.place = frames[0];
	ck_assert_str_eq(print(&ev), "12.000000345 10/11 branch-misses 50 401136 main+0x6 (x)");
	ev = event(EVENT_CBR);
	ev.cbr.mhz = 4500;
	ck_assert_str_eq(print(&ev), "12.000000345 10/11 cbr 4500 MHz");
	ev = event(EVENT_PTWRITE);
	ev.ptwrite.payload = 0xabcdef;
	ev.ptwrite.place = frames[0];
	ck_assert_str_eq(print(&ev), "12.000000345 10/11 ptwrite 0xabcdef 401136 main+0x6 (x)");
	ev = event(EVENT_ERROR);
	ev.has_time = false;
	ev.pid = ev.tid = 0;
	ev.error.ip = 0x7f00;
	ev.error.code = 7;
	ev.error.message = id("Overflow packet");
	ck_assert_str_eq(print(&ev), "- 0/0 error 7 at 0x7f00: Overflow packet");
	intern_free(names);
}
END_TEST

/* In each size there is: never past the end, cut with a mark, and whole when there is room. */
START_TEST(test_cut)
{
	const char *whole;
	struct location frames[300];
	struct event ev = event(EVENT_SAMPLE);
	char big[3000], name[301];

	names = intern_new(0);
	memset(name, 'n', 300);
	name[300] = '\0';
	for (int i = 0; i < 300; i++)
		frames[i] = (struct location){ 1, 2, id("f"), INTERN_NONE };
	frames[3].sym = id(name);
	ev.sample.frames = frames;
	ev.sample.n = 300;
	ck_assert_uint_eq(event_print(big, sizeof(big), &ev, names), strlen(big));
	whole = big;
	for (size_t size = EVENT_PRINT_MIN; size < sizeof(big); size++) {
		char *buf = malloc(size + 1);
		size_t n;

		buf[size] = '!';
		n = event_print(buf, size, &ev, names);
		ck_assert_int_eq(buf[size], '!');
		ck_assert_uint_lt(n, size);
		ck_assert_uint_eq(n, strlen(buf));
		if (n < strlen(whole)) {
			ck_assert_str_eq(buf + n - 3, "...");
			ck_assert_mem_eq(buf, whole, n - 3);
		} else {
			ck_assert_str_eq(buf, whole);
		}
		free(buf);
	}
	ck_assert_uint_gt(strlen(whole), 1000);
	intern_free(names);
}
END_TEST

SUITE_MAIN("print", test_branches, test_others, test_cut)
