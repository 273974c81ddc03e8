/* SPDX-License-Identifier: MIT */
/* The machines are made up, but for the last test, which looks at this one. */
#include "record/checkup.h"

#include "support/suite.h"

#include <string.h>

#define PERFMON  ((uint64_t)1 << 38)
#define IPC_LOCK ((uint64_t)1 << 14)

static struct checkup checkup;

/* The facts own their strings, but nobody frees these. */
static char perf_path[] = "/usr/bin/perf", fzf_path[] = "/usr/bin/fzf";
static char qemu[] = "QEMU 7.2, /usr/bin/qemu-x86_64";
static char server[] = "https://debuginfod.example/", directory[] = "/tmp";

/* A machine on which nothing is wanting. */
static struct checkup_facts full_facts(void)
{
	return (struct checkup_facts){
		.host = {
			.vendor = "GenuineIntel",
			.n_cpus = 4,
			.page_size = 4096,
			.x86_64 = true,
			.cpu_pt = true,
			.pt = true,
			.pt_psb_cyc = true,
			.pt_ip_filter = true,
			.pdcm = true,
			.core_pmu = true,
			.cycles = true,
			.breakpoints = true,
			.user_events = HOST_ALLOWED,
			.paranoid = 1,
			.yama = 1,
			.mlock_kb = 516,
			.memlock = 8 << 20,
			.max_sample_rate = 100000,
			.capabilities = PERFMON | IPC_LOCK,
			.kcore = true,
		},
		.perf = perf_path,
		.version = { .major = 6, .minor = 8, .text = "6.8.12" },
		.qemu = qemu,
		.fzf = fzf_path,
		.debuginfod = server,
		.temporary = directory,
		.free_bytes = (uint64_t)100 << 30,
	};
}

static const struct checkup_item *find(const char *name)
{
	for (size_t i = 0; i < checkup.n_items; i++) {
		if (!strcmp(checkup.items[i].name, name))
			return &checkup.items[i];
	}
	return NULL;
}

/* The point is in this state, says this, and its remedy holds that ("": none). */
static void says(const struct checkup_facts *facts, const char *name, enum checkup_state state,
		 const char *what, const char *remedy)
{
	const struct checkup_item *item;

	checkup_make(&checkup, facts);
	item = find(name);
	ck_assert_msg(item != NULL, "%s", name);
	ck_assert_msg(item->state == state, "%s: %s", name, item->what.msg);
	ck_assert_msg(strstr(item->what.msg, what) != NULL, "%s: %s", name, item->what.msg);
	ck_assert_msg(*remedy ? strstr(item->what.hint, remedy) != NULL : !item->what.hint[0],
		      "%s: %s", name, item->what.hint);
}

START_TEST(test_all_is_good)
{
	struct checkup_facts facts = full_facts();

	checkup_make(&checkup, &facts);
	ck_assert_uint_lt(checkup.n_items, CHECKUP_ITEMS - 1);
	for (size_t i = 0; i < checkup.n_items; i++) {
		const struct checkup_item *item = &checkup.items[i];

		ck_assert_msg(item->state == CHECKUP_GOOD, "%s", item->name);
		ck_assert_msg(item->what.msg[0], "%s", item->name);
		ck_assert_msg(!item->what.hint[0], "%s: %s", item->name, item->what.hint);
		ck_assert_ptr_eq(find(item->name), item);
	}
	ck_assert_str_eq(checkup.mode, "intel_pt");
	ck_assert_str_eq(checkup.event, "intel_pt");
	ck_assert_ptr_nonnull(strstr(checkup.result.msg, "Intel PT"));
}
END_TEST

