/* SPDX-License-Identifier: MIT */
/*
 * packet: control flow in, a stream of Intel PT packets out, as a CPU would write it (Intel SDM,
 * volume 3, "Intel Processor Trace": packet definitions).
 *
 * All clocks are ticks of the time stamp counter, and never run backwards.
 */
#ifndef MT_SOFT_PACKET_H
#define MT_SOFT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the recording's perf_event_attr says too. */
struct packet_config {
	bool cyc;                /* CYC packets */
	bool mtc;                /* MTC and TMA packets */
	bool ret_compression;    /* a return to where the call came from is one TNT bit */
	unsigned int mtc_period; /* an MTC every 2^mtc_period ticks of the crystal */
	unsigned int psb_period; /* a PSB every 2^(11+psb_period) bytes */
	unsigned int ctc_ratio;  /* ticks of the TSC in one of the crystal, 1 to 512; for mtc */
	unsigned int cbr;        /* core to bus ratio; the maximum: a cycle is a tick */
	unsigned int tnt_max; /* bits in a TNT packet: 1 to 6 make short ones, up to 47 long ones */
};

struct packet;

struct packet *packet_new(const struct packet_config *config) __attribute__((returns_nonnull));
void packet_free(struct packet *pt);

/* Begins a stream (PSB+), tracing off; also behind lost data. Implied by the first packet_on. */
void packet_start(struct packet *pt, uint64_t clock);

/* Tracing begins at ip. */
void packet_on(struct packet *pt, uint64_t clock, uint64_t ip);

/* Tracing ends with the instruction just executed, which went to the kernel (a system call). */
void packet_off(struct packet *pt, uint64_t clock);

/* Tracing ends between instructions, ip being the next: a signal, a fault, an interrupt, the end.
 */
void packet_async(struct packet *pt, uint64_t clock, uint64_t ip);

/* A conditional branch. */
void packet_cond(struct packet *pt, uint64_t clock, bool taken);

/*
 * A call whose return address is ret; no packet, but it must be known. Not for a direct call to ret
 * itself: a CPU takes that for a way to read rip, and does not remember it.
 */
void packet_call(struct packet *pt, uint64_t ret);

/* An indirect jump or call, to `to`; a call is told by packet_call before. */
void packet_indirect(struct packet *pt, uint64_t clock, uint64_t to);

/* A return to `to`. */
void packet_return(struct packet *pt, uint64_t clock, uint64_t to);

/* Between two instructions: what is due (MTC, PSB+). next is the next instruction. */
void packet_tick(struct packet *pt, uint64_t clock, uint64_t next);

/* The CPU lost packets (OVF), the bits that waited too; if on, tracing goes on at ip. */
void packet_overflow(struct packet *pt, uint64_t clock, bool on, uint64_t ip);

/* Writes the TNT bits that wait for company: before the stream is taken. */
void packet_flush(struct packet *pt, uint64_t clock);

/*
 * The bytes since the last packet_taken: *n of them, whole packets, valid until the next call.
 * packet_taken drops the first n of them.
 */
const uint8_t *packet_bytes(const struct packet *pt, size_t *n);
void packet_taken(struct packet *pt, size_t n);

/* Bytes written in all. */
uint64_t packet_total(const struct packet *pt);

#endif
