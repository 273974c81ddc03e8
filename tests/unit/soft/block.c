/* SPDX-License-Identifier: MIT */
/* The plugin is a program of its own: what is tested of it is compiled in here. */
#include "soft/plugin/block.c" /* NOLINT(bugprone-suspicious-include) */

#include "support/suite.h"

#include <stdlib.h>

/* Instructions of 3 bytes, and a last one. */
static struct block *block_of(uint64_t start, size_t n, const char *code, size_t size)
{
	struct block *b = block_new(start, n);

	for (size_t i = 0; i < n; i++)
		b->sizes[i] = 3;
	b->sizes[n - 1] = (uint8_t)size;
	block_complete(b, (const uint8_t *)code);
	return b;
}

static void expect_end(const char *code, size_t size, uint64_t to, enum block_end end)
{
	struct block *b = block_of(0x1000, 3, code, size);

	ck_assert_uint_eq(b->last, 0x1006);
	ck_assert_uint_eq(b->next, 0x1006 + size);
	ck_assert_int_eq(block_end(b, to), end);
	free(b);
}

START_TEST(test_ends)
{
	/* nop */
	expect_end("\x90", 1, 0x1007, BLOCK_WHOLE);
	expect_end("\x90", 1, 0x2000, BLOCK_BROKEN);
	expect_end("\x90", 1, 0x1000, BLOCK_BROKEN);
	/* rep movsb, once more */
	expect_end("\xf3\xa4", 2, 0x1006, BLOCK_BUT_LAST);
	expect_end("\xf3\xa4", 2, 0x1008, BLOCK_WHOLE);
	/* je .+0x12; jmp . */
	expect_end("\x74\x10", 2, 0x1018, BLOCK_WHOLE);
	expect_end("\x74\x10", 2, 0x1008, BLOCK_WHOLE);
	expect_end("\x74\x10", 2, 0x1009, BLOCK_BROKEN);
	expect_end("\xeb\xfe", 2, 0x1006, BLOCK_WHOLE);
	expect_end("\xeb\xfe", 2, 0x1008, BLOCK_BROKEN);
	/* call .-0x100 */
	expect_end("\xe8\xfb\xfe\xff\xff", 5, 0xf06, BLOCK_WHOLE);
	expect_end("\xe8\xfb\xfe\xff\xff", 5, 0x100b, BLOCK_BROKEN);
	/* ret, jmp rax, call rax, iretq */
	expect_end("\xc3", 1, 0x7000, BLOCK_PERHAPS);
	expect_end("\xff\xe0", 2, 0x7000, BLOCK_PERHAPS);
	expect_end("\xff\xd0", 2, 0x7000, BLOCK_PERHAPS);
	expect_end("\x48\xcf", 2, 0x7000, BLOCK_PERHAPS);
	/* syscall, int3: never straight to what follows */
	expect_end("\x0f\x05", 2, 0x1008, BLOCK_BROKEN);
	expect_end("\xcc", 1, 0x1007, BLOCK_BROKEN);
}
END_TEST

/* What reaches into another page is listed, and executed in the next block. */
START_TEST(test_page_end)
{
	struct block *b = block_of(0x1ff0, 3, "\x74\x10", 2);

	ck_assert(b->may_cross);
	ck_assert_int_eq(block_end(b, b->last), BLOCK_BUT_LAST);
	ck_assert_int_eq(block_end(b, b->next), BLOCK_WHOLE);
	free(b);
	b = block_of(0x1fd0, 3, "\x74\x10", 2);
	ck_assert(!b->may_cross);
	ck_assert_int_eq(block_end(b, b->last), BLOCK_BROKEN);
	free(b);
}
END_TEST

START_TEST(test_places)
{
	struct block *b = block_of(0x1000, 4, "\xc3", 1), *rest;
	uint32_t index = 9;

	ck_assert_uint_eq(block_address(b, 0), 0x1000);
	ck_assert_uint_eq(block_address(b, 3), 0x1009);
	ck_assert(block_index(b, 0x1006, &index));
	ck_assert_uint_eq(index, 2);
	ck_assert(!block_index(b, 0x1001, &index));
	ck_assert(!block_index(b, 0x100a, &index));
	rest = block_rest(b, 1);
	ck_assert_uint_eq(rest->start, 0x1003);
	ck_assert_uint_eq(rest->n, 3);
	ck_assert_uint_eq(rest->last, b->last);
	ck_assert_uint_eq(rest->next, b->next);
	ck_assert_int_eq(rest->insn.kind, INSN_RET);
	ck_assert_uint_eq(block_address(rest, 2), 0x1009);
	free(rest);
	free(b);
}
END_TEST

static void expect_stack(const char *code, size_t n, bool uses, uint64_t at)
{
	uint64_t got;

	ck_assert(block_uses_stack((const uint8_t *)code, n, &got) == uses);
	ck_assert_uint_eq(got, at);
}

START_TEST(test_stack)
{
	expect_stack("\x55", 1, true, 8);                 /* push rbp */
	expect_stack("\x41\x57", 2, true, 8);             /* push r15 */
	expect_stack("\xe8\0\0\0\0", 5, true, 8);         /* call */
	expect_stack("\xc3", 1, true, 0);                 /* ret */
	expect_stack("\x48\x83\xec\x18", 4, false, 0x18); /* sub rsp, 0x18 */
	expect_stack("\x48\x81\xec\0\x10\0\0", 7, false, 0x1000);
	expect_stack("\x48\x83\xc4\x18", 4, false, 0); /* add rsp, 0x18 */
	expect_stack("\xf3\x0f\x1e\xfa", 4, false, 0); /* endbr64 */
	expect_stack("\x5d", 1, false, 0);             /* pop rbp */
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { test_ends, test_page_end, test_places, test_stack, NULL };

	return suite_run("block", tests);
}
