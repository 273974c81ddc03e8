/* SPDX-License-Identifier: MIT */
#include "record/describe.h"

#include "base/str.h"
#include "record/description.h"

#include "support/suite.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct err err;

static char *describe_well(const struct recording *rec, size_t *n)
{
	char *text = describe(rec, n, &err);

	ck_assert_msg(text != NULL, "%s", err.msg);
	ck_assert_uint_eq(*n, strlen(text));
	return text;
}

/* What the text says to another who reads it. */
static struct recording *there_and_back(const struct recording *rec)
{
	struct recording *back = recording_new();
	struct str text;
	char *p = describe_well(rec, &text.n);

	text.p = p;
	ck_assert_msg(description_parse(back, text, &err) == 0, "%s\n%s", err.msg, p);
	free(p);
	return back;
}

static void add_hit(struct recording *rec, int64_t time, const char *symbol)
{
	struct recording_hit hit = {
		.time = time,
		.passed = 7,
		.arg = UINT64_MAX,
		.ip = UINT64_C(0xffffffff81000c82),
		.tid = INT32_MAX,
		.symbol = (char *)symbol,
	};

	ck_assert(recording_add_hit(rec, &hit));
}

START_TEST(test_members)
{
	struct recording *rec = recording_new();
	json_t *root;
	char *text;
	size_t n;

	recording_set(&rec->mode, "sampling");
	recording_set(&rec->scope, "uk");
	recording_set(&rec->callgraph, "dwarf");
	recording_set(&rec->event, "cpu-clock");
	recording_set(&rec->trigger, "main.f");
	recording_set(&rec->executable, "/bin/a b");
	recording_set(&rec->build_id, "0123456789abcdef");
	recording_set(&rec->magic_trace_version, "1.2");
	recording_set(&rec->perf_version, "6.1.4");
	recording_set(&rec->kernel, "6.1.0");
	recording_set(&rec->cpu, "A CPU @ 3 GHz");
	recording_set_part(rec, "no space");
	recording_set_part(rec, "another reason");
	rec->wall_clock = INT64_MIN;
	add_hit(rec, INT64_MAX, "f");
	recording_add_thread(rec, 10, 11, "worker");
	recording_add_process(rec, 10, "a \"b\"");
	text = describe_well(rec, &n);
	root = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(root);
	free(text);
	text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS);
	ck_assert_str_eq(text,
			 "{\"build_id\":\"0123456789abcdef\",\"callgraph\":\"dwarf\","
			 "\"cpu\":\"A CPU @ 3 GHz\",\"event\":\"cpu-clock\","
			 "\"executable\":\"/bin/a b\",\"hits\":[{\"arg\":\"0xffffffffffffffff\","
			 "\"ip\":\"0xffffffff81000c82\",\"passed\":7,\"symbol\":\"f\","
			 "\"tid\":2147483647,\"time\":9223372036854775807}],"
			 "\"kernel\":\"6.1.0\",\"magic_trace_version\":\"1.2\","
			 "\"mode\":\"sampling\",\"part\":true,\"perf_version\":\"6.1.4\","
			 "\"processes\":[{\"command_line\":\"a \\\"b\\\"\",\"pid\":10,"
			 "\"threads\":[{\"comm\":\"worker\",\"tid\":11}]}],"
			 "\"reason\":\"no space\",\"scope\":\"uk\",\"trigger\":\"main.f\","
			 "\"version\":1,\"wall_clock\":-9223372036854775808}");
	free(text);
	json_decref(root);
	recording_free(rec);
}
END_TEST

START_TEST(test_nothing_known)
{
	struct recording *rec = recording_new(), *back = there_and_back(rec);

	ck_assert_ptr_null(back->mode);
	ck_assert_ptr_null(back->reason);
	ck_assert(!back->part);
	ck_assert_uint_eq(back->n_hits, 0);
	ck_assert_uint_eq(back->n_processes, 0);
	recording_free(rec);
	recording_free(back);
}
END_TEST

/* Names that are not UTF-8, that look like JSON, that hold control characters, or nothing. */
START_TEST(test_hostile_names)
{
	static const char *const names[] = {
		"",
		"\"}],\"mode\":\"x\"",
		"\\u0000\\",
		"\x01\x1f\x7f\n\r\t\x1b[31m",
		"\xff\xfe\x80\xc0\xaf",
		"\xed\xa0\x80\xed\xbf\xbf",
		"\xf4\x8f\xba\x80\xf4\x8f\xbb\xbf\xf4\x90\x80\x80",
		"\xe2\x82",
		"ä€😀",
	};
	size_t n = sizeof(names) / sizeof(*names);
	struct recording *rec = recording_new(), *back;

	for (size_t i = 0; i < n; i++) {
		recording_set(&rec->executable, names[i]);
		recording_set(&rec->trigger, names[i]);
		add_hit(rec, (int64_t)i, names[i]);
		recording_add_process(rec, (int32_t)i + 1, names[i]);
		recording_add_thread(rec, (int32_t)i + 1, 100, names[n - 1 - i]);
		back = there_and_back(rec);
		ck_assert_str_eq(back->executable, names[i]);
		ck_assert_str_eq(back->trigger, names[i]);
		ck_assert_str_eq(back->hits[i].symbol, names[i]);
		ck_assert_str_eq(recording_command_line(back, (int32_t)i + 1), names[i]);
		ck_assert_str_eq(recording_comm(back, (int32_t)i + 1, 100), names[n - 1 - i]);
		recording_free(back);
	}
	recording_free(rec);
}
END_TEST

