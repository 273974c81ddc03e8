/* SPDX-License-Identifier: MIT */
/* sender: puts records into perf's standard output. */
#ifndef MT_DLFILTER_SENDER_H
#define MT_DLFILTER_SENDER_H

#include "base/str.h"
#include "dlfilter/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>

/* A place as it is sent. */
struct sent_place {
	uint64_t addr, off;
	struct str sym, dso; /* sym.p NULL: no symbol; at most UINT16_MAX bytes each */
};

/* To be made with sender_init. */
struct sender {
	FILE *out; /* borrowed */
	uint64_t cookie;
	uint64_t time;                /* sent last, ns */
	size_t pending;               /* bytes in the buffer of out behind our last record */
	uint32_t flags[WIRE_INDEXES]; /* by index; 0: not sent yet */
};

/* Writes to out, which may have a buffer already. The first record is a WIRE_HELLO. */
void sender_init(struct sender *s, FILE *out, uint64_t cookie);

/*
 * Whether somebody else has written to out since our last record, as may always have happened
 * before the first one. To be asked before each event: records can only follow text behind the
 * WIRE_HELLO that is written then. (Who writes as much as the buffer holds, to the byte, between
 * two events is not seen.)
 */
static inline bool sender_interrupted(const struct sender *s)
{
	return __fpending(s->out) != s->pending;
}

/* Makes records follow text. */
void sender_hello(struct sender *s);

/* What follows is of this thread. */
void sender_thread(struct sender *s, int32_t pid, int32_t tid);

void sender_place(struct sender *s, uint16_t slot, const struct sent_place *place);

/* A branch of the thread sent last. The places were sent. */
void sender_branch(struct sender *s, uint64_t time, uint32_t flags, uint16_t src, uint16_t dst);

/* The thread sent last was running at that time. */
void sender_tick(struct sender *s, uint64_t time);

#endif
