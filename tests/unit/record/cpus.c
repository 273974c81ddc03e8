/* SPDX-License-Identifier: MIT */
#include "record/cpus.h"

#include "support/suite.h"

#include <sched.h>

static int cpus[4096];

START_TEST(test_lists)
{
	ck_assert_uint_eq(cpus_parse("0\n", cpus, 10), 1);
	ck_assert_int_eq(cpus[0], 0);
	ck_assert_uint_eq(cpus_parse("0-2,5,8-9\n", cpus, 10), 6);
	ck_assert_int_eq(cpus[2], 2);
	ck_assert_int_eq(cpus[3], 5);
	ck_assert_int_eq(cpus[4], 8);
	ck_assert_int_eq(cpus[5], 9);
	ck_assert_uint_eq(cpus_parse("0-99999999", cpus, 10), 10);
	ck_assert_int_eq(cpus[9], 9);
}
END_TEST

START_TEST(test_no_lists)
{
	static const char *const texts[] = { "",     "\n",    "a",
					     "0-",   "3-1",   "0,",
					     "0,,1", "0-2 5", "99999999999999999999",
					     "-1",   "0-1-2" };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(cpus_parse(texts[i], cpus, 10) == 0, "\"%s\"", texts[i]);
}
END_TEST

/* We run on those that are online. */
START_TEST(test_online)
{
	size_t n = cpus_online(cpus, 4096), i;
	cpu_set_t set;
	int cpu, found = 0;

	ck_assert_uint_ge(n, 1);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		for (i = 0; i < n; i++)
			found += cpus[i] == cpu;
	}
	ck_assert_int_eq(found, CPU_COUNT(&set));
	ck_assert_uint_eq(cpus_online(cpus, 1), 1);
}
END_TEST

SUITE_MAIN("cpus", test_lists, test_no_lists, test_online)
