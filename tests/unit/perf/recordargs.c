/* SPDX-License-Identifier: MIT */
#include "perf/recordargs.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

#define NORMAL "cyc=1,cyc_thresh=1,mtc_period=0"

static const pid_t ids[] = { 1234, 5678, 2147483647 };

static struct perf_version version(unsigned int minor_of_5, unsigned int minor_of_6)
{
	if (minor_of_6)
		return (struct perf_version){ .major = 6, .minor = minor_of_6 };
	return (struct perf_version){ .major = 5, .minor = minor_of_5 };
}

static struct perf_record_settings pt(struct perf_version v)
{
	return (struct perf_record_settings){
		.perf = "perf",
		.version = v,
		.data = "/tmp/x/perf.data",
		.mode = PERF_PT,
		.scope = "u",
		.event = NORMAL,
		.ids = ids,
		.n_ids = 1,
		.snapshot = PERF_SNAPSHOT_AT_END,
	};
}

static struct perf_record_settings sampling(struct perf_version v)
{
	return (struct perf_record_settings){
		.perf = "perf",
		.version = v,
		.data = "/tmp/x/perf.data",
		.mode = PERF_SAMPLING,
		.scope = "u",
		.event = "cycles",
		.freq = 10000,
		.callgraph = "dwarf",
		.ids = ids,
		.n_ids = 1,
		.snapshot = PERF_SNAPSHOT_AT_END,
	};
}

/* The arguments behind "perf record -o /tmp/x/perf.data --timestamp", which begin all of them. */
static void line_is(const struct perf_record_settings *s, const char *want)
{
	static const char start[] = "perf record -o /tmp/x/perf.data --timestamp ";
	char **argv = perf_record_argv(s, 3, 4), line[1000] = "";

	for (size_t i = 0; argv[i]; i++)
		strcat(strcat(line, i ? " " : ""), argv[i]);
	perf_record_argv_free(argv);
	ck_assert_msg(strncmp(line, start, strlen(start)) == 0, "%s", line);
	ck_assert_str_eq(line + strlen(start), want);
}

/* What each version is given for the same wish. */
static const struct {
	unsigned int minor_of_5, minor_of_6;
	const char *control; /* "" or " --control=fd:3,4" */
	const char *kcore;
} versions[] = {
	{ 4, 0, "", "" },
	{ 10, 0, " --control=fd:3,4", " --kcore" },
	{ 15, 0, " --control=fd:3,4", " --kcore" },
	{ 0, 1, " --control=fd:3,4", " --kcore" },
	{ 0, 8, " --control=fd:3,4", " --kcore" },
	{ 0, 14, " --control=fd:3,4", " --kcore" },
};

#define N_VERSIONS (sizeof(versions) / sizeof(versions[0]))

static struct perf_record_settings pt_of(size_t i)
{
	return pt(version(versions[i].minor_of_5, versions[i].minor_of_6));
}

/* The parts with what the version adds in between; `kernel` puts --kcore in its place. */
static void line_of_version_is(const struct perf_record_settings *s, size_t i, const char *before,
			       bool kernel, const char *after)
{
	char want[1000];

	snprintf(want, sizeof(want), "%s%s%s%s", before, versions[i].control,
		 kernel ? versions[i].kcore : "", after);
	line_is(s, want);
}

START_TEST(test_pt_snapshot_at_end)
{
	for (size_t i = 0; i < N_VERSIONS; i++) {
		struct perf_record_settings s = pt_of(i);

		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u --per-thread -t 1234 --snapshot=e",
			false, "");
	}
}
END_TEST

START_TEST(test_pt_trigger)
{
	for (size_t i = 0; i < N_VERSIONS; i++) {
		struct perf_record_settings s = pt_of(i);

		s.snapshot = PERF_SNAPSHOT_ON_REQUEST;
		s.event = "";
		line_of_version_is(&s, i, "--event=intel_pt//u --per-thread -t 1234 --snapshot",
				   false, "");
	}
}
END_TEST

START_TEST(test_pt_full_execution)
{
	for (size_t i = 0; i < N_VERSIONS; i++) {
		struct perf_record_settings s = pt_of(i);

		s.snapshot = PERF_SNAPSHOT_NEVER;
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u --per-thread -t 1234",
			false, "");
	}
}
END_TEST

START_TEST(test_pt_targets)
{
	for (size_t i = 0; i < N_VERSIONS; i++) {
		struct perf_record_settings s = pt_of(i);

		s.multi_thread = true;
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u -p 1234 --snapshot=e",
			false, "");
		s.n_ids = 3;
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u -p 1234,5678,2147483647 --snapshot=e",
			false, "");
		s.multi_thread = false;
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u --per-thread -t 1234,5678,2147483647 --snapshot=e",
			false, "");
	}
}
END_TEST

