/* SPDX-License-Identifier: MIT */
#include "cli/backend.h"

#include "support/suite.h"

#include <string.h>

static struct options asked(const char *backend, bool sampling, bool software)
{
	struct options options = OPTIONS_INIT;

	options.backend = backend;
	options.sampling = sampling;
	options.software = software;
	return options;
}

static void gives(const struct options *options, enum backend expected)
{
	struct err err = ERR_INIT;

	ck_assert_msg(backend_check(options, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(backend_of(options), expected);
}

static void contradicts(const struct options *options, const char *what)
{
	struct err err = ERR_INIT;

	ck_assert_int_eq(backend_check(options, &err), -1);
	ck_assert_msg(strstr(err.msg, what) != NULL, "%s", err.msg);
}

START_TEST(test_each)
{
	gives(&(struct options)OPTIONS_INIT, BACKEND_AUTO);
	gives(&(struct options[]){ asked("auto", false, false) }[0], BACKEND_AUTO);
	gives(&(struct options[]){ asked("pt", false, false) }[0], BACKEND_PT);
	gives(&(struct options[]){ asked("sampling", false, false) }[0], BACKEND_SAMPLING);
	gives(&(struct options[]){ asked("software", false, false) }[0], BACKEND_SOFTWARE);
}
END_TEST

START_TEST(test_short_for)
{
	gives(&(struct options[]){ asked(NULL, true, false) }[0], BACKEND_SAMPLING);
	gives(&(struct options[]){ asked("sampling", true, false) }[0], BACKEND_SAMPLING);
	gives(&(struct options[]){ asked("auto", true, false) }[0], BACKEND_SAMPLING);
	gives(&(struct options[]){ asked(NULL, false, true) }[0], BACKEND_SOFTWARE);
	gives(&(struct options[]){ asked("software", false, true) }[0], BACKEND_SOFTWARE);
}
END_TEST

START_TEST(test_contradictions)
{
	contradicts(&(struct options[]){ asked(NULL, true, true) }[0], "-sampling and -software");
	contradicts(&(struct options[]){ asked("software", true, false) }[0], "-sampling and");
	contradicts(&(struct options[]){ asked("sampling", false, true) }[0], "and -software");
	contradicts(&(struct options[]){ asked("pt", true, false) }[0], "pt and -sampling");
	contradicts(&(struct options[]){ asked("pt", false, true) }[0], "pt and -software");
}
END_TEST

SUITE_MAIN("backend", test_each, test_short_for, test_contradictions)
