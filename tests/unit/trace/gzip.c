/* SPDX-License-Identifier: MIT */
#include "trace/gzip.h"

#include "support/packed.h"
#include "support/suite.h"

/* What others make of it: one member, complete, with the right checksum. */
static const char *const readers[] = {
	"gunzip -c <packed | cmp - raw",
	"python3 -c \"import gzip, zlib; raw = open('raw', 'rb').read(); "
	"d = zlib.decompressobj(31); assert d.decompress(open('packed', 'rb').read()) == raw; "
	"assert d.eof and not d.unused_data; assert gzip.open('packed').read() == raw\"",
};

static void round_trip(enum packed_input input, size_t piece)
{
	char *data = malloc(PACKED_BYTES);
	struct scratch s;
	size_t i;

	scratch_init(&s);
	packed_write(&s, &codec_gzip, data, packed_fill(input, data), piece);
	for (i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		ck_assert_msg(scratch_run(&s, readers[i]) == 0, "input %d: %s", input, readers[i]);
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
	packed_disk_full(&codec_gzip);
}
END_TEST

SUITE_MAIN("trace/gzip", test_round_trip, test_disk_full)
