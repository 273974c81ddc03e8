/* SPDX-License-Identifier: MIT */
#include "trace/strings.h"

#include "support/fxtread.h"
#include "support/suite.h"

#include <inttypes.h>

static struct scratch s;
static struct err err;
static struct output *out;
static struct fxt fxt;
static struct intern *names, *files;
static struct trace_stats stats;
static struct strings *strings;

static void begin(void)
{
	scratch_init(&s);
	ck_assert_int_eq(output_open(scratch_path(&s, "a.fxt"), &out, &err), 0);
	fxt_init(&fxt, out);
	names = intern_new(0);
	files = intern_new(0);
	stats = (struct trace_stats){ 0 };
	strings = strings_new(&fxt, names, files, &stats);
	fxt_file_header(&fxt, STR("magic-trace"), NULL);
	strings_write_fixed(strings);
	fxt_thread(&fxt, 1, 10, 11);
}

/* Ends the file; what it says. */
static struct fxtread *end(void)
{
	uint64_t bytes;

	strings_free(strings);
	strings_free(NULL);
	intern_free(names);
	intern_free(files);
	ck_assert_int_eq(output_finish(out, (size_t)(fxt.p - fxt.block), &bytes, &err), 0);
	return fxtread_open(scratch_path(&s, "a.fxt"));
}

static uint32_t add(const char *name)
{
	return intern_add(names, str_of(name));
}

/* An event that is called by this index. */
static void use(uint16_t index)
{
	struct fxt_event ev = fxt_event_begin(&fxt, FXT_INSTANT, 1, FIXED_CATEGORY, index, 0);

	fxt_event_end(&fxt, &ev);
}

static void use_string(enum string_kind kind, uint32_t id, uint64_t addr)
{
	strings_record(strings);
	use(strings_get(strings, kind, id, addr));
}

static void expect(struct fxtread *r, const char *name)
{
	struct fxtread_event ev;

	ck_assert(fxtread_next(r, &ev));
	ck_assert_msg(fxtread_is(ev.name, name), "%.*s, not %s", (int)ev.name.n, ev.name.p, name);
}

static void expect_end(struct fxtread *r)
{
	struct fxtread_event ev;

	ck_assert(!fxtread_next(r, &ev));
	fxtread_free(r);
	scratch_fini(&s);
}

START_TEST(test_each_kind)
{
	struct fxtread *r;
	uint32_t main_id, dso, file;

	begin();
	main_id = add("main");
	dso = add("libm.so");
	file = intern_add(files, STR("src/a.c"));
	use_string(STRING_NAME, main_id, 0);
	use_string(STRING_NAME_INFERRED, main_id, 0);
	use_string(STRING_HIT, main_id, 0);
	use_string(STRING_PLACE, dso, 0xffffffffaf001100);
	use_string(STRING_PLACE, dso, 0x1234);
	use_string(STRING_PLACE_INFERRED, dso, 0x1234);
	use_string(STRING_PLACE, INTERN_NONE, 0x1234);
	use_string(STRING_FILE, file, 0);
	use_string(STRING_NAME, add(""), 0);
	r = end();
	expect(r, "main");
	expect(r, "main [inferred start time]");
	expect(r, "hit main");
	expect(r, "[unknown @ 0xffffffffaf001100 (libm.so)]");
	expect(r, "[unknown @ 0x1234 (libm.so)]");
	expect(r, "[unknown @ 0x1234 (libm.so)] [inferred start time]");
	expect(r, "[unknown]");
	expect(r, "src/a.c");
	expect(r, "");
	expect_end(r);
}
END_TEST

START_TEST(test_same_string_same_index)
{
	uint32_t id;
	uint16_t a, b;

	begin();
	id = add("main");
	ck_assert_uint_eq(strings_known_name(strings, id), 0);
	a = strings_get(strings, STRING_NAME, id, 0);
	b = strings_get(strings, STRING_PLACE, id, 0);
	ck_assert_uint_ne(a, b);
	ck_assert_uint_eq(strings_get(strings, STRING_NAME, id, 0), a);
	ck_assert_uint_eq(strings_get(strings, STRING_PLACE, id, 0), b);
	ck_assert_uint_eq(strings_known_name(strings, id), a);
	ck_assert_uint_ne(strings_get(strings, STRING_PLACE, id, 1), b);
	expect_end(end());
}
END_TEST

