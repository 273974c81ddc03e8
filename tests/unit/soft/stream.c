/* SPDX-License-Identifier: MIT */
/* The packets are those of the Intel SDM, volume 3, "Packet Definitions", written by hand. */
#include "soft/stream.h"

#include "support/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct packet_config config = {
	.ret_compression = true, .psb_period = 3, .ctc_ratio = 40, .cbr = 10, .tnt_max = 6
};

static char said[2000];

static void note(void *ctx, int32_t tid, const char *flags, uint64_t from, uint64_t to,
		 uint64_t clock)
{
	size_t n = strlen(said);

	(void)ctx;
	snprintf(said + n, sizeof(said) - n, "%d %s %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", tid,
		 flags, from, to, clock);
}

static struct stream *begin(void)
{
	const struct stream_log log = { .branch = note };

	said[0] = '\0';
	return stream_new(&config, 5, 100, &log);
}

/* Takes the packets; those up to the first PSBEND are not looked at. */
static void expect_packets(struct stream *s, bool psb, const char *hex)
{
	char text[400] = "";
	const uint8_t *bytes;
	size_t n, at = 0;

	packet_flush(stream_packets(s), stream_clock(s));
	bytes = packet_bytes(stream_packets(s), &n);
	while (psb && (bytes[at] != 0x02 || bytes[at + 1] != 0x23))
		at++;
	for (at += psb ? 2 : 0; at < n; at++)
		snprintf(text + strlen(text), 4, "%02x ", bytes[at]);
	ck_assert_str_eq(text, hex);
	packet_taken(stream_packets(s), n);
}

static struct insn insn(enum insn_kind kind, int length, int32_t rel)
{
	return (struct insn){ .kind = (uint8_t)kind, .length = (uint8_t)length, .rel = rel };
}

START_TEST(test_branches)
{
	struct stream *s = begin();

	ck_assert(stream_is_outside(s));
	/* three instructions, the last a jcc that is taken; one that is not; one to what follows */
	stream_executed(s, 0x1000, 3, 0x1004, insn(INSN_JCC, 2, 0x10), 0x1016);
	stream_executed(s, 0x1016, 1, 0x1016, insn(INSN_JCC, 2, 0x10), 0x1018);
	stream_executed(s, 0x1018, 1, 0x1018, insn(INSN_JCC, 2, 0), 0x101a);
	stream_executed(s, 0x101a, 1, 0x101a, insn(INSN_JMP, 5, 0x100), 0x111f);
	stream_executed(s, 0x111f, 1, 0x111f, insn(INSN_CALL, 5, 0x100), 0x1224);
	stream_executed(s, 0x1224, 1, 0x1224, insn(INSN_RET, 1, 0), 0x1124);
	stream_executed(s, 0x1124, 1, 0x1124, insn(INSN_CALL_IND, 2, 0), 0x2000);
	stream_executed(s, 0x2000, 1, 0x2000, insn(INSN_RET, 1, 0), 0x3000);
	stream_executed(s, 0x3000, 1, 0x3000, insn(INSN_JMP_IND, 2, 0), 0x4000);
	stream_executed(s, 0x4000, 1, 0x4000, insn(INSN_SYSCALL, 2, 0), 0x4002);
	ck_assert(stream_is_outside(s));
	ck_assert_uint_eq(stream_clock(s), 112);
	ck_assert_str_eq(said, "5 tr_strt 0 1000 100\n"
			       "5 jcc 1004 1016 103\n"
			       "5 jmp 101a 111f 106\n"
			       "5 call 111f 1224 107\n"
			       "5 return 1224 1124 108\n"
			       "5 call 1124 2000 109\n"
			       "5 return 2000 3000 110\n"
			       "5 jmp 3000 4000 111\n"
			       "5 tr_end_syscall 4000 0 112\n");
	/* MODE.Exec, PGE; TNT 1 0 0 1; TIP of the call, return and jump; PGD */
	expect_packets(s, true, "99 01 31 00 10 32 2d 00 20 2d 00 30 2d 00 40 01 ");
	ck_assert_uint_eq(stream_stats(s)->instructions, 12);
	ck_assert_uint_eq(stream_stats(s)->branches, 9);
	ck_assert_uint_eq(stream_stats(s)->syscalls, 1);
	stream_free(s);
}
END_TEST

