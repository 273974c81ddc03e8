/* SPDX-License-Identifier: MIT */
/*
 * tracks: the processes and threads of the trace, under which spans are drawn.
 *
 * A process is called by its koid ("kernel object id") in FXT: its pid here; a thread by its tid.
 * What has no such number, and what has one that another process has had, gets a koid above 2^22,
 * the greatest pid that Linux gives (PID_MAX_LIMIT).
 */
#ifndef MT_TRACE_TRACKS_H
#define MT_TRACE_TRACKS_H

#include "base/span.h"
#include "trace/fxt.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* A thread of the trace. */
struct track {
	struct track_key key;
	uint64_t process, thread; /* koids */
	uint8_t index;            /* in the trace's thread table; 0: none now */
	bool named;               /* the thread's name has been written */
};

/* The fields are those of tracks.c; here for the inline functions below. */
struct tracks {
	struct fxt *fxt;
	const struct trace_options *options;
	struct trace_stats *stats;
	struct intern *keys;       /* of tracks: the number less 1 is the place in tracks; owned */
	struct intern *pids;       /* of processes, likewise */
	struct intern *koids;      /* numbers given out, likewise */
	struct track *tracks;      /* owned */
	struct process *processes; /* owned */
	struct claim *claims;      /* owned */
	uint32_t cap_tracks, cap_processes, cap_claims;
	uint64_t next_koid;                 /* the next one above 2^22 */
	uint32_t given;                     /* thread indexes up to here have been given out */
	uint32_t hand;                      /* the thread index that is looked at next */
	bool used[FXT_MAX_THREAD + 1];      /* since the hand came by */
	uint32_t owner[FXT_MAX_THREAD + 1]; /* the track that has the index */
	char text[FXT_MAX_BYTES];           /* where names are put together */
};

/*
 * No tracks; records go to fxt. All is borrowed; options also gives the names of processes and
 * threads. End with tracks_fini.
 */
void tracks_init(struct tracks *t, struct fxt *fxt, const struct trace_options *options,
		 struct trace_stats *stats);
void tracks_fini(struct tracks *t);

/* The number of the track with this key; writes nothing. */
uint32_t tracks_add(struct tracks *t, const struct track_key *key);

/*
 * The track's thread index, good for the next event. Writes what the trace must know for it, when
 * it does not yet.
 */
uint8_t tracks_index(struct tracks *t, uint32_t track);

/* The track's thread index if it has one now, else 0. Counts as no use. */
static inline uint8_t tracks_known_index(const struct tracks *t, uint32_t track)
{
	return t->tracks[track].index;
}

/* Says that a thread index is used, as tracks_index does by itself. */
static inline void tracks_use(struct tracks *t, uint8_t index)
{
	t->used[index] = true;
}

#endif
