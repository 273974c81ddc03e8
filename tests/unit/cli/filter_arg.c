/* SPDX-License-Identifier: MIT */
#include "cli/filter_arg.h"

#include "support/suite.h"

#include <string.h>

struct good {
	const char *text, *start, *stop;
};

static const struct good goods[] = {
	{ "(f g)", "f", "g" },
	{ " ( f\tg ) ", "f", "g" },
	{ "f:g", "f", "g" },
	{ " f : g ", "f", "g" },
	{ "ns::f:g", "ns::f", "g" },
	{ "f:ns::g", "f", "ns::g" },
	{ "a::b::f:c::d::g", "a::b::f", "c::d::g" },
	{ "(ns::f ns::g)", "ns::f", "ns::g" },
	{ "(a:b c)", "a:b", "c" },
	{ "(\"f(int, char)\" \"g()\")", "f(int, char)", "g()" },
	{ "(\"say \\\"hi\\\"\" \"back\\\\slash\")", "say \"hi\"", "back\\slash" },
	{ "(\"a\"\"b\")", "a", "b" },
	{ "f(int, char):g(int)", "f(int, char)", "g(int)" },
	{ "(anonymous namespace)::f(int):g(int)", "(anonymous namespace)::f(int)", "g(int)" },
	{ "g:(anonymous namespace)::f", "g", "(anonymous namespace)::f" },
	{ "operator():f", "operator()", "f" },
};

static const char *const bads[] = {
	"",        "f",       "f:",        ":g",       " : ",        "(f)",   "()",
	"(f g h)", "(f g",    "f g)",      "f::g",     "a:b:c",      "a:::b", "::",
	":::",     "(\"f g)", "(\"\" g)",  "(f \"\")", "(f(int) g)", "f:f",   "(f f)",
	"(f g))",  "((f g))", "(\"f\\\")", "a::::b:c", "(f:g)",
};

START_TEST(test_forms)
{
	for (size_t i = 0; i < sizeof(goods) / sizeof(*goods); i++) {
		struct filter_arg arg = { 0 };
		struct err err = ERR_INIT;

		ck_assert_msg(filter_arg_parse(&arg, goods[i].text, &err) == 0, "%s: %s",
			      goods[i].text, err.msg);
		ck_assert_str_eq(arg.start, goods[i].start);
		ck_assert_str_eq(arg.stop, goods[i].stop);
		filter_arg_fini(&arg);
	}
}
END_TEST

START_TEST(test_refused)
{
	for (size_t i = 0; i < sizeof(bads) / sizeof(*bads); i++) {
		struct filter_arg arg = { 0 };
		struct err err = ERR_INIT;

		ck_assert_msg(filter_arg_parse(&arg, bads[i], &err) == -1, "'%s' was taken",
			      bads[i]);
		ck_assert_ptr_null(arg.start);
		ck_assert_ptr_nonnull(strstr(err.msg, "-filter"));
	}
}
END_TEST

START_TEST(test_ambiguous_names_the_other_form)
{
	struct filter_arg arg = { 0 };
	struct err err = ERR_INIT;

	filter_arg_parse(&arg, "a:b:c", &err);
	ck_assert_ptr_nonnull(strstr(err.msg, "more than one way"));
	ck_assert_ptr_nonnull(strstr(err.hint, "'(START STOP)'"));
}
END_TEST

START_TEST(test_the_last_counts)
{
	struct filter_arg arg = { 0 };
	struct err err = ERR_INIT;

	ck_assert_int_eq(filter_arg_parse(&arg, "a:b", &err), 0);
	ck_assert_int_eq(filter_arg_parse(&arg, "c:d", &err), 0);
	ck_assert_str_eq(arg.start, "c");
	ck_assert_int_eq(filter_arg_parse(&arg, "wrong", &err), -1);
	ck_assert_str_eq(arg.stop, "d");
	filter_arg_fini(&arg);
	ck_assert_ptr_null(arg.stop);
}
END_TEST

SUITE_MAIN("filter_arg", test_forms, test_refused, test_ambiguous_names_the_other_form,
	   test_the_last_counts)
