/* SPDX-License-Identifier: MIT */
/*
 * The hosts here are made up: machines with PT, with counters, virtual ones, with kernels that
 * refuse. What perf is to get for them is written down from perf-intel-pt(1), perf-record(1) and
 * perf_event_open(2).
 */
#include "record/plan.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

#define PERFMON  ((uint64_t)1 << 38)
#define IPC_LOCK ((uint64_t)1 << 14)

static const struct perf_version perf_6_1 = { .major = 6, .minor = 1, .text = "6.1" };
static const struct perf_version perf_5_4 = { .major = 5, .minor = 4, .text = "5.4" };

/* A machine that has all, and root on it. */
static struct host full_host(void)
{
	return (struct host){
		.vendor = "GenuineIntel",
		.n_cpus = 4,
		.page_size = 4096,
		.x86_64 = true,
		.cpu_pt = true,
		.pt = true,
		.pt_psb_cyc = true,
		.pdcm = true,
		.core_pmu = true,
		.cycles = true,
		.breakpoints = true,
		.user_events = HOST_ALLOWED,
		.paranoid = 2,
		.yama = HOST_UNKNOWN,
		.mlock_kb = 516,
		.memlock = 8 << 20,
		.max_sample_rate = 100000,
		.capabilities = PERFMON | IPC_LOCK,
		.kcore = true,
	};
}

/* A virtual machine without counters. */
static struct host vm_host(void)
{
	struct host host = full_host();

	host.vm = true;
	host.cpu_pt = host.pt = host.pt_psb_cyc = host.pdcm = false;
	host.core_pmu = host.cycles = false;
	return host;
}

static struct record_options default_options(void)
{
	return (struct record_options){ .perf = "perf", .scope = "u", .ready_fd = -1 };
}

static void plans_with(struct plan *plan, const struct record_options *options,
		       const struct host *host, const struct perf_version *version)
{
	struct err err = ERR_INIT;

	ck_assert_msg(plan_make(plan, options, host, version, &err) == PLAN_MADE, "%s", err.msg);
	ck_assert_ptr_eq(plan->perf.event, plan->event);
}

static void plans(struct plan *plan, const struct record_options *options, const struct host *host)
{
	plans_with(plan, options, host, &perf_6_1);
}

static void results_in(enum plan_result expected, const struct record_options *options,
		       const struct host *host, const char *msg, const char *hint)
{
	struct err err = ERR_INIT;
	struct plan plan;

	ck_assert_int_eq(plan_make(&plan, options, host, &perf_6_1, &err), expected);
	ck_assert_msg(strstr(err.msg, msg) != NULL, "%s", err.msg);
	ck_assert_msg(strstr(err.hint, hint) != NULL, "%s", err.hint);
}

/* The machine is in the way. */
static void refuses(const struct record_options *options, const struct host *host, const char *msg,
		    const char *hint)
{
	results_in(PLAN_IMPOSSIBLE, options, host, msg, hint);
}

/* The options are. */
static void misuses(const struct record_options *options, const struct host *host, const char *msg,
		    const char *hint)
{
	results_in(PLAN_MISUSE, options, host, msg, hint);
}

/* Whether a note says this, in its message or its hint. */
static bool notes(const struct plan *plan, const char *text)
{
	for (size_t i = 0; i < plan->n_notes; i++) {
		if (strstr(plan->notes[i].msg, text) || strstr(plan->notes[i].hint, text))
			return true;
	}
	return false;
}

START_TEST(test_pt_by_default)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	plans(&plan, &options, &host);
	ck_assert_int_eq(plan.perf.mode, PERF_PT);
	ck_assert_str_eq(plan.event, "cyc=1,cyc_thresh=1,mtc_period=0");
	ck_assert_str_eq(plan.perf.scope, "u");
	ck_assert_str_eq(plan.perf.perf, "perf");
	ck_assert_uint_eq(plan.perf.version.major, 6);
	ck_assert_ptr_null(plan.perf.callgraph);
	ck_assert(!plan.perf.kcore && !plan.perf.multi_thread);
	ck_assert_uint_eq(plan.perf.aux_pages, 0);
	ck_assert_uint_eq(plan.perf.data_pages, 0);
	ck_assert_int_eq(plan.perf.snapshot, PERF_SNAPSHOT_AT_END);
	ck_assert_uint_eq(plan.n_notes, 0);
}
END_TEST

