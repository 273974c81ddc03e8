/* SPDX-License-Identifier: MIT */
/*
 * Bytes are written by hand from the packet definitions of the Intel SDM (volume 3, "Intel
 * Processor Trace"); long ones are read back by a small reader made from the same tables.
 */
#include "soft/packet.h"

#include "support/ptread.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

#define PSB "02 82 02 82 02 82 02 82 02 82 02 82 02 82 02 82 "

static struct packet_config config;
static struct packet *pt;

static void begin(void)
{
	config = (struct packet_config){ .cbr = 10, .tnt_max = 6, .ret_compression = true };
}

/* What has been written since the last time, in hex; it is taken. */
static const char *written(void)
{
	static char text[3 * 4096];
	size_t n;
	const uint8_t *bytes = packet_bytes(pt, &n);
	char *to = text;

	ck_assert_uint_lt(n, 4096);
	for (size_t i = 0; i < n; i++)
		to += sprintf(to, "%02x ", bytes[i]);
	*to = '\0';
	packet_taken(pt, n);
	return text;
}

/* A stream in which tracing is on at ip, from clock 0. */
static void start_at(uint64_t ip)
{
	pt = packet_new(&config);
	packet_on(pt, 0, ip);
	written();
}

START_TEST(test_start)
{
	begin();
	pt = packet_new(&config);
	packet_start(pt, 0x0123456789abcdef);
	/* TSC has 7 bytes; CBR; PSBEND */
	ck_assert_str_eq(written(), PSB "19 ef cd ab 89 67 45 23 02 03 0a 00 02 23 ");
	/* MODE.Exec of 64-bit code; TIP.PGE */
	packet_on(pt, 0x0123456789abcdef, 0x7ffff7fe4740);
	ck_assert_str_eq(written(), "99 01 71 40 47 fe f7 ff 7f ");
	ck_assert_uint_eq(packet_total(pt), 39);
	packet_free(pt);

	/* the first packet_on begins the stream */
	pt = packet_new(&config);
	packet_on(pt, 1, 0x401000);
	ck_assert_str_eq(written(), PSB "19 01 00 00 00 00 00 00 02 03 0a 00 02 23 "
					"99 01 51 00 10 40 00 ");
	packet_free(pt);
	packet_free(NULL);
}
END_TEST

START_TEST(test_ip_compression)
{
	begin();
	start_at(0x401000);
	packet_indirect(pt, 0, 0x40abcd); /* 001: 16 bits */
	ck_assert_str_eq(written(), "2d cd ab ");
	packet_indirect(pt, 0, 0x40abcd); /* nothing has changed: the same */
	ck_assert_str_eq(written(), "2d cd ab ");
	packet_indirect(pt, 0, 0xf1234567); /* 010: 32 bits */
	ck_assert_str_eq(written(), "4d 67 45 23 f1 ");
	packet_indirect(pt, 0, 0x7f0102030405); /* 011: 48 bits, sign-extended */
	ck_assert_str_eq(written(), "6d 05 04 03 02 01 7f ");
	packet_indirect(pt, 0, 0x7f0201030405);
	ck_assert_str_eq(written(), "6d 05 04 03 01 02 7f ");
	packet_indirect(pt, 0, 0xffffffffff600000); /* 011: the vsyscall page */
	ck_assert_str_eq(written(), "6d 00 00 60 ff ff ff ");
	packet_indirect(pt, 0, 0x00800a0b0c0d0e0f); /* 110: 64 bits, with 57-bit addresses */
	ck_assert_str_eq(written(), "cd 0f 0e 0d 0c 0b 0a 80 00 ");
	packet_indirect(pt, 0, 0x00800f0b0c0d0e0f); /* 100: 48 bits, the rest as before */
	ck_assert_str_eq(written(), "8d 0f 0e 0d 0c 0b 0f ");
	packet_indirect(pt, 0, 0x0000800000000000); /* not canonical with 48 bits */
	ck_assert_str_eq(written(), "cd 00 00 00 00 00 80 00 00 ");
	packet_free(pt);
}
END_TEST

