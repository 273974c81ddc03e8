/* SPDX-License-Identifier: MIT */
/* The mangled names are what g++ 12 and rustc 1.63 make of the functions named beside them. */
#include "symbol/match.h"

#include "support/suite.h"
#include "symbol/demangle.h"

#include <stdio.h>
#include <string.h>

static enum match match(const char *typed, const char *name)
{
	struct match_query query;

	match_init(&query, typed);
	return match_name(&query, name);
}

/* Book::add_order(Order const&, int) */
#define ADD "_ZN4Book9add_orderERK5Orderi"
/* void ns::send<int>(int) */
#define SEND "_ZN2ns4sendIiEEvT_"
/* (anonymous namespace)::hide(unsigned int, char const*) */
#define HIDE "_ZN12_GLOBAL__N_14hideEjPKc"
/* Pair<int>::Pair(int) */
#define PAIR "_ZN4PairIiEC1Ei"
/* Pair<int>::get() const */
#define GET "_ZNK4PairIiE3getEv"
/* ns::V::operator+(int) */
#define PLUS "_ZN2ns1VplEi"
/* std::string::append(char const*), of the old ABI */
#define APPEND "_ZNSs6appendEPKc"
/* core::fmt::write */
#define RUST_OLD "_ZN4core3fmt5write17h0123456789abcdefE"
/* the v0 form of mycrate::example */
#define RUST_NEW "_RNvCs1234_7mycrate7example"

START_TEST(test_raw)
{
	ck_assert_int_eq(match("main", "main"), MATCH_EXACT);
	ck_assert_int_eq(match("main", "main2"), MATCH_NONE);
	ck_assert_int_eq(match("main", "mai"), MATCH_NONE);
	ck_assert_int_eq(match("main", ""), MATCH_NONE);
	ck_assert_int_eq(match("memcpy", "memcpy@@GLIBC_2.14"), MATCH_EXACT);
	ck_assert_int_eq(match("memcpy", "memcpy@GLIBC_2.2.5"), MATCH_OLD);
	ck_assert_int_eq(match("memcpy@GLIBC_2.2.5", "memcpy@GLIBC_2.2.5"), MATCH_EXACT);
	ck_assert_int_eq(match(ADD, ADD), MATCH_EXACT);
	ck_assert_int_eq(match("f", "f.cold"), MATCH_NONE);
	ck_assert_int_eq(match("f.cold", "f.cold"), MATCH_EXACT);
}
END_TEST

START_TEST(test_demangled)
{
	ck_assert_int_eq(match("Book::add_order", ADD), MATCH_NAME);
	ck_assert_int_eq(match("Book::add_order(Order const&, int)", ADD), MATCH_NAME);
	ck_assert_int_eq(match("Book::add_order(Order const&,int)", ADD), MATCH_NAME);
	ck_assert_int_eq(match("Book::add_order(Order const&)", ADD), MATCH_NONE);
	ck_assert_int_eq(match("add_order", ADD), MATCH_PART);
	ck_assert_int_eq(match("add_order(Order const&, int)", ADD), MATCH_PART);
	ck_assert_int_eq(match("order", ADD), MATCH_NONE);
	ck_assert_int_eq(match("ook::add_order", ADD), MATCH_NONE);
	ck_assert_int_eq(match("ns::send<int>", SEND), MATCH_NAME);
	ck_assert_int_eq(match("ns::send<int>(int)", SEND), MATCH_NAME);
	ck_assert_int_eq(match("void ns::send<int>(int)", SEND), MATCH_NAME);
	ck_assert_int_eq(match("ns::send", SEND), MATCH_PART);
	ck_assert_int_eq(match("send", SEND), MATCH_PART);
	ck_assert_int_eq(match("ns::send<long>", SEND), MATCH_NONE);
	ck_assert_int_eq(match("(anonymous namespace)::hide", HIDE), MATCH_NAME);
	ck_assert_int_eq(match("(anonymous namespace)::hide(unsigned int, char const*)", HIDE),
			 MATCH_NAME);
	ck_assert_int_eq(match("hide", HIDE), MATCH_PART);
	ck_assert_int_eq(match("Pair<int>::Pair", PAIR), MATCH_NAME);
	ck_assert_int_eq(match("Pair::Pair", PAIR), MATCH_PART);
	ck_assert_int_eq(match("Pair<int>::get() const", GET), MATCH_NAME);
	ck_assert_int_eq(match("Pair<int>::get", GET), MATCH_NAME);
	ck_assert_int_eq(match("Pair::get", GET), MATCH_PART);
	ck_assert_int_eq(match("ns::V::operator+", PLUS), MATCH_NAME);
	ck_assert_int_eq(match("V::operator+(int)", PLUS), MATCH_PART);
	ck_assert_int_eq(match("std::string::append", APPEND), MATCH_NAME);
}
END_TEST