START_TEST(test_call_to_what_follows)
{
	struct stream *s = begin();

	stream_executed(s, 0x1000, 1, 0x1000, insn(INSN_CALL, 5, 0), 0x1005);
	/* not the return of that call: a TIP, though the address is the same */
	stream_executed(s, 0x1005, 1, 0x1005, insn(INSN_RET, 1, 0), 0x1005);
	expect_packets(s, true, "99 01 31 00 10 2d 05 10 ");
	stream_free(s);
}
END_TEST

START_TEST(test_interrupted)
{
	struct stream *s = begin();

	stream_interrupted(s, 0x999);
	ck_assert_str_eq(said, "");
	stream_executed(s, 0x1000, 1, 0x1000, insn(INSN_OTHER, 0, 0), 0x1003);
	ck_assert_uint_eq(stream_next(s), 0x1003);
	stream_interrupted(s, 0x1003);
	stream_clock_to(s, 200);
	stream_clock_to(s, 150);
	stream_executed(s, 0x5000, 1, 0x5000, insn(INSN_INT3, 1, 0), 0x5001);
	ck_assert(stream_is_outside(s));
	stream_set_tid(s, 6);
	stream_executed(s, 0x6000, 1, 0x6000, insn(INSN_OTHER, 0, 0), 0x6001);
	ck_assert_str_eq(said, "5 tr_strt 0 1000 100\n"
			       "5 tr_end_async 1003 0 101\n"
			       "5 tr_strt 0 5000 200\n"
			       "5 tr_end_async 5000 0 201\n"
			       "6 tr_strt 0 6000 201\n");
	/* PGE; FUP, PGD; PGE, FUP, PGD; PGE */
	expect_packets(s, true,
		       "99 01 31 00 10 3d 03 10 01 99 01 31 00 50 3d 00 50 01 "
		       "99 01 31 00 60 ");
	ck_assert_uint_eq(stream_stats(s)->interruptions, 1);
	stream_free(s);
}
END_TEST

START_TEST(test_overflow)
{
	struct stream *s = begin();

	stream_executed(s, 0x1000, 1, 0x1000, insn(INSN_JMP_IND, 2, 0), 0x2000);
	stream_lose(s, 0x2000, true);
	expect_packets(s, true, "99 01 31 00 10 2d 00 20 ");
	stream_executed(s, 0x2000, 50, 0x2100, insn(INSN_JMP_IND, 2, 0), 0x3000);
	expect_packets(s, false, "");
	stream_recovered(s, 0x3000);
	ck_assert_str_eq(said, "5 tr_strt 0 1000 100\n"
			       "5 jmp 1000 2000 101\n"
			       "5 tr_strt 0 3000 151\n");
	/* OVF; FUP with the whole address */
	expect_packets(s, false, "02 f3 7d 00 30 00 00 00 00 ");
	/* over while it is in the kernel: no FUP */
	stream_lose(s, 0x3000, true);
	stream_executed(s, 0x3000, 1, 0x3000, insn(INSN_SYSCALL, 2, 0), 0);
	stream_recovered(s, 0x3002);
	expect_packets(s, false, "02 f3 ");
	ck_assert_uint_eq(stream_stats(s)->instructions, 52);
	stream_free(s);
}
END_TEST

START_TEST(test_truncated)
{
	struct stream *s = begin();

	stream_executed(s, 0x1000, 1, 0x1000, insn(INSN_JMP_IND, 2, 0), 0x2000);
	stream_lose(s, 0x2000, false);
	stream_lose(s, 0x2000, true); /* one at a time */
	expect_packets(s, true, "99 01 31 00 10 2d 00 20 3d 00 20 01 ");
	stream_executed(s, 0x2000, 1, 0x2000, insn(INSN_JMP_IND, 2, 0), 0x3000);
	stream_interrupted(s, 0x3000);
	expect_packets(s, false, "");
	stream_recovered(s, 0x3000);
	stream_executed(s, 0x3000, 1, 0x3000, insn(INSN_OTHER, 0, 0), 0x3001);
	/* a PSB, and a beginning */
	expect_packets(s, true, "99 01 31 00 30 ");
	ck_assert_str_eq(said, "5 tr_strt 0 1000 100\n"
			       "5 jmp 1000 2000 101\n"
			       "5 tr_end_async 2000 0 101\n"
			       "5 tr_strt 0 3000 102\n");
	stream_free(s);
}
END_TEST

SUITE_MAIN("soft/stream", test_branches, test_call_to_what_follows, test_interrupted, test_overflow,
	   test_truncated)