START_TEST(test_pt_resolutions)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	options.resolution.kind = RESOLUTION_LOW;
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.event, "");
	options.resolution.kind = RESOLUTION_HIGH;
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.event, "cyc=1,cyc_thresh=1,mtc_period=0,noretcomp=1");
	options.resolution = (struct resolution){ .kind = RESOLUTION_CUSTOM, .terms = "mtc=1" };
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.event, "mtc=1");
	ck_assert_uint_eq(plan.n_notes, 0);
	options.resolution = (struct resolution){ .kind = RESOLUTION_SAMPLE, .freq = 5 };
	misuses(&options, &host, "Sample is for sampling", "-sampling");
}
END_TEST

START_TEST(test_pt_without_cycle_counts)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	host.pt_psb_cyc = false;
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.event, "");
	ck_assert(notes(&plan, "psb_cyc") && notes(&plan, "1 us instead of 10 ns"));
	options.resolution.kind = RESOLUTION_HIGH;
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.event, "");
	ck_assert_uint_eq(plan.n_notes, 1);
	options.resolution.kind = RESOLUTION_LOW;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.n_notes, 0);
	options.resolution = (struct resolution){ .kind = RESOLUTION_CUSTOM, .terms = "cyc=1" };
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.event, "cyc=1");
	ck_assert_uint_eq(plan.n_notes, 0);
}
END_TEST

START_TEST(test_fallback_says_why)
{
	struct record_options options = default_options();
	struct host host = vm_host();
	struct plan plan;

	plans(&plan, &options, &host);
	ck_assert_int_eq(plan.perf.mode, PERF_SAMPLING);
	ck_assert(notes(&plan, "stacks are sampled instead of traced (-software shows every call): "
			       "this is a virtual machine"));
	/* who asks for it is not told why */
	options.backend = BACKEND_SAMPLING;
	plans(&plan, &options, &host);
	ck_assert(!notes(&plan, "instead of traced"));
}
END_TEST

START_TEST(test_sampling_with_counters)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	options.backend = BACKEND_SAMPLING;
	plans(&plan, &options, &host);
	ck_assert_int_eq(plan.perf.mode, PERF_SAMPLING);
	ck_assert_str_eq(plan.event, "cycles");
	ck_assert_str_eq(plan.perf.callgraph, "lbr");
	ck_assert_uint_eq(plan.perf.freq, 10000);
	ck_assert_uint_eq(plan.n_notes, 0);
	host.hybrid = true;
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.event, "cpu_core/cycles/");
	ck_assert(notes(&plan, "performance cores"));
}
END_TEST

START_TEST(test_sampling_by_a_timer)
{
	struct record_options options = default_options();
	struct host host = vm_host();
	struct plan plan;

	options.backend = BACKEND_SAMPLING;
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.event, "cpu-clock");
	ck_assert(notes(&plan, "timer (cpu-clock)"));
	ck_assert_str_eq(plan.perf.callgraph, "dwarf");
	ck_assert(notes(&plan, "-callgraph-mode fp"));
	/* two CPU kinds, but no counters */
	host.hybrid = true;
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.event, "cpu-clock");
}
END_TEST

START_TEST(test_frequencies)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	options.backend = BACKEND_SAMPLING;
	options.resolution.kind = RESOLUTION_LOW;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.freq, 1000);
	options.resolution.kind = RESOLUTION_HIGH;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.freq, 100000);
	options.resolution = (struct resolution){ .kind = RESOLUTION_SAMPLE, .freq = 100000 };
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.freq, 100000);
	options.resolution.freq = 100001;
	refuses(&options, &host, "kernel.perf_event_max_sample_rate",
		"perf_event_max_sample_rate=100001");
	options.resolution = (struct resolution){ .kind = RESOLUTION_CUSTOM, .terms = "cyc=1" };
	misuses(&options, &host, "Custom is for Intel PT", "Sample(");
	/* the kernel has lowered it */
	options.resolution.kind = RESOLUTION_NORMAL;
	host.max_sample_rate = 8000;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.freq, 8000);
	ck_assert(notes(&plan, "kernel.perf_event_max_sample_rate"));
	/* it cannot be read */
	host.max_sample_rate = 0;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.freq, 10000);
	options.resolution.kind = RESOLUTION_HIGH;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.freq, 10000);
}
END_TEST