START_TEST(test_each_point)
{
	struct checkup_facts facts = full_facts();
	struct host *host = &facts.host;

	host->pt_psb_cyc = false;
	says(&facts, "PT cycle counts", CHECKUP_POOR, "1 us", "");
	host->pt = false;
	says(&facts, "Intel PT", CHECKUP_MISSING, "kernel does not offer it", "dmesg");
	ck_assert_ptr_null(find("PT cycle counts"));
	host->breakpoints = false;
	says(&facts, "breakpoints", CHECKUP_MISSING, "-trigger", "SIGUSR2");
	host->pdcm = false;
	says(&facts, "LBR", CHECKUP_MISSING, "pdcm", "dwarf");
	says(&facts, "call-graph modes", CHECKUP_GOOD, "dwarf (default), fp", "");
	host->max_sample_rate = 1000;
	says(&facts, "max sample rate", CHECKUP_POOR, "1000", "sysctl");
	host->yama = 2;
	says(&facts, "YAMA ptrace_scope", CHECKUP_POOR, "2:", "ptrace_scope=1");
	host->capabilities |= (uint64_t)1 << 19;
	says(&facts, "YAMA ptrace_scope", CHECKUP_GOOD, "2:", "");
	host->yama = 3;
	says(&facts, "YAMA ptrace_scope", CHECKUP_POOR, "3:", "started anew");
	host->yama = HOST_UNKNOWN;
	says(&facts, "YAMA ptrace_scope", CHECKUP_GOOD, "no YAMA", "");
	host->kcore = false;
	says(&facts, "kcore", CHECKUP_POOR, "/proc/kcore", "CAP_SYS_RAWIO");
	facts.no_kcore = true;
	says(&facts, "kcore", CHECKUP_POOR, "MAGIC_TRACE_PERF_NO_KCORE", "");
	facts.fzf = NULL;
	says(&facts, "fzf", CHECKUP_MISSING, "no fzf", "-pid");
	facts.debuginfod = NULL;
	says(&facts, "debuginfod", CHECKUP_POOR, "DEBUGINFOD_URLS", "libdebuginfod-common");
	facts.free_bytes = 100 << 20;
	says(&facts, "free space", CHECKUP_POOR, "100 MiB in /tmp", "TMPDIR");
	facts.free_bytes = 1 << 20;
	says(&facts, "free space", CHECKUP_MISSING, "1 MiB", "-working-directory");
	facts.free_bytes = UINT64_MAX;
	says(&facts, "free space", CHECKUP_MISSING, "cannot be looked at", "TMPDIR");
}
END_TEST

START_TEST(test_permission)
{
	struct checkup_facts facts = full_facts();

	says(&facts, "CAP_PERFMON", CHECKUP_GOOD, "we have it", "");
	facts.host.capabilities = 0;
	says(&facts, "perf_event_paranoid", CHECKUP_GOOD, "1: user space and the kernel", "");
	says(&facts, "CAP_PERFMON", CHECKUP_POOR, "do not have it", "setcap");
	says(&facts, "locked memory", CHECKUP_POOR, "10256 KiB", "perf_event_mlock_kb");
	facts.host.paranoid = 2;
	says(&facts, "perf_event_paranoid", CHECKUP_POOR, "paranoid is 2", "paranoid=1");
	facts.host.paranoid = 4;
	facts.host.user_events = HOST_REFUSED;
	says(&facts, "perf_event_paranoid", CHECKUP_MISSING, "paranoid is 4", "paranoid=2");
	ck_assert_ptr_null(checkup.mode);
	ck_assert_str_eq(checkup.event, "");
	ck_assert_ptr_nonnull(
		strstr(checkup.result.msg, "nothing can be recorded but with -software: "));
	ck_assert_ptr_nonnull(strstr(checkup.result.hint, "perf_event_paranoid=2"));
	facts.perf_is_privileged = true;
	says(&facts, "perf_event_paranoid", CHECKUP_POOR, "paranoid is 4", "paranoid=2");
	ck_assert_str_eq(checkup.mode, "intel_pt");
}
END_TEST

START_TEST(test_perf_versions)
{
	struct checkup_facts facts = full_facts();

	facts.version = (struct perf_version){ .major = 5, .minor = 10, .text = "5.10" };
	says(&facts, "perf control channel", CHECKUP_GOOD, "stops by signal", "");
	facts.version = (struct perf_version){ .major = 5, .minor = 4, .text = "5.4" };
	says(&facts, "perf", CHECKUP_GOOD, "version 5.4, /usr/bin/perf", "");
	says(&facts, "perf control channel", CHECKUP_POOR, "by signals", "5.10");
	says(&facts, "perf snapshot at exit", CHECKUP_GOOD, "", "");
	says(&facts, "kcore", CHECKUP_POOR, "no --kcore", "5.5");
	facts.version = (struct perf_version){ .major = 4, .minor = 19, .text = "4.19" };
	says(&facts, "perf snapshot at exit", CHECKUP_POOR, "", "5.4");
	err_set(&facts.perf_err, "cannot run perf: not there");
	err_hint(&facts.perf_err, "install it");
	says(&facts, "perf", CHECKUP_MISSING, "cannot run perf", "install it");
	ck_assert_ptr_null(find("perf control channel"));
	ck_assert_ptr_null(checkup.mode);
	ck_assert_str_eq(checkup.result.hint, "install it");
}
END_TEST

