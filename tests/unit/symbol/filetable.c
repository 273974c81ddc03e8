/* SPDX-License-Identifier: MIT */
/*
 * A table made by hand: segments [0x1000, 0x2000) at offset 0 and [0x5000, 0x5100) at 0x3000; f is
 * [0x1010, 0x1020) and [0x1030, 0x1040), g between; unit 7 is [0x1100, 0x1200), 9 from there to
 * 0x1280.
 */
#include "symbol/filetable.h"

#include "support/suite.h"

#include <string.h>

static const char names[] = "\0f\0g";

struct parts {
	struct filetable_segment segments[2];
	struct filetable_symbol symbols[3];
	struct range units[2];
};

static const struct parts sound = {
	.segments = { { 0x1000, 0, 0x1000 }, { 0x5000, 0x3000, 0x100 } },
	.symbols = { { 0x1010, 0x1020, 0x1010, 1, 0 },
		     { 0x1020, 0x1030, 0x1020, 3, 0 },
		     { 0x1030, 0x1040, 0x1010, 1, 0 } },
	.units = { { 0x1100, 0x1200, 7 }, { 0x1200, 0x1280, 9 } },
};

/* For blob_fini. */
static struct blob bytes_of(const struct parts *parts)
{
	struct filetable_head head = {
		.version = FILETABLE_VERSION,
		.n_segments = 2,
		.n_symbols = 3,
		.n_units = 2,
		.n_names = sizeof(names),
	};
	struct blob blob = { 0 };

	blob_put(&blob, &head, sizeof(head));
	blob_put(&blob, parts, sizeof(*parts));
	blob_put(&blob, names, sizeof(names));
	return blob;
}

START_TEST(test_lookups)
{
	struct blob blob = bytes_of(&sound);
	const struct filetable_symbol *symbol;
	struct filetable table;
	uint64_t value = 0;

	ck_assert(filetable_check(blob.p, blob.n, &table));
	ck_assert(filetable_value(&table, 0x3010, &value));
	ck_assert_uint_eq(value, 0x5010);
	ck_assert(!filetable_value(&table, 0x1000, &value));
	ck_assert(!filetable_value(&table, 0x3100, &value));
	symbol = filetable_symbol(&table, 0x1035);
	ck_assert_ptr_nonnull(symbol);
	ck_assert_uint_eq(symbol->value, 0x1010);
	ck_assert_str_eq(filetable_name(&table, symbol), "f");
	ck_assert_str_eq(filetable_name(&table, filetable_symbol(&table, 0x1020)), "g");
	ck_assert_ptr_null(filetable_symbol(&table, 0x100f));
	ck_assert_ptr_null(filetable_symbol(&table, 0x1040));
	ck_assert(filetable_unit(&table, 0x11ff, &value));
	ck_assert_uint_eq(value, 7);
	ck_assert(filetable_unit(&table, 0x1200, &value));
	ck_assert_uint_eq(value, 9);
	ck_assert(!filetable_unit(&table, 0x1280, &value));
	blob_fini(&blob);
}
END_TEST

START_TEST(test_stretch)
{
	static const struct {
		uint64_t value, start, end;
	} all[] = {
		{ 0x1050, 0x1000, 0x1100 }, { 0x1100, 0x1100, 0x1200 }, { 0x127f, 0x1200, 0x1280 },
		{ 0x1280, 0x1280, 0x2000 }, { 0x5000, 0x5000, 0x5100 },
	};
	struct blob blob = bytes_of(&sound);
	struct filetable table;
	uint64_t start, end;

	ck_assert(filetable_check(blob.p, blob.n, &table));
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		filetable_stretch(&table, all[i].value, &start, &end);
		ck_assert_uint_eq(start, all[i].start);
		ck_assert_uint_eq(end, all[i].end);
	}
	blob_fini(&blob);
}
END_TEST

static bool is_taken(const struct parts *parts)
{
	struct blob blob = bytes_of(parts);
	struct filetable table;
	bool taken = filetable_check(blob.p, blob.n, &table);

	blob_fini(&blob);
	return taken;
}

START_TEST(test_damaged)
{
	struct blob blob = bytes_of(&sound);
	struct filetable table;
	struct parts parts;

	ck_assert(is_taken(&sound));
	for (size_t n = 0; n < blob.n; n++)
		ck_assert(!filetable_check(blob.p, n, &table));
	blob_fini(&blob);
	parts = sound;
	parts.symbols[1].name = sizeof(names);
	ck_assert(!is_taken(&parts));
	parts = sound;
	parts.symbols[1].start = 0x101f;
	ck_assert(!is_taken(&parts));
	parts = sound;
	parts.symbols[1].end = 0x1020;
	ck_assert(!is_taken(&parts));
	parts = sound;
	parts.symbols[1].value = 0x1021;
	ck_assert(!is_taken(&parts));
	parts = sound;
	parts.units[1].start = 0x11ff;
	ck_assert(!is_taken(&parts));
	/* a segment ends where addresses do, not behind that */
	parts = sound;
	parts.segments[1].value = UINT64_MAX - 0x100;
	ck_assert(is_taken(&parts));
	parts.segments[1].value = UINT64_MAX - 0xff;
	ck_assert(!is_taken(&parts));
}
END_TEST

SUITE_MAIN("filetable", test_lookups, test_stretch, test_damaged)
