/* SPDX-License-Identifier: MIT */
/* Packages are made by hand, as DWARF 5, section 7.3.5.3, says. */
#include "symbol/dwpfile.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <stddef.h>

#define SLOTS 4

struct index {
	uint32_t version, columns, units, slots;
	uint64_t ids[SLOTS];
	uint32_t rows[SLOTS];
	uint32_t sections[3];
	uint32_t offsets[2][3], sizes[2][3];
};

static const struct index sane = {
	.version = 5,
	.columns = 3,
	.units = 2,
	.slots = SLOTS,
	/* a slot without a row is free, whatever its id */
	.ids = { 0x1111, 0x2222, 0x3333, 0x4444 },
	.rows = { 2, 0, 1, 3 },
	.sections = { 1, 3, 6 }, /* DW_SECT_INFO, _ABBREV, _STR_OFFSETS */
	.offsets = { { 0, 10, 0 }, { 30, 0, 2 } },
	.sizes = { { 30, 5, 2 }, { 70, 10, 4 } },
};

static struct scratch scratch;

/* The package "p.dwp", of an index that is cut to n bytes. */
static struct dwpfile *open_package(const struct index *index, size_t n)
{
	FILE *file = fopen(scratch_path(&scratch, "index"), "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(index, 1, n, file), n);
	fclose(file);
	ck_assert_int_eq(scratch_run(&scratch,
				     "objcopy --remove-section .debug_cu_index base p.dwp && "
				     "objcopy --add-section .debug_cu_index=index p.dwp"),
			 0);
	return dwpfile_open(scratch_path(&scratch, "p"));
}

static void begin(void)
{
	scratch_init(&scratch);
	ck_assert_int_eq(
		scratch_run(&scratch,
			    "seq -w 0 49 | tr -d '\\n' >info && printf abcdefghijklmno >abbrev && "
			    "printf 123456 >offsets && printf names >str && : >e.c && "
			    "gcc -c e.c -o e.o && objcopy --add-section .debug_info.dwo=info "
			    "--add-section .debug_abbrev.dwo=abbrev --add-section "
			    ".debug_str_offsets.dwo=offsets --add-section .debug_str.dwo=str "
			    "e.o base"),
		0);
}

static void check_part(const struct dwp_unit *unit, enum dwp_section section, const char *want)
{
	ck_assert_uint_eq(unit->parts[section].n, strlen(want));
	ck_assert_mem_eq(unit->parts[section].p, want, strlen(want));
}

START_TEST(test_find)
{
	static const uint32_t versions[] = { 2, 5 };

	begin();
	for (size_t i = 0; i < 2; i++) {
		struct index index = sane;
		struct dwp_unit unit;
		struct dwpfile *dwp;

		index.version = versions[i];
		dwp = open_package(&index, sizeof(index));
		ck_assert_ptr_nonnull(dwp);
		ck_assert(dwpfile_find(dwp, 0x3333, &unit));
		check_part(&unit, DWP_INFO, "000102030405060708091011121314");
		check_part(&unit, DWP_ABBREV, "klmno");
		check_part(&unit, DWP_STR_OFFSETS, "12");
		check_part(&unit, DWP_STR, "names");
		ck_assert_uint_eq(unit.parts[DWP_LINE].n, 0);
		ck_assert(dwpfile_find(dwp, 0x1111, &unit));
		ck_assert_uint_eq(unit.parts[DWP_INFO].n, 70);
		check_part(&unit, DWP_ABBREV, "abcdefghij");
		check_part(&unit, DWP_STR_OFFSETS, "3456");
		ck_assert(!dwpfile_find(dwp, 0x2222, &unit));
		/* a row that there is not */
		ck_assert(!dwpfile_find(dwp, 0x4444, &unit));
		ck_assert(!dwpfile_find(dwp, 0x5555, &unit));
		dwpfile_close(dwp);
	}
	dwpfile_close(NULL);
	scratch_fini(&scratch);
}
END_TEST

/* A column that says nothing of use, and one that means another thing before DWARF 5. */
START_TEST(test_columns)
{
	struct index index = sane;
	struct dwp_unit unit;
	struct dwpfile *dwp;

	begin();
	index.version = 2;
	index.sections[1] = 99;
	index.sections[2] = 8;
	dwp = open_package(&index, sizeof(index));
	ck_assert(dwpfile_find(dwp, 0x3333, &unit));
	ck_assert_uint_eq(unit.parts[DWP_ABBREV].n, 0);
	ck_assert_uint_eq(unit.parts[DWP_RNGLISTS].n, 0);
	dwpfile_close(dwp);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_damaged)
{
	struct dwp_unit unit;
	struct dwpfile *dwp;
	struct index index;

	begin();
	/* cut anywhere it is none */
	for (size_t n = 1; n < offsetof(struct index, sizes) + sizeof(index.sizes); n += 6)
		ck_assert_ptr_null(open_package(&sane, n));
	index = sane;
	index.version = 3;
	ck_assert_ptr_null(open_package(&index, sizeof(index)));
	index = sane;
	index.columns = 65;
	ck_assert_ptr_null(open_package(&index, sizeof(index)));
	index = sane;
	index.units = UINT32_MAX;
	ck_assert_ptr_null(open_package(&index, sizeof(index)));
	index = sane;
	index.slots = UINT32_MAX;
	ck_assert_ptr_null(open_package(&index, sizeof(index)));
	/* parts that are not in their sections, or a unit without the one that counts */
	index = sane;
	index.sizes[0][1] = 6;
	index.offsets[1][0] = 101;
	dwp = open_package(&index, sizeof(index));
	ck_assert_ptr_nonnull(dwp);
	ck_assert(!dwpfile_find(dwp, 0x3333, &unit));
	ck_assert(!dwpfile_find(dwp, 0x1111, &unit));
	dwpfile_close(dwp);
	index = sane;
	index.sizes[0][0] = 0;
	dwp = open_package(&index, sizeof(index));
	ck_assert(!dwpfile_find(dwp, 0x3333, &unit));
	ck_assert(dwpfile_find(dwp, 0x1111, &unit));
	dwpfile_close(dwp);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_none)
{
	begin();
	ck_assert_ptr_null(dwpfile_open(scratch_path(&scratch, "p")));
	ck_assert_int_eq(scratch_run(&scratch, "mkfifo p.dwp"), 0);
	ck_assert_ptr_null(dwpfile_open(scratch_path(&scratch, "p")));
	/* no index; no object file; nothing in it */
	ck_assert_int_eq(scratch_run(&scratch, "rm p.dwp && cp base p.dwp"), 0);
	ck_assert_ptr_null(dwpfile_open(scratch_path(&scratch, "p")));
	ck_assert_int_eq(scratch_run(&scratch, "cp info p.dwp"), 0);
	ck_assert_ptr_null(dwpfile_open(scratch_path(&scratch, "p")));
	ck_assert_int_eq(scratch_run(&scratch, "cp e.o p.dwp"), 0);
	ck_assert_ptr_null(dwpfile_open(scratch_path(&scratch, "p")));
	scratch_fini(&scratch);
}
END_TEST

SUITE_MAIN("symbol/dwpfile", test_find, test_columns, test_damaged, test_none)