START_TEST(test_what_is_sampled)
{
	struct checkup_facts facts = full_facts();

	facts.host.pt = false;
	facts.host.yama = HOST_UNKNOWN;
	checkup_make(&checkup, &facts);
	ck_assert_str_eq(checkup.mode, "sampling");
	ck_assert_str_eq(checkup.event, "cycles");
	facts.host.cycles = facts.host.core_pmu = false;
	checkup_make(&checkup, &facts);
	ck_assert_str_eq(checkup.mode, "sampling");
	ck_assert_str_eq(checkup.event, "cpu-clock");
	ck_assert_ptr_nonnull(strstr(checkup.result.msg, "cpu-clock"));
}
END_TEST

START_TEST(test_backends)
{
	struct checkup_facts facts = full_facts();
	struct host *host = &facts.host;

	checkup_make(&checkup, &facts);
	ck_assert(checkup.software);
	ck_assert_ptr_null(strstr(checkup.result.msg, "-software"));
	says(&facts, "backend software", CHECKUP_GOOD, "QEMU 7.2", "");
	host->pt = host->cpu_pt = false;
	says(&facts, "backend pt", CHECKUP_MISSING, "Intel PT", "Broadwell");
	ck_assert_ptr_nonnull(strstr(checkup.result.msg, "-software shows every call"));
	facts.qemu = NULL;
	err_set(&facts.qemu_err, "there is no QEMU");
	err_hint(&facts.qemu_err, "install it");
	says(&facts, "backend software", CHECKUP_POOR, "single steps only: there is no QEMU",
	     "install it");
	ck_assert(checkup.software);
	/* nothing else is allowed: then it still is */
	host->paranoid = 3;
	host->capabilities = 0;
	host->user_events = HOST_REFUSED;
	says(&facts, "backend sampling", CHECKUP_MISSING, "3", "sysctl");
	ck_assert_ptr_null(checkup.mode);
	ck_assert(checkup.software);
	ck_assert_ptr_nonnull(strstr(checkup.result.msg, "but with -software"));
	host->yama = 3;
	says(&facts, "backend software", CHECKUP_MISSING, "YAMA", "");
	ck_assert(!checkup.software);
	host->x86_64 = false;
	says(&facts, "backend software", CHECKUP_MISSING, "x86-64", "");
}
END_TEST

START_TEST(test_this_machine)
{
	struct checkup_facts facts;

	ck_assert_int_eq(setenv("DEBUGINFOD_URLS", "https://a.example/", 1), 0);
	ck_assert_int_eq(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
	checkup_look(&facts, "/nowhere/perf");
	ck_assert_ptr_null(facts.perf);
	ck_assert(facts.perf_err.msg[0] && facts.perf_err.hint[0]);
	ck_assert_str_eq(facts.debuginfod, "https://a.example/");
	ck_assert_str_eq(facts.temporary, "/nowhere/at/all");
	ck_assert_uint_eq(facts.free_bytes, UINT64_MAX);
	checkup_make(&checkup, &facts);
	ck_assert_ptr_null(checkup.mode);
	checkup_facts_free(&facts);
	ck_assert_int_eq(unsetenv("DEBUGINFOD_URLS"), 0);
	ck_assert_int_eq(unsetenv("TMPDIR"), 0);
	checkup_look(&facts, "/nowhere/perf");
	ck_assert_ptr_null(facts.debuginfod);
	ck_assert_str_eq(facts.temporary, "/tmp");
	ck_assert_uint_ne(facts.free_bytes, UINT64_MAX);
	checkup_facts_free(&facts);
}
END_TEST

SUITE_MAIN("checkup", test_all_is_good, test_each_point, test_permission, test_perf_versions,
	   test_what_is_sampled, test_backends, test_this_machine)
