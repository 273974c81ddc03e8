/* SPDX-License-Identifier: MIT */
/* What needs no ELF file; tests/e2e/symbols.py selects by lines. */
#include "cli/selected.h"

#include "support/suite.h"

#include <string.h>

static struct recording *recording;
static struct intern *names;
static struct symbols *symbols;
static struct selected *selected;

static void begin(const char *start, const char *stop)
{
	struct symbols_config config = { .mode = PERF_PT, .demangle = true };
	struct filter_arg filter = { .start = strdup(start), .stop = strdup(stop) };
	struct err err = ERR_INIT;

	recording = recording_new();
	names = intern_new(0);
	config.recording = recording;
	config.names = names;
	symbols = symbols_new(&config);
	selected = selected_new(&filter, symbols, names, &err);
	ck_assert_msg(selected != NULL, "%s", err.msg);
	filter_arg_fini(&filter);
}

static void end(void)
{
	selected_free(selected);
	selected_free(NULL);
	symbols_free(symbols);
	intern_free(names);
	recording_free(recording);
}

/* 'a': START, 'o': STOP, '-': neither. */
static char find(uint64_t addr, const char *name, const char *dso)
{
	struct location place = { .addr = addr };
	uint32_t found;

	if (name)
		place.sym = intern_add(names, str_of(name));
	if (dso)
		place.dso = intern_add(names, str_of(dso));
	found = selected_find(selected, 77, &place);
	ck_assert_uint_eq(found, selected_find(selected, 77, &place));
	if (found == INTERN_NONE)
		return '-';
	return str_eq(intern_str(names, found), selected_start(selected)) ? 'a' : 'o';
}

START_TEST(test_names)
{
	begin("main", "_ZN6market4Book3addEi");
	ck_assert_int_eq(find(0x1000, "main", NULL), 'a');
	ck_assert_int_eq(find(0x2000, "market::Book::add", "/bin/p"), 'o');
	ck_assert_int_eq(find(0x3000, "mains", NULL), '-');
	ck_assert_int_eq(find(0x3000, "ns::main", NULL), '-');
	ck_assert_int_eq(find(0x4000, NULL, NULL), '-');
	end();
	begin("Book::add", "odd:name");
	ck_assert_int_eq(find(0x2000, "market::Book::add", "/bin/p"), 'a');
	ck_assert_int_eq(find(0x1000, "odd:name", NULL), 'o');
	end();
}
END_TEST

START_TEST(test_libraries)
{
	begin("lib.so:seen", "libm.so.6:cos");
	ck_assert_int_eq(find(0x1000, "seen", "/usr/lib/lib.so"), 'a');
	ck_assert_int_eq(find(0x1001, "seen", "/usr/lib/lib.so.1.2"), 'a');
	ck_assert_int_eq(find(0x1002, "seen", "lib.so"), 'a');
	ck_assert_int_eq(find(0x1003, "seen", "/usr/lib/lib.soup"), '-');
	ck_assert_int_eq(find(0x1004, "seen", "/lib.so/other"), '-');
	ck_assert_int_eq(find(0x1005, "seen", NULL), '-');
	ck_assert_int_eq(find(0x1006, "hidden", "/usr/lib/lib.so"), '-');
	ck_assert_int_eq(find(0x1007, "cos", "/lib/libm.so.6"), 'o');
	ck_assert_int_eq(find(0x1008, "cos", "/lib/libm.so.7"), '-');
	end();
}
END_TEST

START_TEST(test_addresses)
{
	begin("addr:1000", "symbol:1000");
	ck_assert_int_eq(find(0x1000, "f", NULL), 'a');
	ck_assert_int_eq(find(0x1000, NULL, NULL), 'a');
	ck_assert_int_eq(find(0x2000, "addr:1000", NULL), '-');
	ck_assert_int_eq(find(0x2000, "1000", NULL), 'o');
	end();
	begin("0x1000", "line:a.c:3");
	ck_assert_int_eq(find(0x1000, "f", NULL), 'a');
	ck_assert_int_eq(find(0x2000, "a.c:3", NULL), '-');
	end();
}
END_TEST

/* Several functions may have a name: all are taken, and that is said. */
START_TEST(test_ambiguous)
{
	struct err err = ERR_INIT;

	begin("Book::add", "stop");
	ck_assert_int_eq(find(0x1000, "a::Book::add", NULL), 'a');
	ck_assert_int_eq(find(0x1010, "a::Book::add", NULL), 'a');
	ck_assert(!selected_ambiguous(selected, false, &err));
	ck_assert_int_eq(find(0x2000, "b::Book::add", NULL), 'a');
	ck_assert(selected_ambiguous(selected, false, &err));
	ck_assert_str_eq(err.msg, "-filter: 'Book::add' stands for several functions, among them "
				  "a::Book::add and b::Book::add");
	ck_assert(!selected_ambiguous(selected, true, &err));
	end();
}
END_TEST

START_TEST(test_many)
{
	begin("start", "stop");
	for (uint64_t i = 1; i <= 40000; i++)
		ck_assert_int_eq(find(i, i % 3 ? "other" : "start", NULL), i % 3 ? '-' : 'a');
	end();
}
END_TEST

START_TEST(test_refused)
{
	static const char *const bad[] = { "?", "addr:xyz", "line:a", "symbol:" };
	struct symbols_config config = { .mode = PERF_PT };

	recording = recording_new();
	names = intern_new(0);
	config.recording = recording;
	config.names = names;
	symbols = symbols_new(&config);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct filter_arg filter = { .start = strdup("start"), .stop = strdup(bad[i]) };
		struct err err = ERR_INIT;

		ck_assert_ptr_null(selected_new(&filter, symbols, names, &err));
		ck_assert_str_ne(err.msg, "");
		filter_arg_fini(&filter);
	}
	symbols_free(symbols);
	intern_free(names);
	recording_free(recording);
}
END_TEST

SUITE_MAIN("cli/selected", test_names, test_libraries, test_addresses, test_ambiguous, test_many,
	   test_refused)
