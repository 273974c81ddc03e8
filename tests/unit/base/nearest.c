/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include "support/suite.h"

#include <string.h>

static const char *const words[] = { "output", "sampling", "symfs", "trace-kernel-only" };

static const char *near(const char *word)
{
	const char *found = nearest(word, words, sizeof(words) / sizeof(*words));

	return found ? found : "";
}

START_TEST(test_one_mistake)
{
	ck_assert_str_eq(near("ouput"), "output");
	ck_assert_str_eq(near("outtput"), "output");
	ck_assert_str_eq(near("outpot"), "output");
	ck_assert_str_eq(near("otuput"), "output");
	ck_assert_str_eq(near("smyfs"), "symfs");
}
END_TEST

START_TEST(test_beginning)
{
	ck_assert_str_eq(near("out"), "output");
	ck_assert_str_eq(near("trace"), "trace-kernel-only");
}
END_TEST

START_TEST(test_nothing_near)
{
	char big[300];

	ck_assert_str_eq(near("zzzzzzzz"), "");
	ck_assert_str_eq(near("q"), "");
	ck_assert_str_eq(near(""), "");
	memset(big, 's', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	ck_assert_str_eq(near(big), "");
	ck_assert_ptr_null(nearest("output", words, 0));
}
END_TEST

static void offer_all(struct nearest_list *list, const char *word, const char *const *names)
{
	nearest_begin(list, word);
	for (; *names; names++)
		nearest_offer(list, *names, *names);
}

START_TEST(test_best_first)
{
	static const char *const names[] = { "add_orders", "xdd_ordex", "add_ordr", "send",
					     "add_order2", "add_ordr",  "ad_ordr",  NULL };
	struct nearest_list list;

	offer_all(&list, "add_order", names);
	ck_assert_uint_eq(list.n, NEAREST_KEPT);
	/* two begin with it, the first came first; one mistake; the doubled one stands once */
	ck_assert_str_eq(list.names[0], "add_orders");
	ck_assert_str_eq(list.names[1], "add_order2");
	ck_assert_str_eq(list.names[2], "add_ordr");
	/* add_orders is three away from it, which is more than two times one, and one; send is four
	 */
	offer_all(&list, "dd_order", names);
	ck_assert_str_eq(list.names[0], "ad_ordr");
	offer_all(&list, "zzzzzzzzz", names);
	ck_assert_uint_eq(list.n, 0);
}
END_TEST

/* Of no use beside one that is much nearer: more than twice as far, and one. */
START_TEST(test_far_ones_are_left_out)
{
	static const char *const names[] = { "abcdzzzz", "abcdefgx", "abcdexyz", "zzzzefgh", NULL };
	struct nearest_list list;

	offer_all(&list, "abcdefgh", names);
	ck_assert_uint_eq(list.n, 2);
	ck_assert_str_eq(list.names[0], "abcdefgx");
	ck_assert_str_eq(list.names[1], "abcdexyz");
}
END_TEST

START_TEST(test_shorter_first)
{
	static const char *const names[] = { "get_long_name", "get_name", "get", NULL };
	struct nearest_list list;

	offer_all(&list, "get", names);
	ck_assert_str_eq(list.names[0], "get");
	ck_assert_str_eq(list.names[1], "get_name");
	ck_assert_str_eq(list.names[2], "get_long_name");
}
END_TEST

START_TEST(test_shown_is_not_compared)
{
	struct nearest_list list;

	nearest_begin(&list, "ad_order");
	ck_assert(nearest_offer(&list, "add_order", "Book::add_order"));
	ck_assert_str_eq(list.names[0], "Book::add_order");
}
END_TEST

/* The same without any of the shortcuts, from the definition. */
static unsigned slow(const char *a, const char *b)
{
	static unsigned d[32][32];
	size_t na = strlen(a), nb = strlen(b);

	for (size_t i = 0; i <= na; i++) {
		for (size_t j = 0; j <= nb; j++) {
			unsigned best = i == 0 ? (unsigned)j : j == 0 ? (unsigned)i : 99;

			if (i && j) {
				best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
				best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
				best = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
			}
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[na][nb];
}

START_TEST(test_shortcuts_change_nothing)
{
	unsigned random = 1;

	for (int round = 0; round < 20000; round++) {
		char text[2][16] = { "", "" };
		struct nearest_list list;
		unsigned limit, d;

		for (int k = 0; k < 2; k++) {
			int n = 1 + (int)((random = random * 1103515245 + 12345) >> 16) % 14;

			for (int i = 0; i < n; i++)
				text[k][i] =
					"abcdE_:"[((random = random * 1103515245 + 12345) >> 16) %
						  7];
		}
		limit = ((unsigned)strlen(text[0]) + 1) / 2;
		d = slow(text[0], text[1]);
		if (strlen(text[0]) > 1 && strncmp(text[0], text[1], strlen(text[0])) == 0)
			d = 0;
		nearest_begin(&list, text[0]);
		ck_assert_msg(nearest_offer(&list, text[1], text[1]) == (d <= limit), "%s %s",
			      text[0], text[1]);
	}
}
END_TEST

SUITE_MAIN("nearest", test_one_mistake, test_beginning, test_nothing_near, test_best_first,
	   test_far_ones_are_left_out, test_shorter_first, test_shown_is_not_compared,
	   test_shortcuts_change_nothing)