START_TEST(test_clones)
{
	ck_assert_int_eq(match("Book::add_order", ADD ".cold"), MATCH_NONE);
	ck_assert_int_eq(match("Book::add_order", ADD ".llvm.123"), MATCH_NAME);
	ck_assert_int_eq(match("Book::add_order(Order const&, int) [clone .cold]", ADD ".cold"),
			 MATCH_NAME);
}
END_TEST

static enum match match_of_trace(const char *text, const char *name)
{
	struct match_query query;

	match_init(&query, text);
	return match_shown(&query, name);
}

START_TEST(test_shown)
{
	static const char push[] = "ns::Vec<ns::Item<int> >::push";

	ck_assert_int_eq(match_of_trace("main", "main"), MATCH_EXACT);
	ck_assert_int_eq(match_of_trace("add", "Book::add"), MATCH_NONE);
	ck_assert_int_eq(match_of_trace("Book::add", "market::Book::add"), MATCH_PART);
	ck_assert_int_eq(match_of_trace("ook::add", "market::Book::add"), MATCH_NONE);
	ck_assert_int_eq(match_of_trace("::add", "market::Book::add"), MATCH_NONE);
	ck_assert_int_eq(match_of_trace("Vec::push", push), MATCH_PART);
	ck_assert_int_eq(match_of_trace("Vec<ns::Item<int>>::push", push), MATCH_PART);
	ck_assert_int_eq(match_of_trace("Vec<int>::push", push), MATCH_NONE);
	ck_assert_int_eq(match_of_trace("ns::Vec<ns::Item<int>>::push", push), MATCH_NAME);
	ck_assert_int_eq(match_of_trace("Item::push", push), MATCH_NONE);
}
END_TEST

START_TEST(test_rust)
{
	ck_assert_int_eq(match("core::fmt::write", RUST_OLD), MATCH_NAME);
	ck_assert_int_eq(match("fmt::write", RUST_OLD), MATCH_PART);
	ck_assert_int_eq(match("mycrate::example", RUST_NEW), MATCH_NAME);
	ck_assert_int_eq(match("example", RUST_NEW), MATCH_PART);
}
END_TEST

START_TEST(test_forms)
{
	char text[200];

	ck_assert(demangle(SEND, DEMANGLE_SHORT, text, sizeof(text)));
	ck_assert_str_eq(text, "ns::send<int>");
	ck_assert(demangle(SEND, DEMANGLE_FULL, text, sizeof(text)));
	ck_assert_str_eq(text, "ns::send<int>(int)");
	ck_assert(demangle(SEND, DEMANGLE_RETURN, text, sizeof(text)));
	ck_assert_str_eq(text, "void ns::send<int>(int)");
	ck_assert(!demangle("main", DEMANGLE_FULL, text, sizeof(text)));
	ck_assert(!demangle("_Zq", DEMANGLE_FULL, text, sizeof(text)));
	ck_assert(!demangle("_Rust", DEMANGLE_FULL, text, sizeof(text)));
	/* does not fit, by one byte */
	ck_assert(!demangle(SEND, DEMANGLE_FULL, text, strlen("ns::send<int>(int)")));
	ck_assert(demangle(SEND, DEMANGLE_FULL, text, strlen("ns::send<int>(int)") + 1));
}
END_TEST

/* Each pair is of the one before it: 2^60 names; and a name longer than any. */
START_TEST(test_hostile_names)
{
	static char big[1 << 20];
	char text[2 * DEMANGLE_NAME_MAX];
	size_t n = (size_t)snprintf(big, sizeof(big), "_Z1f1PIiiES_IS0_S0_E");

	for (int i = 1; i < 60; i++) {
		char digit[3] = { 0 };

		/* seq-ids count in base 36 */
		if (i >= 36)
			digit[0] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i / 36];
		digit[i >= 36] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 36];
		n += (size_t)snprintf(big + n, sizeof(big) - n, "S_IS%s_S%s_E", digit, digit);
		/* the first ones are no more than long */
		if (i == 6) {
			ck_assert(demangle(big, DEMANGLE_FULL, text, sizeof(text)));
			ck_assert_uint_gt(strlen(text), 1000);
		}
	}
	ck_assert(!demangle(big, DEMANGLE_FULL, text, sizeof(text)));
	ck_assert_int_eq(match("f(P)", big), MATCH_NONE);
	memset(big, 'P', sizeof(big) - 1);
	memcpy(big, "_Z1f", 4);
	ck_assert(!demangle(big, DEMANGLE_FULL, text, sizeof(text)));
	ck_assert_int_eq(match("f", big), MATCH_NONE);
	big[DEMANGLE_NAME_MAX] = '\0';
	demangle(big, DEMANGLE_FULL, text, sizeof(text));
}
END_TEST

SUITE_MAIN("symbol/match", test_raw, test_demangled, test_clones, test_shown, test_rust, test_forms,
	   test_hostile_names)
