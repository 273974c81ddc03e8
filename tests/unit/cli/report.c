/* SPDX-License-Identifier: MIT */
#include "cli/report.h"

#include "support/suite.h"

#include <string.h>

/* What perf script prints when perf record has lost data: five lines, two of them blank. */
START_TEST(test_lost)
{
	static const char *const others[] = {
		"Processed 817 events and lost 2 chunks",
		"Processed events and lost 2 chunks!",
		"Processed 817 events and lost chunks!",
		"AUX data lost 2 times out of 9!",
		"Check IO/CPU overload",
	};
	struct pipeline p = { 0 };

	ck_assert(report_is_lost(&p, str_of("Warning:")));
	ck_assert(report_is_lost(&p, str_of("Processed 817 events and lost 2 chunks!")));
	ck_assert(report_is_lost(&p, str_of("")));
	ck_assert(report_is_lost(&p, str_of("Check IO/CPU overload!")));
	ck_assert_uint_eq(p.lost, 2);
	ck_assert(report_is_lost(&p, str_of("Processed 1 events and lost 40 chunks!")));
	ck_assert_uint_eq(p.lost, 42);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!report_is_lost(&p, str_of(others[i])), "%s", others[i]);
	ck_assert_uint_eq(p.lost, 42);
}
END_TEST

SUITE_MAIN("report", test_lost)
