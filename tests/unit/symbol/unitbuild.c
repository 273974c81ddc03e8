/* SPDX-License-Identifier: MIT */
/*
 * Debug info written by hand (DWARF 4, section 7.5), whose references go round in circles. What
 * compilers make is looked at in symbolizer.c here, and in tests/e2e/symbolizer.py.
 */
#include "symbol/unitbuild.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "symbol/regular.h"
#include "symbol/unittable.h"

#include <elfutils/libdw.h>

/* SIBLING: where the function's DW_AT_sibling leads. */
static const char source[] =
	".globl main\n"
	"main:	nop\n"
	".Lin:	nop\n"
	".Lout:	ret\n"
	".Lend:\n"
	".section .debug_abbrev,\"\",@progbits\n"
	/* number, tag, has children; attributes with their forms; 0, 0 */
	".byte 1,0x11,1, 0x03,0x08, 0x11,0x01, 0x12,0x07, 0,0\n"            /* compile_unit */
	".byte 2,0x2e,1, 0x31,0x13, 0x01,0x13, 0x11,0x01, 0x12,0x07, 0,0\n" /* subprogram */
	".byte 3,0x1d,0, 0x31,0x13, 0x11,0x01, 0x12,0x07, 0,0\n"            /* inlined_subroutine */
	".byte 4,0x2e,0, 0x31,0x13, 0,0\n" /* subprogram, abstract */
	".byte 0\n"
	".section .debug_info,\"\",@progbits\n"
	".Lunit: .long .Lunit_end - .Lversion\n"
	".Lversion: .short 4\n"
	".long .debug_abbrev\n"
	".byte 8\n"
	".byte 1\n"
	".asciz \"p.s\"\n"
	".quad main, .Lend - main\n"
	/* its origin is itself */
	".Lfunction: .byte 2\n"
	".long .Lfunction - .Lunit\n"
	".long SIBLING - .Lunit\n"
	".quad main, .Lend - main\n"
	".Linlined: .byte 3\n"
	".long .Labstract - .Lunit\n"
	".quad .Lin, .Lout - .Lin\n"
	".byte 0\n"
	/* the origin of this is the one whose origin this is */
	".Labstract: .byte 4\n"
	".long .Linlined - .Lunit\n"
	".byte 0\n"
	".Lunit_end:\n";

/* Makes the table of the program's one unit. */
static void check(const char *sibling)
{
	struct unittable_place chain[8];
	struct elffile *elf = NULL;
	struct debuginfo info;
	struct blob blob = { 0 };
	struct unittable table;
	Dwarf_Addr low = 0, base, end;
	Dwarf_CU *cu = NULL;
	char command[200];
	struct scratch s;
	const char *path;
	Dwarf_Die die;
	bool whole;

	scratch_init(&s);
	scratch_put(&s, "p.S", source);
	snprintf(command, sizeof(command), "gcc -DSIBLING=%s p.S -o p -z noexecstack", sibling);
	ck_assert_int_eq(scratch_run(&s, command), 0);
	path = scratch_path(&s, "p");
	ck_assert_int_eq(elffile_open(regular_open(path, NULL, NULL), path, &elf, NULL), 0);
	ck_assert_int_eq(debuginfo_open(regular_open(path, NULL, NULL), path, false, &info, NULL),
			 0);
	ck_assert(debuginfo_next(&info, &cu, &die));
	ck_assert_int_gt(dwarf_ranges(&die, 0, &base, &low, &end), 0);
	ck_assert(unitbuild(&info, elf, dwarf_dieoffset(&die), &blob, &whole));
	ck_assert(unittable_check(blob.p, blob.n, &table));
	low += info.bias - info.load;
	/* nop, the nop that is inlined, ret */
	ck_assert_uint_eq(unittable_chain(&table, low, chain, 8), 1);
	ck_assert_uint_eq(unittable_chain(&table, low + 1, chain, 8), 2);
	ck_assert_str_eq(chain[0].function, "");
	ck_assert_str_eq(chain[1].function, "");
	ck_assert_uint_eq(unittable_chain(&table, low + 2, chain, 8), 1);
	ck_assert_uint_eq(unittable_chain(&table, low + 3, chain, 8), 0);
	/* a number that is no unit's */
	ck_assert(!unitbuild(&info, elf, UINT64_MAX / 2, &blob, &whole));
	blob_fini(&blob);
	debuginfo_close(&info);
	elffile_close(elf);
	scratch_fini(&s);
}

START_TEST(test_circles)
{
	check(".Labstract");
}
END_TEST

START_TEST(test_siblings_in_circles)
{
	check(".Lfunction");
}
END_TEST

SUITE_MAIN("symbol/unitbuild", test_circles, test_siblings_in_circles)