START_TEST(test_call_graphs)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	options.callgraph = "fp";
	misuses(&options, &host, "-callgraph-mode is for sampled stacks", "-sampling");
	options.backend = BACKEND_SAMPLING;
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.perf.callgraph, "fp");
	options.callgraph = "lbr-no-stitch";
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.perf.callgraph, "lbr-no-stitch");
	host.pdcm = false;
	refuses(&options, &host, "-callgraph-mode lbr-no-stitch: there are no last branch records",
		"-callgraph-mode dwarf");
	options.callgraph = "lbr";
	refuses(&options, &host, "pdcm", "fp");
	options.callgraph = "dwarf";
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.perf.callgraph, "dwarf");
	ck_assert_uint_eq(plan.n_notes, 0);
	options.callgraph = NULL;
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.perf.callgraph, "dwarf");
	ck_assert_uint_eq(plan.n_notes, 1);
}
END_TEST

START_TEST(test_permission)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	host.capabilities = 0;
	plans(&plan, &options, &host);
	options.scope = "uk";
	refuses(&options, &host, "kernel.perf_event_paranoid is 2", "perf_event_paranoid=1");
	options.scope = "k";
	refuses(&options, &host, "CAP_PERFMON", "MAGIC_TRACE_PERF_IS_PRIVILEGED");
	host.paranoid = 1;
	plans(&plan, &options, &host);
	host.paranoid = 2;
	host.capabilities = PERFMON;
	plans(&plan, &options, &host);
	ck_assert_str_eq(plan.perf.scope, "k");
	host.capabilities = 0;
	host.paranoid = 4;
	host.user_events = HOST_REFUSED;
	options.scope = "u";
	refuses(&options, &host, "kernel.perf_event_paranoid is 4", "perf_event_paranoid=2");
	options.scope = "k";
	options.perf_is_privileged = true;
	plans(&plan, &options, &host);
}
END_TEST

START_TEST(test_kcore)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	options.scope = "uk";
	plans(&plan, &options, &host);
	ck_assert(plan.perf.kcore);
	ck_assert_uint_eq(plan.n_notes, 0);
	plans_with(&plan, &options, &host, &perf_5_4);
	ck_assert(!plan.perf.kcore && notes(&plan, "perf 5.4 has no --kcore"));
	ck_assert(notes(&plan, "decoded wrongly"));
	host.kcore = false;
	plans(&plan, &options, &host);
	ck_assert(!plan.perf.kcore && notes(&plan, "/proc/kcore cannot be read"));
	options.perf_is_privileged = true;
	plans(&plan, &options, &host);
	ck_assert(plan.perf.kcore);
	options.no_kcore = true;
	plans(&plan, &options, &host);
	ck_assert(!plan.perf.kcore);
	ck_assert_uint_eq(plan.n_notes, 0);
	/* not for user space, nor for sampling */
	options.no_kcore = false;
	options.scope = "u";
	plans(&plan, &options, &host);
	ck_assert(!plan.perf.kcore);
	options.scope = "k";
	options.backend = BACKEND_SAMPLING;
	plans(&plan, &options, &host);
	ck_assert(!plan.perf.kcore);
	ck_assert_uint_eq(plan.n_notes, 0);
}
END_TEST

START_TEST(test_snapshot_size)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	options.snapshot_size = 4 << 20;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.aux_pages, 1024);
	ck_assert_uint_eq(plan.perf.data_pages, 0);
	ck_assert_uint_eq(plan.n_notes, 0);
	options.snapshot_size = (3 << 20) + 1;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.aux_pages, 1024);
	ck_assert(notes(&plan, "rounded up to 4M"));
	options.snapshot_size = 4095;
	misuses(&options, &host, "4095 is not from 4K to 256T", "");
	options.snapshot_size = 4 << 20;
	options.backend = BACKEND_SAMPLING;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.aux_pages, 0);
	ck_assert(notes(&plan, "-snapshot-size is for Intel PT"));
}
END_TEST

/*
 * Without CAP_IPC_LOCK: 4 CPUs of 516 KiB and 8 MiB are 10256 KiB. One buffer, with 260 KiB of data
 * beside, can be 8 MiB; four of them 2 MiB.
 */
