/* SPDX-License-Identifier: MIT */
#include "perf/place.h"

#include "support/suite.h"

#include <inttypes.h>
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

/* NULL: no name. */
static void name_is(uint32_t id, const char *want, const char *text)
{
	if (!want) {
		ck_assert_msg(id == INTERN_NONE, "%s", text);
		return;
	}
	ck_assert_msg(id != INTERN_NONE && str_eq(intern_str(names, id), str_of(want)),
		      "'%s' gave '%s'", text, id ? intern_str(names, id).p : "");
}

static void loc_is(const struct location *loc, const char *text, uint64_t addr, const char *sym,
		   uint64_t off, const char *dso)
{
	ck_assert_msg(loc->addr == addr, "'%s' gave %" PRIx64, text, loc->addr);
	ck_assert_msg(loc->off == off, "'%s' gave +%" PRIx64, text, loc->off);
	name_is(loc->sym, sym, text);
	name_is(loc->dso, dso, text);
}

/* Three times: the third time it is known. */
static void place_is(const char *text, uint64_t addr, const char *sym, uint64_t off,
		     const char *dso)
{
	for (int i = 0; i < 3; i++) {
		struct location loc;

		ck_assert_msg(places_read(places, str_of(text), &loc), "'%s'", text);
		loc_is(&loc, text, addr, sym, off, dso);
	}
}

static void no_place(const char *text)
{
	struct location loc;

	ck_assert_msg(!places_read(places, str_of(text), &loc), "'%s'", text);
}

START_TEST(test_plain)
{
	setup();
	place_is("7f5029da6be4 _dl_load_cache_lookup+0x164 (/usr/lib64/ld-linux-x86-64.so.2)",
		 0x7f5029da6be4, "_dl_load_cache_lookup", 0x164, "/usr/lib64/ld-linux-x86-64.so.2");
	place_is("ffffffff81000c82 entry+0x2 ([kernel.kallsyms])", 0xffffffff81000c82, "entry", 2,
		 "[kernel.kallsyms]");
	place_is("0 f+0x0 (x)", 0, "f", 0, "x");
	place_is("401136 main+0x6 (x)   ", 0x401136, "main", 6, "x");
	teardown();
}
END_TEST

START_TEST(test_unknown)
{
	setup();
	place_is("0 [unknown] ([unknown])", 0, NULL, 0, "[unknown]");
	place_is("7f6fce0b71f4 [unknown] (foo.so)", 0x7f6fce0b71f4, NULL, 0, "foo.so");
	place_is("7f6fce0b71f4 [unknown] (this is a spaced dso.so)", 0x7f6fce0b71f4, NULL, 0,
		 "this is a spaced dso.so");
	place_is("708540b [unknown]", 0x708540b, NULL, 0, NULL);
	place_is("5 [unknown] (a (b)", 5, NULL, 0, "a (b");
	place_is("5 [unknown] (a+0x1 (b)", 5, NULL, 0, "a+0x1 (b");
	teardown();
}
END_TEST

START_TEST(test_names_to_survive)
{
	setup();
	place_is("56234f77576b x => +0xb (foo.so)", 0x56234f77576b, "x => ", 0xb, "foo.so");
	place_is("1 => +0x0 (foo.so)", 1, "=> ", 0, "foo.so");
	place_is("1 + +0xb (foo.so)", 1, "+ ", 0xb, "foo.so");
	place_is("1 +0xb (foo.so)", 1, "", 0xb, "foo.so");
	place_is("1 a::B<a::C, a::D<a::E>, a::F>::run+0x1eb (foo.so)", 1,
		 "a::B<a::C, a::D<a::E>, a::F>::run", 0x1eb, "foo.so");
	place_is("1 hot_func(int)+0x0 (/path/x)", 1, "hot_func(int)", 0, "/path/x");
	place_is("1 f()+0x1 (x)+0x2 (y)", 1, "f()+0x1 (x)", 2, "y");
	place_is("1 f+0x1+0x2 (y)", 1, "f+0x1", 2, "y");
	place_is("1 a \"b' c+0x2 (y)", 1, "a \"b' c", 2, "y");
	place_is("1 m\xc2\xb7"
		 "f\xff+0x2 (y)",
		 1,
		 "m\xc2\xb7"
		 "f\xff",
		 2, "y");
	place_is("1 dlopen@@GLIBC_2.2.5+0x45 (y)", 1, "dlopen@@GLIBC_2.2.5", 0x45, "y");
	place_is("1 [unknown]x+0x2 (y)", 1, "[unknown]x", 2, "y");
	teardown();
}
END_TEST

