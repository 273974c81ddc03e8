/* SPDX-License-Identifier: MIT */
#include "soft/packet.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define CALLS     64 /* that a CPU remembers for return compression */
#define TNT_SHORT 6  /* bits that fit in the packet of one byte */

/* An MTC has 8 bits of the crystal's count: behind a longer gap the clock is told anew. */
#define MTC_GAP 200

struct packet {
	struct packet_config config;
	uint8_t *bytes;
	size_t n, room;
	uint64_t total;  /* bytes written in all */
	uint64_t psb_at; /* of total: the end of the last PSB+ */
	bool started;
	bool on; /* between TIP.PGE and TIP.PGD */
	bool last_ip_known;
	uint64_t last_ip;   /* IP packets are compressed against it */
	uint64_t cyc_clock; /* of the last CYC */
	uint64_t mtc;       /* periods of the crystal at the last MTC or TMA */
	uint64_t tnt;       /* bits that wait, the oldest in the highest place */
	unsigned int n_tnt;
	unsigned int top, depth; /* of calls, a ring */
	uint64_t calls[CALLS];   /* return addresses */
};

struct packet *packet_new(const struct packet_config *config)
{
	struct packet *pt = xcalloc(1, sizeof(*pt));

	pt->config = *config;
	return pt;
}

void packet_free(struct packet *pt)
{
	if (!pt)
		return;
	free(pt->bytes);
	free(pt);
}

static void put(struct packet *pt, const void *bytes, size_t n)
{
	if (n > pt->room - pt->n) {
		pt->room = pt->room ? pt->room * 2 : 1 << 16;
		pt->bytes = xreallocarray(pt->bytes, pt->room, 1);
	}
	memcpy(pt->bytes + pt->n, bytes, n);
	pt->n += n;
	pt->total += n;
}

