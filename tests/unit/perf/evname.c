/* SPDX-License-Identifier: MIT */
#include "perf/evname.h"

#include "support/suite.h"

#include <stdio.h>

static void name_is(const char *event, const char *want, enum evclass class)
{
	struct evnames kept = { 0 };
	struct str name = evname_strip(str_of(event)), found;

	ck_assert_msg(str_eq(name, str_of(want)), "'%s' gave '%.*s'", event, (int)name.n, name.p);
	ck_assert_msg(evname_class(name) == class, "'%s'", event);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(evnames_find(&kept, str_of(event), &found), class);
		ck_assert(str_eq(found, str_of(want)));
	}
}

START_TEST(test_names)
{
	name_is("branches:uH", "branches", EVCLASS_BRANCH);
	name_is("branches:ku", "branches", EVCLASS_BRANCH);
	name_is("branches", "branches", EVCLASS_BRANCH);
	/* letters that no perf has had so far */
	name_is("branches:uz", "branches", EVCLASS_BRANCH);
	name_is("cbr", "cbr", EVCLASS_CBR);
	name_is("psb", "psb", EVCLASS_PSB);
	name_is("ptwrite", "ptwrite", EVCLASS_PTWRITE);
	name_is("cycles:P", "cycles", EVCLASS_SAMPLE);
	name_is("cycles:ppp", "cycles", EVCLASS_SAMPLE);
	name_is("cycles:Pu", "cycles", EVCLASS_SAMPLE);
	name_is("cpu-clock:uH", "cpu-clock", EVCLASS_SAMPLE);
	name_is("task-clock:u", "task-clock", EVCLASS_SAMPLE);
	name_is("cpu_core/cycles/u", "cycles", EVCLASS_SAMPLE);
	name_is("cpu_atom/cycles/u", "cycles", EVCLASS_SAMPLE);
	name_is("cpu_core/cycles,freq=10000/u", "cycles", EVCLASS_SAMPLE);
	name_is("cpu_core/cycles/", "cycles", EVCLASS_SAMPLE);
	name_is("cycles/freq=10000/u", "cycles", EVCLASS_SAMPLE);
	name_is("branch-misses/period=50/u", "branch-misses", EVCLASS_EXTRA);
	name_is("branch-misses:u", "branch-misses", EVCLASS_EXTRA);
	name_is("cpu_core/branch-misses,period=50/uP", "branch-misses", EVCLASS_EXTRA);
	name_is("cache-misses/period=50/u", "cache-misses", EVCLASS_EXTRA);
	name_is("intel_pt//u", "intel_pt", EVCLASS_OTHER);
	name_is("dummy:HG", "dummy", EVCLASS_OTHER);
	name_is("probe_x:entry", "probe_x:entry", EVCLASS_OTHER);
	name_is("probe_x:entry:u", "probe_x:entry", EVCLASS_OTHER);
	name_is("sched:sched_switch", "sched:sched_switch", EVCLASS_OTHER);
	name_is("L1-dcache-load-misses:u", "L1-dcache-load-misses", EVCLASS_OTHER);
	name_is("branchesx:u", "branchesx", EVCLASS_OTHER);
	name_is("mwait", "mwait", EVCLASS_UNDRAWN);
	name_is("pwre", "pwre", EVCLASS_UNDRAWN);
	name_is("exstop", "exstop", EVCLASS_UNDRAWN);
	name_is("pwrx", "pwrx", EVCLASS_UNDRAWN);
	name_is("evt", "evt", EVCLASS_UNDRAWN);
	name_is("iflag", "iflag", EVCLASS_UNDRAWN);
	name_is("transactions", "transactions", EVCLASS_UNDRAWN);
	name_is("instructions:u", "instructions", EVCLASS_UNDRAWN);
	name_is("/", "", EVCLASS_OTHER);
	name_is(":", "", EVCLASS_OTHER);
	name_is("a/b", "b", EVCLASS_OTHER);
}
END_TEST

/* More names than are kept, in turn; one that is too long to be kept. */
START_TEST(test_many_names)
{
	struct evnames kept = { 0 };
	struct str name;
	char event[200], want[200];

	for (int i = 0; i < 1000; i++) {
		snprintf(event, sizeof(event), "event%d:u", i * 7 % 11);
		snprintf(want, sizeof(want), "event%d", i * 7 % 11);
		ck_assert_int_eq(evnames_find(&kept, str_of(event), &name), EVCLASS_OTHER);
		ck_assert(str_eq(name, str_of(want)));
		ck_assert_int_eq(evnames_find(&kept, STR("cycles:u"), &name), EVCLASS_SAMPLE);
	}
	memset(event, 'x', sizeof(event));
	ck_assert_int_eq(evnames_find(&kept, (struct str){ event, 200 }, &name), EVCLASS_OTHER);
	ck_assert_uint_eq(name.n, 200);
}
END_TEST

SUITE_MAIN("evname", test_names, test_many_names)
