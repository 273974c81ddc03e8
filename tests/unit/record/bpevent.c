/* SPDX-License-Identifier: MIT */
/* What the records say, laid out by hand as perf_event_open(2) has them; and the errors. */
#include "record/bpevent.h"

#include "support/suite.h"

#include <errno.h>
#include <string.h>

/* The header as the first word. */
static uint64_t head(uint32_t type, uint16_t misc, uint16_t size)
{
	return type | (uint64_t)misc << 32 | (uint64_t)size << 48;
}

static uint64_t pid_tid(uint32_t pid, uint32_t tid)
{
	return pid | (uint64_t)tid << 32;
}

static struct bpevent_record read_it(const uint64_t *words)
{
	struct bpevent_record record;

	bpevent_read((const struct perf_event_header *)words, &record);
	return record;
}

START_TEST(test_sample)
{
	uint64_t words[] = { head(PERF_RECORD_SAMPLE, 0, 64),
			     0x401136,
			     pid_tid(10, 11),
			     123456789,
			     77 /* id */,
			     2 /* 64-bit registers */,
			     0x51 /* SI */,
			     0xd1 /* DI */ };
	struct bpevent_record r = read_it(words);

	ck_assert_int_eq(r.kind, BPEVENT_HIT);
	ck_assert_int_eq(r.pid, 10);
	ck_assert_int_eq(r.tid, 11);
	ck_assert_int_eq(r.time, 123456789);
	ck_assert_uint_eq(r.ip, 0x401136);
	ck_assert_uint_eq(r.id, 77);
	ck_assert_uint_eq(r.si, 0x51);
	ck_assert_uint_eq(r.di, 0xd1);
	words[0] = head(PERF_RECORD_SAMPLE, 0, 48); /* no registers */
	words[5] = 0;
	r = read_it(words);
	ck_assert_int_eq(r.kind, BPEVENT_HIT);
	ck_assert_int_eq(r.time, 123456789);
	ck_assert_uint_eq(r.di, 0);
	words[0] = head(PERF_RECORD_SAMPLE, 0, 40);
	ck_assert_int_eq(read_it(words).kind, BPEVENT_OTHER);
}
END_TEST

START_TEST(test_other_records)
{
	uint64_t comm[] = { head(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 56),
			    pid_tid(10, 10),
			    0,
			    0,
			    pid_tid(10, 10),
			    1000,
			    77 };
	uint64_t lost[] = { head(PERF_RECORD_LOST, 0, 48), 77, 12, pid_tid(10, 11), 2000, 77 };
	struct bpevent_record r = read_it(comm);

	ck_assert_int_eq(r.kind, BPEVENT_EXEC);
	ck_assert_int_eq(r.pid, 10);
	ck_assert_int_eq(r.time, 1000);
	comm[0] = head(PERF_RECORD_COMM, 0, 56); /* only a name */
	r = read_it(comm);
	ck_assert_int_eq(r.kind, BPEVENT_OTHER);
	ck_assert_int_eq(r.time, 1000);
	r = read_it(lost);
	ck_assert_int_eq(r.kind, BPEVENT_LOST);
	ck_assert_uint_eq(r.lost, 12);
	ck_assert_int_eq(r.time, 2000);
	lost[0] = head(PERF_RECORD_LOST, 0, 16);
	ck_assert_int_eq(read_it(lost).kind, BPEVENT_OTHER);
}
END_TEST

START_TEST(test_errors)
{
	static const struct {
		int error;
		const char *msg, *hint;
	} cases[] = {
		{ ESRCH, "ended", "" },
		{ EPERM, "permission", "CAP_PERFMON" },
		{ EACCES, "permission", "perf_event_paranoid" },
		{ ENOSPC, "four", "debuggers" },
		{ EMFILE, "open files", "ulimit" },
		{ ENODEV, "no hardware breakpoints", "SIGUSR2" },
		{ EOPNOTSUPP, "no hardware breakpoints", "SIGUSR2" },
		{ EINVAL, "0x1234", "" },
		{ EIO, "0x1234", "" },
	};
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ck_assert_int_eq(bpevent_failed(&err, cases[i].error, 4321, 0x1234), -1);
		ck_assert_msg(strstr(err.msg, cases[i].msg) != NULL, "%s", err.msg);
		ck_assert_msg(strstr(err.hint, cases[i].hint) != NULL, "%s", err.hint);
	}
}
END_TEST

SUITE_MAIN("bpevent", test_sample, test_other_records, test_errors)
