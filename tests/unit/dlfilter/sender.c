/* SPDX-License-Identifier: MIT */
/* The filter is a program of its own: what is tested of it is compiled in here. */
#include "dlfilter/sender.c" /* NOLINT(bugprone-suspicious-include) */

#include "support/suite.h"

static char *bytes;
static size_t n_bytes;
static FILE *out;
static struct sender s;

static void begin_test(void)
{
	out = open_memstream(&bytes, &n_bytes);
	sender_init(&s, out, 0x1122334455667788u);
}

static void end_test(void)
{
	fclose(out);
	free(bytes);
}

/* What was written since the last time it was asked for. */
static void wrote(const char *want, size_t n)
{
	static size_t before;

	fflush(out);
	s.pending = 0;
	if (before > n_bytes)
		before = 0;
	ck_assert_uint_eq(n_bytes - before, n);
	ck_assert_mem_eq(bytes + before, want, n);
	before = n_bytes;
}

#define WROTE(literal) wrote(literal, sizeof(literal) - 1)
#define HELLO          "\n\xf8\x88\x77\x66\x55\x44\x33\x22\x11"

START_TEST(test_records)
{
	struct sent_place place = {
		.addr = 0x401020, .off = 0x20, .sym = STR("f"), .dso = STR("/x")
	};

	begin_test();
	WROTE(HELLO);
	sender_thread(&s, 0x102, 0x103);
	WROTE("\xfa\x02\x01\0\0\x03\x01\0\0");
	sender_place(&s, 0x0a0b, &place);
	WROTE("\xfc\x01\x0b\x0a\x20\x10\x40\0\0\0\0\0\x20\0\0\0\0\0\0\0\x01\0\x02\0f/x");
	place.sym = (struct str){ 0 };
	sender_place(&s, 1, &place);
	WROTE("\xfc\0\x01\0\x20\x10\x40\0\0\0\0\0\x20\0\0\0\0\0\0\0\0\0\x02\0/x");
	sender_tick(&s, 0x1000000);
	WROTE("\xf9\0\0\0\x01\0\0\0\0\xfe");
	end_test();
}
END_TEST

START_TEST(test_branches)
{
	begin_test();
	WROTE(HELLO);
	sender_branch(&s, 0x10000, 3, 1, 2);
	WROTE("\xfb\x03\x03\0\0\0\xf9\0\0\x01\0\0\0\0\0\xfd\x03\0\0\x01\0\x02\0");
	/* the same kind, as late as fits */
	sender_branch(&s, 0x1ffff, 3, 0x102, 0xffff);
	WROTE("\xfd\x03\xff\xff\x02\x01\xff\xff");
	/* one later than fits, and back in time */
	sender_branch(&s, 0x2ffff, 3, 1, 1);
	WROTE("\xf9\xff\xff\x02\0\0\0\0\0\xfd\x03\0\0\x01\0\x01\0");
	sender_branch(&s, 1, 3, 1, 1);
	WROTE("\xf9\x01\0\0\0\0\0\0\0\xfd\x03\0\0\x01\0\x01\0");
	end_test();
}
END_TEST

/* Two sets of flags that want the same index have two; and when all are taken, one gives way. */
START_TEST(test_indexes)
{
	uint8_t index[WIRE_INDEXES];

	begin_test();
	for (uint32_t i = 0; i < WIRE_INDEXES; i++) {
		index[i] = index_of(&s, 1 | i << 13);
		for (uint32_t k = 0; k < i; k++)
			ck_assert_uint_ne(index[i], index[k]);
	}
	for (uint32_t i = 0; i < WIRE_INDEXES; i++)
		ck_assert_uint_eq(index_of(&s, 1 | i << 13), index[i]);
	fflush(out);
	s.pending = 0;
	ck_assert_uint_eq(n_bytes, sizeof(HELLO) - 1 + WIRE_INDEXES * WIRE_FLAGS_SIZE);
	ck_assert_uint_lt(index_of(&s, 3), WIRE_INDEXES);
	ck_assert_uint_eq(s.flags[index_of(&s, 3)], 3);
	end_test();
}
END_TEST

START_TEST(test_interruption)
{
	begin_test();
	ck_assert(sender_interrupted(&s));
	sender_hello(&s);
	ck_assert(!sender_interrupted(&s));
	sender_thread(&s, 1, 2);
	ck_assert(!sender_interrupted(&s));
	fputs(" a line of perf's\n", out);
	ck_assert(sender_interrupted(&s));
	sender_hello(&s);
	ck_assert(!sender_interrupted(&s));
	end_test();
}
END_TEST

SUITE_MAIN("sender", test_records, test_branches, test_indexes, test_interruption)
