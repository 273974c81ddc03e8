/* SPDX-License-Identifier: MIT */
#include "soft/track.h"

void track_init(struct track *track, const struct packet_config *config, int32_t tid,
		uint64_t clock, const struct stream_log *log)
{
	*track = (struct track){ .stream = stream_new(config, tid, clock, log) };
	track->buf.packets = stream_packets(track->stream);
}

void track_fini(struct track *track)
{
	stream_free(track->stream);
	track->stream = NULL;
}

void track_set_fault(struct track *track, const struct recorder_fault *fault)
{
	if (fault->kind == RECORDER_CUT) {
		track->buf.lose_at = fault->at;
		track->buf.lose = fault->length;
		return;
	}
	track->fault = *fault;
	track->odd = fault->kind != RECORDER_NO_FAULT;
}

void track_halt(struct track *track)
{
	stream_interrupted(track->stream, stream_next(track->stream));
	packet_flush(track->buf.packets, stream_clock(track->stream));
}

void track_begin(struct track *track, uint64_t start)
{
	uint64_t done = stream_stats(track->stream)->instructions;

	if (track->restart)
		packet_start(track->buf.packets, stream_clock(track->stream));
	track->restart = false;
	if (track->losing && done >= track->fault.at + track->fault.length) {
		stream_recovered(track->stream, start);
		track->losing = false;
		track->fault.kind = RECORDER_NO_FAULT;
	}
	track->odd = track->fault.kind != RECORDER_NO_FAULT;
}

/* Whether it takes a packet: a decoder knows then that it comes this far. */
static bool takes_packet(struct insn insn)
{
	return insn.kind == INSN_JCC || insn.kind == INSN_RET || insn.kind == INSN_JMP_IND ||
	       insn.kind == INSN_CALL_IND;
}

bool track_end(struct track *track, struct insn insn, uint64_t next)
{
	uint64_t done = stream_stats(track->stream)->instructions;

	if (track->losing || track->fault.kind == RECORDER_NO_FAULT || done < track->fault.at ||
	    !takes_packet(insn))
		return false;
	track->losing = true;
	track->fault.at = done;
	stream_lose(track->stream, next, track->fault.kind == RECORDER_OVERFLOW);
	return track->fault.kind == RECORDER_TRUNCATED;
}