/* The low n bytes of v, the lowest first. */
static void put_le(uint8_t *to, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

/* CYC, when time has passed since the last one: 5 bits, then 7 a byte, each with "more follows". */
static void put_cyc(struct packet *pt, uint64_t clock)
{
	uint64_t v = clock - pt->cyc_clock;
	uint8_t b[10];
	size_t n = 1;

	if (!pt->config.cyc || v == 0)
		return;
	pt->cyc_clock = clock;
	b[0] = (uint8_t)(3 | (v & 0x1f) << 3 | (v >> 5 ? 4 : 0));
	for (v >>= 5; v; v >>= 7)
		b[n++] = (uint8_t)((v & 0x7f) << 1 | (v >> 7 ? 1 : 0));
	put(pt, b, n);
}

static void put_tsc(struct packet *pt, uint64_t clock)
{
	uint8_t b[8] = { 0x19 };

	put_le(b + 1, clock, 7);
	put(pt, b, sizeof(b));
}

/* The crystal's count, and the TSC's ticks since it: what MTC packets go on from. */
static void put_tma(struct packet *pt, uint64_t clock)
{
	uint64_t crystal = clock / pt->config.ctc_ratio;
	uint8_t b[7] = { 0x02, 0x73 };

	put_le(b + 2, crystal, 2);
	put_le(b + 5, clock % pt->config.ctc_ratio & 0x1ff, 2);
	pt->mtc = crystal >> pt->config.mtc_period;
	put(pt, b, sizeof(b));
}

static void put_clock(struct packet *pt, uint64_t clock)
{
	put_tsc(pt, clock);
	if (pt->config.mtc)
		put_tma(pt, clock);
}

/* Whether bits 48 to 63 are copies of bit 47. */
static bool fits_48_bits(uint64_t ip)
{
	return ip + (UINT64_C(1) << 47) < UINT64_C(1) << 48;
}

/* How an IP packet gives its address: the three high bits of its first byte. */
static unsigned int ip_form(const struct packet *pt, uint64_t ip)
{
	uint64_t changed = ip ^ pt->last_ip;

	if (pt->last_ip_known && changed >> 16 == 0)
		return 1;
	if (pt->last_ip_known && changed >> 32 == 0)
		return 2;
	if (fits_48_bits(ip))
		return 3;
	if (pt->last_ip_known && changed >> 48 == 0)
		return 4;
	return 6;
}

/* TIP, TIP.PGE or FUP, with as many bytes as the last IP leaves necessary. */
static void put_ip(struct packet *pt, uint8_t opcode, uint64_t ip)
{
	static const uint8_t sizes[] = { [1] = 2, [2] = 4, [3] = 6, [4] = 6, [6] = 8 };
	unsigned int form = ip_form(pt, ip);
	uint8_t b[9] = { (uint8_t)(opcode | form << 5) };

	put_le(b + 1, ip, sizes[form]);
	put(pt, b, 1 + (size_t)sizes[form]);
	pt->last_ip = ip;
	pt->last_ip_known = true;
}

static void put_tip(struct packet *pt, uint64_t ip)
{
	put_ip(pt, 0x0d, ip);
}

static void put_fup(struct packet *pt, uint64_t ip)
{
	put_ip(pt, 0x1d, ip);
}

/* TIP.PGD without an address: what it went to is not traced. */
static void put_pgd(struct packet *pt)
{
	put(pt, "\x01", 1);
	pt->on = false;
}

/* CS.L: code is 64-bit. */
static void put_mode_exec(struct packet *pt)
{
	put(pt, "\x99\x01", 2);
}

void packet_flush(struct packet *pt, uint64_t clock)
{
	uint64_t v = UINT64_C(1) << pt->n_tnt | pt->tnt;
	uint8_t b[8] = { 0x02, 0xa3 };

	if (pt->n_tnt == 0)
		return;
	put_cyc(pt, clock);
	if (pt->n_tnt <= TNT_SHORT) {
		b[0] = (uint8_t)(v << 1);
		put(pt, b, 1);
	} else {
		put_le(b + 2, v, 6);
		put(pt, b, sizeof(b));
	}
	pt->tnt = 0;
	pt->n_tnt = 0;
}

static void put_bit(struct packet *pt, uint64_t clock, bool bit)
{
	pt->tnt = pt->tnt << 1 | bit;
	if (++pt->n_tnt >= pt->config.tnt_max)
		packet_flush(pt, clock);
}

/* PSB to PSBEND: from here on, a decoder needs nothing of what was before. */
static void put_psb(struct packet *pt, uint64_t clock, uint64_t next)
{
	const uint8_t cbr[4] = { 0x02, 0x03, (uint8_t)pt->config.cbr };

	packet_flush(pt, clock);
	put_cyc(pt, clock);
	put(pt, "\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82", 16);
	pt->last_ip = 0;
	pt->last_ip_known = true;
	pt->depth = 0;
	put_clock(pt, clock);
	put(pt, cbr, sizeof(cbr));
	if (pt->on) {
		put(pt, "\x99\x20", 2); /* MODE.TSX: in no transaction */
		put_mode_exec(pt);
		/*
		 * In full: perf (6.1) looks at this FUP before it has taken note of the PSB, and
		 * would complete the address with that of the last packet before.
		 */
		pt->last_ip_known = false;
		put_fup(pt, next);
	}
	put(pt, "\x02\x23", 2);
	pt->psb_at = pt->total;
}

void packet_start(struct packet *pt, uint64_t clock)
{
	if (!pt->started)
		pt->cyc_clock = clock;
	pt->started = true;
	pt->on = false;
	put_psb(pt, clock, 0);
}

void packet_on(struct packet *pt, uint64_t clock, uint64_t ip)
{
	if (!pt->started)
		packet_start(pt, clock);
	packet_tick(pt, clock, 0);
	put_cyc(pt, clock);
	put_mode_exec(pt);
	put_ip(pt, 0x11, ip);
	pt->on = true;
	pt->depth = 0;
}

void packet_off(struct packet *pt, uint64_t clock)
{
	packet_flush(pt, clock);
	put_cyc(pt, clock);
	put_pgd(pt);
}

void packet_async(struct packet *pt, uint64_t clock, uint64_t ip)
{
	packet_flush(pt, clock);
	put_cyc(pt, clock);
	put_fup(pt, ip);
	put_pgd(pt);
}

void packet_cond(struct packet *pt, uint64_t clock, bool taken)
{
	put_bit(pt, clock, taken);
}

void packet_call(struct packet *pt, uint64_t ret)
{
	pt->top = (pt->top + 1) % CALLS;
	pt->calls[pt->top] = ret;
	if (pt->depth < CALLS)
		pt->depth++;
}

void packet_indirect(struct packet *pt, uint64_t clock, uint64_t to)
{
	packet_flush(pt, clock);
	put_cyc(pt, clock);
	put_tip(pt, to);
}

void packet_return(struct packet *pt, uint64_t clock, uint64_t to)
{
	uint64_t ret;

	if (pt->depth == 0) {
		packet_indirect(pt, clock, to);
		return;
	}
	/* a return takes the newest call, whether it goes there or not */
	ret = pt->calls[pt->top];
	pt->top = (pt->top + CALLS - 1) % CALLS;
	pt->depth--;
	if (pt->config.ret_compression && ret == to)
		put_bit(pt, clock, true);
	else
		packet_indirect(pt, clock, to);
}

static void tick_mtc(struct packet *pt, uint64_t clock)
{
	uint64_t now = (clock / pt->config.ctc_ratio) >> pt->config.mtc_period;

	if (now - pt->mtc > MTC_GAP) {
		packet_flush(pt, clock);
		put_cyc(pt, clock);
		put_clock(pt, clock);
		return;
	}
	while (pt->mtc != now) {
		uint64_t at = (++pt->mtc << pt->config.mtc_period) * pt->config.ctc_ratio;
		uint8_t b[2] = { 0x59, (uint8_t)pt->mtc };

		/* a CYC that was written since may have counted beyond it */
		if (at < pt->cyc_clock)
			at = pt->cyc_clock;
		packet_flush(pt, at);
		put_cyc(pt, at);
		put(pt, b, sizeof(b));
	}
}

void packet_tick(struct packet *pt, uint64_t clock, uint64_t next)
{
	if (pt->config.mtc)
		tick_mtc(pt, clock);
	if (pt->total - pt->psb_at >= UINT64_C(2048) << pt->config.psb_period)
		put_psb(pt, clock, next);
}

void packet_overflow(struct packet *pt, uint64_t clock, bool on, uint64_t ip)
{
	if (!pt->started)
		packet_start(pt, clock);
	pt->n_tnt = 0;
	pt->tnt = 0;
	pt->depth = 0;
	put_cyc(pt, clock);
	put(pt, "\x02\xf3", 2);
	/* decoders differ in what the last IP is now: the next one is whole */
	pt->last_ip_known = false;
	if (on)
		put_fup(pt, ip);
	pt->on = on;
}

const uint8_t *packet_bytes(const struct packet *pt, size_t *n)
{
	*n = pt->n;
	return pt->bytes;
}

void packet_taken(struct packet *pt, size_t n)
{
	pt->n -= n;
	memmove(pt->bytes, pt->bytes + n, pt->n);
}

uint64_t packet_total(const struct packet *pt)
{
	return pt->total;
}
