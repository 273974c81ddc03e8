/* SPDX-License-Identifier: MIT */
#include "record/plan.h"

#include "record/buffers.h"
#include "record/lack.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FREQ_LOW    1000
#define FREQ_NORMAL 10000

/* Pages of a data buffer at most. A sample with a piece of the stack (dwarf) is some 8 KiB. */
#define DATA_PAGES_DWARF 4096
#define DATA_PAGES       1024

/*
 * The PT event's terms. Normal: a time with each change of flow, by counted cycles, and no timer
 * packets, which those make useless. High: returns are not compressed either, so that each has its
 * own time.
 */
#define TERMS_NORMAL "cyc=1,cyc_thresh=1,mtc_period=0"
#define TERMS_HIGH   TERMS_NORMAL ",noretcomp=1"

/* A place for the next note. There are fewer kinds of them than PLAN_NOTES. */
static struct err *note(struct plan *plan)
{
	struct err *place = &plan->notes[plan->n_notes];

	if (plan->n_notes < PLAN_NOTES - 1)
		plan->n_notes++;
	*place = (struct err)ERR_INIT;
	return place;
}

static bool has_kernel(const struct record_options *options)
{
	return strchr(options->scope, 'k') != NULL;
}

static bool extra_events(const struct record_options *options)
{
	return options->branch_misses || options->cache_misses;
}

/* How many sets of buffers perf maps: one for each CPU, or with --per-thread for each thread. */
static uint64_t n_buffers(const struct record_options *options, const struct host *host)
{
	if (options->multi_thread || extra_events(options))
		return host->n_cpus ? host->n_cpus : 1;
	return options->n_pids ? options->n_pids : 1;
}

static int check_snapshots(const struct record_options *options, struct err *err)
{
	if (options->multi_snapshot && options->full_execution) {
		err_set(err, "-multi-snapshot and -full-execution exclude each other");
		return err_hint(err, "with -full-execution everything is recorded, also around "
				     "each hit");
	}
	return options->snapshot_size ? buffers_check_size(options->snapshot_size, err) : 0;
}

static enum backend choose_backend(const struct record_options *options, const struct host *host)
{
	if (options->backend != BACKEND_AUTO)
		return options->backend;
	return host->pt ? BACKEND_PT : BACKEND_SAMPLING;
}

/* What is for software PT only, and what that cannot give. */
static int check_software(const struct record_options *options, enum backend backend,
			  struct err *err)
{
	bool attach = options->n_pids > 0;

	if (backend != BACKEND_SOFTWARE) {
		const char *flag = options->engine != ENGINE_AUTO      ? "-software-engine"
				   : options->time != RECORDER_VIRTUAL ? "-software-time"
				   : options->follow_fork              ? "-follow-fork"
								       : NULL;

		if (!flag)
			return 0;
		err_set(err, "%s is for software PT", flag);
		return err_hint(err, "add -software, or leave it out");
	}
	if (has_kernel(options)) {
		err_set(err, "-software sees no kernel code");
		return err_hint(err, "-sampling does, and Intel PT");
	}
	if (extra_events(options)) {
		err_set(err, "-events takes the counters of the CPU, which -software does not run "
			     "the program by");
		return err_hint(err, "leave one of the two out");
	}
	if (options->callgraph) {
		err_set(err, "-callgraph-mode is for sampled stacks, and -software records each "
			     "call");
		return err_hint(err, "leave it out; -sampling asks for sampled stacks");
	}
	if (options->resolution.kind != RESOLUTION_NORMAL) {
		err_set(err, "-timer-resolution is for Intel PT and for sampling");
		return err_hint(err, "-software-time says what times are with -software");
	}
	if (options->engine == ENGINE_QEMU && (attach || options->follow_fork)) {
		err_set(err, "-software-engine qemu runs a program from its beginning, and not the "
			     "children that it forks");
		return err_hint(err, "%s takes -software-engine step",
				attach ? "attach" : "-follow-fork");
	}
	if (options->n_pids > 1) {
		err_set(err, "-software attaches to one process at a time");
		return err_hint(err, "-follow-fork records the children of one, too");
	}
	return 0;
}

/* Options that are for sampling with PT, and the other way round. */
static int check_mode(const struct record_options *options, bool sampling, struct err *err)
{
	enum resolution_kind kind = options->resolution.kind;

	if (kind == RESOLUTION_CUSTOM &&
	    (options->backend == BACKEND_SAMPLING || options->callgraph)) {
		err_set(err, "-timer-resolution Custom is for Intel PT, and this is sampling");
		return err_hint(err, "give Low, Normal, High or Sample(FREQUENCY)");
	}
	if (sampling)
		return 0;
	if (options->callgraph) {
		err_set(err, "-callgraph-mode is for sampled stacks, and this is Intel PT");
		return err_hint(err, "Intel PT needs none: each call is recorded; -sampling asks "
				     "for sampled stacks");
	}
	if (kind == RESOLUTION_SAMPLE) {
		err_set(err, "-timer-resolution Sample is for sampling, and this is Intel PT");
		return err_hint(err, "add -sampling, or give Low, Normal, High or Custom(...)");
	}
	return 0;
}

