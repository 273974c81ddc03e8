/* SPDX-License-Identifier: MIT */
/* suite: the main() of a unit test program. */
#ifndef MT_TESTS_SUPPORT_SUITE_H
#define MT_TESTS_SUPPORT_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Runs the tests, up to the NULL, as the suite `name`; EXIT_FAILURE when one failed. */
static inline int suite_run(const char *name, const TTest *const *tests)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner;
	int failed;

	for (; *tests; tests++)
		tcase_add_test(tcase, *tests);
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define SUITE_MAIN(name, ...)                                       \
	int main(void)                                              \
	{                                                           \
		const TTest *const tests[] = { __VA_ARGS__, NULL }; \
		return suite_run(name, tests);                      \
	}

#endif
