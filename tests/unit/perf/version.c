/* SPDX-License-Identifier: MIT */
#include "perf/version.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <sys/wait.h>

static struct perf_version v;
static struct err err;
static struct scratch s;

static void is(const char *text, unsigned int major, unsigned int minor, const char *want)
{
	ck_assert_msg(perf_version_parse(&v, str_of(text)), "%s", text);
	ck_assert_uint_eq(v.major, major);
	ck_assert_uint_eq(v.minor, minor);
	ck_assert_str_eq(v.text, want);
}

START_TEST(test_parse)
{
	char big[200] = "perf version 6.1.";

	is("perf version 6.1.174", 6, 1, "6.1.174");
	is("perf version 5.15.g8bb7eca", 5, 15, "5.15.g8bb7eca");
	is("perf version 6.14-rc3 (extra)", 6, 14, "6.14-rc3");
	is("perf version 5.4.0\n", 5, 4, "5.4.0");
	is("perf version 10.20", 10, 20, "10.20");
	memset(big + strlen(big), '7', sizeof(big) - 1 - strlen(big));
	ck_assert(perf_version_parse(&v, (struct str){ .p = big, .n = sizeof(big) - 1 }));
	ck_assert_uint_eq(strlen(v.text), sizeof(v.text) - 1);
}
END_TEST

START_TEST(test_no_version)
{
	static const char *const bad[] = { "",
					   "perf version",
					   "perf version ",
					   "perf version 6",
					   "perf version 6.",
					   "perf version 6.x",
					   "perf version .1",
					   "perf version -6.1",
					   "perf version 99999999999.1",
					   "perf version 6.99999999999999999999999",
					   "version 6.1",
					   "perf: version 6.1",
					   "sudo: a password is required" };

	is("perf version 6.1", 6, 1, "6.1");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!perf_version_parse(&v, str_of(bad[i])), "%s", bad[i]);
	/* it is left as it was */
	ck_assert_str_eq(v.text, "6.1");
}
END_TEST

START_TEST(test_at_least)
{
	v = (struct perf_version){ .major = 5, .minor = 12 };
	ck_assert(perf_version_at_least(&v, 5, 12));
	ck_assert(perf_version_at_least(&v, 5, 11));
	ck_assert(perf_version_at_least(&v, 4, 20));
	ck_assert(!perf_version_at_least(&v, 5, 13));
	ck_assert(!perf_version_at_least(&v, 6, 0));
}
END_TEST

/* A perf that is this shell script; what asking it returned. */
static int ask(const char *script, unsigned int ms)
{
	char text[500], path[200];
	int failed;

	scratch_init(&s);
	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	scratch_put(&s, "perf", text);
	strcpy(path, scratch_path(&s, "perf"));
	ck_assert_int_eq(chmod(path, 0755), 0);
	err = (struct err)ERR_INIT;
	failed =
		ms ? perf_version_get_within(path, ms, &v, &err) : perf_version_get(path, &v, &err);
	scratch_fini(&s);
	/* no zombie is left */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	return failed;
}

static void says(const char *part)
{
	ck_assert_msg(strstr(err.msg, part) != NULL, "'%s' does not say '%s'", err.msg, part);
}

START_TEST(test_stand_ins)
{
	ck_assert_int_eq(ask("[ $1 = version ] && [ $# = 1 ] && echo perf version 5.15.7", 0), 0);
	ck_assert_str_eq(v.text, "5.15.7");
	/* warnings do not matter, and neither does more text */
	ck_assert_int_eq(ask("echo careful >&2; echo perf version 6.2; seq 1000", 0), 0);
	ck_assert_str_eq(v.text, "6.2");

	ck_assert_int_eq(ask("echo hello", 0), -1);
	says("hello");
	ck_assert_int_eq(ask("", 0), -1);
	says("names no version");
	ck_assert_int_eq(ask("echo perf version 6.1; echo 'WARNING: it broke' >&2; exit 2", 0), -1);
	says("exit status 2");
	says("it broke");
	ck_assert_int_eq(ask("echo 'WARNING: perf not found for kernel 6.8.0-31' >&2; exit 2", 0),
			 -1);
	ck_assert_ptr_nonnull(strstr(err.hint, "linux-tools-$(uname -r)"));
	ck_assert_int_eq(ask("kill -SEGV $$", 0), -1);
	says("signal 11");
}
END_TEST

START_TEST(test_no_answer)
{
	ck_assert_int_eq(ask("echo waiting >&2; sleep 100", 300), -1);
	says("within 1 s");
	/* more than a pipe holds: it cannot end */
	ck_assert_int_eq(ask("seq 1000000; sleep 100", 300), -1);
	says("within 1 s");
}
END_TEST

START_TEST(test_missing)
{
	err = (struct err)ERR_INIT;
	ck_assert_int_eq(perf_version_get("no-such-perf", &v, &err), -1);
	says("no-such-perf");
	says("No such file");
	ck_assert_ptr_nonnull(strstr(err.hint, "linux-perf"));
}
END_TEST

/* The number that the real one says, read by other tools. */
START_TEST(test_real_perf)
{
	unsigned int major, minor;
	FILE *perf = popen("perf version 2>/dev/null | tr -dc '0-9. '", "r");

	ck_assert_ptr_nonnull(perf);
	if (fscanf(perf, "%u.%u", &major, &minor) != 2) { /* NOLINT(cert-err34-c) */
		printf("SKIP version/real: there is no perf\n");
		pclose(perf);
		return;
	}
	pclose(perf);
	ck_assert_msg(perf_version_get("perf", &v, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(v.major, major);
	ck_assert_uint_eq(v.minor, minor);
}
END_TEST

SUITE_MAIN("version", test_parse, test_no_version, test_at_least, test_stand_ins, test_no_answer,
	   test_missing, test_real_perf)