/* In any order of adding; unknown names stay unknown. */
START_TEST(test_many_threads)
{
	struct recording *rec = recording_new(), *back;
	char name[16];

	for (int32_t i = 0; i < 3000; i++) {
		int32_t pid = 1 + i * 7 % 100, tid = 1 + i * 1009 % 3000;

		snprintf(name, sizeof(name), "t%d", tid);
		recording_add_thread(rec, pid, tid, i % 3 ? name : NULL);
	}
	back = there_and_back(rec);
	ck_assert_uint_eq(back->n_processes, 100);
	ck_assert_uint_eq(back->n_threads, 3000);
	for (int32_t i = 0; i < 3000; i++) {
		int32_t pid = 1 + i * 7 % 100, tid = 1 + i * 1009 % 3000;

		snprintf(name, sizeof(name), "t%d", tid);
		if (i % 3)
			ck_assert_str_eq(recording_comm(back, pid, tid), name);
		else
			ck_assert_ptr_null(recording_comm(back, pid, tid));
		ck_assert_ptr_null(recording_command_line(back, pid));
	}
	recording_free(rec);
	recording_free(back);
}
END_TEST

/* What stands twice in a file that was read is written as it counts. */
START_TEST(test_repeated_ids)
{
	static const char twice[] = "{\"version\": 1, \"processes\": ["
				    "{\"pid\": 5, \"command_line\": \"first\","
				    " \"threads\": [{\"tid\": 6, \"comm\": \"one\"}]},"
				    "{\"pid\": 5, \"command_line\": \"second\","
				    " \"threads\": [{\"tid\": 6, \"comm\": \"two\"},"
				    "  {\"tid\": 7, \"comm\": \"three\"}]}]}";
	struct recording *rec = recording_new(), *back;

	ck_assert_int_eq(description_parse(rec, str_of(twice), &err), 0);
	back = there_and_back(rec);
	ck_assert_str_eq(recording_command_line(back, 5), "first");
	ck_assert_str_eq(recording_comm(back, 5, 6), "one");
	ck_assert_str_eq(recording_comm(back, 5, 7), "three");
	recording_free(rec);
	recording_free(back);
}
END_TEST

/* 80 MiB of names: shortened, so that it can be read. */
START_TEST(test_too_long)
{
	struct recording *rec = recording_new(), *back;
	char *name = malloc(65536);

	ck_assert_ptr_nonnull(name);
	memset(name, 'x', 65535);
	name[65535] = '\0';
	for (int32_t i = 1; i <= 1280; i++)
		recording_add_process(rec, i, name);
	recording_set(&rec->executable, name);
	back = there_and_back(rec);
	ck_assert_str_eq(back->executable, name);
	ck_assert_uint_eq(back->n_processes, 1280);
	ck_assert_uint_eq(strlen(recording_command_line(back, 1280)), 1024);
	recording_free(rec);
	recording_free(back);
	free(name);
}
END_TEST

START_TEST(test_impossible_values)
{
	struct recording *rec = recording_new();
	char id[RECORDING_BUILD_ID_MAX + 3];
	size_t n;

	recording_set(&rec->mode, "pt");
	ck_assert_ptr_null(describe(rec, &n, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "mode"));
	recording_set(&rec->mode, NULL);
	recording_set(&rec->callgraph, "");
	ck_assert_ptr_null(describe(rec, &n, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "callgraph"));
	recording_set(&rec->callgraph, NULL);
	recording_set(&rec->build_id, "abc");
	ck_assert_ptr_null(describe(rec, &n, &err));
	recording_set(&rec->build_id, "gg");
	ck_assert_ptr_null(describe(rec, &n, &err));
	memset(id, 'a', sizeof(id));
	id[sizeof(id) - 1] = '\0';
	recording_set(&rec->build_id, id);
	ck_assert_ptr_null(describe(rec, &n, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "build_id"));
	id[RECORDING_BUILD_ID_MAX] = '\0';
	recording_set(&rec->build_id, id);
	free(describe_well(rec, &n));
	recording_free(rec);
}
END_TEST

SUITE_MAIN("describe", test_members, test_nothing_known, test_hostile_names, test_many_threads,
	   test_repeated_ids, test_too_long, test_impossible_values)
