/* SPDX-License-Identifier: MIT */
/* Mangled names are those of compilers; what is expected of C++ names is what c++filt prints. */
#include "symbol/shownname.h"

#include "support/random.h"
#include "support/suite.h"

static struct shownname shown;

static void check(const char *raw, const char *name, const char *clone)
{
	shownname(&shown, str_of(raw), true);
	ck_assert_msg(str_eq(shown.name, str_of(name)), "%s: %.*s, not %s", raw, (int)shown.name.n,
		      shown.name.p, name);
	ck_assert_msg(str_eq(shown.clone, str_of(clone)), "%s: clone %.*s, not %s", raw,
		      (int)shown.clone.n, shown.clone.p, clone);
}

START_TEST(test_clones)
{
	check("main", "main", "");
	check("f.cold", "f", ".cold");
	check("f.cold.12", "f", ".cold.12");
	check("f.part.0", "f", ".part.0");
	check("f.isra.0.part.1.cold", "f", ".isra.0.part.1.cold");
	check("str_to_mpn.part.0.constprop.0", "str_to_mpn", ".part.0.constprop.0");
	check("f.llvm.8234234", "f", ".llvm.8234234");
	check("f.lto_priv.0", "f", ".lto_priv.0");
	check("f.localalias", "f", ".localalias");
	check("ns::f [clone .cold]", "ns::f", " [clone .cold]");
	check("ns::f(int) [clone .isra.0] [clone .cold]", "ns::f(int)",
	      " [clone .isra.0] [clone .cold]");
	check("_ZN2ns1fEi.constprop.0", "ns::f", ".constprop.0");
}
END_TEST

/* What looks like a clone and is none. */
START_TEST(test_no_clones)
{
	static const char *const names[] = {
		"",          ".cold",     ".part.0",   "f.part",  "f.constprop", "f.cold_",
		"f.cold.x",  "f.part.0x", "f.12",      "f.0",     "a.b.c",       "f.memo",
		"main.main", "f[clone x", "clone .x]", "f.part.", " [clone .x]", "T.123",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		check(names[i], names[i], "");
}
END_TEST

START_TEST(test_languages)
{
	check("_ZN4Book9add_orderEi", "Book::add_order", "");
	check("_ZNSt6vectorIiSaIiEE9push_backERKi",
	      "std::vector<int, std::allocator<int> >::push_back", "");
	check("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad", "");
	check("core::fmt::Formatter::pad::h0123456789abcdef", "core::fmt::Formatter::pad", "");
	check("core::fmt::Formatter::pad::h0123456789abcde",
	      "core::fmt::Formatter::pad::h0123456789abcde", "");
	check("a::h0123456789ABCDEF", "a::h0123456789ABCDEF", "");
	check("_RNvC6_123foo3bar", "123foo::bar", "");
	check("_D4test3fooAa", "test.foo", "");
	check("_D8demangle4testFZv", "demangle.test", "");
	check("_D", "_D", "");
	check("_DYNAMIC", "_DYNAMIC", "");
	check("_Z", "_Z", "");
	check("camlFoo__bar_123", "Foo.bar_123", "");
	check("camlStdlib__List__map_456", "Stdlib.List.map_456", "");
	check("camlFoo__$2b$2b_12", "Foo.++_12", "");
	check("camlFoo__fun_$x_$1", "Foo.fun_$x_$1", "");
	check("camlFoo__f$00g", "Foo.f$00g", "");
	check("camlFoo.bar_12", "Foo.bar_12", "");
	check("camlFoo__", "camlFoo__", "");
	check("camlFoo", "camlFoo", "");
	check("caml_raise_exn", "caml_raise_exn", "");
	check("caml", "caml", "");
}
END_TEST

START_TEST(test_not_demangled)
{
	shownname(&shown, STR("_ZN2ns1fEi.constprop.0"), false);
	ck_assert(str_eq(shown.name, STR("_ZN2ns1fEi")));
	shownname(&shown, STR("camlFoo__bar_123"), false);
	ck_assert(str_eq(shown.name, STR("camlFoo__bar_123")));
	shownname(&shown, STR("a::h0123456789abcdef"), false);
	ck_assert(str_eq(shown.name, STR("a::h0123456789abcdef")));
}
END_TEST

/* Any bytes, of any length, give a name that is not longer than what there is room for. */
START_TEST(test_any)
{
	static const char *const parts[] = { "_Z",      "N",        "3foo",     "E",  ".cold",
					     ".part.0", "caml",     "Foo",      "__", "$2b",
					     "$",       "::h",      "_D",       "Q",  "8demangle",
					     "_R",      "01234567", " [clone ", "]",  "S_",
					     "I",       "\xff",     "T_",       "" };
	static char raw[3 * SHOWNNAME_MAX];
	uint64_t random = 1;

	for (int round = 0; round < 20000; round++) {
		size_t n = 0, most = below(&random, 100) ? 40 : 8000;

		for (size_t i = below(&random, most); i > 0 && n < sizeof(raw) - 32; i--) {
			const char *part = parts[below(&random, sizeof(parts) / sizeof(*parts))];

			/* with its NUL now and then */
			memcpy(raw + n, part, strlen(part) + 1);
			n += strlen(part) + (below(&random, 200) == 0);
		}
		shownname(&shown, (struct str){ .p = raw, .n = n }, true);
		ck_assert(shown.name.n < SHOWNNAME_MAX || shown.name.p == raw);
		ck_assert(shown.clone.n <= n);
	}
}
END_TEST

SUITE_MAIN("symbol/shownname", test_clones, test_no_clones, test_languages, test_not_demangled,
	   test_any)
