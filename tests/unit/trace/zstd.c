/* SPDX-License-Identifier: MIT */
#include "trace/zstd.h"

#include "support/packed.h"
#include "support/suite.h"

#include <zstd.h>

/* One frame, complete, with a checksum (its flag is bit 2 of the fifth byte: RFC 8878, 3.1.1.1). */
static void check_packed(struct scratch *s, const char *data, size_t n)
{
	size_t size, frame, got;
	char *packed = scratch_get(scratch_path(s, "packed"), &size);
	char *back = malloc(n + 1);

	frame = ZSTD_findFrameCompressedSize(packed, size);
	ck_assert_uint_eq(frame, size);
	ck_assert_int_ne(packed[4] & 4, 0);
	got = ZSTD_decompress(back, n + 1, packed, size);
	ck_assert_uint_eq(got, n);
	ck_assert_int_eq(memcmp(back, data, n), 0);
	free(packed);
	free(back);
}

static void round_trip(enum packed_input input, size_t piece)
{
	char *data = malloc(PACKED_BYTES);
	size_t n = packed_fill(input, data);
	struct scratch s;

	scratch_init(&s);
	packed_write(&s, &codec_zstd, data, n, piece);
	check_packed(&s, data, n);
	scratch_fini(&s);
	free(data);
}

START_TEST(test_round_trip)
{
	enum packed_input input;

	for (input = 0; input < PACKED_INPUTS; input++)
		round_trip(input, 256 << 10);
	round_trip(PACKED_MIXED, 100003);
	round_trip(PACKED_MIXED, PACKED_BYTES);
}
END_TEST

START_TEST(test_disk_full)
{
	packed_disk_full(&codec_zstd);
}
END_TEST

SUITE_MAIN("trace/zstd", test_round_trip, test_disk_full)