static int check_events(const struct record_options *options, const struct host *host,
			struct err *err)
{
	if (!extra_events(options) || host->core_pmu)
		return 0;
	err_set(err, "-events: branch-misses and cache-misses take hardware counters, and there "
		     "are none here");
	return err_hint(err, "%s",
			host->vm ? "a virtual machine has them when it is given a "
				   "virtual PMU (QEMU: -cpu host,pmu=on)"
				 : "leave -events out");
}

static void plan_terms(struct plan *plan, const struct resolution *resolution,
		       const struct host *host)
{
	const char *terms = resolution->kind == RESOLUTION_HIGH ? TERMS_HIGH : TERMS_NORMAL;
	bool exact = resolution->kind == RESOLUTION_HIGH || resolution->kind == RESOLUTION_NORMAL;

	if (exact && !host->pt_psb_cyc)
		lack_psb_cyc(note(plan));
	if (resolution->kind == RESOLUTION_CUSTOM)
		terms = resolution->terms;
	else if (resolution->kind == RESOLUTION_LOW || !host->pt_psb_cyc)
		terms = "";
	snprintf(plan->event, sizeof(plan->event), "%s", terms);
}

static int plan_snapshot_size(struct plan *plan, const struct record_options *options,
			      const struct host *host, struct err *err)
{
	uint64_t bytes = options->snapshot_size;
	struct buffers sizes;

	if (!bytes)
		return 0;
	if (buffers_pt(host, bytes, n_buffers(options, host), options->perf_is_privileged, &sizes,
		       err) < 0)
		return -1;
	plan->perf.aux_pages = sizes.aux_pages;
	plan->perf.data_pages = sizes.data_pages;
	if (sizes.aux_bytes != bytes)
		err_set(note(plan), "-snapshot-size %s is rounded up to %s, a power of two",
			buffers_size_text(bytes).s, buffers_size_text(sizes.aux_bytes).s);
	return 0;
}

static int plan_pt(struct plan *plan, const struct record_options *options, const struct host *host,
		   const struct perf_version *version, struct err *err)
{
	plan->perf.mode = PERF_PT;
	plan_terms(plan, &options->resolution, host);
	if (plan_snapshot_size(plan, options, host, err) < 0)
		return -1;
	if (!has_kernel(options) || options->no_kcore)
		return 0;
	plan->perf.kcore = lack_has_kcore(host, version, options->perf_is_privileged);
	if (!plan->perf.kcore)
		lack_kcore(host, version, note(plan));
	return 0;
}

static void plan_event(struct plan *plan, const struct host *host)
{
	struct err *why;

	if (host->cycles && host->hybrid) {
		why = note(plan);
		err_set(why, "this CPU has cores of two kinds: only what runs on its performance "
			     "cores is sampled");
		err_hint(why, "`taskset -c $(cat /sys/bus/event_source/devices/cpu_core/cpus)` "
			      "keeps a program there");
	} else if (!host->cycles) {
		why = note(plan);
		lack_cycles(host, why);
		err_prefix(why, "samples are taken by the kernel's timer (cpu-clock), which sees "
				"nothing while interrupts are off");
	}
	snprintf(plan->event, sizeof(plan->event), "%s",
		 !host->cycles  ? "cpu-clock"
		 : host->hybrid ? "cpu_core/cycles/"
				: "cycles");
}

static int too_many_samples(uint32_t freq, uint32_t most, struct err *err)
{
	err_set(err,
		"-timer-resolution Sample(%" PRIu32 "): kernel.perf_event_max_sample_rate allows "
		"%" PRIu32 " samples a second",
		freq, most);
	return err_hint(err,
			"give at most Sample(%" PRIu32 "), or `sudo sysctl "
			"kernel.perf_event_max_sample_rate=%" PRIu32 "`",
			most, freq);
}

static int plan_freq(struct plan *plan, const struct resolution *resolution,
		     const struct host *host, struct err *err)
{
	uint32_t most = host->max_sample_rate ? host->max_sample_rate : UINT32_MAX;
	uint32_t freq = resolution->kind == RESOLUTION_LOW ? FREQ_LOW : FREQ_NORMAL;
	struct err *why;

	if (resolution->kind == RESOLUTION_CUSTOM) {
		lack_pt(host, err);
		return err_prefix(err, "-timer-resolution Custom is for Intel PT");
	}
	if (resolution->kind == RESOLUTION_SAMPLE)
		freq = resolution->freq;
	else if (resolution->kind == RESOLUTION_HIGH && host->max_sample_rate)
		freq = host->max_sample_rate;
	if (freq > most && resolution->kind == RESOLUTION_SAMPLE)
		return too_many_samples(freq, most, err);
	if (freq > most) {
		why = note(plan);
		err_set(why,
			"%" PRIu32 " samples a second are taken, not %" PRIu32
			": more are not allowed by kernel.perf_event_max_sample_rate",
			most, freq);
		err_hint(why,
			 "the kernel lowers it when sampling takes too long; `sudo sysctl "
			 "kernel.perf_event_max_sample_rate=%" PRIu32 "`",
			 freq);
		freq = most;
	}
	plan->perf.freq = freq;
	return 0;
}

