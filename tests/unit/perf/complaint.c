/* SPDX-License-Identifier: MIT */
#include "perf/complaint.h"

#include "base/err.h"
#include "support/suite.h"

#include <string.h>

static char got[20000]; /* the lines, each in brackets */

static void on_line(void *ctx, struct str line)
{
	size_t n = strlen(got);

	ck_assert_ptr_eq(ctx, got);
	got[n++] = '[';
	memcpy(got + n, line.p, line.n);
	n += line.n;
	strcpy(got + n, "]");
}

static struct complaints complaints(enum perf_mode mode)
{
	got[0] = '\0';
	return (struct complaints){ .mode = mode, .on_line = on_line, .ctx = got };
}

START_TEST(test_lines_of_each_piece_size)
{
	const char *text = "one\n\n  two \r\nthree";

	for (size_t piece = 1; piece <= strlen(text); piece++) {
		struct complaints c = complaints(PERF_PT);

		for (size_t at = 0; at < strlen(text); at += piece)
			complaints_add(&c, text + at, strnlen(text + at, piece));
		ck_assert_str_eq(got, "[one][][  two ]");
		ck_assert_str_eq(c.last, "two");
		complaints_end(&c);
		complaints_end(&c);
		ck_assert_str_eq(got, "[one][][  two ][three]");
		ck_assert_str_eq(c.last, "three");
		ck_assert_ptr_null(c.hint);
	}
}
END_TEST

START_TEST(test_long_lines_are_cut)
{
	struct complaints c = complaints(PERF_PT);
	char big[3 * COMPLAINT_MAX];

	memset(big, 'x', sizeof(big));
	complaints_add(&c, big, sizeof(big));
	complaints_add(&c, "y\nnext\n", 7);
	ck_assert_uint_eq(strlen(got), COMPLAINT_MAX + 2 + 6);
	ck_assert_str_eq(got + COMPLAINT_MAX + 1, "][next]");
	complaints_add(&c, big, sizeof(big));
	complaints_end(&c);
	ck_assert_uint_eq(strlen(c.last), sizeof(c.last) - 1);
}
END_TEST

START_TEST(test_hints)
{
	const char *no_addr =
		"Samples for 'cpu-clock' event do not have ADDR attribute set. Cannot print 'addr' field.\n";
	struct complaints c = complaints(PERF_PT);

	complaints_add(&c, no_addr, strlen(no_addr));
	ck_assert_ptr_nonnull(strstr(c.hint, "-sampling"));
	c = complaints(PERF_SAMPLING);
	complaints_add(&c, no_addr, strlen(no_addr));
	ck_assert_ptr_null(c.hint);
	complaints_add(&c, "incompatible file format (rerun with -v to learn more)\nmore\n", 60);
	ck_assert_ptr_nonnull(strstr(c.hint, "perf.data"));
}
END_TEST

/* What perf 6.1 says of a file cut short, of an empty one, and of one that perf record left open.
 */
START_TEST(test_hints_on_damage)
{
	const char *cut = "0x4e40 [0]: failed to process type: 0 [Invalid argument]\n";
	const char *empty = "zero-sized data (perf.data), nothing to do!\n";
	const char *open =
		"WARNING: The perf.data file's data size field is 0 which is unexpected.\n";
	struct complaints c = complaints(PERF_SAMPLING);

	complaints_add(&c, cut, strlen(cut));
	ck_assert_ptr_nonnull(strstr(c.hint, "cut short"));
	c = complaints(PERF_PT);
	complaints_add(&c, empty, strlen(empty));
	ck_assert_ptr_nonnull(strstr(c.hint, "nothing"));
	c = complaints(PERF_PT);
	complaints_add(&c, open, strlen(open));
	ck_assert_ptr_nonnull(strstr(c.hint, "nothing"));
}
END_TEST

/*
 * What perf record says when it fails, as perf 6.1 printed it here; what cannot be had here (the
 * older words for "permission", a PMU that is busy, 6.8's for an unknown PMU, a CPU without that
 * period) is written from tools/perf of those versions.
 */
