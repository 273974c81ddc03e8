/* SPDX-License-Identifier: MIT */
/*
 * event: what perf's reader makes of a record, and what the stacks are built from. Plain records.
 *
 * Names and DSOs are numbers of the run's intern table (base/intern.h).
 */
#ifndef MT_EVENT_EVENT_H
#define MT_EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a branch record's type says; the words are those of perf's flag column. */
enum branch_kind {
	BRANCH_NONE, /* a trace start or end without a type, or no word at all */
	BRANCH_CALL,
	BRANCH_RETURN,
	BRANCH_JCC,
	BRANCH_JMP,
	BRANCH_INT,
	BRANCH_IRET,
	BRANCH_SYSCALL,
	BRANCH_SYSRET,
	BRANCH_ASYNC,
	BRANCH_HW_INT,
	BRANCH_TX_ABRT,
	BRANCH_VMENTRY,
	BRANCH_VMEXIT,
	BRANCH_KINDS
};

/* Whether tracing starts or stops at a branch record ("tr strt", "tr end"). */
enum trace_state {
	TRACE_ON, /* no change; also "tr strt tr end", which changes nothing */
	TRACE_START,
	TRACE_END,
};

/* Codes of errors that mean that a stretch of the trace is missing; perf's intel-pt.c has all. */
enum { ERROR_OVERFLOW = 7, ERROR_LOST = 8 };

/* A place in a program. */
struct location {
	uint64_t addr;
	uint64_t
		off; /* addr - off is the symbol's first address; 0 when perf's offset is garbage */
	uint32_t sym; /* the symbol's name, or INTERN_NONE when perf knows none */
	uint32_t dso; /* or INTERN_NONE */
};

enum event_kind {
	EVENT_BRANCH,
	EVENT_SAMPLE,  /* a sampled stack */
	EVENT_EXTRA,   /* a sampled event that is shown on a track of its own */
	EVENT_CBR,     /* core-to-bus ratio: the CPU's frequency */
	EVENT_PTWRITE, /* a value that the program put into the trace */
	EVENT_ERROR,   /* perf could not decode a stretch of the trace */
};

struct event {
	enum event_kind kind;
	bool has_time;   /* false only for some decode errors */
	bool in_tx;      /* EVENT_BRANCH: inside a hardware transaction ("x") */
	bool named;      /* EVENT_BRANCH: symbols have the names that are shown, not perf's */
	int32_t pid;     /* 0: not known */
	int32_t tid;     /* 0: not known */
	int64_t time;    /* perf's clock, ns, not negative */
	uint32_t region; /* set by the filter: which region it lies in, 0 = none */
	union {
		struct {
			enum branch_kind kind;
			enum trace_state state;
			struct location src, dst;
		} branch;
		struct {
			struct location *frames; /* outermost first; owned by the reader, valid
						    until its next event */
			size_t n;
		} sample;
		struct {
			uint32_t name; /* the event's name, interned */
			uint64_t count;
			struct location place;
		} extra;
		struct {
			uint32_t mhz;
		} cbr;
		struct {
			uint64_t payload;
			struct location place;
		} ptwrite;
		struct {
			uint64_t ip; /* 0: none */
			uint32_t code;
			uint32_t message; /* interned */
		} error;
	};
};

/* The word perf prints for a kind ("hw int"); "" for BRANCH_NONE. */
const char *branch_kind_word(enum branch_kind kind);

#endif
