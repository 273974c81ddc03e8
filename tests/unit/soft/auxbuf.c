/* SPDX-License-Identifier: MIT */
/* Alignment and rings are tested with the recorder; here is when a buffer is full, and offsets. */
#include "soft/auxbuf.h"

#include "support/suite.h"

static const struct packet_config config = { .psb_period = 0, .ctc_ratio = 40, .tnt_max = 6 };

static void put(struct packet *pt, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		packet_indirect(pt, 0, 0x1000);
}

START_TEST(test_ring)
{
	struct packet *pt = packet_new(&config);
	struct auxbuf buf = { .packets = pt, .ring = 300 };
	const uint8_t *bytes;
	size_t n;

	put(pt, 10);
	auxbuf_keep(&buf);
	ck_assert_uint_eq(buf.offset, 0);
	ck_assert(!buf.cut);
	put(pt, 1000);
	ck_assert(!auxbuf_is_full(&buf));
	auxbuf_keep(&buf);
	bytes = packet_bytes(pt, &n);
	ck_assert_uint_eq(n, 300);
	ck_assert_uint_eq(buf.offset + n, packet_total(pt));
	ck_assert_uint_eq(bytes[n - 3], 0x2d);
	ck_assert(buf.cut);
	put(pt, 30000);
	ck_assert(auxbuf_is_full(&buf));
	packet_free(pt);
}
END_TEST

START_TEST(test_no_ring)
{
	struct packet *pt = packet_new(&config);
	struct auxbuf buf = { .packets = pt };

	put(pt, 300000);
	ck_assert(!auxbuf_is_full(&buf));
	put(pt, 100000);
	ck_assert(auxbuf_is_full(&buf));
	packet_free(pt);
}
END_TEST

SUITE_MAIN("soft/auxbuf", test_ring, test_no_ring)
