/* SPDX-License-Identifier: MIT */
/*
 * stream: one thread's execution, as an engine sees it, into PT packets: what was executed from
 * where to where; when the kernel took over, and where it gave back.
 *
 * The engine tells each instruction that may be a branch, or each run of instructions with its last
 * one. Between, the clock goes on by one tick for each instruction, unless it follows real time.
 */
#ifndef MT_SOFT_STREAM_H
#define MT_SOFT_STREAM_H

#include "soft/insn.h"
#include "soft/packet.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Who wants to know each branch as perf should list it (tests); flags are perf's words with
 * underscores between, as "tr_end_syscall".
 */
struct stream_log {
	void (*branch)(void *ctx, int32_t tid, const char *flags, uint64_t from, uint64_t to,
		       uint64_t clock);
	void *ctx;
};

struct stream;

struct stream *stream_new(const struct packet_config *config, int32_t tid, uint64_t clock,
			  const struct stream_log *log) __attribute__((returns_nonnull));
void stream_free(struct stream *s);

/* The stream is a CPU's: from now on it is this thread that runs. Only when it is outside. */
void stream_set_tid(struct stream *s, int32_t tid);

/* The packets, to be taken (packet_bytes). */
struct packet *stream_packets(struct stream *s);

/* Its clock, ticks; it can be set forward. */
uint64_t stream_clock(const struct stream *s);
void stream_clock_to(struct stream *s, uint64_t clock);

/*
 * n instructions were executed, from `start` on; the last is at ip and is insn, and what follows is
 * at `to`. When the kernel had taken over before, it gave back at start. A system call, int and
 * int3 hand over to the kernel: `to` is not used.
 */
void stream_executed(struct stream *s, uint64_t start, uint64_t n, uint64_t ip, struct insn insn,
		     uint64_t to);

/* The kernel took over between two instructions (a signal, a fault, preemption, the end). */
void stream_interrupted(struct stream *s, uint64_t next);

/* Whether the kernel has it. */
bool stream_is_outside(const struct stream *s);

/* The next instruction, as stream_executed told it last; only when it is not outside. */
uint64_t stream_next(const struct stream *s);

/*
 * Faults that hardware has: what happens until stream_recovered is lost. With overflow the CPU has
 * no room for packets (only behind a branch that needs one does a decoder know where it has lost
 * the way); without, the kernel has none for the data, and turns tracing off. next: as above.
 */
void stream_lose(struct stream *s, uint64_t next, bool overflow);
void stream_recovered(struct stream *s, uint64_t next);

struct stream_stats {
	uint64_t instructions;
	uint64_t branches; /* lines that perf prints of them: taken ones, begins and ends */
	uint64_t syscalls, interruptions;
};

const struct stream_stats *stream_stats(const struct stream *s);

#endif
