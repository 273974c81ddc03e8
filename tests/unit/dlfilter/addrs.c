/* SPDX-License-Identifier: MIT */
/* The filter is a program of its own: what is tested of it is compiled in here. */
#include "dlfilter/addrs.c" /* NOLINT(bugprone-suspicious-include) */

#include "support/random.h"
#include "support/suite.h"

static struct addrs *make(void)
{
	struct addrs *a = calloc(1, sizeof(*a));

	ck_assert_ptr_nonnull(a);
	addrs_init(a);
	return a;
}

/* Takes an address up. */
static uint32_t learn(struct addrs *a, int32_t pid, uint64_t addr, uint32_t but)
{
	uint32_t slot = addrs_claim(a, pid, addr, but);

	ck_assert_uint_lt(slot, WIRE_SLOTS);
	a->slots[slot].checked = a->generation;
	return slot;
}

START_TEST(test_found_again)
{
	struct addrs *a = make();
	uint32_t slot;

	ck_assert_uint_eq(addrs_find(a, 0, 0), ADDRS_NONE);
	slot = learn(a, 7, 0x401000, ADDRS_NONE);
	ck_assert_uint_eq(addrs_find(a, 7, 0x401000), slot);
	ck_assert_uint_eq(addrs_find(a, 8, 0x401000), ADDRS_NONE);
	ck_assert_uint_eq(addrs_find(a, 7, 0x401001), ADDRS_NONE);
	free(a);
}
END_TEST

/* A doubted address is not found, and keeps its slot and what is known of it. */
START_TEST(test_doubt)
{
	struct addrs *a = make();
	uint32_t slot = learn(a, 7, 0x401000, ADDRS_NONE);

	a->slots[slot].name = 5;
	addrs_doubt(a);
	ck_assert_uint_eq(addrs_find(a, 7, 0x401000), ADDRS_NONE);
	ck_assert_uint_eq(addrs_claim(a, 7, 0x401000, ADDRS_NONE), slot);
	ck_assert_uint_eq(a->slots[slot].name, 5);
	ck_assert_uint_ne(a->slots[slot].checked, 0);
	free(a);
}
END_TEST

/* More addresses than slots: each is found right behind, and that of a branch's source stays. */
START_TEST(test_more_than_fit)
{
	struct addrs *a = make();
	uint64_t random = 1;

	for (size_t i = 0; i < 4 * WIRE_SLOTS; i++) {
		uint64_t from = next_random(&random), to = next_random(&random);
		uint32_t src = learn(a, 7, from, ADDRS_NONE), dst = learn(a, 7, to, src);

		if (src == dst || addrs_find(a, 7, from) != src || addrs_find(a, 7, to) != dst)
			ck_abort_msg("address %zu", i);
	}
	free(a);
}
END_TEST

/* All in one set: what was taken over is no longer known. */
START_TEST(test_taken_over)
{
	struct addrs *a = make();
	uint64_t addr[ADDRS_WAYS + 1], next = 0;
	size_t known = 0;

	for (size_t i = 0; i <= ADDRS_WAYS; i++) {
		while (addrs_set(7, next) != 0)
			next++;
		addr[i] = next++;
		learn(a, 7, addr[i], ADDRS_NONE);
	}
	for (size_t i = 0; i <= ADDRS_WAYS; i++)
		known += addrs_find(a, 7, addr[i]) != ADDRS_NONE;
	ck_assert_uint_eq(known, ADDRS_WAYS);
	/* and a claim of such a slot says that nothing is known of it */
	ck_assert_uint_eq(a->slots[addrs_claim(a, 7, next + 1, ADDRS_NONE)].checked, 0);
	free(a);
}
END_TEST

START_TEST(test_pages)
{
	struct addrs *a = make();
	uint64_t mapping = 0;

	ck_assert(!addrs_page_known(a, 0, 0, &mapping));
	addrs_page_is(a, 7, 0x401234, 99);
	ck_assert(addrs_page_known(a, 7, 0x401fff, &mapping));
	ck_assert_uint_eq(mapping, 99);
	ck_assert(!addrs_page_known(a, 7, 0x402000, &mapping));
	ck_assert(!addrs_page_known(a, 8, 0x401fff, &mapping));
	addrs_doubt(a);
	ck_assert(!addrs_page_known(a, 7, 0x401fff, &mapping));
	free(a);
}
END_TEST

SUITE_MAIN("addrs", test_found_again, test_doubt, test_more_than_fit, test_taken_over, test_pages)
