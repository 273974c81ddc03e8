/* SPDX-License-Identifier: MIT */
/* Alignment and rings are tested with the recorder; here is when a buffer is full, and offsets. */
#include "soft/auxbuf.h"

#include "support/scratch.h"
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

/* What a ring holds begins with the PSB, also when the address before that ends as it begins. */
START_TEST(test_begins_with_psb)
{
	static const uint8_t psb[] = "\x02\x82\x02\x82\x02\x82\x02\x82"
				     "\x02\x82\x02\x82\x02\x82\x02\x82";
	char *command_line[] = { NULL };
	struct perfdata_config head = { .pt = config,
					.tsc_hz = 1000000000,
					.command_line = command_line,
					.pid = 7,
					.comm = "x" };
	struct packet *pt = packet_new(&config);
	struct auxbuf buf = { .packets = pt, .ring = 4096, .cut = true };
	struct perfdata_aux aux = { .pid = 7, .tid = 7, .cpu = -1 };
	struct err err = ERR_INIT;
	struct scratch scratch;
	struct perfdata *pd;
	const uint8_t *at;
	char *file;
	size_t n;

	packet_on(pt, 0, 0x1000);
	packet_indirect(pt, 0, 0x8202);
	packet_bytes(pt, &n);
	packet_taken(pt, n - 2);
	packet_start(pt, 0);
	scratch_init(&scratch);
	ck_assert_int_eq(perfdata_open(scratch_path(&scratch, "x"), &head, &pd, &err), 0);
	auxbuf_write(&buf, pd, &aux);
	ck_assert_int_eq(perfdata_finish(pd, &err), 0);
	ck_assert_int_eq(perfdata_close(pd, &err), 0);
	file = scratch_get(scratch_path(&scratch, "x"), &n);
	at = memmem(file, n, psb, 16);
	ck_assert_ptr_nonnull(at);
	ck_assert_mem_ne(at + 16, psb, 2);
	free(file);
	scratch_fini(&scratch);
	packet_free(pt);
}
END_TEST

SUITE_MAIN("soft/auxbuf", test_ring, test_no_ring, test_begins_with_psb)