START_TEST(test_on_and_off)
{
	begin();
	start_at(0x401000);
	packet_off(pt, 0); /* TIP.PGD without an IP */
	ck_assert_str_eq(written(), "01 ");
	packet_on(pt, 0, 0x401007);
	ck_assert_str_eq(written(), "99 01 31 07 10 ");
	packet_async(pt, 0, 0x401234); /* FUP, TIP.PGD */
	ck_assert_str_eq(written(), "3d 34 12 01 ");
	packet_on(pt, 0, 0x500000);
	ck_assert_str_eq(written(), "99 01 51 00 00 50 00 ");
	/* what waits comes first */
	packet_cond(pt, 0, true);
	packet_off(pt, 0);
	ck_assert_str_eq(written(), "06 01 ");
	packet_on(pt, 0, 0x500000);
	packet_cond(pt, 0, false);
	packet_async(pt, 0, 0x500010);
	ck_assert_str_eq(written(), "99 01 31 00 00 04 3d 10 00 01 ");
	packet_free(pt);
}
END_TEST

/* '1': taken. */
static void branches(const char *bits)
{
	for (; *bits; bits++)
		packet_cond(pt, 0, *bits == '1');
}

START_TEST(test_tnt_short)
{
	begin();
	start_at(0x401000);
	/* the oldest bit stands behind the stop bit, the newest in bit 1; bit 0 is 0 */
	branches("1");
	ck_assert_str_eq(written(), "");
	packet_flush(pt, 0);
	ck_assert_str_eq(written(), "06 ");
	packet_flush(pt, 0);
	ck_assert_str_eq(written(), "");
	branches("01");
	packet_flush(pt, 0);
	ck_assert_str_eq(written(), "0a ");
	branches("110");
	packet_flush(pt, 0);
	ck_assert_str_eq(written(), "1c ");
	branches("111111"); /* six are a packet */
	ck_assert_str_eq(written(), "fe ");
	branches("1000000");
	ck_assert_str_eq(written(), "c0 ");
	packet_indirect(pt, 0, 0x401001);
	ck_assert_str_eq(written(), "04 2d 01 10 ");
	packet_free(pt);

	config.tnt_max = 1;
	start_at(0x401000);
	branches("10");
	ck_assert_str_eq(written(), "06 04 ");
	packet_free(pt);
}
END_TEST

START_TEST(test_tnt_long)
{
	begin();
	config.tnt_max = 47;
	start_at(0x401000);
	branches("1010101"); /* 7 bits behind the stop bit, from bit 0 of the payload on */
	packet_flush(pt, 0);
	ck_assert_str_eq(written(), "02 a3 d5 00 00 00 00 00 ");
	branches("101010"); /* a short one can hold six */
	packet_flush(pt, 0);
	ck_assert_str_eq(written(), "d4 ");
	branches("1111111100000000111111110000000011111111000000"); /* 46 */
	ck_assert_str_eq(written(), "");
	branches("1");
	ck_assert_str_eq(written(), "02 a3 81 7f 80 7f 80 ff ");
	packet_free(pt);
}
END_TEST

START_TEST(test_cyc)
{
	begin();
	config.cyc = true;
	start_at(0x401000);
	packet_indirect(pt, 1, 0x401001); /* one byte: up to 31 */
	ck_assert_str_eq(written(), "0b 2d 01 10 ");
	packet_indirect(pt, 32, 0x401001);
	ck_assert_str_eq(written(), "fb 2d 01 10 ");
	packet_indirect(pt, 32, 0x401001); /* no time has passed */
	ck_assert_str_eq(written(), "2d 01 10 ");
	packet_indirect(pt, 64, 0x401001); /* 32: two bytes */
	ck_assert_str_eq(written(), "07 02 2d 01 10 ");
	packet_indirect(pt, 64 + 4095, 0x401001); /* 12 bits: the most of two */
	ck_assert_str_eq(written(), "ff fe 2d 01 10 ");
	packet_indirect(pt, 64 + 4095 + 4096, 0x401001); /* three */
	ck_assert_str_eq(written(), "07 01 02 2d 01 10 ");
	packet_indirect(pt, 64 + 4095 + 4096 + (1 << 19) - 1, 0x401001);
	ck_assert_str_eq(written(), "ff ff fe 2d 01 10 ");
	/* before FUP, TIP.PGD there is one CYC; here TNT has it */
	packet_cond(pt, 532543, true);
	packet_cond(pt, 532544, true);
	packet_async(pt, 532551, 0x401000);
	ck_assert_str_eq(written(), "4b 0e 3d 00 10 01 ");
	packet_on(pt, 532552, 0x401000);
	ck_assert_str_eq(written(), "0b 99 01 31 00 10 ");
	packet_free(pt);
}
END_TEST