/* Names the way the trace writes them, and how many of them were not what they should be. */
START_TEST(test_flaws)
{
	static char big[40001];
	struct fxtread *r;
	struct fxtread_event ev;
	uint32_t id, bad;

	begin();
	memset(big, 'b', 40000);
	id = add(big);
	bad = add("caf\xe9");
	use_string(STRING_NAME, id, 0);
	use_string(STRING_HIT, id, 0);
	use_string(STRING_NAME_INFERRED, id, 0);
	use_string(STRING_NAME, bad, 0);
	use_string(STRING_PLACE, bad, 1);
	use_string(STRING_PLACE, bad, 2);
	use_string(STRING_NAME, intern_add(names, STR("one\0two")), 0);
	use_string(STRING_NAME, add("tab\tbell\a"), 0);
	ck_assert_uint_eq(stats.cut_names, 1);
	ck_assert_uint_eq(stats.bad_utf8, 1);
	r = end();
	ck_assert(fxtread_next(r, &ev));
	ck_assert_uint_eq(ev.name.n, 32000);
	ck_assert_int_eq(memcmp(ev.name.p + 31996, "b\xe2\x80\xa6", 4), 0);
	ck_assert(fxtread_next(r, &ev));
	ck_assert_uint_eq(ev.name.n, 32000);
	ck_assert_int_eq(memcmp(ev.name.p, "hit b", 5), 0);
	ck_assert(fxtread_next(r, &ev));
	ck_assert_uint_eq(ev.name.n, 32000);
	ck_assert_int_eq(memcmp(ev.name.p + 32000 - 26, "b\xe2\x80\xa6 [inferred start time]", 26),
			 0);
	expect(r, "caf\xef\xbf\xbd");
	expect(r, "[unknown @ 0x1 (caf\xef\xbf\xbd)]");
	expect(r, "[unknown @ 0x2 (caf\xef\xbf\xbd)]");
	expect(r, "one");
	expect(r, "tab\\x09bell\\x07");
	expect_end(r);
}
END_TEST

#define MANY 100000u

/*
 * Three times as many names as there are indexes, twice; every other event has the one name that
 * is always used. That one can lose its index once: when all indexes have been given out for the
 * first time, all of them count as used lately.
 */
START_TEST(test_more_names_than_indexes)
{
	struct fxtread *r;
	char text[32];
	uint32_t hot, first = 0, i, lost = 0;
	uint16_t hot_index;

	begin();
	hot = add("hot");
	hot_index = strings_get(strings, STRING_NAME, hot, 0);
	for (i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "function \xff %" PRIu32, i);
		first = add(text) - i;
	}
	for (i = 0; i < 2 * MANY; i++) {
		use_string(STRING_NAME, first + i % MANY, 0);
		use_string(STRING_NAME, hot, 0);
		lost += strings_known_name(strings, hot) != hot_index;
		hot_index = strings_known_name(strings, hot);
	}
	ck_assert_uint_le(lost, 1);
	ck_assert_uint_eq(stats.bad_utf8, MANY);
	ck_assert_uint_eq(stats.redefined,
			  2 * MANY + 1 + lost - (FXT_MAX_STRING - (FIXED_STRINGS - 1)));
	r = end();
	for (i = 0; i < 2 * MANY; i++) {
		snprintf(text, sizeof(text), "function \xef\xbf\xbd %" PRIu32, i % MANY);
		expect(r, text);
		expect(r, "hot");
	}
	ck_assert_uint_eq(r->redefined, stats.redefined);
	expect_end(r);
}
END_TEST

/* Unnamed places recycle as well, and are found again. */
START_TEST(test_more_places_than_indexes)
{
	struct fxtread *r;
	char text[64];
	uint32_t dso, i;

	begin();
	dso = add("x");
	for (i = 0; i < MANY; i++)
		use_string(STRING_PLACE, dso, i / 2);
	ck_assert_uint_gt(stats.redefined, 0);
	ck_assert_uint_lt(stats.redefined, MANY / 2);
	r = end();
	for (i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "[unknown @ 0x%" PRIx32 " (x)]", i / 2);
		expect(r, text);
	}
	expect_end(r);
}
END_TEST

/*
 * In a full table of which every string was used lately, each of them is asked for in turn,
 * together with three new ones: the new ones never take the index that the record needs.
 */
START_TEST(test_record_keeps_its_strings)
{
	uint32_t dso, i, n = FXT_MAX_STRING - (FIXED_STRINGS - 1), k, bad = 0;
	uint16_t kept, fresh;

	begin();
	dso = add("x");
	for (i = 0; i < n; i++) {
		strings_record(strings);
		strings_get(strings, STRING_PLACE, dso, i);
	}
	for (i = 0; i < n; i++) {
		strings_record(strings);
		kept = strings_get(strings, STRING_PLACE, dso, i);
		for (k = 0; k < 3; k++) {
			fresh = strings_get(strings, STRING_PLACE, dso, 1000000 + i * 3 + k);
			bad += fresh == kept || fresh < FIXED_STRINGS;
		}
		bad += strings_get(strings, STRING_PLACE, dso, i) != kept;
	}
	ck_assert_uint_eq(bad, 0);
	expect_end(end());
}
END_TEST

SUITE_MAIN("trace/strings", test_each_kind, test_same_string_same_index, test_flaws,
	   test_more_names_than_indexes, test_more_places_than_indexes,
	   test_record_keeps_its_strings)
