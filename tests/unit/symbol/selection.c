/* SPDX-License-Identifier: MIT */
#include "symbol/selection.h"

#include "support/suite.h"
#include "symbol/notation.h"

#include <string.h>

static void check(const char *text, enum selection_kind kind, const char *kept)
{
	struct selection selection;
	struct err err = ERR_INIT;

	ck_assert_msg(selection_parse(&selection, text, &err) == 0, "%s: %s", text, err.msg);
	ck_assert_msg(selection.kind == kind, "%s: %d", text, (int)selection.kind);
	ck_assert_str_eq(selection.text, kept);
	selection_fini(&selection);
}

static void refuse(const char *text, const char *why)
{
	struct selection selection;
	struct err err = ERR_INIT;

	ck_assert_msg(selection_parse(&selection, text, &err) == -1, "%s", text);
	ck_assert_msg(strstr(err.msg, why) != NULL, "%s: %s", text, err.msg);
}

START_TEST(test_kinds)
{
	check("main", SELECTION_ANY, "main");
	check("libm.so.6:sin", SELECTION_ANY, "libm.so.6:sin");
	check("main.c:12", SELECTION_ANY, "main.c:12");
	check("0x401136", SELECTION_ANY, "0x401136");
	check("Book::add(int, char)", SELECTION_ANY, "Book::add(int, char)");
	check("symbol:main", SELECTION_SYMBOL, "main");
	check("symbol:libm.so:sin", SELECTION_SYMBOL, "libm.so:sin");
	check("addr:0x401136", SELECTION_ADDRESS, "0x401136");
	check("addr:ffffffffffffffff", SELECTION_ADDRESS, "ffffffffffffffff");
	check("line:main.c:12", SELECTION_LINE, "main.c:12");
	check("line:/a b/main.c:12:5", SELECTION_LINE, "/a b/main.c:12:5");
	check("?", SELECTION_CHOOSE, "?");
	check("symbol:?", SELECTION_CHOOSE, "?");
	check("line:?", SELECTION_CHOOSE, "?");
	check(".", SELECTION_SYMBOL, "magic_trace_stop_indicator");
	check("symbol:.", SELECTION_SYMBOL, "magic_trace_stop_indicator");
	/* namespaces that are called as the prefixes */
	check("symbol::f", SELECTION_ANY, "symbol::f");
	check("line::f", SELECTION_ANY, "line::f");
	check("symbol:symbol::f", SELECTION_SYMBOL, "symbol::f");
}
END_TEST

START_TEST(test_refused)
{
	refuse("", "empty");
	refuse("symbol:", "nothing stands behind 'symbol:'");
	refuse("addr:", "nothing stands behind 'addr:'");
	refuse("line:", "nothing stands behind 'line:'");
	refuse("addr:xyz", "xyz");
	refuse("addr:?", "not a hexadecimal address");
	refuse("addr:0x", "not a hexadecimal address");
	refuse("addr:12 ", "not a hexadecimal address");
	refuse("addr:1ffffffffffffffff", "64 bits");
	refuse("line:a", "not a line");
	refuse("line:a:", "not a line");
	refuse("line:a:b", "not a line");
	refuse("line:a:0", "not a line");
	refuse("line:a:-1", "not a line");
	refuse("line:a:4294967296", "not a line");
	refuse("line:.", "not a line");
}
END_TEST

START_TEST(test_lines)
{
	struct notation_line line;

	ck_assert(notation_line("a:b.c:7", &line));
	ck_assert(str_eq(line.file, STR("a:b.c")));
	ck_assert_uint_eq(line.line, 7);
	ck_assert_uint_eq(line.col, 0);
	ck_assert(notation_line("b.c:4294967295:3", &line));
	ck_assert(str_eq(line.file, STR("b.c")));
	ck_assert_uint_eq(line.line, 4294967295u);
	ck_assert_uint_eq(line.col, 3);
}
END_TEST

START_TEST(test_libraries)
{
	struct str library;
	const char *symbol;

	ck_assert(notation_library("libx.so:std::string::append", &library, &symbol));
	ck_assert(str_eq(library, STR("libx.so")));
	ck_assert_str_eq(symbol, "std::string::append");
	ck_assert(notation_library("/a/b.so.1:f", &library, &symbol));
	ck_assert(str_eq(library, STR("/a/b.so.1")));
	ck_assert(!notation_library("main", &library, &symbol));
	ck_assert(!notation_library("a::b::c", &library, &symbol));
	ck_assert(!notation_library(":f", &library, &symbol));
	ck_assert(!notation_library("f:", &library, &symbol));
	ck_assert(!notation_library("", &library, &symbol));
}
END_TEST

SUITE_MAIN("symbol/selection", test_kinds, test_refused, test_lines, test_libraries)