START_TEST(test_snapshot_size_above_the_limit)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	host.capabilities = 0;
	options.snapshot_size = 8 << 20;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.aux_pages, 2048);
	ck_assert_uint_eq(plan.perf.data_pages, 64);
	options.snapshot_size = 16 << 20;
	refuses(&options, &host, "kernel.perf_event_mlock_kb", "-snapshot-size 8M is the largest");
	options.multi_thread = true;
	refuses(&options, &host, "4 buffers", "-snapshot-size 2M is the largest");
	options.perf_is_privileged = true;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.aux_pages, 4096);
}
END_TEST

START_TEST(test_data_pages)
{
	struct record_options options = default_options();
	struct host host = vm_host();
	struct plan plan;

	/* one thread, a ring and its buffer of mappings: 256 MiB would be 32768 pages each */
	options.backend = BACKEND_SAMPLING;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.data_pages, 4096);
	options.callgraph = "fp";
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.data_pages, 1024);
	/* 16 pairs of 4096 pages are 512 MiB */
	options.callgraph = "dwarf";
	options.multi_thread = true;
	host.n_cpus = 16;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.data_pages, 2048);
	options.full_execution = true;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.data_pages, 4096);
	options.full_execution = false;
	options.multi_thread = false;
	options.n_pids = 16;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.data_pages, 2048);
	host.capabilities = 0;
	host.mlock_kb = 0;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.perf.data_pages, 0);
}
END_TEST

START_TEST(test_when_to_snapshot)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	options.multi_snapshot = true;
	plans(&plan, &options, &host);
	ck_assert_int_eq(plan.perf.snapshot, PERF_SNAPSHOT_ON_REQUEST);
	ck_assert(plan.perf.multi_snapshot);
	options.full_execution = true;
	misuses(&options, &host, "-multi-snapshot and -full-execution", "");
	options.multi_snapshot = false;
	options.trigger = "main";
	plans(&plan, &options, &host);
	ck_assert_int_eq(plan.perf.snapshot, PERF_SNAPSHOT_NEVER);
	options.full_execution = false;
	plans(&plan, &options, &host);
	ck_assert_int_eq(plan.perf.snapshot, PERF_SNAPSHOT_ON_REQUEST);
}
END_TEST

START_TEST(test_events)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	options.branch_misses = true;
	options.cache_misses = true;
	plans(&plan, &options, &host);
	ck_assert(plan.perf.branch_misses && plan.perf.cache_misses);
	host = vm_host();
	refuses(&options, &host, "hardware counters", "virtual PMU");
	options.cache_misses = false;
	refuses(&options, &host, "hardware counters", "");
}
END_TEST

/* What no machine would take is said first, whatever this one has and allows. */
START_TEST(test_misuse_and_machine)
{
	struct record_options options = default_options();
	struct host host = vm_host();

	/* right, but not here */
	options.resolution = (struct resolution){ .kind = RESOLUTION_CUSTOM, .terms = "cyc=1" };
	refuses(&options, &host, "Custom is for Intel PT: this is a virtual machine", "KVM");
	options.callgraph = "fp";
	misuses(&options, &host, "Custom is for Intel PT", "Sample(");
	options.callgraph = NULL;
	options.backend = BACKEND_SAMPLING;
	misuses(&options, &host, "Custom is for Intel PT", "Sample(");
	options.resolution.kind = RESOLUTION_NORMAL;
	host.paranoid = HOST_UNKNOWN;
	refuses(&options, &host, "no perf events", "");
	options.snapshot_size = 1;
	misuses(&options, &host, "1 is not from 4K to 256T", "");
	options.snapshot_size = ((uint64_t)256 << 40) + 1;
	misuses(&options, &host, "is not from 4K to 256T", "");
	options.snapshot_size = 0;
	options.multi_snapshot = options.full_execution = true;
	misuses(&options, &host, "exclude each other", "");
}
END_TEST

