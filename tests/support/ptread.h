/* SPDX-License-Identifier: MIT */
/*
 * ptread: reads Intel PT packets, as the tables in the Intel SDM have them (volume 3, "Intel
 * Processor Trace": packet definitions). It knows nothing of programs: bits and addresses in their
 * order are all it tells.
 */
#ifndef MT_TESTS_SUPPORT_PTREAD_H
#define MT_TESTS_SUPPORT_PTREAD_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptread {
	uint64_t last_ip, clock; /* clock: TSC and CYC */
	bool in_psb;
	char bits[1 << 20]; /* of TNT: '0' and '1' */
	size_t n_bits;
	uint64_t ips[1 << 16]; /* of TIP, TIP.PGE, and FUP outside PSB+ */
	size_t n_ips, n_psb;
};

static inline uint64_t ptread_little(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

static inline void ptread_bits(struct ptread *r, uint64_t v)
{
	int top = 63 - __builtin_clzll(v);

	while (top--) {
		ck_assert_uint_lt(r->n_bits, sizeof(r->bits));
		r->bits[r->n_bits++] = (char)('0' + (v >> top & 1));
	}
}

static inline size_t ptread_ip(struct ptread *r, const uint8_t *p)
{
	static const uint8_t sizes[8] = { 0, 2, 4, 6, 6, 0, 8, 0 };
	size_t n = sizes[p[0] >> 5];
	uint64_t v = ptread_little(p + 1, n);

	if (n == 0)
		return 1;
	if (p[0] >> 5 == 3)
		v = (uint64_t)((int64_t)(v << 16) >> 16);
	else if (n < 8)
		v |= r->last_ip >> 8 * n << 8 * n;
	r->last_ip = v;
	if (r->in_psb)
		return 1 + n;
	ck_assert_uint_lt(r->n_ips, sizeof(r->ips) / sizeof(r->ips[0]));
	r->ips[r->n_ips++] = v;
	return 1 + n;
}

static inline size_t ptread_cyc(struct ptread *r, const uint8_t *p, size_t left)
{
	uint64_t v = p[0] >> 3;
	unsigned int shift = 5;
	size_t n = 1;

	for (bool more = p[0] & 4; more; shift += 7) {
		ck_assert_uint_lt(n, left);
		more = p[n] & 1;
		v |= (uint64_t)(p[n++] >> 1) << shift;
	}
	r->clock += v;
	return n;
}

static inline size_t ptread_extended(struct ptread *r, const uint8_t *p)
{
	switch (p[1]) {
	case 0x82:
		r->last_ip = 0;
		r->in_psb = true;
		r->n_psb++;
		return 16;
	case 0x23: r->in_psb = false; return 2;
	case 0x03: return 4;
	case 0x73: return 7;
	case 0xa3: ptread_bits(r, ptread_little(p + 2, 6)); return 8;
	default: ck_abort_msg("packet 02 %02x", p[1]);
	}
}

static inline size_t ptread_packet(struct ptread *r, const uint8_t *p, size_t left)
{
	if (p[0] == 0x02)
		return ptread_extended(r, p);
	if (p[0] == 0x19) {
		/* the time that the CYC before it has told */
		if (r->n_psb > 1)
			ck_assert_uint_eq(ptread_little(p + 1, 7), r->clock);
		r->clock = ptread_little(p + 1, 7);
		return 8;
	}
	if (p[0] == 0x59 || p[0] == 0x99)
		return 2;
	if ((p[0] & 3) == 3)
		return ptread_cyc(r, p, left);
	if ((p[0] & 1) == 0) {
		ck_assert_uint_gt(p[0], 3); /* neither PAD nor without a stop bit */
		ptread_bits(r, p[0] >> 1);
		return 1;
	}
	ck_assert((p[0] & 0x1f) == 0x01 || (p[0] & 0x1f) == 0x0d || (p[0] & 0x1f) == 0x11 ||
		  (p[0] & 0x1f) == 0x1d);
	return ptread_ip(r, p);
}

/* Reads n bytes: they end where a packet does. */
static inline void ptread_bytes(struct ptread *r, const uint8_t *bytes, size_t n)
{
	size_t at = 0;

	while (at < n)
		at += ptread_packet(r, bytes + at, n - at);
	ck_assert_uint_eq(at, n);
}

#endif