START_TEST(test_return_compression)
{
	begin();
	start_at(0x401000);
	packet_call(pt, 0x401005);
	packet_return(pt, 0, 0x401005);
	ck_assert_str_eq(written(), "");
	packet_flush(pt, 0);
	ck_assert_str_eq(written(), "06 ");
	packet_return(pt, 0, 0x401005); /* no call */
	ck_assert_str_eq(written(), "2d 05 10 ");
	/* somewhere else: the call is used up all the same */
	packet_call(pt, 0x401005);
	packet_call(pt, 0x401006);
	packet_return(pt, 0, 0x402000);
	packet_return(pt, 0, 0x401005);
	packet_flush(pt, 0);
	ck_assert_str_eq(written(), "2d 00 20 06 ");
	/* calls are forgotten when tracing begins */
	packet_call(pt, 0x401005);
	packet_off(pt, 0);
	packet_on(pt, 0, 0x401000);
	written();
	packet_return(pt, 0, 0x401005);
	ck_assert_str_eq(written(), "2d 05 10 ");
	packet_free(pt);

	config.ret_compression = false;
	start_at(0x401000);
	packet_call(pt, 0x401005);
	packet_return(pt, 0, 0x401005);
	ck_assert_str_eq(written(), "2d 05 10 ");
	packet_free(pt);
}
END_TEST

/* A CPU remembers 64 calls: with more, the oldest are gone. */
START_TEST(test_return_depth)
{
	begin();
	start_at(0x401000);
	for (unsigned int i = 0; i < 70; i++)
		packet_call(pt, 0x401000 + i);
	for (unsigned int i = 70; i > 6;)
		packet_return(pt, 0, 0x401000 + --i);
	packet_flush(pt, 0);
	/* 64 = 10 * 6 + 4 */
	ck_assert_str_eq(written(), "fe fe fe fe fe fe fe fe fe fe 3e ");
	packet_return(pt, 0, 0x401005);
	ck_assert_str_eq(written(), "2d 05 10 ");
	packet_return(pt, 0, 0x401004);
	ck_assert_str_eq(written(), "2d 04 10 ");
	packet_free(pt);
}
END_TEST

/* With a period of 2 KiB; a CYC and a TIP of 16 bits are 4 bytes. */
START_TEST(test_psb)
{
	size_t n;

	begin();
	config.cyc = true;
	pt = packet_new(&config);
	packet_start(pt, 0);
	written();
	packet_on(pt, 0, 0x401000);
	packet_call(pt, 0x401005);
	for (uint64_t i = 1; i < 511; i++) {
		packet_indirect(pt, i, 0x401000);
		packet_tick(pt, i, 0x401000);
	}
	packet_bytes(pt, &n);
	ck_assert_uint_eq(n, 7 + 510 * 4); /* MODE.Exec, TIP.PGE of 32 bits */
	packet_taken(pt, n);
	packet_cond(pt, 510, true);
	packet_tick(pt, 510, 0x401010); /* 2047, and a bit that waits */
	ck_assert_str_eq(written(), "");
	packet_flush(pt, 510);
	packet_cond(pt, 512, true);
	packet_tick(pt, 513, 0x401010);
	/* TNT, CYC TNT; PSB; MODE.TSX, MODE.Exec, and the IP in full: 48 bits */
	ck_assert_str_eq(written(), "06 1b 06 " PSB "19 01 02 00 00 00 00 00 02 03 0a 00 "
				    "99 20 99 01 7d 10 10 40 00 00 00 02 23 ");
	/* calls are forgotten, and the IP of the FUP is the last one */
	packet_return(pt, 513, 0x401005);
	ck_assert_str_eq(written(), "2d 05 10 ");
	packet_free(pt);
}
END_TEST