START_TEST(test_software)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	options.backend = BACKEND_SOFTWARE;
	plans(&plan, &options, &host);
	ck_assert_int_eq(plan.backend, BACKEND_SOFTWARE);
	ck_assert_int_eq(plan.perf.mode, PERF_PT);
	ck_assert_uint_eq(plan.ring, 4 << 20);
	ck_assert_uint_eq(plan.n_notes, 0);
	/* it takes no events of the kernel, so that no permission for them is needed */
	host = vm_host();
	host.paranoid = HOST_UNKNOWN;
	host.user_events = HOST_REFUSED;
	host.capabilities = 0;
	options.snapshot_size = 1 << 20;
	options.multi_thread = true;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.ring, 1 << 20);
	ck_assert(plan.perf.multi_thread);
	ck_assert_uint_eq(plan.n_notes, 0);
	options.snapshot_size = 4096;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.ring, 64 << 10);
	ck_assert_uint_eq(plan.n_notes, 1);
	options.full_execution = true;
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.ring, 0);
	ck_assert_int_eq(plan.perf.snapshot, PERF_SNAPSHOT_NEVER);
	host.x86_64 = false;
	refuses(&options, &host, "x86-64", "");
}
END_TEST

START_TEST(test_software_misuse)
{
	const pid_t pids[] = { 1, 2 };
	struct record_options options = default_options();
	struct host host = vm_host();
	struct plan plan;

	options.engine = ENGINE_STEP;
	misuses(&options, &host, "-software-engine is for software PT", "-software");
	options.engine = ENGINE_AUTO;
	options.time = RECORDER_REAL;
	misuses(&options, &host, "-software-time is for software PT", "-software");
	options.time = RECORDER_VIRTUAL;
	options.follow_fork = true;
	misuses(&options, &host, "-follow-fork is for software PT", "-software");

	options.backend = BACKEND_SOFTWARE;
	plans(&plan, &options, &host);
	options.engine = ENGINE_QEMU;
	misuses(&options, &host, "from its beginning", "-follow-fork takes");
	options.follow_fork = false;
	plans(&plan, &options, &host);
	options.pids = pids;
	options.n_pids = 1;
	misuses(&options, &host, "from its beginning", "attach takes");
	options.engine = ENGINE_STEP;
	plans(&plan, &options, &host);
	options.n_pids = 2;
	misuses(&options, &host, "one process", "-follow-fork");
	options.n_pids = 1;
	options.scope = "uk";
	misuses(&options, &host, "no kernel code", "-sampling");
	options.scope = "u";
	options.cache_misses = true;
	misuses(&options, &host, "-events", "");
	options.cache_misses = false;
	options.callgraph = "dwarf";
	misuses(&options, &host, "-callgraph-mode", "");
	options.callgraph = NULL;
	options.resolution.kind = RESOLUTION_HIGH;
	misuses(&options, &host, "-timer-resolution", "-software-time");
}
END_TEST

START_TEST(test_backends)
{
	struct record_options options = default_options();
	struct host host = full_host();
	struct plan plan;

	plans(&plan, &options, &host);
	ck_assert_int_eq(plan.backend, BACKEND_PT);
	options.backend = BACKEND_PT;
	plans(&plan, &options, &host);
	ck_assert_int_eq(plan.backend, BACKEND_PT);
	host = vm_host();
	refuses(&options, &host, "-backend pt: this is a virtual machine", "KVM");
	options.backend = BACKEND_AUTO;
	plans(&plan, &options, &host);
	ck_assert_int_eq(plan.backend, BACKEND_SAMPLING);
	ck_assert_ptr_nonnull(strstr(plan.notes[0].msg, "-software shows every call"));
	/* which it does not in the kernel */
	options.scope = "uk";
	plans(&plan, &options, &host);
	ck_assert_ptr_null(strstr(plan.notes[0].msg, "-software"));
}
END_TEST

/* All that can be said at once has room. */
START_TEST(test_many_notes)
{
	struct record_options options = default_options();
	struct host host = vm_host();
	struct plan plan;

	host.max_sample_rate = 500;
	options.snapshot_size = 5000;
	options.scope = "uk";
	plans(&plan, &options, &host);
	ck_assert_uint_eq(plan.n_notes, 5);
	for (size_t i = 0; i < plan.n_notes; i++)
		ck_assert(plan.notes[i].msg[0]);
}
END_TEST

SUITE_MAIN("plan", test_pt_by_default, test_pt_resolutions, test_pt_without_cycle_counts,
	   test_fallback_says_why, test_sampling_with_counters, test_sampling_by_a_timer,
	   test_frequencies, test_call_graphs, test_permission, test_kcore, test_snapshot_size,
	   test_snapshot_size_above_the_limit, test_data_pages, test_when_to_snapshot, test_events,
	   test_misuse_and_machine, test_software, test_software_misuse, test_backends,
	   test_many_notes)