START_TEST(test_pt_multi_snapshot)
{
	for (size_t i = 0; i < N_VERSIONS; i++) {
		struct perf_record_settings s = pt_of(i);

		s.snapshot = PERF_SNAPSHOT_ON_REQUEST;
		s.multi_snapshot = true;
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u --per-thread -t 1234 --snapshot --switch-output=signal",
			false, "");
	}
}
END_TEST

START_TEST(test_pt_kernel)
{
	for (size_t i = 0; i < N_VERSIONS; i++) {
		struct perf_record_settings s = pt_of(i);

		s.kcore = true;
		s.scope = "uk";
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/uk --per-thread -t 1234 --snapshot=e",
			true, "");
		s.scope = "k";
		s.snapshot = PERF_SNAPSHOT_NEVER;
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/k --per-thread -t 1234",
			true, "");
		s.kcore = false;
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/k --per-thread -t 1234",
			false, "");
	}
}
END_TEST

START_TEST(test_pt_extra_events)
{
	for (size_t i = 0; i < N_VERSIONS; i++) {
		struct perf_record_settings s = pt_of(i);

		s.branch_misses = s.cache_misses = true;
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u,branch-misses/period=50/uP,cache-misses/period=1/uP -t 1234 --snapshot=e",
			false, "");
		s.branch_misses = false;
		s.scope = "k";
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/k,cache-misses/period=1/kP -t 1234 --snapshot=e",
			false, "");
		s.cache_misses = false;
		s.branch_misses = s.multi_thread = true;
		s.scope = "uk";
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/uk,branch-misses/period=50/ukP -p 1234 --snapshot=e",
			false, "");
	}
}
END_TEST

START_TEST(test_pt_buffers)
{
	for (size_t i = 0; i < N_VERSIONS; i++) {
		struct perf_record_settings s = pt_of(i);

		s.aux_pages = 1024;
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u --per-thread -t 1234 --snapshot=e",
			false, " -m,1024");
		s.data_pages = 64;
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u --per-thread -t 1234 --snapshot=e",
			false, " -m 64,1024");
		s.aux_pages = 0;
		s.kcore = true;
		line_of_version_is(
			&s, i,
			"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u --per-thread -t 1234 --snapshot=e",
			true, " -m 64");
	}
}
END_TEST

/* --snapshot=e came with 5.4, --kcore with 5.5, --control with 5.10. */
START_TEST(test_pt_borders)
{
	struct perf_record_settings s = pt(version(3, 0));

	s.kcore = true;
	line_is(&s,
		"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u --per-thread -t 1234 --snapshot");
	s.version = version(5, 0);
	line_is(&s,
		"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u --per-thread -t 1234 --snapshot=e --kcore");
	s.version = version(9, 0);
	line_is(&s,
		"--event=intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/u --per-thread -t 1234 --snapshot=e --kcore");
}
END_TEST

START_TEST(test_sampling_everything)
{
	struct perf_record_settings s = sampling(version(0, 1));

	s.snapshot = PERF_SNAPSHOT_NEVER;
	line_is(&s,
		"--event=cycles/freq=10000/u --per-thread -t 1234 --control=fd:3,4 --no-bpf-event --call-graph dwarf");
	s.event = "cpu-clock";
	s.callgraph = "fp";
	s.scope = "uk";
	s.multi_thread = true;
	s.n_ids = 2;
	s.freq = 999;
	line_is(&s, "--event=cpu-clock/freq=999/uk -p 1234,5678 --control=fd:3,4 --call-graph fp");
	s.event = "cpu_core/cycles/";
	s.version = version(4, 0);
	line_is(&s, "--event=cpu_core/cycles,freq=999/uk -p 1234,5678 --call-graph fp");
	s.branch_misses = s.cache_misses = true;
	s.multi_thread = false;
	s.n_ids = 1;
	s.event = "cycles";
	line_is(&s,
		"--event=cycles/freq=999/uk,branch-misses/period=50/ukP,cache-misses/period=1/ukP -t 1234 --call-graph fp");
}
END_TEST

