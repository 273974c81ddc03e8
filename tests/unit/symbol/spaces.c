/* SPDX-License-Identifier: MIT */
#include "symbol/spaces.h"

#include "support/suite.h"

#define ANY UINT32_MAX

static void add(struct spaces *s, int32_t pid, uint64_t start, uint64_t end, uint32_t file)
{
	spaces_add(s, pid, &(struct spaces_mapping){ .start = start, .end = end, .file = file });
}

/* The file at an address, or 1000. */
static uint32_t at(struct spaces *s, int32_t pid, uint64_t address, uint32_t file)
{
	const struct spaces_mapping *m = spaces_find(s, pid, address, file);

	return m ? m->file : 1000;
}

START_TEST(test_newest)
{
	struct spaces *s = spaces_new();

	add(s, 1, 0x1000, 0x3000, 5);
	add(s, 1, 0x2000, 0x4000, 6);
	add(s, 2, 0x1000, 0x2000, 7);
	ck_assert_uint_eq(at(s, 1, 0xfff, ANY), 1000);
	ck_assert_uint_eq(at(s, 1, 0x1000, ANY), 5);
	ck_assert_uint_eq(at(s, 1, 0x2000, ANY), 6);
	ck_assert_uint_eq(at(s, 1, 0x2000, 5), 5);
	ck_assert_uint_eq(at(s, 1, 0x3000, 5), 1000);
	ck_assert_uint_eq(at(s, 1, 0x3fff, ANY), 6);
	ck_assert_uint_eq(at(s, 1, 0x4000, ANY), 1000);
	ck_assert_uint_eq(at(s, 2, 0x1000, ANY), 7);
	ck_assert_uint_eq(at(s, 3, 0x1000, ANY), 1000);
	ck_assert_uint_eq(at(s, 0, 0x1000, ANY), 1000);
	spaces_free(s);
	spaces_free(NULL);
}
END_TEST

START_TEST(test_forks)
{
	struct spaces *s = spaces_new();

	add(s, 1, 0x1000, 0x2000, 5);
	spaces_fork(s, 2, 1);
	spaces_fork(s, 3, 2);
	add(s, 2, 0x1000, 0x2000, 6);
	ck_assert_uint_eq(at(s, 3, 0x1000, ANY), 6);
	ck_assert_uint_eq(at(s, 3, 0x1000, 5), 5);
	ck_assert_uint_eq(at(s, 1, 0x1000, ANY), 5);
	/* what its parent gets later counts as well, where it has nothing */
	add(s, 1, 0x1800, 0x3000, 9);
	ck_assert_uint_eq(at(s, 3, 0x2800, ANY), 9);
	ck_assert_uint_eq(at(s, 3, 0x1900, ANY), 6);
	spaces_fork(s, 3, 4);
	ck_assert_uint_eq(at(s, 3, 0x2800, ANY), 1000);
	/* each is the other's parent: only a damaged recording says so */
	spaces_fork(s, 7, 8);
	spaces_fork(s, 8, 7);
	ck_assert_uint_eq(at(s, 7, 0x1000, ANY), 1000);
	spaces_free(s);
}
END_TEST

START_TEST(test_many)
{
	struct spaces *s = spaces_new();

	for (int32_t pid = 1; pid < 3000; pid++)
		for (uint32_t i = 0; i < 20; i++)
			add(s, pid, i * 0x1000, (i + 1) * 0x1000, (uint32_t)pid * 100 + i);
	for (int32_t pid = 1; pid < 3000; pid++)
		ck_assert_uint_eq(at(s, pid, 0x5800, ANY), (uint32_t)pid * 100 + 5);
	spaces_free(s);
}
END_TEST

/* Hostile: a mapping that holds all others, which are looked through for each address. */
START_TEST(test_large)
{
	struct spaces *s = spaces_new();
	uint32_t n = 300000;

	add(s, 1, 0, (uint64_t)1 << 40, 5);
	for (uint32_t i = 0; i < n; i++)
		add(s, 1, i * 0x1000ul, i * 0x1000ul + 0x800, 6 + i % 3);
	for (uint32_t i = 0; i < n; i++) {
		ck_assert_uint_eq(at(s, 1, i * 0x1000ul + 0x900, ANY), 5);
		ck_assert_uint_eq(at(s, 1, i * 0x1000ul, 5), 5);
		ck_assert_uint_eq(at(s, 1, i * 0x1000ul, ANY), 6 + i % 3);
		ck_assert_uint_eq(at(s, 1, i * 0x1000ul, 6), i % 3 == 0 ? 6 : 1000);
	}
	spaces_free(s);
}
END_TEST

/* As a search from the newest to the oldest finds it, whatever overlaps, also between additions. */
START_TEST(test_any)
{
	struct spaces *s = spaces_new();
	uint64_t random = 1, starts[200], ends[200];
	uint32_t n = 0;

	while (n < 200) {
		starts[n] = random % 1000;
		ends[n] = starts[n] + 1 + random / 1000 % (n % 10 ? 30 : 900);
		add(s, 1, starts[n], ends[n], n % 7);
		n++;
		random = random * 6364136223846793005u + 1442695040888963407u;
		random ^= random >> 29;
		for (uint64_t address = n % 5; address < 2000 && n % 20 == 0; address += 5) {
			uint32_t any = 1000, third = 1000;

			for (uint32_t i = 0; i < n; i++) {
				if (address < starts[i] || address >= ends[i])
					continue;
				any = i % 7;
				third = i % 7 == 3 ? 3 : third;
			}
			ck_assert_uint_eq(at(s, 1, address, ANY), any);
			ck_assert_uint_eq(at(s, 1, address, 3), third);
		}
	}
	spaces_free(s);
}
END_TEST

SUITE_MAIN("symbol/spaces", test_newest, test_forks, test_many, test_large, test_any)
