/* SPDX-License-Identifier: MIT */
/*
 * span: what stands between the stacks and the trace file: who makes spans gives them to a sink,
 * who writes them is one. Neither knows the other.
 */
#ifndef MT_BASE_SPAN_H
#define MT_BASE_SPAN_H

#include <stdbool.h>
#include <stdint.h>

enum span_kind {
	SPAN_BEGIN, /* a frame is entered; `value`: the address it was called from, or 0 */
	SPAN_END,   /* the innermost open frame of the track is left; `value`: frames below it that
		       the depth cap left out, or 0 */
	SPAN_COMPLETE, /* a leaf from `time` to `end` (no span that has a length lies inside it) */
	SPAN_COUNTER,  /* the CPU's frequency: `value` MHz */
	SPAN_EXTRA,   /* a sampled extra event, zero length, on its own track: `value` is the count,
			 name/dso/addr the place, `owner` the thread's track */
	SPAN_PTWRITE, /* an instant: `value` is the payload the program wrote, addr the place */
	SPAN_ARROW_FROM, /* an arrow begins at the innermost open frame: `value` is its number */
	SPAN_ARROW_TO,   /* and ends here, perhaps on another track */
};

enum span_flag {
	SPAN_INFERRED =
		1 << 0, /* a begin whose call was not seen: its time is the earliest possible */
	SPAN_ERROR = 1 << 1,  /* the mark of a decode error */
	SPAN_SIGNAL = 1 << 2, /* a begin: a signal's handler, called by the kernel */
	/*
	 * A function that was inlined into the frame: `start` is a place in it, and a begin's value
	 * how many were inlined into each other there, this one counted.
	 */
	SPAN_INLINED = 1 << 3,
};

/*
 * One thing to write. A plain record, 64 bytes, so that it can wait in a spool.
 *
 * What it is called: `name` is the number of a string in the run's intern table; or INTERN_NONE for
 * a place without a symbol, which is then called "[unknown @ 0xADDR (DSO)]" (see place_name()).
 */
struct span {
	int64_t time;   /* ns since the trace's base, never negative */
	int64_t end;    /* SPAN_COMPLETE: ns since the base, not before time. SPAN_BEGIN, SPAN_END:
			   by how many ns time may be wrong; 0: by few */
	uint64_t addr;  /* the place: an address in the traced program; 0 for synthetic frames */
	uint64_t start; /* the function's first address (addr - offset) when it is known, else addr
			 */
	uint64_t value; /* see the kinds */
	uint32_t track; /* what span_sink.track returned */
	uint32_t name;  /* interned, or INTERN_NONE: see above */
	uint32_t dso;   /* interned, or INTERN_NONE */
	uint32_t owner; /* SPAN_EXTRA: the track of the thread it was sampled on */
	uint8_t kind;   /* enum span_kind */
	uint8_t flags;  /* enum span_flag, or'ed */
};

/* Where spans are drawn. */
enum track_kind {
	TRACK_THREAD, /* a thread's calls */
	TRACK_EXTRA,  /* one kind of extra event of one process; `event` is its interned name */
	TRACK_HITS,   /* the hits of triggers; pid and tid do not matter */
};

struct track_key {
	enum track_kind kind;
	int32_t pid;    /* 0: not known */
	int32_t tid;    /* 0: not known; TRACK_EXTRA: does not matter */
	uint32_t event; /* TRACK_EXTRA only */
};

/* One hit of a trigger's breakpoint. Times: ns since the base, mapped as all others are. */
struct hit_span {
	int64_t time;   /* of the hit */
	int64_t start;  /* where the span begins: the passed time when it is usable, else time */
	int64_t passed; /* the time that the program passed, mapped; may be negative */
	uint64_t arg;   /* the value that the program passed */
	uint64_t ip;
	uint32_t track;
	uint32_t name; /* the trigger's symbol, interned */
	int32_t tid;
	bool has_arg; /* only the stop indicator passes a value */
};

/* Functions that take spans; ctx is the sink's own. All must be set. */
struct span_sink {
	void *ctx;
	/* The number of a track, the same for the same key. */
	uint32_t (*track)(void *ctx, const struct track_key *key);
	/* Takes one span; it is borrowed for the call. Failures stay in the sink till it is asked.
	 */
	void (*span)(void *ctx, const struct span *span);
	void (*hit)(void *ctx, const struct hit_span *hit);
};

#endif
