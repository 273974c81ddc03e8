/* SPDX-License-Identifier: MIT */
#include "soft/stream.h"

#include "base/xalloc.h"

#include <stdlib.h>

enum loss {
	LOSS_NONE,
	LOSS_OVERFLOW,
	LOSS_TRUNCATED,
};

struct stream {
	struct packet *packets;
	struct stream_log log;
	int32_t tid;
	bool outside;
	enum loss loss;
	uint64_t clock;
	uint64_t next; /* instruction */
	struct stream_stats stats;
};

struct stream *stream_new(const struct packet_config *config, int32_t tid, uint64_t clock,
			  const struct stream_log *log)
{
	struct stream *s = xcalloc(1, sizeof(*s));

	s->packets = packet_new(config);
	s->tid = tid;
	s->clock = clock;
	s->outside = true;
	if (log)
		s->log = *log;
	return s;
}

void stream_free(struct stream *s)
{
	if (!s)
		return;
	packet_free(s->packets);
	free(s);
}

void stream_set_tid(struct stream *s, int32_t tid)
{
	s->tid = tid;
}

struct packet *stream_packets(struct stream *s)
{
	return s->packets;
}

uint64_t stream_clock(const struct stream *s)
{
	return s->clock;
}

void stream_clock_to(struct stream *s, uint64_t clock)
{
	if (clock > s->clock)
		s->clock = clock;
}

bool stream_is_outside(const struct stream *s)
{
	return s->outside;
}

uint64_t stream_next(const struct stream *s)
{
	return s->next;
}

const struct stream_stats *stream_stats(const struct stream *s)
{
	return &s->stats;
}

/* A line that perf will print. */
static void branch(struct stream *s, const char *flags, uint64_t from, uint64_t to)
{
	s->stats.branches++;
	if (s->log.branch)
		s->log.branch(s->log.ctx, s->tid, flags, from, to, s->clock);
}

static void enter(struct stream *s, uint64_t ip)
{
	s->outside = false;
	s->next = ip;
	branch(s, "tr_strt", 0, ip);
	packet_on(s->packets, s->clock, ip);
}

static void leave(struct stream *s, uint64_t ip)
{
	s->outside = true;
	branch(s, "tr_end_async", ip, 0);
	packet_async(s->packets, s->clock, ip);
}

static void indirect(struct stream *s, const char *flags, uint64_t from, uint64_t to)
{
	packet_indirect(s->packets, s->clock, to);
	branch(s, flags, from, to);
}

static void conditional(struct stream *s, uint64_t ip, struct insn insn, uint64_t to)
{
	uint64_t behind = ip + insn.length;

	/* one to what is behind it is not seen to be taken */
	packet_cond(s->packets, s->clock, to != behind);
	if (to != behind)
		branch(s, "jcc", ip, to);
}

static void system_call(struct stream *s, uint64_t ip)
{
	s->stats.syscalls++;
	s->outside = true;
	branch(s, "tr_end_syscall", ip, 0);
	packet_off(s->packets, s->clock);
}

/* Packets for the instruction at ip. */
static void follow(struct stream *s, uint64_t ip, struct insn insn, uint64_t to)
{
	switch ((enum insn_kind)insn.kind) {
	case INSN_OTHER: break;
	case INSN_JCC: conditional(s, ip, insn, to); break;
	case INSN_JMP: branch(s, "jmp", ip, to); break;
	case INSN_CALL:
		/* to what is behind it: not a call but a way to have its address (Intel SDM) */
		if (insn.rel)
			packet_call(s->packets, ip + insn.length);
		branch(s, "call", ip, to);
		break;
	case INSN_CALL_IND:
		packet_call(s->packets, ip + insn.length);
		indirect(s, "call", ip, to);
		break;
	case INSN_JMP_IND: indirect(s, "jmp", ip, to); break;
	case INSN_RET:
		packet_return(s->packets, s->clock, to);
		branch(s, "return", ip, to);
		break;
	case INSN_IRET: indirect(s, "iret", ip, to); break;
	case INSN_SYSCALL: system_call(s, ip); break;
	case INSN_INT:
	case INSN_INT3: leave(s, ip); break;
	}
}

static bool goes_to_kernel(struct insn insn)
{
	return insn.kind == INSN_SYSCALL || insn.kind == INSN_INT || insn.kind == INSN_INT3;
}

void stream_executed(struct stream *s, uint64_t start, uint64_t n, uint64_t ip, struct insn insn,
		     uint64_t to)
{
	if (s->outside && s->loss == LOSS_NONE)
		enter(s, start);
	s->clock += n;
	s->stats.instructions += n;
	s->next = to;
	if (s->loss != LOSS_NONE) {
		s->outside = goes_to_kernel(insn);
		return;
	}
	follow(s, ip, insn, to);
	if (!s->outside)
		packet_tick(s->packets, s->clock, to);
}

void stream_interrupted(struct stream *s, uint64_t next)
{
	if (s->outside)
		return;
	s->stats.interruptions++;
	if (s->loss != LOSS_NONE)
		s->outside = true;
	else
		leave(s, next);
}

void stream_lose(struct stream *s, uint64_t next, bool overflow)
{
	if (s->loss != LOSS_NONE)
		return;
	if (overflow)
		packet_flush(s->packets, s->clock);
	else if (!s->outside)
		leave(s, next);
	s->loss = overflow ? LOSS_OVERFLOW : LOSS_TRUNCATED;
}

void stream_recovered(struct stream *s, uint64_t next)
{
	enum loss loss = s->loss;

	s->loss = LOSS_NONE;
	if (loss == LOSS_TRUNCATED) {
		s->outside = true;
		packet_start(s->packets, s->clock);
	}
	if (loss != LOSS_OVERFLOW)
		return;
	if (!s->outside)
		branch(s, "tr_strt", 0, next);
	packet_overflow(s->packets, s->clock, !s->outside, next);
}