/* While tracing is off, PSB+ has no FUP. */
START_TEST(test_psb_off)
{
	begin();
	start_at(0x401000);
	for (int i = 0; i < 1000; i++)
		packet_indirect(pt, 0, 0x401000);
	packet_off(pt, 0);
	written();
	packet_on(pt, 7, 0x401000);
	ck_assert_str_eq(written(), PSB "19 07 00 00 00 00 00 00 02 03 0a 00 02 23 "
					"99 01 51 00 10 40 00 ");
	packet_free(pt);
}
END_TEST

START_TEST(test_mtc)
{
	begin();
	config.mtc = config.cyc = true;
	config.ctc_ratio = 40;
	config.mtc_period = 3; /* an MTC every 320 ticks */
	pt = packet_new(&config);
	packet_start(pt, 0x12345 * 40 + 17);
	/* TMA: the low 16 bits of the crystal's count, a reserved byte, the ticks since */
	ck_assert_str_eq(written(), PSB "19 d9 82 2d 00 00 00 00 02 73 45 23 00 11 00 "
					"02 03 0a 00 02 23 ");
	packet_on(pt, 0x12345 * 40 + 17, 0x401000);
	written();
	packet_tick(pt, 0x12348 * 40 - 1, 0x401000);
	ck_assert_str_eq(written(), "");
	/* 0x12348 / 8 = 0x2469; CYC counts the 103 ticks up to it */
	packet_tick(pt, 0x12348 * 40, 0x401000);
	ck_assert_str_eq(written(), "3f 06 59 69 ");
	/* one for each period; a branch that waits comes before */
	packet_cond(pt, 0x12349 * 40, true);
	packet_tick(pt, 0x12358 * 40 + 5, 0x401000);
	ck_assert_str_eq(written(), "07 14 06 59 6a 07 14 59 6b ");
	/* a CYC may be ahead of it: time does not run back */
	packet_indirect(pt, 0x12360 * 40 + 10, 0x401000);
	packet_tick(pt, 0x12360 * 40 + 10, 0x401000);
	ck_assert_str_eq(written(), "57 14 2d 00 10 59 6c ");
	/* behind a long gap: the whole time again */
	packet_tick(pt, 0x22360 * 40 + 10, 0x401000);
	ck_assert_str_eq(written(), "07 01 01 0a 19 0a 87 55 00 00 00 00 02 73 60 23 00 0a 00 ");
	packet_free(pt);
}
END_TEST

START_TEST(test_overflow)
{
	begin();
	start_at(0x7f0000401000);
	packet_call(pt, 0x7f0000401005);
	packet_cond(pt, 0, true);
	/* what waited is lost; the next IP is whole, as nobody knows the last one */
	packet_overflow(pt, 5, true, 0x7f0000401008);
	ck_assert_str_eq(written(), "02 f3 7d 08 10 40 00 00 7f ");
	packet_return(pt, 5, 0x7f0000401005);
	ck_assert_str_eq(written(), "2d 05 10 ");
	/* while tracing is off: it goes on with TIP.PGE */
	packet_cond(pt, 5, true);
	packet_overflow(pt, 6, false, 0);
	ck_assert_str_eq(written(), "02 f3 ");
	packet_on(pt, 7, 0x401000);
	ck_assert_str_eq(written(), "99 01 71 00 10 40 00 00 00 ");
	packet_free(pt);

	config.cyc = true;
	pt = packet_new(&config);
	packet_overflow(pt, 9, false, 0);
	ck_assert_str_eq(written(), PSB "19 09 00 00 00 00 00 00 02 03 0a 00 02 23 02 f3 ");
	packet_free(pt);
}
END_TEST

/* Data was lost: a new PSB+ without a FUP, though tracing was on; CYC counts on. */
START_TEST(test_start_again)
{
	begin();
	config.cyc = true;
	start_at(0x401000);
	packet_start(pt, 4);
	ck_assert_str_eq(written(), "23 " PSB "19 04 00 00 00 00 00 00 02 03 0a 00 02 23 ");
	packet_free(pt);
}
END_TEST

