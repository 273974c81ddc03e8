/* SPDX-License-Identifier: MIT */
/*
 * track: a stream with the buffer that its packets go to, of a thread or of a CPU; and what happens
 * to it that is out of the usual: a new beginning behind a snapshot, faults for tests.
 */
#ifndef MT_SOFT_TRACK_H
#define MT_SOFT_TRACK_H

#include "soft/auxbuf.h"
#include "soft/insn.h"
#include "soft/recorder.h"
#include "soft/stream.h"

#include <stdbool.h>
#include <stdint.h>

struct track {
	struct stream *stream; /* NULL: freed, all of it is written */
	struct auxbuf buf;
	unsigned int snapshots; /* of those asked for, how many have been seen to */
	bool odd;               /* track_begin and track_end have something to do */
	bool restart;           /* what was before has been written: begin so that it is decoded */
	bool losing;
	struct recorder_fault fault;
};

/* The buffer's index, and its ring, are to be set. log may be NULL. */
void track_init(struct track *track, const struct packet_config *config, int32_t tid,
		uint64_t clock, const struct stream_log *log);
void track_fini(struct track *track);

void track_set_fault(struct track *track, const struct recorder_fault *fault);

/* Tracing ends here, for now; all packets are there. */
void track_halt(struct track *track);

/* When it is odd: before instructions are told; the first is at start. */
void track_begin(struct track *track, uint64_t start);

/*
 * When it is odd: behind instructions that were told, the last being insn and the next at next.
 * Whether the data up to here is to be written as truncated.
 */
bool track_end(struct track *track, struct insn insn, uint64_t next);

#endif
