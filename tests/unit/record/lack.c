/* SPDX-License-Identifier: MIT */
/* The machines, kernels and permissions here are made up; this one gives few of these answers. */
#include "record/lack.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

#define PERFMON ((uint64_t)1 << 38)

static const struct perf_version perf_6_1 = { .major = 6, .minor = 1, .text = "6.1" };
static const struct perf_version perf_5_4 = { .major = 5, .minor = 4, .text = "5.4.0" };

/* What it says holds both: the message, and the hint ("": there is none). */
static void holds(const struct err *why, const char *msg, const char *hint)
{
	ck_assert_msg(strstr(why->msg, msg) != NULL, "%s", why->msg);
	ck_assert_msg(*hint ? strstr(why->hint, hint) != NULL : !why->hint[0], "%s", why->hint);
}

static void no_pt(const struct host *host, const char *msg, const char *hint)
{
	struct err why = ERR_INIT;

	lack_pt(host, &why);
	holds(&why, msg, hint);
}

START_TEST(test_why_no_pt)
{
	struct host host = { .x86_64 = true, .vendor = "GenuineIntel" };

	no_pt(&host, "the CPU has no Intel PT", "2015");
	host.vm = true;
	no_pt(&host, "virtual machine", "pt_mode=1");
	snprintf(host.vendor, sizeof(host.vendor), "AuthenticAMD");
	no_pt(&host, "not Intel's (AuthenticAMD)", "");
	host.cpu_pt = true;
	no_pt(&host, "the kernel does not offer it", "dmesg");
	host.x86_64 = false;
	no_pt(&host, "no x86-64", "");
}
END_TEST

START_TEST(test_why_no_cycles)
{
	struct host host = { .vm = true };
	struct err why = ERR_INIT;

	lack_cycles(&host, &why);
	holds(&why, "no hardware counters", "virtual PMU");
	host.vm = false;
	host.core_pmu = true;
	lack_cycles(&host, &why);
	holds(&why, "although there are hardware counters", "nmi_watchdog");
}
END_TEST

START_TEST(test_lbr)
{
	struct host host = { .pdcm = true, .core_pmu = true, .cycles = true };
	struct err why = ERR_INIT;

	ck_assert(lack_has_lbr(&host));
	host.cycles = false;
	ck_assert(!lack_has_lbr(&host));
	lack_lbr(&host, &why);
	holds(&why, "the event cycles cannot be had", "fp");
	host.core_pmu = false;
	lack_lbr(&host, &why);
	holds(&why, "no hardware counters", "dwarf");
	host = (struct host){ .core_pmu = true, .cycles = true };
	ck_assert(!lack_has_lbr(&host));
	lack_lbr(&host, &why);
	holds(&why, "pdcm", "dwarf");
}
END_TEST

START_TEST(test_kcore)
{
	struct host host = { .kcore = true };
	struct err why = ERR_INIT;

	ck_assert(lack_has_kcore(&host, &perf_6_1, false));
	ck_assert(!lack_has_kcore(&host, NULL, false));
	ck_assert(!lack_has_kcore(&host, &perf_5_4, true));
	lack_kcore(&host, &perf_5_4, &why);
	holds(&why, "perf 5.4.0 has no --kcore", "5.5");
	host.kcore = false;
	ck_assert(!lack_has_kcore(&host, &perf_6_1, false));
	ck_assert(lack_has_kcore(&host, &perf_6_1, true));
	lack_kcore(&host, &perf_6_1, &why);
	holds(&why, "/proc/kcore cannot be read", "CAP_SYS_RAWIO");
}
END_TEST

static void may(const struct host *host, bool kernel)
{
	struct err why = ERR_INIT;

	ck_assert_msg(lack_permission(host, kernel, &why) == 0, "%s", why.msg);
}

static void may_not(const struct host *host, bool kernel, const char *msg, const char *hint)
{
	struct err why = ERR_INIT;

	ck_assert_int_eq(lack_permission(host, kernel, &why), -1);
	holds(&why, msg, hint);
}

START_TEST(test_permission_by_level)
{
	struct host host = { .user_events = HOST_ALLOWED };

	for (int level = -1; level <= 1; level++) {
		host.paranoid = level;
		may(&host, false);
		may(&host, true);
	}
	host.paranoid = 2;
	may(&host, false);
	may_not(&host, true, "kernel.perf_event_paranoid is 2", "perf_event_paranoid=1");
	host.capabilities = PERFMON;
	may(&host, true);
	host.paranoid = 4;
	may(&host, true);
}
END_TEST

/* Kernels as Debian's and Ubuntu's: above 2 users may not record at all. */
START_TEST(test_paranoid_kernels)
{
	struct host host = { .paranoid = 4, .user_events = HOST_REFUSED };

	may_not(&host, false, "kernel.perf_event_paranoid is 4", "perf_event_paranoid=2");
	host.paranoid = 3;
	may_not(&host, true, "kernel.perf_event_paranoid is 3", "perf_event_paranoid=2");
	host.user_events = HOST_NOT_ASKED;
	may_not(&host, false, "kernel.perf_event_paranoid is 3", "perf_event_paranoid=2");
	host.capabilities = PERFMON;
	may(&host, false);
	/* other kernels do not know these levels: what they answer counts */
	host.capabilities = 0;
	host.user_events = HOST_ALLOWED;
	may(&host, false);
	may_not(&host, true, "kernel.perf_event_paranoid is 3", "perf_event_paranoid=1");
}
END_TEST

/* A container's filter refuses whatever the level is, and whoever asks. */
START_TEST(test_filtered)
{
	struct host host = { .paranoid = 1, .user_events = HOST_REFUSED };

	may_not(&host, false, "seccomp", "--cap-add PERFMON");
	host.paranoid = 4;
	host.capabilities = PERFMON;
	may_not(&host, false, "seccomp", "--cap-add PERFMON");
	host.paranoid = HOST_UNKNOWN;
	may_not(&host, false, "no perf events", "CONFIG_PERF_EVENTS");
}
END_TEST

SUITE_MAIN("lack", test_why_no_pt, test_why_no_cycles, test_lbr, test_kcore,
	   test_permission_by_level, test_paranoid_kernels, test_filtered)