START_TEST(test_hints_of_record)
{
	static const struct {
		enum perf_mode mode;
		const char *text, *telling, *hint;
	} cases[] = {
		{ PERF_PT,
		  "Permission error mapping pages.\nConsider increasing /proc/sys/kernel/perf_event_mlock_kb,\nor try again with a smaller value of -m/--mmap_pages.\n(current value: 16384,0)\n",
		  "Permission error mapping pages.", "-snapshot-size" },
		{ PERF_PT,
		  "Error:\nAccess to performance monitoring and observability operations is limited.\nConsider adjusting /proc/sys/kernel/perf_event_paranoid setting to open\n      Ignore mlock limit after perf_event_mlock_kb without CAP_IPC_LOCK\n",
		  "Access to performance monitoring and observability operations is limited.",
		  "kernel.perf_event_paranoid" },
		{ PERF_SAMPLING,
		  "Error:\nYou may not have permission to collect stats.\n\nConsider tweaking /proc/sys/kernel/perf_event_paranoid,\n",
		  "You may not have permission to collect stats.", "kernel.perf_event_paranoid" },
		{ PERF_PT,
		  "event syntax error: 'intel_pt/cyc=1/u'\n                     \\___ Cannot find PMU `intel_pt'. Missing kernel support?\nRun 'perf list' for a list of valid events\n",
		  "\\___ Cannot find PMU `intel_pt'. Missing kernel support?", "-sampling" },
		{ PERF_PT,
		  "event syntax error: 'intel_pt//u'\n                     \\___ Bad event or PMU\n\nUnable to find PMU or event on a PMU of 'intel_pt'\n",
		  "Unable to find PMU or event on a PMU of 'intel_pt'", "-sampling" },
		{ PERF_SAMPLING,
		  "Error:\nThe branch-misses/period=50,overwrite/uP event is not supported.\n",
		  "The branch-misses/period=50,overwrite/uP event is not supported.",
		  "does not count that event" },
		{ PERF_SAMPLING,
		  "failed to write perf data, error: No space left on device\nfailed to write perf data, error: No space left on device\n",
		  "failed to write perf data, error: No space left on device",
		  "-working-directory" },
		{ PERF_SAMPLING,
		  "failed to open nodir/e.data : No such file or directory\nPerf session creation failed.\n",
		  "failed to open nodir/e.data : No such file or directory", "-working-directory" },
		{ PERF_SAMPLING,
		  "Error:\nThe sys_perf_event_open() syscall returned with 3 (No such process) for event (cpu-clock/freq=1000/u).\n/bin/dmesg | grep -i perf may provide additional information.\n\n",
		  "The sys_perf_event_open() syscall returned with 3 (No such process) for event (cpu-clock/freq=1000/u).",
		  "ended before" },
		{ PERF_SAMPLING, "Couldn't create thread/CPU maps: No such process\n",
		  "Couldn't create thread/CPU maps: No such process", "ended before" },
		{ PERF_PT, "ERROR: kcore is not readable.\n", "ERROR: kcore is not readable.",
		  "MAGIC_TRACE_PERF_NO_KCORE" },
		{ PERF_PT,
		  "Error:\nThe sys_perf_event_open() syscall returned with 16 (Device or resource busy) for event (intel_pt//u).\n",
		  "The sys_perf_event_open() syscall returned with 16 (Device or resource busy) for event (intel_pt//u).",
		  "somebody else" },
		{ PERF_PT, "The PMU intel_pt counters are busy and in use by another process.\n",
		  "The PMU intel_pt counters are busy and in use by another process.",
		  "somebody else" },
		{ PERF_PT, "Invalid mtc_period for intel_pt. Valid values are: 0,3,6,9\n",
		  "Invalid mtc_period for intel_pt. Valid values are: 0,3,6,9",
		  "-timer-resolution" },
		{ PERF_SAMPLING,
		  "Error:\ncpu-clock/freq=1000/u: PMU Hardware or event type doesn't support branch stack sampling.\n",
		  "cpu-clock/freq=1000/u: PMU Hardware or event type doesn't support branch stack sampling.",
		  "-callgraph-mode" },
		{ PERF_SAMPLING,
		  "  Error: unknown option `control'\n\n Usage: perf record [<options>] [<command>]\n    or: more\n",
		  "Error: unknown option `control'", "older than it says" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct complaints c = complaints(cases[i].mode);

		complaints_add(&c, cases[i].text, strlen(cases[i].text));
		ck_assert_str_eq(c.telling, cases[i].telling);
		ck_assert_msg(strstr(c.hint, cases[i].hint) != NULL, "'%s' has not '%s'", c.hint,
			      cases[i].hint);
		/* it is not cut where it is shown */
		ck_assert_uint_lt(strlen(c.hint), sizeof(((struct err *)NULL)->hint));
	}
}
END_TEST

/* What says nothing is dropped; what was lost is not nothing. */
START_TEST(test_noise)
{
	const char *text = "libperf: Miscounted nr_mmaps 4 vs 2\n"
			   "Events enabled\n"
			   "[ perf record: Woken up 2 times to write data ]\n"
			   "Processed 5 events and lost 3 chunks!\n"
			   "[ perf record: Dump m.data.2026112920492205 ]\n"
			   "AUX data lost 2 times out of 9!\n"
			   "[ perf record: Captured and wrote 0.126 MB m.data.<timestamp> ]\n";
	const char *usage =
		"  Error: unknown option `x'\n\n Usage: perf record [<options>]\n\n    -a  all\n";
	struct complaints c = complaints(PERF_PT);

	complaints_add(&c, text, strlen(text));
	ck_assert_str_eq(
		got, "[Processed 5 events and lost 3 chunks!][AUX data lost 2 times out of 9!]");
	ck_assert_str_eq(c.last, "AUX data lost 2 times out of 9!");
	ck_assert_str_eq(c.telling, "");
	c = complaints(PERF_PT);
	complaints_add(&c, usage, strlen(usage));
	complaints_end(&c);
	ck_assert_str_eq(got, "[  Error: unknown option `x'][]");
	ck_assert_str_eq(c.last, "Error: unknown option `x'");
}
END_TEST

START_TEST(test_nobody_listens)
{
	struct complaints c = { .mode = PERF_PT };

	complaints_add(&c, "a\nb\n", 4);
	complaints_end(&c);
	ck_assert_str_eq(c.last, "b");
}
END_TEST

/* One that never ends must not fill the terminal, or the log. */
START_TEST(test_many_lines_are_counted)
{
	struct complaints c = complaints(PERF_PT);
	size_t whole;

	for (int i = 0; i < COMPLAINTS_SHOWN; i++)
		complaints_add(&c, "x\n", 2);
	whole = strlen(got);
	ck_assert_uint_eq(whole, COMPLAINTS_SHOWN * strlen("[x]"));
	for (int i = 0; i < 41; i++)
		complaints_add(&c, "y\n", 2);
	complaints_add(&c, "last", 4);
	ck_assert_uint_eq(strlen(got), whole);
	complaints_end(&c);
	complaints_end(&c);
	ck_assert_str_eq(got + whole, "[... and 42 more lines]");
	ck_assert_str_eq(c.last, "last");
}
END_TEST

SUITE_MAIN("complaint", test_lines_of_each_piece_size, test_long_lines_are_cut, test_hints,
	   test_hints_on_damage, test_hints_of_record, test_noise, test_nobody_listens,
	   test_many_lines_are_counted)
