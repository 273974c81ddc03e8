/* SPDX-License-Identifier: MIT */
#include "record/recording.h"

#include "support/suite.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/recording-XXXXXX";

static void set_up(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void tear_down(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static const char *in_dir(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(in_dir(name), "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

/* The directory with one data file and this recording.json. */
static struct recording *open_with(const char *json, struct err *warning)
{
	struct recording *rec;
	struct err err = ERR_INIT;

	put("perf.data", "");
	put("recording.json", json);
	ck_assert_msg(recording_open(dir, &rec, warning, &err) == 0, "%s", err.msg);
	return rec;
}

START_TEST(test_data_files_in_order)
{
	static const char *const names[] = {
		"perf.data.2026080312000102",
		"perf.data",
		"perf.data.2026080311595999",
		"perf.data.old",
		"perf.data.guest",
		"perf.data.",
		"perf.dat",
		"xperf.data",
		"perf.data.1x",
	};
	struct err err = ERR_INIT, warning;
	struct recording *rec;

	set_up();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		put(names[i], "12345");
	ck_assert_int_eq(recording_open(dir, &rec, &warning, &err), 0);
	ck_assert_str_eq(warning.msg, "");
	ck_assert_uint_eq(rec->n_data, 3);
	ck_assert_str_eq(rec->data[0], in_dir("perf.data"));
	ck_assert_str_eq(rec->data[1], in_dir("perf.data.2026080311595999"));
	ck_assert_str_eq(rec->data[2], in_dir("perf.data.2026080312000102"));
	ck_assert_uint_eq(rec->data_bytes, 15);
	ck_assert_uint_eq(rec->sizes[0], 5);
	ck_assert_uint_eq(rec->sizes[2], 5);
	ck_assert(!rec->has_json);
	ck_assert_ptr_null(rec->mode);
	recording_free(rec);
	tear_down();
}
END_TEST

START_TEST(test_single_file)
{
	struct err err = ERR_INIT, warning;
	struct recording *rec;

	set_up();
	put("any.name", "123");
	ck_assert_int_eq(recording_open(in_dir("any.name"), &rec, &warning, &err), 0);
	ck_assert_uint_eq(rec->n_data, 1);
	ck_assert_str_eq(rec->data[0], in_dir("any.name"));
	ck_assert_uint_eq(rec->data_bytes, 3);
	recording_free(rec);
	tear_down();
}
END_TEST

/* What `perf record --kcore` makes: a directory perf.data with the data in data. */
START_TEST(test_data_directories)
{
	struct err err = ERR_INIT, warning;
	struct recording *rec;

	set_up();
	ck_assert_int_eq(mkdir(in_dir("perf.data"), 0700), 0);
	put("perf.data/data", "1234567");
	ck_assert_int_eq(recording_open(dir, &rec, &warning, &err), 0);
	ck_assert_uint_eq(rec->n_data, 1);
	ck_assert_str_eq(rec->data[0], in_dir("perf.data"));
	ck_assert_uint_eq(rec->data_bytes, 7);
	recording_free(rec);
	ck_assert_int_eq(recording_open(in_dir("perf.data"), &rec, &warning, &err), 0);
	ck_assert_uint_eq(rec->n_data, 1);
	ck_assert_str_eq(rec->data[0], in_dir("perf.data"));
	recording_free(rec);
	tear_down();
}
END_TEST

START_TEST(test_nothing_there)
{
	struct err err = ERR_INIT, warning;
	struct recording *rec;

	set_up();
	ck_assert_int_eq(recording_open(in_dir("none"), &rec, &warning, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "No such file"));
	put("perf.data.old", "");
	ck_assert_int_eq(recording_open(dir, &rec, &warning, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.hint, "perf.data.TIMESTAMP"));
	tear_down();
}
END_TEST

/* A dangling link, a FIFO (opening it would wait for ever) and an unreadable file among others. */
START_TEST(test_unusable_data_files)
{
	struct err err = ERR_INIT, warning;
	struct recording *rec;

	set_up();
	put("perf.data.1", "123");
	put("perf.data.3", "1234");
	ck_assert_int_eq(recording_open(dir, &rec, &warning, &err), 0);
	ck_assert(!rec->part);
	recording_free(rec);
	ck_assert_int_eq(mkfifo(in_dir("perf.data.2"), 0600), 0);
	ck_assert_int_eq(recording_open(dir, &rec, &warning, &err), 0);
	ck_assert(rec->part);
	ck_assert_uint_eq(rec->n_data, 2);
	ck_assert_str_eq(rec->data[0], in_dir("perf.data.1"));
	ck_assert_str_eq(rec->data[1], in_dir("perf.data.3"));
	ck_assert_uint_eq(rec->sizes[1], 4);
	ck_assert_uint_eq(rec->data_bytes, 7);
	ck_assert_ptr_nonnull(strstr(warning.msg, "1 of 3"));
	ck_assert_ptr_nonnull(strstr(warning.msg, "/perf.data.2: "));
	ck_assert_ptr_nonnull(strstr(warning.msg, "neither a regular file nor a directory"));
	recording_free(rec);
	ck_assert_int_eq(symlink("nothing", in_dir("perf.data")), 0);
	put("recording.json", "[]");
	ck_assert_int_eq(recording_open(dir, &rec, &warning, &err), 0);
	ck_assert(rec->part);
	ck_assert_uint_eq(rec->n_data, 2);
	/* The first by name is named; and what is wrong with recording.json is said as well. */
	ck_assert_ptr_nonnull(strstr(warning.msg, "2 of 4"));
	ck_assert_ptr_nonnull(strstr(warning.msg, "/perf.data: No such file"));
	ck_assert_ptr_nonnull(strstr(warning.msg, "not a JSON object"));
	recording_free(rec);
	ck_assert_int_eq(unlink(in_dir("perf.data.1")), 0);
	ck_assert_int_eq(unlink(in_dir("perf.data.3")), 0);
	ck_assert_int_eq(recording_open(dir, &rec, &warning, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "/perf.data: No such file"));
	ck_assert_int_eq(recording_open(in_dir("perf.data"), &rec, &warning, &err), -1);
	ck_assert_int_eq(recording_open(in_dir("perf.data.2"), &rec, &warning, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "neither a regular file nor a directory"));
	tear_down();
}
END_TEST

START_TEST(test_unreadable_data_file)
{
	struct err err = ERR_INIT, warning;
	bool root = getuid() == 0;
	struct recording *rec;

	set_up();
	put("perf.data", "");
	put("perf.data.1", "");
	ck_assert_int_eq(chmod(in_dir("perf.data"), 0), 0);
	ck_assert_int_eq(chmod(dir, 0755), 0);
	if (root)
		ck_assert_int_eq(setreuid(65534, (uid_t)-1), 0);
	ck_assert_int_eq(recording_open(dir, &rec, &warning, &err), 0);
	if (root)
		ck_assert_int_eq(setreuid(0, (uid_t)-1), 0);
	ck_assert(rec->part);
	ck_assert_uint_eq(rec->n_data, 1);
	ck_assert_str_eq(rec->data[0], in_dir("perf.data.1"));
	ck_assert_ptr_nonnull(strstr(warning.msg, "/perf.data: Permission denied"));
	recording_free(rec);
	tear_down();
}
END_TEST

START_TEST(test_all_that_json_says)
{
	struct err warning;
	struct recording *rec;

	set_up();
	rec = open_with("{\"version\": 1, \"mode\": \"sampling\", \"scope\": \"uk\","
			" \"callgraph\": \"fp\", \"executable\": \"/bin/x\","
			" \"event\": \"cpu-clock\", \"trigger\": \".\", \"build_id\": \"0aF9\","
			" \"magic_trace_version\": \"2\", \"perf_version\": \"6.1\","
			" \"kernel\": \"6.18\", \"cpu\": \"486\", \"part\": true,"
			" \"reason\": \"none\","
			" \"wall_clock\": 1754000000000000000, \"later\": {\"a\": [1]},"
			" \"hits\": [{\"time\": 9223372036854775807, \"tid\": 2147483647,"
			"   \"symbol\": \"f\", \"arg\": \"0xFFFFffffffffffff\", \"passed\": 5,"
			"   \"ip\": \"0xffffffff81000c82\"},"
			"  {\"time\": 0, \"tid\": 1, \"symbol\": \"\"}],"
			" \"processes\": [{\"pid\": 10, \"command_line\": \"a b\","
			"   \"threads\": [{\"tid\": 10, \"comm\": \"a\"}, {\"tid\": 11}]},"
			"  {\"pid\": 20, \"threads\": [{\"tid\": 21, \"comm\": \"c\"}]},"
			"  {\"pid\": 30}]}",
			&warning);
	ck_assert_str_eq(warning.msg, "");
	ck_assert(rec->has_json);
	ck_assert_str_eq(rec->mode, "sampling");
	ck_assert_str_eq(rec->scope, "uk");
	ck_assert_str_eq(rec->callgraph, "fp");
	ck_assert_str_eq(rec->executable, "/bin/x");
	ck_assert_str_eq(rec->event, "cpu-clock");
	ck_assert_str_eq(rec->trigger, ".");
	ck_assert_str_eq(rec->build_id, "0aF9");
	ck_assert_str_eq(rec->magic_trace_version, "2");
	ck_assert_str_eq(rec->perf_version, "6.1");
	ck_assert_str_eq(rec->kernel, "6.18");
	ck_assert_str_eq(rec->cpu, "486");
	ck_assert(rec->part);
	ck_assert_str_eq(rec->reason, "none");
	ck_assert_int_eq(rec->wall_clock, INT64_C(1754000000000000000));
	ck_assert_uint_eq(rec->n_hits, 2);
	ck_assert_int_eq(rec->hits[0].time, INT64_MAX);
	ck_assert_int_eq(rec->hits[0].passed, 5);
	ck_assert_uint_eq(rec->hits[0].arg, UINT64_MAX);
	ck_assert_uint_eq(rec->hits[0].ip, UINT64_C(0xffffffff81000c82));
	ck_assert_int_eq(rec->hits[0].tid, INT32_MAX);
	ck_assert_str_eq(rec->hits[0].symbol, "f");
	ck_assert_int_eq(rec->hits[1].time, 0);
	ck_assert_uint_eq(rec->hits[1].arg, 0);
	ck_assert_str_eq(recording_command_line(rec, 10), "a b");
	ck_assert_ptr_null(recording_command_line(rec, 20));
	ck_assert_ptr_null(recording_command_line(rec, 11));
	ck_assert_str_eq(recording_comm(rec, 10, 10), "a");
	ck_assert_ptr_null(recording_comm(rec, 10, 11));
	ck_assert_str_eq(recording_comm(rec, 20, 21), "c");
	ck_assert_ptr_null(recording_comm(rec, 10, 21));
	recording_free(rec);
	tear_down();
}
END_TEST

/* In any order, and some twice: then the first that stands there is meant. */
START_TEST(test_many_processes)
{
	size_t size = 200000, n = 0;
	char *json = malloc(size), want[16];
	struct recording *rec;
	struct err warning;
	int i;

	ck_assert_ptr_nonnull(json);
	set_up();
	n += (size_t)snprintf(json, size, "{\"version\": 1, \"processes\": [");
	for (i = 0; i < 1000; i++)
		n += (size_t)snprintf(json + n, size - n,
				      "{\"pid\": %d, \"command_line\": \"p%d\", \"threads\":"
				      " [{\"tid\": %d, \"comm\": \"t%d\"},"
				      " {\"tid\": 1, \"comm\": \"u%d\"}]},",
				      2 * (i * 7 % 900 + 1), i, 5000 - i, i, i);
	snprintf(json + n, size - n, "{\"pid\": 4}]}");
	rec = open_with(json, &warning);
	ck_assert_str_eq(warning.msg, "");
	for (i = 0; i < 1000; i++) {
		int pid = 2 * (i * 7 % 900 + 1);

		/* From 900 on each pid is one that was there before. */
		snprintf(want, sizeof(want), "p%d", i % 900);
		ck_assert_str_eq(recording_command_line(rec, pid), want);
		snprintf(want, sizeof(want), "u%d", i % 900);
		ck_assert_str_eq(recording_comm(rec, pid, 1), want);
		snprintf(want, sizeof(want), "t%d", i);
		ck_assert_str_eq(recording_comm(rec, pid, 5000 - i), want);
		ck_assert_ptr_null(recording_command_line(rec, pid - 1));
		ck_assert_ptr_null(recording_comm(rec, pid - 1, 1));
		ck_assert_ptr_null(recording_comm(rec, pid, 2));
	}
	ck_assert_ptr_null(recording_command_line(rec, INT32_MAX));
	ck_assert_ptr_null(recording_comm(rec, INT32_MAX, INT32_MAX));
	recording_free(rec);
	free(json);
	tear_down();
}
END_TEST

START_TEST(test_broken_json_is_as_none)
{
	static const char *const bads[][2] = {
		{ "", "line 1" },
		{ "[]", "not a JSON object" },
		{ "{", "line 1" },
		{ "{}", "version" },
		{ "{\"version\": 2}", "version" },
		{ "{\"version\": \"1\"}", "version" },
		{ "{\"version\": 1, \"version\": 1}", "duplicate" },
		{ "{\"version\": 1, \"mode\": \"x\"}", "mode" },
		{ "{\"version\": 1, \"mode\": \"sampling\", \"scope\": 3}", "scope" },
		{ "{\"version\": 1, \"callgraph\": \"\"}", "callgraph" },
		{ "{\"version\": 1, \"executable\": \"a\\u0000b\"}", "NUL" },
		{ "{\"version\": 1, \"executable\": \"\xff\"}", "0xff" },
		{ "{\"version\": 1, \"build_id\": \"abc\"}", "build_id" },
		{ "{\"version\": 1, \"kernel\": 6}", "kernel" },
		{ "{\"version\": 1, \"part\": 1}", "part" },
		{ "{\"version\": 1, \"part\": true, \"reason\": []}", "reason" },
		{ "{\"version\": 1, \"part\": true, \"hits\": 1}", "hits" },
		{ "{\"version\": 1, \"wall_clock\": 1.5}", "wall_clock" },
		{ "{\"version\": 1, \"wall_clock\": 9223372036854775808}", "big" },
		{ "{\"version\": 1, \"hits\": {}}", "hits" },
		{ "{\"version\": 1, \"hits\": [1]}", "\"hits\"[0]" },
		{ "{\"version\": 1, \"hits\": [{\"time\": -1, \"tid\": 1, \"symbol\": \"\"}]}",
		  "time" },
		{ "{\"version\": 1, \"hits\": [{\"tid\": 1, \"symbol\": \"\"}]}", "time" },
		{ "{\"version\": 1, \"hits\": [{\"time\": 1, \"symbol\": \"\"}]}", "tid" },
		{ "{\"version\": 1, \"hits\": [{\"time\": 1, \"tid\": 0, \"symbol\": \"\"}]}",
		  "tid" },
		{ "{\"version\": 1, \"hits\": [{\"time\": 1, \"tid\": 1}]}", "symbol" },
		{ "{\"version\": 1, \"hits\": [{\"time\": 1, \"tid\": 1, \"symbol\": \"\","
		  " \"arg\": \"0x10000000000000000\"}]}",
		  "arg" },
		{ "{\"version\": 1, \"hits\": [{\"time\": 1, \"tid\": 1, \"symbol\": \"\","
		  " \"arg\": \"12\"}]}",
		  "arg" },
		{ "{\"version\": 1, \"hits\": [{\"time\": 1, \"tid\": 1, \"symbol\": \"\","
		  " \"ip\": \"0x\"}]}",
		  "ip" },
		{ "{\"version\": 1, \"processes\": [{\"pid\": 2147483648}]}", "pid" },
		{ "{\"version\": 1, \"processes\": [{\"pid\": 1}, {}]}", "\"processes\"[1]" },
		{ "{\"version\": 1, \"processes\": [{\"pid\": 1, \"threads\": [{\"tid\": 1,"
		  " \"comm\": 5}]}]}",
		  "\"threads\"[0]" },
	};

	set_up();
	for (size_t i = 0; i < sizeof(bads) / sizeof(*bads); i++) {
		struct err warning;
		struct recording *rec = open_with(bads[i][0], &warning);

		ck_assert_msg(strstr(warning.msg, "recording.json is ignored") &&
				      strstr(warning.msg, bads[i][1]),
			      "%s: %s", bads[i][0], warning.msg);
		ck_assert(!rec->has_json);
		ck_assert(!rec->part);
		ck_assert_ptr_null(rec->mode);
		ck_assert_ptr_null(rec->reason);
		ck_assert_uint_eq(rec->n_hits, 0);
		ck_assert_uint_eq(rec->n_processes, 0);
		recording_free(rec);
	}
	tear_down();
}
END_TEST

START_TEST(test_json_out_of_all_measure)
{
	size_t depth = 3000000;
	char *deep = malloc(depth + 1);
	struct err warning, err = ERR_INIT;
	struct recording *rec;

	ck_assert_ptr_nonnull(deep);
	set_up();
	memset(deep, '[', depth);
	deep[depth] = '\0';
	rec = open_with(deep, &warning);
	ck_assert(!rec->has_json);
	ck_assert_ptr_nonnull(strstr(warning.msg, "depth"));
	recording_free(rec);
	free(deep);
	ck_assert_int_eq(truncate(in_dir("recording.json"), (off_t)65 << 20), 0);
	ck_assert_int_eq(recording_open(dir, &rec, &warning, &err), 0);
	ck_assert_ptr_nonnull(strstr(warning.msg, "larger"));
	recording_free(rec);
	ck_assert_int_eq(unlink(in_dir("recording.json")), 0);
	ck_assert_int_eq(mkfifo(in_dir("recording.json"), 0600), 0);
	ck_assert_int_eq(recording_open(dir, &rec, &warning, &err), 0);
	ck_assert_ptr_nonnull(strstr(warning.msg, "regular"));
	recording_free(rec);
	tear_down();
}
END_TEST

/* The example in the documentation is one that is accepted. */
START_TEST(test_documented_example)
{
	static char text[20000];
	FILE *file = fopen("docs/recording.md", "r");
	struct recording *rec;
	struct err warning;
	char *begin, *end;

	ck_assert_ptr_nonnull(file);
	fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	begin = strstr(text, "```json\n");
	ck_assert_ptr_nonnull(begin);
	begin += strlen("```json\n");
	end = strstr(begin, "```");
	ck_assert_ptr_nonnull(end);
	*end = '\0';
	set_up();
	rec = open_with(begin, &warning);
	ck_assert_str_eq(warning.msg, "");
	ck_assert_str_eq(recording_comm(rec, 4242, 4243), "worker");
	recording_free(rec);
	tear_down();
}
END_TEST

START_TEST(test_added)
{
	struct recording *rec = recording_new();
	struct recording_hit hit = { .time = 5, .passed = -1, .tid = 9 };
	char symbol[] = "f";

	hit.symbol = symbol;
	ck_assert(recording_add_hit(rec, &hit));
	symbol[0] = 'g';
	ck_assert_str_eq(rec->hits[0].symbol, "f");
	ck_assert_int_eq(rec->hits[0].passed, 0);
	hit.tid = 0;
	ck_assert(!recording_add_hit(rec, &hit));
	hit = (struct recording_hit){ .time = -1, .tid = 1 };
	ck_assert(!recording_add_hit(rec, &hit));
	ck_assert_uint_eq(rec->n_hits, 1);
	recording_add_process(rec, 0, "none");
	recording_add_thread(rec, 1, 0, "none");
	recording_add_thread(rec, -1, 1, "none");
	ck_assert_uint_eq(rec->n_processes + rec->n_threads, 0);
	recording_add_thread(rec, 7, 8, "old");
	ck_assert_ptr_null(recording_command_line(rec, 7));
	recording_add_thread(rec, 7, 8, NULL);
	ck_assert_str_eq(recording_comm(rec, 7, 8), "old");
	recording_add_thread(rec, 7, 8, "new");
	recording_add_process(rec, 7, "old");
	recording_add_process(rec, 7, "new");
	recording_add_process(rec, 7, NULL);
	ck_assert_str_eq(recording_comm(rec, 7, 8), "new");
	ck_assert_str_eq(recording_command_line(rec, 7), "new");
	ck_assert_uint_eq(rec->n_processes, 1);
	ck_assert_uint_eq(rec->n_threads, 1);
	recording_free(rec);
	recording_free(NULL);
}
END_TEST

START_TEST(test_written)
{
	struct recording *rec = recording_new(), *back;
	struct err err = ERR_INIT, warning;
	struct stat st;

	set_up();
	put("perf.data", "");
	put("recording.json", "old");
	put("recording.json.new", "left by one that was killed");
	recording_set(&rec->mode, "intel_pt");
	recording_set(&rec->executable, "/\xff");
	recording_set_part(rec, "perf was killed");
	ck_assert_msg(recording_write(rec, dir, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(stat(in_dir("recording.json"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(access(in_dir("recording.json.new"), F_OK), -1);
	ck_assert_int_eq(recording_open(dir, &back, &warning, &err), 0);
	ck_assert_str_eq(warning.msg, "");
	ck_assert_str_eq(back->mode, "intel_pt");
	ck_assert_str_eq(back->executable, "/\xff");
	ck_assert(back->part);
	ck_assert_str_eq(back->reason, "perf was killed");
	recording_free(back);
	recording_set(&rec->scope, "x");
	ck_assert_int_eq(recording_write(rec, dir, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "/recording.json is not written"));
	recording_set(&rec->scope, NULL);
	ck_assert_int_eq(recording_write(rec, in_dir("none"), &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "/none/recording.json: No such file"));
	recording_free(rec);
	tear_down();
}
END_TEST

START_TEST(test_written_to_full_disk)
{
	struct recording *rec = recording_new(), *back;
	struct err err = ERR_INIT, warning;
	char command[200];

	set_up();
	snprintf(command, sizeof(command), "mount -t tmpfs -o size=64k none %s 2>/dev/null", dir);
	if (system(command) != 0) {
		printf("SKIP test_written_to_full_disk: a tmpfs cannot be mounted here\n");
		recording_free(rec);
		tear_down();
		return;
	}
	put("perf.data", "");
	recording_set(&rec->kernel, "first");
	ck_assert_int_eq(recording_write(rec, dir, &err), 0);
	snprintf(command, sizeof(command), "head -c 100000 /dev/zero >%s/fill 2>/dev/null", dir);
	system(command);
	recording_set(&rec->kernel, "second");
	ck_assert_int_eq(recording_write(rec, dir, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(ENOSPC)));
	ck_assert_ptr_nonnull(strstr(err.hint, "free some space"));
	ck_assert_int_eq(recording_open(dir, &back, &warning, &err), 0);
	ck_assert_str_eq(back->kernel, "first");
	recording_free(back);
	ck_assert_int_eq(access(in_dir("recording.json.new"), F_OK), -1);
	recording_free(rec);
	snprintf(command, sizeof(command), "umount %s", dir);
	ck_assert_int_eq(system(command), 0);
	tear_down();
}
END_TEST

SUITE_MAIN("recording", test_data_files_in_order, test_single_file, test_data_directories,
	   test_nothing_there, test_unusable_data_files, test_unreadable_data_file,
	   test_all_that_json_says, test_many_processes, test_broken_json_is_as_none,
	   test_json_out_of_all_measure, test_documented_example, test_added, test_written,
	   test_written_to_full_disk)
