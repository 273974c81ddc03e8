/* SPDX-License-Identifier: MIT */
/* The notes are made by the assembler; where the program was is said here. */
#include "cli/ocamltraps.h"

#include "support/scratch.h"
#include "support/suite.h"

#define NOTE(lists)                                                                         \
	".section .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n.byte 0\n"        \
	".section .note.ocaml_eh,\"a\",@note\n"                                             \
	".long 6, 2f - 1f, 1\n.asciz \"OCaml\"\n.balign 4\n1:\n.quad .stapsdt.base\n" lists \
	"2: .balign 4\n"

static struct scratch scratch;
static uint64_t places[3];
static size_t n_places;

/* In place of that of cli/symbols, which asks a recording. */
size_t symbols_shifts(struct symbols *s, const char *path, uint64_t *shifts, size_t max)
{
	(void)s;
	ck_assert_str_eq(path, "/p");
	ck_assert_uint_le(n_places, max);
	memcpy(shifts, places, n_places * sizeof(*places));
	return n_places;
}

static void build(const char *text)
{
	scratch_init(&scratch);
	scratch_put(&scratch, "n.s", text);
	scratch_put(&scratch, "p.c", "int main(void) { return 0; }\n");
	ck_assert_int_eq(scratch_run(&scratch, "gcc -no-pie -Wl,-z,noexecstack p.c n.s -o p"), 0);
}

static void check(const uint64_t *all, size_t n, const uint64_t *want, size_t n_want)
{
	ck_assert_uint_eq(n, n_want);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(all[i], want[i]);
}

START_TEST(test_places)
{
	struct err warning = ERR_INIT;
	struct ocamltraps found = { .lists = { NULL } };

	build(NOTE(".quad 0x10, 0x30, 0\n.quad 0x40, 0\n.quad 0x50, 0x60, 0\n"));
	/* two processes; where one's entry is there is one of the other's, too */
	places[0] = 0x1000;
	places[1] = 0x1020;
	n_places = 2;
	ck_assert(ocamltraps_find(&found, NULL, scratch.dir, "/p", &warning));
	ck_assert_str_eq(warning.msg, "");
	check(found.traps.enter, found.traps.n_enter, (uint64_t[]){ 0x1010, 0x1030, 0x1050 }, 3);
	check(found.traps.push, found.traps.n_push, (uint64_t[]){ 0x1040, 0x1060 }, 2);
	check(found.traps.pop, found.traps.n_pop, (uint64_t[]){ 0x1050, 0x1060, 0x1070, 0x1080 },
	      4);
	ocamltraps_fini(&found);
	ck_assert_ptr_null(found.traps.enter);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_none)
{
	struct ocamltraps found = { .lists = { NULL } };
	struct err warning = ERR_INIT;

	/* not there, and not of OCaml: nothing is to be said */
	build("");
	n_places = 1;
	ck_assert(!ocamltraps_find(&found, NULL, scratch.dir, "/none", &warning));
	ck_assert(!ocamltraps_find(&found, NULL, scratch.dir, "/p", &warning));
	ck_assert_str_eq(warning.msg, "");
	scratch_fini(&scratch);
	/* nobody knows where it was */
	build(NOTE(".quad 0x30, 0\n.quad 0\n.quad 0\n"));
	n_places = 0;
	ck_assert(!ocamltraps_find(&found, NULL, scratch.dir, "/p", &warning));
	ck_assert_ptr_nonnull(strstr(warning.msg, "/p: no exception handlers"));
	ocamltraps_fini(&found);
	scratch_fini(&scratch);
}
END_TEST

/* Damaged: what could be read is there, and it is said. */
START_TEST(test_damaged)
{
	struct ocamltraps found = { .lists = { NULL } };
	struct err warning = ERR_INIT;

	build(NOTE(".quad 0x30, 0\n.quad 0x40\n.quad 0x50\n"));
	places[0] = 0x1000;
	n_places = 1;
	ck_assert(ocamltraps_find(&found, NULL, scratch.dir, "/p", &warning));
	ck_assert_ptr_nonnull(strstr(warning.msg, "damaged"));
	check(found.traps.enter, found.traps.n_enter, (uint64_t[]){ 0x1030 }, 1);
	ocamltraps_fini(&found);
	scratch_fini(&scratch);
}
END_TEST

SUITE_MAIN("cli/ocamltraps", test_places, test_none, test_damaged)
