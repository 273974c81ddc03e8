/* SPDX-License-Identifier: MIT */
#include "perf/head.h"

#include "support/suite.h"

/* One memory for all lines, so that each is read with what others left in it. */
static bool read_ours(struct str line, struct head *h)
{
	static struct head_memory memory;

	return head_read(&memory, line, h);
}

typedef bool (*reader)(struct str line, struct head *h);

static void head_is(reader read, const char *line, int32_t pid, int32_t tid, int64_t time,
		    uint64_t period, const char *event, const char *rest)
{
	struct head h;

	ck_assert_msg(read(str_of(line), &h), "%s", line);
	ck_assert_int_eq(h.pid, pid);
	ck_assert_int_eq(h.tid, tid);
	ck_assert_int_eq(h.time, time);
	ck_assert_uint_eq(h.period, period);
	ck_assert_msg(str_eq(h.event, str_of(event)), "'%.*s'", (int)h.event.n, h.event.p);
	ck_assert_msg(str_eq(h.rest, str_of(rest)), "'%.*s'", (int)h.rest.n, h.rest.p);
}

static void no_head(reader read, const char *line)
{
	struct head h;

	ck_assert_msg(!read(str_of(line), &h), "%s", line);
}

START_TEST(test_our_field_list)
{
	head_is(read_ours, "1190837/1190839 339075.341173319:          1 branches:u:   jmp  1 x",
		1190837, 1190839, 339075341173319, 1, "branches:u", "   jmp  1 x");
	head_is(read_ours, " 908741/908741  1743654.262808407:   1  branches:ku:   call", 908741,
		908741, 1743654262808407, 1, "branches:ku", "   call");
	head_is(read_ours, "647317/647317 529215.810279538:     100000 cpu-clock:uH: ", 647317,
		647317, 529215810279538, 100000, "cpu-clock:uH", " ");
	head_is(read_ours, "1/2 3.5:  50 cache-misses/period=50/u:", 1, 2, 3500000000, 50,
		"cache-misses/period=50/u", "");
	head_is(read_ours, "1/2 3.5:  1 probe_x:entry:  0", 1, 2, 3500000000, 1, "probe_x:entry",
		"  0");
	head_is(read_ours, "1/2 3.5:  1 cpu/name='a b'/u:  0", 1, 2, 3500000000, 1,
		"cpu/name='a b'/u", "  0");
	/* a name ends at the first blank, be it a tab */
	head_is(read_ours, "1/2 3.5:  1 cycles:u:\tab: z", 1, 2, 3500000000, 1, "cycles:u",
		"\tab: z");
}
END_TEST

START_TEST(test_ids_not_known)
{
	head_is(read_ours, "    0/-1    78.287624:  1 branches:k:  x", 0, 0, 78287624000, 1,
		"branches:k", "  x");
}
END_TEST

START_TEST(test_columns_that_may_be_missing)
{
	/* no period; with the CPU; no event, whose place the flags take */
	head_is(read_ours, "1/2 3.5: branches:u: jmp", 1, 2, 3500000000, 0, "branches:u", " jmp");
	head_is(read_ours, "1/2 [062] 3.5:  7 cycles: ", 1, 2, 3500000000, 7, "cycles", " ");
	head_is(read_ours, "957410/957410 1154506.531823215:   jmp  708540b [unknown]", 957410,
		957410, 1154506531823215, 0, "", "jmp  708540b [unknown]");
	head_is(read_ours, "1/1 2.5: jcc/miss,not_taken/   1 f", 1, 1, 2500000000, 0, "",
		"jcc/miss,not_taken/   1 f");
	head_is(read_ours, "1/1 [062] 2.5: PERF_RECORD_MMAP2 1/1: [0x5]", 1, 1, 2500000000, 0, "",
		"PERF_RECORD_MMAP2 1/1: [0x5]");
	head_is(read_ours, "1/1 2.5:  1 :  x", 1, 1, 2500000000, 1, "", ":  x");
}
END_TEST

START_TEST(test_no_head)
{
	no_head(read_ours, "");
	no_head(read_ours, "1");
	no_head(read_ours, "1/");
	no_head(read_ours, "1/2");
	no_head(read_ours, "1/2 ");
	no_head(read_ours, "1/2 3");
	no_head(read_ours, "1/2 3.5");
	no_head(read_ours, "1/2 3.5:");
	no_head(read_ours, "1/2 3.5:x");
	no_head(read_ours, "1/2/3 3.5: x:");
	no_head(read_ours, "x 1/2 3.5: x:");
	no_head(read_ours, "99999999999/2 3.5: x:");
	no_head(read_ours, "1/2 99999999999.5: x:");
	no_head(read_ours, " instruction trace error type 1 time 2.3 cpu -1");
}
END_TEST

START_TEST(test_with_a_command)
{
	head_is(head_read_comm,
		"   tsc_msrs_test 18436 [007] 10897.962087836:   branches:   vmentry", 0, 18436,
		10897962087836, 0, "branches", "   vmentry");
	head_is(head_read_comm, "   [guest/18436] 18436 [007] 10897.962087836:  1 branches: x", 0,
		18436, 10897962087836, 1, "branches", " x");
	head_is(head_read_comm, "     :-1    -1 [006]    78.287624:   1   branches:k:  f", 0, 0,
		78287624000, 1, "branches:k", "  f");
	head_is(head_read_comm, "Web Content 5/6 [001] 1.5: 3.5: a:b c: 7 x", 5, 6, 1500000000, 0,
		"3.5", " a:b c: 7 x");
	head_is(head_read_comm, "a 5 b 12 1.5: cycles: ", 0, 12, 1500000000, 0, "cycles", " ");
}
END_TEST

START_TEST(test_no_head_with_a_command)
{
	no_head(head_read_comm, "");
	no_head(head_read_comm, ":");
	no_head(head_read_comm, "1.5: x");
	no_head(head_read_comm, " 1.5: x");
	no_head(head_read_comm, "comm x 1.5: x:");
	no_head(head_read_comm, "comm 12 1.5:");
	no_head(head_read_comm, "comm 12 .5: x:");
	no_head(head_read_comm, "comm 12 1.: x:");
	no_head(head_read_comm, "comm 12] 1.5: x:");
	no_head(head_read_comm, "comm 99999999999 1.5: x:");
	no_head(head_read_comm, "Warning: nothing");
}
END_TEST

SUITE_MAIN("head", test_our_field_list, test_ids_not_known, test_columns_that_may_be_missing,
	   test_no_head, test_with_a_command, test_no_head_with_a_command)
