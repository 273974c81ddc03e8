/* SPDX-License-Identifier: MIT */
#include "record/entries.h"

#include "support/scratch.h"
#include "support/suite.h"

START_TEST(test_names)
{
	static const char *const data[] = { "perf.data", "perf.data.2026010203040506" };
	static const char *const ours[] = { "perf.data.old", "recording.json", "recording.json.new",
					    "recording-1.map", "recording-4194304.map" };
	static const char *const others[] = {
		"",
		"perf.dat",
		"perf.data.",
		"perf.data.2026a",
		"perf.data2",
		"xperf.data",
		"recording-.map",
		"recording-x.map",
		"recording-1.map.x",
		"perf-1.map",
		"recording.json.x",
		"kallsyms",
		"vmlinux",
		"jit-1.dump",
		"recording--1.map",
	};

	for (size_t i = 0; i < sizeof(data) / sizeof(*data); i++)
		ck_assert(entry_is_data(data[i]) && entry_is_ours(data[i]));
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		ck_assert(!entry_is_data(ours[i]) && entry_is_ours(ours[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ck_assert(!entry_is_data(others[i]) && !entry_is_ours(others[i]));
}
END_TEST

START_TEST(test_map_name)
{
	char name[ENTRY_MAP_NAME];

	entry_map_name(INT32_MAX, name);
	ck_assert_str_eq(name, "recording-2147483647.map");
	ck_assert(entry_is_ours(name));
}
END_TEST

START_TEST(test_sizes)
{
	struct err err = ERR_INIT;
	struct scratch s;

	scratch_init(&s);
	scratch_put(&s, "file", "12345");
	ck_assert_int_eq(scratch_run(&s, "mkdir -p dir/sub empty && printf 123 >dir/data && "
					 "printf 45 >dir/more && mkfifo fifo"),
			 0);
	ck_assert_uint_eq(entry_size(scratch_path(&s, "file")), 5);
	ck_assert_uint_eq(entry_size(scratch_path(&s, "dir")), 5);
	ck_assert_uint_eq(entry_size(scratch_path(&s, "none")), 0);
	ck_assert(entry_is_data_directory(scratch_path(&s, "dir")));
	ck_assert(!entry_is_data_directory(scratch_path(&s, "empty")));
	ck_assert(!entry_is_data_directory(scratch_path(&s, "file")));
	ck_assert_int_eq(entry_check(scratch_path(&s, "file"), &err), 0);
	ck_assert_int_eq(entry_check(scratch_path(&s, "dir"), &err), 0);
	ck_assert_int_eq(entry_check(scratch_path(&s, "none"), &err), -1);
	ck_assert_int_eq(entry_check(scratch_path(&s, "fifo"), &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "neither a regular file nor a directory"));
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("record/entries", test_names, test_map_name, test_sizes)
