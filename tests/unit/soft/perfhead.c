/* SPDX-License-Identifier: MIT */
/*
 * The layout of a file is written down by hand from tools/perf/Documentation/
 * perf.data-file-format.txt; perf says what it has read.
 */
#include "soft/perfhead.h"

#include "support/outlines.h"
#include "support/perfbranches.h"
#include "support/scratch.h"
#include "support/suite.h"

static struct scratch s;
static struct err err;

static struct perfdata_config plain(void)
{
	static char name[] = "magic-trace", command[] = "run";
	static char *command_line[] = { name, command, NULL };

	return (struct perfdata_config){
		.pt = { .ret_compression = true, .cbr = 10, .tnt_max = 6 },
		.tsc_hz = 1000000000,
		.command_line = command_line,
		.pid = 4000,
		.comm = "prog",
	};
}

/* The number of this many bytes at this place of the file. */
static uint64_t at(const char *data, uint64_t place, size_t bytes)
{
	uint64_t v = 0;

	memcpy(&v, data + place, bytes);
	return v;
}

/* One "record" of 24 bytes between what a file begins and ends with. */
START_TEST(test_layout)
{
	struct perfdata_config config = plain();
	struct outfile *file;
	struct perfhead *head;
	uint64_t table;
	char *data;
	size_t n;

	scratch_init(&s);
	ck_assert_int_eq(outfile_open(scratch_path(&s, "data"), &file, &err), 0);
	head = perfhead_begin(&config, file);
	ck_assert_uint_eq(perfhead_ids(head), 1);
	ck_assert_uint_ne(perfhead_id(head, PERFHEAD_INTEL_PT, 0),
			  perfhead_id(head, PERFHEAD_DUMMY, 0));
	perfhead_add_aux(head, outfile_size(file));
	outfile_put(file, "a record of twenty-four.", 24);
	perfhead_end(head, file);
	ck_assert_uint_eq(perfhead_id(head, PERFHEAD_DUMMY, 0), 2);
	perfhead_free(head);
	perfhead_free(NULL);
	ck_assert_int_eq(outfile_close(file, &err), 0);
	data = scratch_get(scratch_path(&s, "data"), &n);

	ck_assert_mem_eq(data, "PERFILE2", 8);
	ck_assert_uint_eq(at(data, 8, 8), 104);
	ck_assert_uint_eq(at(data, 16, 8), 112 + 16); /* attr_size */
	ck_assert_uint_eq(at(data, 24, 8), 120);      /* attrs: behind two ids */
	ck_assert_uint_eq(at(data, 32, 8), 256);
	ck_assert_uint_eq(at(data, 40, 8), 376); /* data */
	ck_assert_uint_eq(at(data, 48, 8), 24);
	ck_assert_uint_eq(at(data, 56, 8) | at(data, 64, 8), 0); /* event_types */
	/* HOSTNAME to NRCPUS, CMDLINE, EVENT_DESC, PMU_MAPPINGS, AUXTRACE, SAMPLE_TIME */
	ck_assert_uint_eq(at(data, 72, 8),
			  0xf8 | 1u << 11 | 1u << 12 | 1u << 16 | 1u << 18 | 1u << 21);
	ck_assert_uint_eq(at(data, 80, 8) | at(data, 88, 8) | at(data, 96, 8), 0);
	ck_assert_mem_eq(data + 376, "a record of twenty-four.", 24);
	/* each event's section of ids, behind its 112 bytes */
	ck_assert_uint_eq(at(data, at(data, 120 + 112, 8), 8), 1);
	ck_assert_uint_eq(at(data, at(data, 248 + 112, 8), 8), 2);
	/* ten features, one behind the other up to the end; the index is the ninth */
	table = 400;
	for (size_t i = 0, end = table + 160; i < 10; i++, table += 16) {
		ck_assert_uint_eq(at(data, table, 8), end);
		end += at(data, table + 8, 8);
		ck_assert_uint_eq(i == 9, end == n);
	}
	ck_assert_uint_eq(at(data, table - 24, 8), 24);
	ck_assert_uint_eq(at(data, at(data, table - 32, 8), 8), 1);
	ck_assert_uint_eq(at(data, at(data, table - 32, 8) + 8, 8), 376);
	ck_assert_uint_eq(at(data, at(data, table - 32, 8) + 16, 8), 48);
	free(data);
	scratch_fini(&s);
}
END_TEST

/* The settings of the events, and what perf says of the file. */
START_TEST(test_header)
{
	static const char *const events[] = {
		"intel_pt//u: type: 10,",
		/* pt, cyc, mtc, tsc, noretcomp, branch; mtc_period 5, psb_period 3 */
		"config: 0x3016e03,",
		"sample_type: IP|TID|TIME|CPU|IDENTIFIER",
		"exclude_kernel: 1",
		"sample_id_all: 1",
		"dummy:u: type: 1,",
		"config: 0x9,",
		"sample_type: IP|TID|TIME|CPU|IDENTIFIER",
		"mmap: 1, comm: 1,",
		"task: 1",
		"mmap2: 1, comm_exec: 1",
		"context_switch: 1",
		NULL,
	};
	static const char *const facts[] = {
		"# hostname : unknown\n",
		"# os release : unknown\n",
		"# arch : x86_64\n",
		"# nrcpus online : 1\n",
		"# nrcpus avail : 1\n",
		"# cmdline : magic-trace run",
		"# event : name = intel_pt//u, , id = { 1, 3, 5, 7 },",
		"# event : name = dummy:u, , id = { 2, 4, 6, 8 },",
		"# pmu mappings: software = 1, intel_pt = 10\n",
		"# contains AUX area data",
		"# time of first sample : 0.000001\n",
		"# time of last sample : 5.000000\n",
		NULL,
	};
	static const char *const here[] = { "# hostname : here\n", "# nrcpus online : n\n", NULL };
	struct perfdata_config config = plain();
	struct perfdata *pd;

	if (!perfbranches_available("perfhead/perf"))
		return;
	scratch_init(&s);
	config.per_cpu = config.reproducible = true;
	config.n_cpus = 4;
	config.pt.ret_compression = false;
	config.pt.cyc = config.pt.mtc = true;
	config.pt.ctc_ratio = 40;
	config.pt.mtc_period = 5;
	config.pt.psb_period = 3;
	ck_assert_int_eq(perfdata_open(scratch_path(&s, "data"), &config, &pd, &err), 0);
	perfdata_comm(pd, 1, 1, "before", false, 0);
	perfdata_comm(pd, 1, 1, "last", false, 5000000000);
	perfdata_comm(pd, 1, 1, "first", false, 1000);
	ck_assert_int_eq(perfdata_close(pd, &err), 0);
	outlines_check(&s, "perf evlist -v -i data", events);
	outlines_check(&s, "perf script --header-only -i data", facts);

	config.reproducible = false;
	ck_assert_int_eq(perfdata_open(scratch_path(&s, "data"), &config, &pd, &err), 0);
	ck_assert_int_eq(perfdata_close(pd, &err), 0);
	outlines_check(&s,
		       "perf script --header-only -i data | sed \"s/: $(uname -n)$/: here/; "
		       "s/: $(getconf _NPROCESSORS_ONLN)$/: n/\"",
		       here);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("perfhead", test_layout, test_header)
