/* SPDX-License-Identifier: MIT */
#include "soft/auxbuf.h"

#include "base/xalloc.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* So much is written at once. */
#define PIECE ((size_t)1 << 20)

/*
 * Intel SDM, volume 3, "Packet Stream Boundary (PSB) Packet": it appears nowhere else. But what
 * stands before it may end as it begins.
 */
static const uint8_t psb[16] = { 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
				 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82 };

bool auxbuf_is_full(const struct auxbuf *buf)
{
	size_t n;

	packet_bytes(buf->packets, &n);
	return n >= (buf->ring ? 2 * buf->ring + (PIECE >> 4) : PIECE);
}

static void drop(struct auxbuf *buf, size_t n)
{
	packet_taken(buf->packets, n);
	buf->offset += n;
	buf->cut = true;
}

void auxbuf_keep(struct auxbuf *buf)
{
	size_t n;

	packet_bytes(buf->packets, &n);
	if (n > buf->ring)
		drop(buf, n - buf->ring);
}

/* The first PSB in the bytes, or their end. */
static const uint8_t *find_psb(const uint8_t *bytes, size_t n)
{
	const uint8_t *end = bytes + n, *p = memmem(bytes, n, psb, sizeof(psb));

	if (!p)
		return end;
	while (end - p >= (ptrdiff_t)sizeof(psb) + 2 && memcmp(p + sizeof(psb), psb, 2) == 0)
		p += 2;
	return p;
}

/* Drops what cannot be decoded because its beginning was dropped. */
static void align(struct auxbuf *buf)
{
	const uint8_t *bytes;
	size_t n;

	bytes = packet_bytes(buf->packets, &n);
	if (!buf->cut || n == 0)
		return;
	drop(buf, (size_t)(find_psb(bytes, n) - bytes));
}

/* The same without the bytes that are to be lost. */
static void write_cut(struct auxbuf *buf, struct perfdata *pd, const struct perfdata_aux *aux)
{
	size_t at = buf->lose_at - aux->offset, lost = aux->n - at;
	uint8_t *bytes = xmalloc(aux->n);
	struct perfdata_aux rest = *aux;

	if (lost > buf->lose)
		lost = buf->lose;
	memcpy(bytes, aux->bytes, at);
	memcpy(bytes + at, aux->bytes + at + lost, aux->n - at - lost);
	rest.bytes = bytes;
	rest.n -= lost;
	if (rest.n)
		perfdata_aux(pd, &rest);
	free(bytes);
	buf->lose = 0;
}

void auxbuf_write(struct auxbuf *buf, struct perfdata *pd, const struct perfdata_aux *aux)
{
	struct perfdata_aux piece = *aux;

	if (buf->ring) {
		auxbuf_keep(buf);
		align(buf);
	}
	piece.index = buf->index;
	piece.offset = buf->offset;
	piece.bytes = packet_bytes(buf->packets, &piece.n);
	if (piece.n == 0)
		return;
	if (buf->lose && buf->lose_at >= piece.offset && buf->lose_at - piece.offset < piece.n)
		write_cut(buf, pd, &piece);
	else
		perfdata_aux(pd, &piece);
	packet_taken(buf->packets, piece.n);
	buf->offset += piece.n;
	buf->cut = false;
}
