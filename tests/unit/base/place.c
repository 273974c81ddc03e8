/* SPDX-License-Identifier: MIT */
#include "base/place.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

static char buf[256];

static const char *name(uint64_t addr, struct str dso)
{
	size_t n = place_name(buf, sizeof(buf), addr, dso);

	ck_assert_uint_lt(n, sizeof(buf));
	buf[n] = '\0';
	return buf;
}

START_TEST(test_with_dso)
{
	ck_assert_str_eq(name(0x7f5c0bf90df0, STR("/usr/lib64/libm-2.28.so")),
			 "[unknown @ 0x7f5c0bf90df0 (/usr/lib64/libm-2.28.so)]");
	ck_assert_str_eq(name(0, STR("[unknown]")), "[unknown @ 0x0 ([unknown])]");
}
END_TEST

START_TEST(test_without_dso)
{
	ck_assert_str_eq(name(0x1234, (struct str){ .n = 0 }), "[unknown]");
}
END_TEST

/* Kernel addresses are unsigned; each number of digits as printf writes it. */
START_TEST(test_all_widths)
{
	char want[64];
	uint64_t addr = UINT64_C(0xfedcba9876543210);
	int shift;

	ck_assert_str_eq(name(UINT64_C(0xffffffffaf001100), STR("k")),
			 "[unknown @ 0xffffffffaf001100 (k)]");
	for (shift = 0; shift < 64; shift++) {
		snprintf(want, sizeof(want), "[unknown @ 0x%llx (k)]",
			 (unsigned long long)(addr >> shift));
		ck_assert_str_eq(name(addr >> shift, STR("k")), want);
	}
}
END_TEST

START_TEST(test_dso_is_cut)
{
	char big[300];
	size_t n;

	memset(big, 'd', sizeof(big));
	memset(buf, '#', sizeof(buf));
	n = place_name(buf, 100, UINT64_MAX, (struct str){ .p = big, .n = sizeof(big) });
	ck_assert_uint_le(n, 100);
	ck_assert_int_eq(memcmp(buf, "[unknown @ 0xffffffffffffffff (ddd", 34), 0);
	ck_assert_int_eq(memcmp(buf + n - 5, "ddd)]", 5), 0);
	ck_assert_int_eq(buf[100], '#');
	n = place_name(buf, PLACE_NAME_EXTRA, UINT64_MAX, (struct str){ .p = big, .n = 300 });
	ck_assert_uint_le(n, PLACE_NAME_EXTRA);
}
END_TEST

/* PLACE_NAME_EXTRA more than the DSO's name is always enough. */
START_TEST(test_extra_is_enough)
{
	char big[100];
	size_t n;

	memset(big, 'd', sizeof(big));
	n = place_name(buf, sizeof(big) + PLACE_NAME_EXTRA, UINT64_MAX,
		       (struct str){ .p = big, .n = sizeof(big) });
	buf[n] = '\0';
	ck_assert_uint_eq(strspn(strstr(buf, "ddd"), "d"), sizeof(big));
	ck_assert_str_eq(buf + n - 3, "d)]");
}
END_TEST

SUITE_MAIN("base/place", test_with_dso, test_without_dso, test_all_widths, test_dso_is_cut,
	   test_extra_is_enough)
