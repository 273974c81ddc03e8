/* SPDX-License-Identifier: MIT */
#include "soft/told.h"

#include "support/suite.h"

static struct perfdata_mapping at(uint64_t start, uint64_t size, const char *path)
{
	return (struct perfdata_mapping){ .start = start, .size = size, .path = path };
}

START_TEST(test_once)
{
	struct told *told = told_new(), *copy;
	struct perfdata_mapping a = at(0x1000, 0x2000, "/a"), other = a;

	ck_assert(told_add(told, &a));
	ck_assert(!told_add(told, &a));
	copy = told_copy(told);
	ck_assert(!told_add(copy, &a));
	other.path = "/b";
	ck_assert(told_add(told, &other));
	ck_assert(told_add(told, &a)); /* it was covered */
	other = a;
	other.offset = 0x1000;
	ck_assert(told_add(told, &other));
	other.inode = 7;
	ck_assert(told_add(told, &other));
	ck_assert(!told_add(copy, &a));
	told_clear(told);
	ck_assert(told_add(told, &other));
	told_free(told);
	told_free(copy);
	told_free(NULL);
}
END_TEST

START_TEST(test_remove)
{
	struct told *told = told_new();
	struct perfdata_mapping a = at(0x1000, 0x1000, "/a"), b = at(0x2000, 0x1000, "/a"),
				top = at(0xfffffffffffff000, 0x1000, "[x]");

	told_add(told, &a);
	told_add(told, &b);
	told_add(told, &top);
	told_remove(told, 0, 0x1000);
	told_remove(told, 0x3000, 0x1000);
	ck_assert(!told_add(told, &a) && !told_add(told, &b) && !told_add(told, &top));
	told_remove(told, 0x1fff, 1);
	ck_assert(!told_add(told, &b));
	ck_assert(told_add(told, &a));
	told_remove(told, 0x1800, 0x1000);
	ck_assert(told_add(told, &a) && told_add(told, &b));
	told_remove(told, 0x3000, UINT64_MAX);
	ck_assert(told_add(told, &top) && !told_add(told, &b));
	told_free(told);
}
END_TEST

START_TEST(test_get)
{
	struct told *told = told_new();
	struct perfdata_mapping a = at(0x1000, 0x1000, "/a"), b = at(0x8000, 0x1000, "/b");

	ck_assert_ptr_null(told_get(told, 0));
	told_add(told, &a);
	told_add(told, &b);
	ck_assert_uint_eq(told_get(told, 0)->start + told_get(told, 1)->start, 0x9000);
	ck_assert_ptr_null(told_get(told, 2));
	told_remove(told, 0x1000, 1);
	ck_assert_str_eq(told_get(told, 0)->path, "/b");
	ck_assert_ptr_null(told_get(told, 1));
	told_free(told);
}
END_TEST

SUITE_MAIN("soft/told", test_once, test_remove, test_get)