/* The mappings are an event of their own, in a buffer that is no ring. */
START_TEST(test_sampling_ring)
{
	struct perf_record_settings s = sampling(version(0, 1));

	line_is(&s,
		"-e dummy/no-overwrite/u -e cycles/freq=10000,overwrite,name=cycles/u --per-thread -t 1234 --control=fd:3,4 --no-bpf-event --call-graph dwarf");
	s.event = "cpu_core/cycles/";
	s.scope = "k";
	s.callgraph = "lbr-no-stitch";
	s.snapshot = PERF_SNAPSHOT_ON_REQUEST;
	line_is(&s,
		"-e dummy/no-overwrite/k -e cpu_core/cycles,freq=10000,overwrite,name=cycles/k --per-thread -t 1234 --control=fd:3,4 --call-graph lbr");
	s.event = "cpu-clock";
	s.callgraph = "lbr";
	s.scope = "u";
	s.multi_snapshot = s.multi_thread = true;
	s.data_pages = 128;
	/* of PT only */
	s.aux_pages = 1024;
	s.kcore = true;
	line_is(&s,
		"-e dummy/no-overwrite/u -e cpu-clock/freq=10000,overwrite,name=cpu-clock/u -p 1234 --switch-output=signal --control=fd:3,4 -m 128 --no-bpf-event --call-graph lbr");
	s = sampling(version(0, 1));
	s.branch_misses = true;
	line_is(&s,
		"-e dummy/no-overwrite/u -e cycles/freq=10000,overwrite,name=cycles/u,branch-misses/period=50,overwrite/uP -t 1234 --control=fd:3,4 --no-bpf-event --call-graph dwarf");
}
END_TEST

/* How perf is told, as its versions understand it. */
START_TEST(test_requests)
{
	static const struct {
		unsigned int minor_of_5, minor_of_6;
		enum perf_request at_end, on_request, stop;
		bool control;
	} want[] = {
		{ 3, 0, PERF_REQUEST_SIGUSR2, PERF_REQUEST_SIGUSR2, PERF_REQUEST_SIGTERM, false },
		{ 4, 0, PERF_REQUEST_SIGINT, PERF_REQUEST_SIGUSR2, PERF_REQUEST_SIGTERM, false },
		{ 9, 0, PERF_REQUEST_SIGINT, PERF_REQUEST_SIGUSR2, PERF_REQUEST_SIGTERM, false },
		{ 10, 0, PERF_REQUEST_SIGINT, PERF_REQUEST_CONTROL, PERF_REQUEST_SIGTERM, true },
		{ 11, 0, PERF_REQUEST_SIGINT, PERF_REQUEST_CONTROL, PERF_REQUEST_SIGTERM, true },
		{ 12, 0, PERF_REQUEST_CONTROL, PERF_REQUEST_CONTROL, PERF_REQUEST_CONTROL, true },
		{ 0, 14, PERF_REQUEST_CONTROL, PERF_REQUEST_CONTROL, PERF_REQUEST_CONTROL, true },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct perf_record_settings s = pt(version(want[i].minor_of_5, want[i].minor_of_6));

		ck_assert_int_eq(perf_record_snapshot_request(&s), want[i].at_end);
		ck_assert_int_eq(perf_record_stop_request(&s), want[i].stop);
		ck_assert_int_eq(perf_record_has_control(&s), want[i].control);
		s.snapshot = PERF_SNAPSHOT_ON_REQUEST;
		ck_assert_int_eq(perf_record_snapshot_request(&s), want[i].on_request);
		ck_assert_int_eq(perf_record_stop_request(&s), want[i].stop);
		s.multi_snapshot = true;
		ck_assert_int_eq(perf_record_snapshot_request(&s), PERF_REQUEST_SIGUSR2);
	}
}
END_TEST

START_TEST(test_ends_with_snapshot)
{
	struct perf_record_settings s = pt(version(0, 1));

	ck_assert(perf_record_ends_with_snapshot(&s));
	s.snapshot = PERF_SNAPSHOT_ON_REQUEST;
	ck_assert(!perf_record_ends_with_snapshot(&s));
	s.snapshot = PERF_SNAPSHOT_NEVER;
	ck_assert(!perf_record_ends_with_snapshot(&s));
	s = pt(version(3, 0));
	ck_assert(!perf_record_ends_with_snapshot(&s));
	s = sampling(version(3, 0));
	ck_assert(perf_record_ends_with_snapshot(&s));
	ck_assert_int_eq(perf_record_snapshot_request(&s), perf_record_stop_request(&s));
	s.snapshot = PERF_SNAPSHOT_ON_REQUEST;
	ck_assert(perf_record_ends_with_snapshot(&s));
	s.multi_snapshot = true;
	ck_assert(!perf_record_ends_with_snapshot(&s));
	s.multi_snapshot = false;
	s.snapshot = PERF_SNAPSHOT_NEVER;
	ck_assert(!perf_record_ends_with_snapshot(&s));
}
END_TEST

SUITE_MAIN("recordargs", test_pt_snapshot_at_end, test_pt_trigger, test_pt_full_execution,
	   test_pt_targets, test_pt_multi_snapshot, test_pt_kernel, test_pt_extra_events,
	   test_pt_buffers, test_pt_borders, test_sampling_everything, test_sampling_ring,
	   test_requests, test_ends_with_snapshot)