static int plan_callgraph(struct plan *plan, const struct record_options *options,
			  const struct host *host, struct err *err)
{
	const char *asked = options->callgraph;
	bool lbr = lack_has_lbr(host);
	struct err *why;

	if (asked && !strncmp(asked, "lbr", 3) && !lbr) {
		lack_lbr(host, err);
		return err_prefix(err, "-callgraph-mode %s", asked);
	}
	plan->perf.callgraph = asked ? asked : lbr ? "lbr" : "dwarf";
	if (asked || lbr)
		return 0;
	why = note(plan);
	lack_lbr(host, why);
	err_prefix(why, "stacks are unwound by debug information (-callgraph-mode dwarf)");
	err_hint(why, "-callgraph-mode fp costs far less, where programs are built with "
		      "-fno-omit-frame-pointer");
	return 0;
}

static int plan_sampling(struct plan *plan, const struct record_options *options,
			 const struct host *host, struct err *err)
{
	uint64_t n = n_buffers(options, host);
	struct err *why;

	plan->perf.mode = PERF_SAMPLING;
	if (options->backend != BACKEND_SAMPLING) {
		why = note(plan);
		lack_pt(host, why);
		err_prefix(why, "stacks are sampled instead of traced%s",
			   host->x86_64 && !has_kernel(options) ? " (-software shows every call)"
								: "");
	}
	if (options->snapshot_size)
		err_set(note(plan), "-snapshot-size is for Intel PT, and ignored when sampling");
	plan_event(plan, host);
	if (plan_freq(plan, &options->resolution, host, err) < 0 ||
	    plan_callgraph(plan, options, host, err) < 0)
		return -1;
	/* a ring has beside it the buffer of what must not be overwritten */
	plan->perf.data_pages = buffers_data(
		host, options->full_execution ? n : 2 * n,
		!strcmp(plan->perf.callgraph, "dwarf") ? DATA_PAGES_DWARF : DATA_PAGES);
	return 0;
}

/* A ring's default is perf's for root; the least holds some of the places it is decoded from. */
#define SOFTWARE_RING     ((size_t)4 << 20)
#define SOFTWARE_RING_MIN ((size_t)64 << 10)

static int plan_software(struct plan *plan, const struct record_options *options,
			 const struct host *host, struct err *err)
{
	plan->perf.mode = PERF_PT;
	snprintf(plan->event, sizeof(plan->event), "software");
	if (!host->x86_64)
		return err_set(err, "-software is for x86-64, and this machine is none");
	if (options->full_execution)
		return 0;
	plan->ring = options->snapshot_size ? options->snapshot_size : SOFTWARE_RING;
	if (plan->ring >= SOFTWARE_RING_MIN)
		return 0;
	err_set(note(plan), "-snapshot-size %s is raised to %s, the least for -software",
		buffers_size_text(plan->ring).s, buffers_size_text(SOFTWARE_RING_MIN).s);
	plan->ring = SOFTWARE_RING_MIN;
	return 0;
}

static int plan_backend(struct plan *plan, const struct record_options *options,
			const struct host *host, const struct perf_version *version,
			struct err *err)
{
	if (plan->backend == BACKEND_SOFTWARE)
		return plan_software(plan, options, host, err);
	if (check_events(options, host, err) < 0)
		return -1;
	if (plan->backend == BACKEND_PT && !host->pt) {
		lack_pt(host, err);
		return err_prefix(err, "-backend pt");
	}
	if (!options->perf_is_privileged && lack_permission(host, has_kernel(options), err) < 0)
		return -1;
	return plan->backend == BACKEND_SAMPLING ? plan_sampling(plan, options, host, err)
						 : plan_pt(plan, options, host, version, err);
}

enum plan_result plan_make(struct plan *plan, const struct record_options *options,
			   const struct host *host, const struct perf_version *version,
			   struct err *err)
{
	bool on_request = options->trigger || options->multi_snapshot;
	enum backend backend = choose_backend(options, host);

	*plan = (struct plan){
		.backend = backend,
		.perf = {
			.perf = options->perf,
			.version = *version,
			.scope = options->scope,
			.event = plan->event,
			.branch_misses = options->branch_misses,
			.cache_misses = options->cache_misses,
			.multi_thread = options->multi_thread,
			.multi_snapshot = options->multi_snapshot,
			.snapshot = options->full_execution ? PERF_SNAPSHOT_NEVER
				    : on_request	    ? PERF_SNAPSHOT_ON_REQUEST
							    : PERF_SNAPSHOT_AT_END,
		},
	};
	if (check_snapshots(options, err) < 0 || check_software(options, backend, err) < 0)
		return PLAN_MISUSE;
	if (backend != BACKEND_SOFTWARE &&
	    check_mode(options, backend == BACKEND_SAMPLING, err) < 0)
		return PLAN_MISUSE;
	return plan_backend(plan, options, host, version, err) < 0 ? PLAN_IMPOSSIBLE : PLAN_MADE;
}