START_TEST(test_taken)
{
	const uint8_t *bytes;
	size_t n;

	begin();
	start_at(0x401000);
	ck_assert_uint_eq(packet_total(pt), 37);
	packet_indirect(pt, 0, 0x401001);
	packet_indirect(pt, 0, 0x401002);
	packet_taken(pt, 3);
	packet_off(pt, 0);
	bytes = packet_bytes(pt, &n);
	ck_assert_uint_eq(n, 4);
	ck_assert_mem_eq(bytes, "\x2d\x02\x10\x01", 4);
	ck_assert_uint_eq(packet_total(pt), 37 + 7);
	packet_free(pt);
}
END_TEST

/* All that is there now: whole packets. */
static void read_all(struct ptread *r)
{
	size_t n;
	const uint8_t *bytes = packet_bytes(pt, &n);

	ptread_bytes(r, bytes, n);
	packet_taken(pt, n);
}

/* What is to be read. */
struct truth {
	char bits[1 << 20];
	size_t n_bits;
	uint64_t ips[1 << 16];
	size_t n_ips;
	uint64_t clock, seed;
};

static unsigned int some(struct truth *t, unsigned int below)
{
	t->seed = t->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned int)(t->seed >> 33) % below;
}

static uint64_t some_ip(struct truth *t)
{
	static const uint64_t bases[] = { 0x401000, 0x7ffff7dd0000, 0x555555554000,
					  0xffffffffff600000, 0x00ff123456780000 };

	return bases[some(t, 5)] + some(t, 0x40000);
}

static void some_branch(struct truth *t)
{
	uint64_t ip = some_ip(t);
	bool taken = ip & 1;

	t->clock += some(t, 100) ? some(t, 9) : some(t, 1u << 30);
	switch (some(t, 20)) {
	case 0:
		packet_indirect(pt, t->clock, ip);
		t->ips[t->n_ips++] = ip;
		return;
	case 1:
		packet_async(pt, t->clock, ip);
		packet_on(pt, t->clock, ip);
		t->ips[t->n_ips++] = ip;
		t->ips[t->n_ips++] = ip;
		return;
	case 2:
		packet_call(pt, ip);
		packet_return(pt, t->clock, ip);
		t->bits[t->n_bits++] = '1';
		return;
	default:
		packet_cond(pt, t->clock, taken);
		t->bits[t->n_bits++] = taken ? '1' : '0';
		return;
	}
}

static void check_random(uint64_t seed)
{
	struct truth *t = calloc(1, sizeof(*t));
	struct ptread *r = calloc(1, sizeof(*r));

	begin();
	t->seed = seed;
	config.cyc = true;
	config.mtc = seed & 1;
	config.ctc_ratio = 40;
	config.mtc_period = 3;
	config.tnt_max = 1 + some(t, 47);
	pt = packet_new(&config);
	packet_on(pt, 0, 0x401000);
	t->ips[t->n_ips++] = 0x401000;
	for (int i = 0; i < 100000; i++) {
		some_branch(t);
		packet_tick(pt, t->clock, some_ip(t));
		if (some(t, 50) == 0)
			read_all(r);
	}
	packet_flush(pt, t->clock);
	read_all(r);
	ck_assert_uint_gt(r->n_psb, 10);
	ck_assert_uint_eq(r->n_ips, t->n_ips);
	ck_assert_mem_eq(r->ips, t->ips, t->n_ips * sizeof(t->ips[0]));
	ck_assert_uint_eq(r->n_bits, t->n_bits);
	ck_assert_mem_eq(r->bits, t->bits, t->n_bits);
	packet_free(pt);
	free(t);
	free(r);
}

START_TEST(test_random)
{
	for (uint64_t seed = 1; seed <= 8; seed++)
		check_random(seed);
}
END_TEST

SUITE_MAIN("packet", test_start, test_ip_compression, test_on_and_off, test_tnt_short,
	   test_tnt_long, test_cyc, test_return_compression, test_return_depth, test_psb,
	   test_psb_off, test_mtc, test_overflow, test_start_again, test_taken, test_random)
