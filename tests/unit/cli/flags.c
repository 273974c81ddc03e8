/* SPDX-License-Identifier: MIT */
#include "cli/flags.h"

#include "support/suite.h"

#include <string.h>

START_TEST(test_names_are_unique)
{
	size_t n;
	const struct flag *flags = flags_table(&n);

	for (size_t i = 0; i < n; i++) {
		ck_assert_int_eq(!flags[i].value, flags[i].kind == FLAG_SWITCH);
		for (size_t k = 0; k < n; k++) {
			if (i == k)
				continue;
			ck_assert_str_ne(flags[i].name, flags[k].name);
			ck_assert(flags[i].field != flags[k].field);
			if (flags[i].alias)
				ck_assert_str_ne(flags[i].alias, flags[k].name);
		}
	}
}
END_TEST

START_TEST(test_find)
{
	struct str name = { .p = "output=x", .n = 6 };

	ck_assert_str_eq(flag_find(COMMAND_RUN, name)->name, "output");
	ck_assert_ptr_null(flag_find(COMMAND_CHECK, name));
	ck_assert_str_eq(flag_find(COMMAND_ATTACH, str_of("p"))->name, "pid");
	ck_assert_ptr_null(flag_find(COMMAND_RUN, str_of("p")));
	ck_assert_ptr_nonnull(flag_find(COMMAND_HELP, str_of("man")));
	ck_assert(!flag_is_shown(flag_find(COMMAND_HELP, str_of("man")), COMMAND_HELP));
	ck_assert(flag_is_shown(flag_find(COMMAND_RUN, str_of("trigger")), COMMAND_RUN));
}
END_TEST

SUITE_MAIN("flags", test_names_are_unique, test_find)
