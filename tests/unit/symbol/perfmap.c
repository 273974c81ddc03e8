/* SPDX-License-Identifier: MIT */
/* What is expected is found by asking the lines one by one, from the last. */
#include "symbol/perfmap.h"

#include "support/random.h"
#include "support/scratch.h"
#include "support/suite.h"

static const struct regular_trust ours;

static struct perfmap *read_text(struct scratch *s, const char *text)
{
	struct err err = ERR_INIT;
	struct perfmap *map;

	scratch_put(s, "map", text);
	ck_assert_msg(perfmap_read(scratch_path(s, "map"), &ours, &map, &err) == 0, "%s", err.msg);
	return map;
}

static void check(const struct perfmap *map, uint64_t address, const char *name, uint64_t start)
{
	struct perfmap_function f;

	if (!name) {
		ck_assert(!perfmap_find(map, address, &f));
		return;
	}
	ck_assert(perfmap_find(map, address, &f));
	ck_assert_str_eq(f.name, name);
	ck_assert_uint_eq(f.start, start);
}

START_TEST(test_forms)
{
	struct perfmap *map;
	struct scratch s;

	scratch_init(&s);
	map = read_text(&s, "1000 10 plain\n"
			    "0x2000 0x10 with 0x and blanks: a(b, c) \n"
			    "3000 10 \n"
			    "3010 10\n"
			    "4000 0 nothing\n"
			    "FFFF0 a0 CAPITALS\n"
			    "x000 10 bad\n"
			    "5000 zz bad\n"
			    "\n"
			    "-6000 10 bad\n"
			    "fffffffffffffff0 20 beyond the end\n"
			    "10000000000000000 10 too large\n"
			    "7000 10 last");
	check(map, 0xfff, NULL, 0);
	check(map, 0x1000, "plain", 0x1000);
	check(map, 0x100f, "plain", 0x1000);
	check(map, 0x1010, NULL, 0);
	check(map, 0x2008, "with 0x and blanks: a(b, c) ", 0x2000);
	check(map, 0x3000, "", 0x3000);
	check(map, 0x301f, "", 0x3010);
	check(map, 0x4000, NULL, 0);
	check(map, 0x5000, NULL, 0);
	check(map, 0xffff0, "CAPITALS", 0xffff0);
	check(map, UINT64_MAX, NULL, 0);
	check(map, 0x7001, "last", 0x7000);
	perfmap_free(map);
	map = read_text(&s, "");
	check(map, 0, NULL, 0);
	perfmap_free(map);
	perfmap_free(NULL);
	scratch_fini(&s);
}
END_TEST

#define LINES 60
#define SPACE 100

START_TEST(test_later_lines_win)
{
	uint64_t random = 1;
	struct scratch s;

	scratch_init(&s);
	for (int round = 0; round < 500; round++) {
		uint64_t start[LINES], size[LINES];
		char text[LINES * 32], name[32];
		size_t n = 1 + below(&random, LINES), used = 0;
		struct perfmap *map;

		for (size_t i = 0; i < n; i++) {
			start[i] = below(&random, SPACE);
			size[i] = 1 + below(&random, 30);
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "%llx %llx f%zu\n", (unsigned long long)start[i],
						 (unsigned long long)size[i], i);
		}
		map = read_text(&s, text);
		for (uint64_t at = 0; at < SPACE + 40; at++) {
			size_t i = n;

			while (i && at - start[i - 1] >= size[i - 1])
				i--;
			snprintf(name, sizeof(name), "f%zu", i - 1);
			check(map, at, i ? name : NULL, i ? start[i - 1] : 0);
		}
		perfmap_free(map);
	}
	scratch_fini(&s);
}
END_TEST

START_TEST(test_no_files)
{
	struct err err = ERR_INIT;
	struct perfmap *map;
	struct scratch s;

	scratch_init(&s);
	ck_assert_int_eq(perfmap_read(scratch_path(&s, "none"), &ours, &map, &err), -1);
	ck_assert_int_eq(perfmap_read(s.dir, &ours, &map, &err), -1);
	ck_assert_int_eq(perfmap_read("/dev/zero", &ours, &map, &err), -1);
	ck_assert_int_eq(scratch_run(&s, "mkfifo fifo"), 0);
	ck_assert_int_eq(perfmap_read(scratch_path(&s, "fifo"), &ours, &map, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "not a regular file"));
	scratch_fini(&s);
}
END_TEST

/* Hostile: as many lines as fit. What is left out is said. */
START_TEST(test_too_many)
{
	size_t n = 4 * (PERFMAP_FUNCTIONS_MAX + 2);
	char *text = malloc(n + 1);
	struct perfmap *map;

	for (size_t i = 0; i < n; i += 4)
		memcpy(text + i, "1 1\n", 5);
	memcpy(text + n - 12, "1 1\n8 1\n9 1\n", 13);
	map = perfmap_of_text(text, n);
	ck_assert(perfmap_is_cut(map));
	check(map, 1, "", 1);
	check(map, 8, NULL, 0);
	check(map, 9, NULL, 0);
	perfmap_free(map);
	text = strdup("8 1\n9 1");
	map = perfmap_of_text(text, 7);
	ck_assert(!perfmap_is_cut(map));
	check(map, 9, "", 9);
	perfmap_free(map);
}
END_TEST

SUITE_MAIN("symbol/perfmap", test_forms, test_later_lines_win, test_no_files, test_too_many)
