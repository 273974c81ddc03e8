/* SPDX-License-Identifier: MIT */
/* What a track is told, against the packets that it has then (counted by their first bytes). */
#include "soft/track.h"

#include "support/suite.h"

#include <string.h>

static const struct packet_config config = { .cbr = 10, .tnt_max = 6 };
static const struct insn nothing = { .kind = INSN_OTHER };
static const struct insn jump = { .kind = INSN_JMP_IND, .length = 2 };

/* Intel SDM, volume 3, "Packet Definitions": PSB and OVF. */
static const uint8_t psb[] = { 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
			       0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82 };
static const uint8_t ovf[] = { 0x02, 0xf3 };

static unsigned int count(const struct track *track, const uint8_t *what, size_t size)
{
	const uint8_t *bytes;
	unsigned int found = 0;
	size_t n;

	bytes = packet_bytes(track->buf.packets, &n);
	for (size_t i = 0; i + size <= n; i++)
		found += memcmp(bytes + i, what, size) == 0;
	return found;
}

/* Executes one that takes a packet, as the recorder does; what track_end says. */
static bool execute(struct track *track, struct insn insn)
{
	if (track->odd)
		track_begin(track, 0x1000);
	stream_executed(track->stream, 0x1000, 1, 0x1000, insn, 0x1000);
	return track->odd && track_end(track, insn, 0x1000);
}

START_TEST(test_restart)
{
	struct track track;

	track_init(&track, &config, 1, 100, NULL);
	ck_assert(!track.odd);
	execute(&track, jump);
	ck_assert_uint_eq(count(&track, psb, sizeof(psb)), 1);
	track_halt(&track);
	ck_assert(stream_is_outside(track.stream));
	track.restart = track.odd = true;
	execute(&track, jump);
	ck_assert_uint_eq(count(&track, psb, sizeof(psb)), 2);
	ck_assert(!track.odd && !track.restart);
	execute(&track, jump);
	ck_assert_uint_eq(count(&track, psb, sizeof(psb)), 2);
	track_fini(&track);
	ck_assert_ptr_null(track.stream);
}
END_TEST

/* From the third instruction on, which takes no packet: so it begins with the fourth. */
static void lose(enum recorder_fault_kind kind)
{
	const struct recorder_fault fault = { .kind = kind, .at = 3, .length = 5 };
	struct track track;

	track_init(&track, &config, 1, 100, NULL);
	track_set_fault(&track, &fault);
	ck_assert(!execute(&track, jump));
	ck_assert(!execute(&track, jump));
	ck_assert(!execute(&track, nothing));
	ck_assert(execute(&track, jump) == (kind == RECORDER_TRUNCATED));
	ck_assert(track.losing);
	for (int i = 0; i < 5; i++)
		ck_assert(!execute(&track, jump));
	ck_assert(track.losing);
	ck_assert_uint_eq(count(&track, ovf, sizeof(ovf)), 0);
	ck_assert(!execute(&track, jump));
	ck_assert(!track.losing && !track.odd);
	ck_assert_uint_eq(count(&track, ovf, sizeof(ovf)), kind == RECORDER_OVERFLOW);
	ck_assert_uint_eq(stream_stats(track.stream)->instructions, 10);
	track_fini(&track);
}

START_TEST(test_losses)
{
	lose(RECORDER_OVERFLOW);
	lose(RECORDER_TRUNCATED);
}
END_TEST

START_TEST(test_cut)
{
	const struct recorder_fault cut = { .kind = RECORDER_CUT, .at = 7, .length = 9 };
	const struct recorder_fault none = { .kind = RECORDER_NO_FAULT };
	struct track track;

	track_init(&track, &config, 1, 100, NULL);
	track_set_fault(&track, &none);
	ck_assert(!track.odd);
	track_set_fault(&track, &cut);
	ck_assert(!track.odd);
	ck_assert_uint_eq(track.buf.lose_at, 7);
	ck_assert_uint_eq(track.buf.lose, 9);
	track_fini(&track);
}
END_TEST

SUITE_MAIN("soft/track", test_restart, test_losses, test_cut)
