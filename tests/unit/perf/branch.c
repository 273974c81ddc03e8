/* SPDX-License-Identifier: MIT */
#include "perf/branch.h"

#include "event/print.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

static struct intern *names;
static struct places *places;

static void setup(void)
{
	names = intern_new(0);
	places = places_new(names);
}

static void teardown(void)
{
	places_free(places);
	intern_free(names);
}

/* Three times: the third time, the places may be known. want is what event_print makes of it. */
static void branch_is(const char *text, const char *want)
{
	char line[1024];

	for (int i = 0; i < 3; i++) {
		struct event ev = { .has_time = true };

		ck_assert_msg(branch_read(places, str_of(text), &ev), "'%s'", text);
		ck_assert_int_eq(ev.kind, EVENT_BRANCH);
		event_print(line, sizeof(line), &ev, names);
		ck_assert_str_eq(line + strlen("0.000000000 0/0 branch"), want);
	}
}

static void no_branch(const char *text)
{
	struct event ev = { 0 };

	for (int i = 0; i < 2; i++)
		ck_assert_msg(!branch_read(places, str_of(text), &ev), "'%s'", text);
}

START_TEST(test_plain)
{
	setup();
	branch_is(
		"   call                       556ff0af70b8 inet+0x38 (/tmp/x) =>     7fc9ca8563e0 inet_pton+0x0 (/usr/lib/libc.so.6)",
		" call 556ff0af70b8 inet+0x38 (/tmp/x) => 7fc9ca8563e0 inet_pton+0x0 (/usr/lib/libc.so.6)");
	branch_is(
		"   tr end  async              7f6fce0b71f4 [unknown] (foo.so) =>     0 [unknown] ([unknown])",
		" end async 7f6fce0b71f4 [unknown] (foo.so) => 0 [unknown] ([unknown])");
	branch_is("   jcc (x) 1 f+0x0 (a) => 2 g+0x0 (b)", " jcc tx 1 f+0x0 (a) => 2 g+0x0 (b)");
	branch_is("  ffffffff8108f1d0 kvm+0x0 ([k]) => ffffffff81131190 __fentry__+0x0 ([k])",
		  " ffffffff8108f1d0 kvm+0x0 ([k]) => ffffffff81131190 __fentry__+0x0 ([k])");
	teardown();
}
END_TEST

START_TEST(test_old_fields)
{
	setup();
	branch_is(
		"jmp                           708540b [unknown] =>          7084ef0 tan@plt+0xfffffffffef9b000",
		" jmp 708540b [unknown] => 7084ef0 tan@plt+0x0");
	branch_is("tr strt tr end                      0 [unknown] =>           4591e1 [unknown]",
		  " 0 [unknown] => 4591e1 [unknown]");
	branch_is(" call  1 f+0x1 => 2 g+0x2", " call 1 f+0x1 => 2 g+0x2");
	branch_is(" tr end  call  1 f+0x1 (x) => 0", " end call 1 f+0x1 (x) => 0 [unknown]");
	teardown();
}
END_TEST

/* The first arrow with a place on either side. */
START_TEST(test_arrows_in_names)
{
	setup();
	branch_is(" call  56234f77576b x => +0xb (foo.so) => 1000 => +0x0 (foo.so)",
		  " call 56234f77576b x => +0xb (foo.so) => 1000 => +0x0 (foo.so)");
	branch_is(" call  1000 f => g+0x1 (a) =>   2000 h => 3 i+0x2 (b)",
		  " call 1000 f => g+0x1 (a) => 2000 h => 3 i+0x2 (b)");
	branch_is(" call  1000 f => 5 g+0x1 (a) =>   2000 h+0x2 (b)",
		  " call 1000 f => 5 g+0x1 (a) => 2000 h+0x2 (b)");
	branch_is(" call  1000 f+0x1 (a => 5 b) =>   2000 h+0x2 (b)",
		  " call 1000 f+0x1 (a => 5 b) => 2000 h+0x2 (b)");
	/* strict places go before an arrow that is further left */
	branch_is(" call  1000 f+0x3 => 5 b+0x2 (x) => 2000 g+0x0 (x)",
		  " call 1000 f+0x3 => 5 b+0x2 (x) => 2000 g+0x0 (x)");
	branch_is(" call  1000 f+0x3 (a (b) => 5 c+0x2 (d)) => 2000 g+0x0 (x)",
		  " call 1000 f+0x3 (a (b) => 5 c+0x2 (d)) => 2000 g+0x0 (x)");
	branch_is(" call  1000 f+0x1 (a) => 2000 g+0x1 (b) => 3000 h+0x1 (c)",
		  " call 1000 f+0x1 (a) => 2000 g+0x1 (b) => 3000 h+0x1 (c)");
	branch_is(" call  1000  => +0x1 (a) =>    2000 h+0x1 (c)",
		  " call 1000  => +0x1 (a) => 2000 h+0x1 (c)");
	teardown();
}
END_TEST

