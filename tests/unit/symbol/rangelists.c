/* SPDX-License-Identifier: MIT */
/* Lists written by hand after the standard, read again by the rules that it gives. */
#include "symbol/rangelists.h"

#include "support/suite.h"

#include <string.h>

static struct dwp_part part(const void *p, size_t n)
{
	return (struct dwp_part){ .p = p, .n = n };
}

START_TEST(test_old)
{
	static const uint64_t before[] = {
		0x10,       0x20,           /* relative to the unit's base */
		UINT64_MAX, 0x500000,       /* to this one */
		0x30,       0x38,     0, 0, /* the end */
		0x40,       0x44,     0, 0,
	};
	static const uint64_t behind[] = {
		0x1010, 0x1020, UINT64_MAX, 0, 0x500030, 0x500038, 0, 0, 0x1040, 0x1044, 0, 0,
	};
	struct dwp_part ranges = part(before, sizeof(before));
	struct blob out = { 0 };

	rangelists_old(&ranges, 0x1000, &out);
	ck_assert_uint_eq(out.n, sizeof(behind));
	ck_assert_mem_eq(out.p, behind, sizeof(behind));
	/* half a pair at the end is none */
	blob_fini(&out);
	ranges.n -= 3;
	rangelists_old(&ranges, 0x1000, &out);
	ck_assert_uint_eq(out.n, sizeof(behind) - 16);
	blob_fini(&out);
}
END_TEST

/* Two lists with an entry of each kind; sizes are those of the standard's table 7.30. */
static const unsigned char lists[] = {
	63,   0,    0,    0,    5,  0, 8, 0, 2, 0,    0, 0, /* head: length, version, sizes, two
							       offsets */
	8,    0,    0,    0,    15, 0, 0, 0,                /* the offsets */
	4,    0x10, 0x80, 0x01,                             /* offset_pair: 0x10 to 0x80 */
	3,    0x01, 0x04,                                   /* startx_length, without its end: */
	0x01, 0x00,       /* base_addressx, read in the second list too */
	0x02, 0x01, 0x02, /* startx_endx */
	0x07, 1,    2,    3,    4,  5, 6, 7, 8, 0x7f,                      /* start_length */
	0x05, 1,    2,    3,    4,  5, 6, 7, 8,                            /* base_address */
	0x06, 1,    2,    3,    4,  5, 6, 7, 8, 1,    2, 3, 4, 5, 6, 7, 9, /* start_end */
	0x00,
};

static uint32_t get_u32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

START_TEST(test_new)
{
	static const unsigned char base[] = { 5, 0x00, 0x10, 0, 0, 0, 0, 0, 0 };
	struct dwp_part all = part(lists, sizeof(lists));
	struct blob out = { 0 };
	size_t first = sizeof(lists) - 20, second = sizeof(lists) - 27;

	ck_assert(rangelists_new(&all, 0x1000, &out));
	ck_assert_uint_eq(out.n, 20 + 9 + first + 9 + second);
	ck_assert_uint_eq(get_u32(out.p), out.n - 4);
	ck_assert_uint_eq(get_u32(out.p + 12), 8);
	ck_assert_uint_eq(get_u32(out.p + 16), 8 + 9 + first);
	ck_assert_mem_eq(out.p + 20, base, 9);
	ck_assert_mem_eq(out.p + 29, lists + 20, first);
	ck_assert_mem_eq(out.p + 29 + first, base, 9);
	ck_assert_mem_eq(out.p + 38 + first, lists + 27, second);
	blob_fini(&out);
}
END_TEST

/* Each byte changed, and each length: no harm, and of what is too short nothing. */
START_TEST(test_damaged)
{
	unsigned char bad[sizeof(lists)] = { 0 };
	struct dwp_part all = part(bad, sizeof(bad));
	struct blob out = { 0 };

	for (size_t n = 0; n < sizeof(lists); n++) {
		memcpy(bad, lists, sizeof(lists));
		all.n = n;
		ck_assert(!rangelists_new(&all, 0, &out));
		blob_fini(&out);
		all.n = sizeof(bad);
		for (int value = 0; value < 256; value++) {
			bad[n] = (unsigned char)value;
			rangelists_new(&all, 0, &out);
			blob_fini(&out);
		}
	}
}
END_TEST

SUITE_MAIN("symbol/rangelists", test_old, test_new, test_damaged)