START_TEST(test_dsos_to_survive)
{
	setup();
	place_is("1 f+0x2 (/usr/lib/libx.so (deleted))", 1, "f", 2, "/usr/lib/libx.so (deleted)");
	place_is("1 f+0x2 (memfd:doublemapper (deleted))", 1, "f", 2,
		 "memfd:doublemapper (deleted)");
	place_is("1 f+0x2 ([guest.kernel.kallsyms])", 1, "f", 2, "[guest.kernel.kallsyms]");
	place_is("1 f+0x2 (//anon)", 1, "f", 2, "//anon");
	place_is("1 f+0x2 (/tmp/a+0x3 (x))", 1, "f", 2, "/tmp/a+0x3 (x)");
	place_is("1 f+0x2 (/a => 5 b)", 1, "f", 2, "/a => 5 b");
	place_is("1 f+0x2 ()", 1, "f", 2, "");
	/* parentheses that do not balance: the last offset counts */
	place_is("1 f+0x2 (/a)b)", 1, "f", 2, "/a)b");
	place_is("1 f+0x2 (/a(b)", 1, "f", 2, "/a(b");
	/* frames of inlined functions */
	place_is("1 f+0x2 (inlined)", 1, "f", 2, NULL);
	teardown();
}
END_TEST

START_TEST(test_offsets)
{
	setup();
	place_is("1 f+0x3fffffffffffffff (x)", 1, "f", 0x3fffffffffffffff, "x");
	place_is("1 f+0x4000000000000000 (x)", 1, "f", 0, "x");
	place_is("7ffd193838e0 memcpy@plt+0xffffffffff22f000 (foo.so)", 0x7ffd193838e0,
		 "memcpy@plt", 0, "foo.so");
	place_is("7084ef0 tan@plt+0xfffffffffef9b000", 0x7084ef0, "tan@plt", 0, NULL);
	place_is("1 f+0x123456789012345678901234567890 (x)", 1, "f", 0, "x");
	teardown();
}
END_TEST

START_TEST(test_no_place)
{
	setup();
	no_place("");
	no_place(" ");
	no_place("1");
	no_place("1 ");
	no_place("1 f");
	no_place("1 f (x)");
	no_place("1 f+0x (x)");
	no_place("1 f+1 (x)");
	no_place("1 f+0xg (x)");
	no_place("1 f+0x1(x)");
	no_place("1 f+0x1 (x");
	no_place("1 f+0x1 x)");
	no_place("1 (x)");
	no_place("1 )");
	no_place("1f+0x1 (x)");
	no_place("g f+0x1 (x)");
	no_place("12345678901234567 f+0x1 (x)");
	no_place(" 1 f+0x1 (x)");
	no_place("1 [unknown]x");
	no_place("AB f+0x1 (x)");
	teardown();
}
END_TEST

START_TEST(test_strict_and_loose)
{
	const char *loose[] = { "1 f+0x2", "1 [unknown]", "1 f+0x2 (a(b)" };
	struct location loc;

	setup();
	for (size_t i = 0; i < 3; i++) {
		ck_assert(!places_read_form(places, str_of(loose[i]), PLACE_STRICT, &loc));
		ck_assert(places_read_form(places, str_of(loose[i]), PLACE_LOOSE, &loc));
	}
	ck_assert(places_read_form(places, STR("1 f+0x2 (x)"), PLACE_STRICT, &loc));
	teardown();
}
END_TEST

