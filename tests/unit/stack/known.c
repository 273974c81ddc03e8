/* SPDX-License-Identifier: MIT */
#include "stack/known.h"

#include "base/intern.h"
#include "support/suite.h"

START_TEST(test_names)
{
	struct intern *names = intern_new(0);
	struct known known;

	known_init(&known, names);
	ck_assert_uint_eq(known.gogo, intern_add(names, STR("gogo")));
	ck_assert_uint_eq(known.untraced, intern_add(names, STR("[untraced]")));
	ck_assert_uint_ne(known.mcall, known.morestack);
	intern_free(names);
}
END_TEST

START_TEST(test_decode_error)
{
	struct intern *names = intern_new(0);
	struct known known;
	char big[2000];
	uint32_t id;

	known_init(&known, names);
	id = known_decode_error(&known, intern_add(names, STR("Bad packet")));
	ck_assert(str_eq(intern_str(names, id), STR("[decode error: Bad packet]")));
	memset(big, 'x', sizeof(big));
	id = known_decode_error(&known, intern_add(names, (struct str){ big, sizeof(big) }));
	ck_assert_uint_lt(intern_str(names, id).n, 512);
	intern_free(names);
}
END_TEST

START_TEST(test_lost)
{
	struct intern *names = intern_new(0);
	struct known known;

	known_init(&known, names);
	ck_assert(str_eq(intern_str(names, known_lost(&known, 1234)), STR("[lost: 1234 ns]")));
	ck_assert_uint_gt(intern_str(names, known_lost(&known, INT64_MAX)).n, 20);
	intern_free(names);
}
END_TEST

START_TEST(test_unwinders)
{
	struct intern *names = intern_new(0);
	struct known known;

	known_init(&known, names);
	ck_assert(known_unwinder(&known, intern_add(names, STR("siglongjmp"))));
	ck_assert(known_unwinder(&known, intern_add(names, STR("_Unwind_RaiseException"))));
	ck_assert(known_unwinder(&known, intern_add(names, STR("_Unwind_Resume"))));
	ck_assert(known_resumes(&known, intern_add(names, STR("_Unwind_Resume"))));
	ck_assert(known_resumes(&known, intern_add(names, STR("___pthread_unwind_next"))));
	ck_assert(!known_resumes(&known, intern_add(names, STR("_Unwind_RaiseException"))));
	ck_assert(!known_resumes(&known, INTERN_NONE));
	ck_assert(!known_unwinder(&known, intern_add(names, STR("setjmp"))));
	ck_assert(!known_unwinder(&known, INTERN_NONE));
	intern_free(names);
}
END_TEST

SUITE_MAIN("stack/known", test_names, test_decode_error, test_unwinders, test_lost)
