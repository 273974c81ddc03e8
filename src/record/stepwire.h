/* SPDX-License-Identifier: MIT */
/*
 * stepwire: what the stepping process and its parent tell each other, by a socket (SOCK_SEQPACKET).
 *
 * Nothing waits: what the socket has no room for is kept until stepwire_flush.
 */
#ifndef MT_RECORD_STEPWIRE_H
#define MT_RECORD_STEPWIRE_H

#include "base/err.h"
#include "soft/recorder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum stepwire_kind {
	/* to the stepping process */
	STEPWIRE_STOP,
	STEPWIRE_SNAPSHOT,
	STEPWIRE_ARM,
	STEPWIRE_DISARM,
	STEPWIRE_ADD, /* pid, address, flag: its first thread only */
	/* to its parent */
	STEPWIRE_ATTACHED, /* it records, or will as soon as the target is let go of */
	STEPWIRE_HIT,      /* all but flag, stats, err */
	STEPWIRE_TAKEN,    /* a snapshot is complete; flag: that of a hit */
	STEPWIRE_EXECUTED, /* pid: what was added for it is void */
	STEPWIRE_ENDED, /* the target runs on by itself: flag: stats are known; err: why, or "" */
};

struct stepwire_message {
	enum stepwire_kind kind;
	pid_t pid, tid;
	bool flag;
	uint64_t address;
	int64_t time, now; /* of the recording, and of CLOCK_MONOTONIC */
	uint64_t di, si;   /* registers */
	struct recorder_stats stats;
	struct err err;
};

struct stepwire {
	int fd;                         /* owned; -1: none */
	struct stepwire_message *queue; /* owned */
	size_t n, room;
};

/* Sends it as soon as there is room. To nobody, it is forgotten. */
void stepwire_send(struct stepwire *wire, const struct stepwire_message *message);

/* Sends what waits. Whether there is room again, or nobody to send to. */
bool stepwire_flush(struct stepwire *wire);

/*
 * Takes a message, without waiting. 1; 0: there is none; -1: there will be none any more, errno
 * says why, 0: the other end was closed.
 */
int stepwire_receive(struct stepwire *wire, struct stepwire_message *message);

void stepwire_close(struct stepwire *wire);

#endif