/* A source that is known does not settle where the arrow is. */
START_TEST(test_known_source)
{
	setup();
	branch_is(" call  7fc9ca8563e0 inet+0x38 (a) => 2000 g+0x1 (b)",
		  " call 7fc9ca8563e0 inet+0x38 (a) => 2000 g+0x1 (b)");
	branch_is(" call  7fc9ca8563e0 inet+0x38 (a) (c) => 2000 g+0x1 (b)",
		  " call 7fc9ca8563e0 inet+0x38 (a) (c) => 2000 g+0x1 (b)");
	branch_is(" call  7fc9ca8563e0 inet+0x38 (a) => g+0x1 (b) => 2000 g+0x1 (b)",
		  " call 7fc9ca8563e0 inet+0x38 (a) => g+0x1 (b) => 2000 g+0x1 (b)");
	branch_is(" call  7fc9ca8563e0 inet+0x38 (a) => 2000 g+0x1",
		  " call 7fc9ca8563e0 inet+0x38 (a) => 2000 g+0x1");
	no_branch(" call  7fc9ca8563e0 inet+0x38 (a) => x");
	teardown();
}
END_TEST

START_TEST(test_ipc)
{
	setup();
	branch_is(" jcc  1 f+0x1 (a) =>  2 g+0x1 (b) \t IPC: 0.91 (197/216) ",
		  " jcc 1 f+0x1 (a) => 2 g+0x1 (b)");
	branch_is(" jcc  1 f+0x1 (a) =>  2 g+0x1 (b)\t IPC: 1.20 (12/10)",
		  " jcc 1 f+0x1 (a) => 2 g+0x1 (b)");
	branch_is(" jcc  1 f+0x1 (a) =>  2 g+0x1 (b)   ", " jcc 1 f+0x1 (a) => 2 g+0x1 (b)");
	no_branch(" jcc  1 f+0x1 (a) =>  2 g+0x1 (b)\t IPC: 1.20 (12/10");
	no_branch(" jcc  1 f+0x1 (a) =>  2 g+0x1 (b)\t IPX: 1.20 (12/10)x");
	teardown();
}
END_TEST

START_TEST(test_no_branch)
{
	setup();
	no_branch("");
	no_branch("  ");
	no_branch(" call");
	no_branch(" call  1 f+0x1 (a)");
	no_branch(" call  1 f+0x1 (a) =>");
	no_branch(" call  1 f+0x1 (a) => ");
	no_branch(" call  1 f+0x1 (a) => 2x");
	no_branch(" call  1 f+0x1 (a) =>2 g+0x1 (b)");
	no_branch(" call  1 f+0x1 (a)=> 2 g+0x1 (b)");
	no_branch(" call  1 f (a) => 2 g+0x1 (b)");
	no_branch(" call  1 f+0x1 (a) => 2 g (b)");
	no_branch(" jump  1 f+0x1 (a) => 2 g+0x1 (b)");
	no_branch(" call  => 2 g+0x1 (b)");
	teardown();
}
END_TEST

/* A line that is all arrows, as long as lines get. */
START_TEST(test_many_arrows)
{
	size_t n = 0, max = 1 << 20;
	char *text = malloc(max);
	struct event ev;

	setup();
	n += (size_t)sprintf(text, " call 1 ");
	while (n + 40 < max) {
		memcpy(text + n, "f)+0x1 => 1 ", 12);
		n += 12;
	}
	ck_assert(!branch_read(places, (struct str){ .p = text, .n = n }, &ev));
	free(text);
	teardown();
}
END_TEST

SUITE_MAIN("branch", test_plain, test_old_fields, test_arrows_in_names, test_known_source, test_ipc,
	   test_no_branch, test_many_arrows)
