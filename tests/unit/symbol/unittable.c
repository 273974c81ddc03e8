/* SPDX-License-Identifier: MIT */
/*
 * A table made by hand: f is [0x10, 0x50), in it a [0x20, 0x40), in that b [0x28, 0x30); nothing is
 * known of [0x50, 0x60); g is [0x60, 0x70).
 */
#include "symbol/unittable.h"

#include "support/suite.h"
#include "symbol/blob.h"

#include <string.h>

/* Their places in the names. */
enum { F = 1, A = 3, B = 5, G = 7, FILE_C = 9 };

static const char names[] = "\0f\0a\0b\0g\0x.c";

struct parts {
	struct unittable_row rows[4];
	struct unittable_span spans[6];
	struct unittable_scope scopes[4];
};

static const struct parts sound = {
	.rows = { { 0x10, FILE_C, 1, 0, 0 },
		  { 0x20, FILE_C, 5, 2, 0 },
		  { 0x28, FILE_C, 9, 0, 0 },
		  { 0x60, FILE_C, 0, 0, 0 } },
	.spans = { { 0x10, 0x20, 0, 0 },
		   { 0x20, 0x28, 1, 0 },
		   { 0x28, 0x30, 2, 0 },
		   { 0x30, 0x40, 1, 0 },
		   { 0x40, 0x50, 0, 0 },
		   { 0x60, 0x70, 3, 0 } },
	.scopes = { { F, UNITTABLE_NONE, 0, 0, 0, 0 },
		    { A, 0, FILE_C, 2, 3, 0 },
		    { B, 1, FILE_C, 6, 7, 0 },
		    { G, UNITTABLE_NONE, 0, 0, 0, 0 } },
};

/* For blob_fini. */
static struct blob bytes_of(const struct parts *parts)
{
	struct unittable_head head = {
		.version = UNITTABLE_VERSION,
		.n_rows = 4,
		.n_spans = 6,
		.n_scopes = 4,
		.n_names = sizeof(names),
	};
	struct blob blob = { 0 };

	blob_put(&blob, &head, sizeof(head));
	blob_put(&blob, parts->rows, sizeof(parts->rows));
	blob_put(&blob, parts->spans, sizeof(parts->spans));
	blob_put(&blob, parts->scopes, sizeof(parts->scopes));
	blob_put(&blob, names, sizeof(names));
	return blob;
}

static void check_run(const struct unittable *table, uint64_t value, uint64_t start, uint64_t end,
		      uint32_t scope)
{
	struct unittable_run run = { .start = 0x14, .end = 0x68 };

	unittable_run(table, value, &run);
	ck_assert_uint_eq(run.start, start);
	ck_assert_uint_eq(run.end, end);
	ck_assert_uint_eq(run.scope, scope);
}

START_TEST(test_run)
{
	struct blob blob = bytes_of(&sound);
	struct unittable table;

	ck_assert(unittable_check(blob.p, blob.n, &table));
	check_run(&table, 0x14, 0x14, 0x20, 0); /* clipped to what was asked for */
	check_run(&table, 0x20, 0x20, 0x28, 1);
	check_run(&table, 0x2f, 0x28, 0x30, 2);
	check_run(&table, 0x30, 0x30, 0x40, 1);
	check_run(&table, 0x55, 0x50, 0x60, UNITTABLE_NONE);
	check_run(&table, 0x60, 0x60, 0x68, 3);
	blob_fini(&blob);
}
END_TEST

START_TEST(test_chain_and_line)
{
	struct blob blob = bytes_of(&sound);
	struct unittable_place places[4];
	struct unittable table;

	ck_assert(unittable_check(blob.p, blob.n, &table));
	ck_assert_uint_eq(unittable_chain(&table, 0x2a, places, 4), 3);
	ck_assert_str_eq(places[0].function, "b");
	ck_assert_uint_eq(places[0].line, 9);
	ck_assert_str_eq(places[1].function, "a");
	ck_assert_uint_eq(places[1].line, 6);
	ck_assert_uint_eq(places[1].col, 7);
	ck_assert_str_eq(places[2].function, "f");
	ck_assert_uint_eq(places[2].line, 2);
	ck_assert_uint_eq(unittable_chain(&table, 0x2a, places, 2), 2);
	ck_assert_uint_eq(unittable_chain(&table, 0x55, places, 4), 0);
	ck_assert_uint_eq(unittable_chain(&table, 0x70, places, 4), 0);
	ck_assert(unittable_line(&table, 0x27, false, &places[0]));
	ck_assert_str_eq(places[0].file, "x.c");
	ck_assert_uint_eq(places[0].line, 5);
	ck_assert(!unittable_line(&table, 0xf, false, &places[0]));
	ck_assert(!unittable_line(&table, 0x60, false, &places[0]));
	blob_fini(&blob);
}
END_TEST

static bool is_taken(const struct parts *parts)
{
	struct blob blob = bytes_of(parts);
	struct unittable table;
	bool taken = unittable_check(blob.p, blob.n, &table);

	blob_fini(&blob);
	return taken;
}

/* What would be read out of bounds, or for ever, is refused. */
START_TEST(test_damaged)
{
	struct blob blob = bytes_of(&sound);
	struct unittable table;
	struct parts parts;

	ck_assert(is_taken(&sound));
	for (size_t n = 0; n < blob.n; n++)
		ck_assert(!unittable_check(blob.p, n, &table));
	blob_fini(&blob);
	parts = sound;
	parts.rows[1].file = sizeof(names);
	ck_assert(!is_taken(&parts));
	parts = sound;
	parts.rows[1].value = 0xf;
	ck_assert(!is_taken(&parts));
	parts = sound;
	parts.spans[1].start = 0x1f;
	ck_assert(!is_taken(&parts));
	parts = sound;
	parts.spans[5].scope = 4;
	ck_assert(!is_taken(&parts));
	parts = sound;
	parts.scopes[1].parent = 1;
	ck_assert(!is_taken(&parts));
	parts = sound;
	parts.scopes[1].name = sizeof(names);
	ck_assert(!is_taken(&parts));
}
END_TEST

SUITE_MAIN("unittable", test_run, test_chain_and_line, test_damaged)
