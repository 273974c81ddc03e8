/* SPDX-License-Identifier: MIT */
#include "record/emulfiles.h"

#include "support/scratch.h"
#include "support/suite.h"

static struct scratch s;

START_TEST(test_none)
{
	scratch_init(&s);
	ck_assert_uint_eq(emulfiles_settle(scratch_path(&s, "d"), 0), 0);
	ck_assert_uint_eq(emulfiles_settle(scratch_path(&s, "d"), 3), 0);
	scratch_fini(&s);
}
END_TEST

/* Whole ones stay, others go; what has another name, or is of a later program, is left alone. */
START_TEST(test_settle)
{
	static const char *const whole[] = { "d", "d.000000000001", "d.000002000000",
					     "d.000002000002" };
	static const char *const part[] = { "d.000000000002", "d.000002000001" };
	static const char *const others[] = { "e", "d.1", "d.000003000000" };

	scratch_init(&s);
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		scratch_put(&s, whole[i], "PERFILE2");
	scratch_put(&s, part[0], "");
	scratch_put(&s, part[1], "PERFILE1 and more");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		scratch_put(&s, others[i], "");
	ck_assert_uint_eq(emulfiles_settle(scratch_path(&s, "d"), 3), 4);
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		ck_assert(scratch_holds(&s, whole[i], "PERFILE2"));
	ck_assert_uint_eq(scratch_count(&s), 4 + 3);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ck_assert(scratch_holds(&s, others[i], ""));
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("emulfiles", test_none, test_settle)
