/* SPDX-License-Identifier: MIT */
/*
 * wire: the records that the filter in perf writes into perf's standard output, between the lines
 * that perf itself prints there.
 *
 * A record begins with a tag, a byte that begins no line of text; numbers are in the byte order of
 * the machine and not aligned. Behind text, records go on only with a WIRE_HELLO, which has a
 * number that the reader made up: what is in a line (the path of a file, say) cannot pass for
 * records. There is an empty line before it, in case the text did not end in one.
 *
 * HELLO: u64 cookie.
 *
 * TIME: u64 ns of perf's clock.
 *
 * THREAD: i32 pid, i32 tid, of the records that follow.
 *
 * FLAGS: u8 index, u32 bits, which the index stands for from now on. They are perf's, see api.h.
 *
 * PLACE: u8 has a symbol, u16 slot, u64 address, u64 offset in the symbol, u16 length of the
 * symbol's name, u16 length of the DSO's, then both: what the slot stands for from now on.
 *
 * BRANCH: u8 index of flags, u16 ns since the time sent last, u16 slot of the source, u16 slot of
 * the destination.
 *
 * TICK: the thread was still running at the time sent last.
 */
#ifndef MT_DLFILTER_WIRE_H
#define MT_DLFILTER_WIRE_H

#include <stdint.h>

/* What the filter is told by the first --dlarg; the second is the cookie in hex. */
#define WIRE_VERSION "2"
/* Those behind, if there are any: every branch is wanted; ... */
#define WIRE_ALL "all"
/* ... or only those of a part of the time: the next two are its first and last ns in hex. */
#define WIRE_PART "part"
/* ... or perf's standard output goes to file descriptor 3 rather than to where it went. */
#define WIRE_SPOOL    "spool"
#define WIRE_SPOOL_FD 3

enum wire_tag {
	WIRE_HELLO = 0xf8,
	WIRE_TIME,
	WIRE_THREAD,
	WIRE_FLAGS,
	WIRE_PLACE,
	WIRE_BRANCH,
	WIRE_TICK,
};

/* Bytes of a record, its tag included, and a PLACE's names not. */
#define WIRE_HELLO_SIZE  9u
#define WIRE_TIME_SIZE   9u
#define WIRE_THREAD_SIZE 9u
#define WIRE_FLAGS_SIZE  6u
#define WIRE_PLACE_SIZE  24u
#define WIRE_BRANCH_SIZE 8u
#define WIRE_TICK_SIZE   1u

/* How many places and flags are known at a time. */
#define WIRE_SLOTS   65536u
#define WIRE_INDEXES 128u

/* An offset from here on is garbage that perf computed from a wrong map; it counts as 0. */
#define WIRE_MAX_OFFSET ((uint64_t)1 << 62)

#endif
