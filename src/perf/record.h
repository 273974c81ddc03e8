/* SPDX-License-Identifier: MIT */
/*
 * record: drives `perf record`.
 *
 * Nothing here waits: the caller polls the file descriptors of perf_record_poll together with its
 * own, and calls perf_record_step when one is ready or the time is up.
 */
#ifndef MT_PERF_RECORD_H
#define MT_PERF_RECORD_H

#include "base/err.h"
#include "base/str.h"
#include "perf/recordargs.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum perf_record_state {
	PERF_STARTING,     /* not known to be recording yet */
	PERF_RECORDING,    /* events are on */
	PERF_SNAPSHOTTING, /* a snapshot was asked for and is not complete */
	PERF_STOPPING,     /* told to stop; writes what it has */
	PERF_ENDED,        /* has exited, of itself or as it was told */
};

struct perf_record;

/*
 * Starts perf, in a process group of its own, with PAGER=cat and LC_ALL=C; it dies with the thread
 * that started it. on_stderr gets each line that perf prints to standard error, cut at 4096 bytes,
 * but not those that say nothing of interest ("[ perf record: Woken up 1 times ... ]"); may be
 * NULL. The settings are copied but for their strings and ids, which must live as long.
 * 0 and *rec, or -1 with err (perf is missing, with a hint which package brings it; cannot be run).
 */
int perf_record_start(const struct perf_record_settings *settings,
		      void (*on_stderr)(void *ctx, struct str line), void *ctx,
		      struct perf_record **rec, struct err *err);

/* How long perf may take, in ms; 0: as said here. */
struct perf_record_limits {
	unsigned int start;  /* until it records: 60 s. A large process takes seconds */
	unsigned int answer; /* to a command: 8 s */
	unsigned int stop;   /* to its end, without writing a byte: 60 s */
};

/* Sets other limits; to be called before the first perf_record_poll or _step. */
void perf_record_limit(struct perf_record *rec, const struct perf_record_limits *limits);

/* perf's process id, which also is its group's. */
pid_t perf_record_pid(const struct perf_record *rec);

#define PERF_RECORD_FDS 4

/* What to poll for: fills PERF_RECORD_FDS entries (fd -1: nothing), and how long at most, in ms. */
void perf_record_poll(const struct perf_record *rec, struct pollfd fds[PERF_RECORD_FDS],
		      int *timeout);

/* Takes what has arrived, without waiting, and says where perf is. */
enum perf_record_state perf_record_step(struct perf_record *rec);

/*
 * Asks for a snapshot; in other states than PERF_RECORDING it does nothing. Where the end of the
 * recording takes the snapshot (perf_record_ends_with_snapshot), it ends it: PERF_STOPPING follows.
 * Else the state is PERF_SNAPSHOTTING until perf has answered (control: its ack; a signal with
 * multi_snapshot: the data file has got its name; a signal otherwise: half a second has passed), at
 * most 8 s; then PERF_RECORDING, and perf_record_snapshots says whether there was an answer.
 */
void perf_record_snapshot(struct perf_record *rec);

/* How many snapshots were completed; one that the end takes is counted in PERF_ENDED. */
size_t perf_record_snapshots(const struct perf_record *rec);

/*
 * Tells perf to end, and to write what it has; in any state. It is told when it is recording and no
 * snapshot is under way: at most 8 s are waited for that. One that has not exited when 60 s have
 * passed without a byte being added to the data file is killed.
 */
void perf_record_stop(struct perf_record *rec);

/* Ends perf at once. What it had not written is lost. perf_record_finish is still to be called. */
void perf_record_kill(struct perf_record *rec);

/*
 * To be called in PERF_ENDED, or to end it all (then it is killed); frees rec. 0 when perf ended
 * as it was told (perf_record_kill is such a way) or because its targets did; else -1 with err: how
 * perf ended, whether before it recorded, and the line of its standard error that tells why, with a
 * hint when it is known (permission, mlock, no such event, no space, ...).
 */
int perf_record_finish(struct perf_record *rec, struct err *err);

#endif