START_TEST(test_known)
{
	struct str text = STR("7f5029da6be4 f+0x164 (/usr/lib64/ld.so) => more");
	struct str place = { .p = text.p, .n = text.n - 8 },
		   arrow = STR("7f5029da6be4 a => b+0x1 (x)");
	struct location loc;

	setup();
	ck_assert_uint_eq(places_known(places, text, &loc), 0);
	for (int i = 0; i < 2; i++)
		ck_assert(places_read(places, place, &loc));
	memset(&loc, 0, sizeof(loc));
	ck_assert_uint_eq(places_known(places, text, &loc), place.n);
	loc_is(&loc, text.p, 0x7f5029da6be4, "f", 0x164, "/usr/lib64/ld.so");
	/* a text that is shorter, or differs in its last byte */
	place.n--;
	ck_assert_uint_eq(places_known(places, place, &loc), 0);
	ck_assert_uint_eq(
		places_known(places, STR("7f5029da6be4 f+0x164 (/usr/lib64/ld.sx)"), &loc), 0);
	/* never one with an arrow in it */
	for (int i = 0; i < 3; i++)
		ck_assert(places_read(places, arrow, &loc));
	ck_assert_uint_eq(places_known(places, arrow, &loc), 0);
	teardown();
}
END_TEST

/* Far more places than are kept, each read again after all others. */
START_TEST(test_many)
{
	char text[300], pad[201];
	struct location loc;

	memset(pad, '.', sizeof(pad));

	setup();
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 100000; i++) {
			snprintf(text, sizeof(text), "7f%08x f%u+0x%x (/lib/%u%.*s)", i * 4, i / 9,
				 i, i % 7, (int)(i % 200), pad);
			ck_assert(places_read(places, str_of(text), &loc));
			if (loc.addr != 0x7f00000000u + i * 4u || loc.off != i)
				ck_abort_msg("%s", text);
			snprintf(text, sizeof(text), "f%u", i / 9);
			if (!str_eq(intern_str(names, loc.sym), str_of(text)))
				ck_abort_msg("%u", i);
		}
	}
	teardown();
}
END_TEST

static void sampled_is(const char *text, uint64_t addr, const char *sym, uint64_t off,
		       const char *dso)
{
	struct location loc;

	ck_assert_msg(places_read_sampled(places, str_of(text), &loc), "'%s'", text);
	loc_is(&loc, text, addr, sym, off, dso);
}

START_TEST(test_sampled)
{
	struct location loc;

	setup();
	sampled_is("     0     7fca9945c595 __sleep+0x55 (/usr/lib64/libc-2.28.so)", 0x7fca9945c595,
		   "__sleep", 0x55, "/usr/lib64/libc-2.28.so");
	sampled_is("  ffff8881 7fca9945c595 __sleep+0x55 (libc)", 0x7fca9945c595, "__sleep", 0x55,
		   "libc");
	sampled_is("     7fca9945c595 __sleep+0x55 (libc)", 0x7fca9945c595, "__sleep", 0x55,
		   "libc");
	sampled_is("   0   0 [unknown] ([unknown])", 0, NULL, 0, "[unknown]");
	sampled_is("  558b9a39fd40 [unknown] (/usr/bin/dash)", 0x558b9a39fd40, NULL, 0,
		   "/usr/bin/dash");
	ck_assert(!places_read_sampled(places, STR(""), &loc));
	ck_assert(!places_read_sampled(places, STR("   0"), &loc));
	ck_assert(!places_read_sampled(places, STR("   0   x7fca f+0x1 (x)"), &loc));
	ck_assert(!places_read_sampled(places, STR("   0   7fca"), &loc));
	teardown();
}
END_TEST

START_TEST(test_arrow)
{
	struct str text = STR("a => b=>c =>d => = => e =");

	ck_assert_ptr_eq(place_arrow(text), text.p + 1);
	text = str_skip(text, 2);
	ck_assert_ptr_eq(place_arrow(text), text.p + 11);
	text = str_skip(text, 12);
	ck_assert_ptr_eq(place_arrow(text), text.p + 4);
	ck_assert_ptr_null(place_arrow(str_skip(text, 5)));
	ck_assert_ptr_null(place_arrow(STR("=> a")));
	ck_assert_ptr_null(place_arrow(STR(" =>")));
	ck_assert_ptr_null(place_arrow(STR("")));
	ck_assert_ptr_nonnull(place_arrow(STR(" => ")));
}
END_TEST

SUITE_MAIN("place", test_arrow, test_plain, test_unknown, test_names_to_survive,
	   test_dsos_to_survive, test_offsets, test_no_place, test_strict_and_loose, test_known,
	   test_many, test_sampled)
