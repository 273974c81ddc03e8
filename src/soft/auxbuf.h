/* SPDX-License-Identifier: MIT */
/*
 * auxbuf: the packets of a stream on their way into the file: all of them, in pieces; or a ring of
 * which only the last part is kept, and written when it is asked for.
 *
 * Offsets count all bytes that the stream has had, those that were lost too.
 */
#ifndef MT_SOFT_AUXBUF_H
#define MT_SOFT_AUXBUF_H

#include "soft/packet.h"
#include "soft/perfdata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct auxbuf {
	struct packet *packets; /* not owned */
	unsigned int index;     /* of the buffer: counts threads, or CPUs */
	size_t ring;            /* bytes; 0: all is kept */
	uint64_t offset;        /* of what packets has first */
	bool cut;               /* what came before that was dropped */
	/* a fault for tests: so many bytes from an offset on are left out of the file */
	uint64_t lose_at, lose;
};

/* Whether it has so much that it is time for auxbuf_keep or, without a ring, auxbuf_write. */
bool auxbuf_is_full(const struct auxbuf *buf);

/* Drops what the ring has no room for. */
void auxbuf_keep(struct auxbuf *buf);

/*
 * Writes what it has, and empties it. Of a ring the part that can be decoded: from the first PSB
 * on, if something before it was dropped. aux says whose it is, and when; of its other members,
 * `truncated` counts. Nothing is written when there is nothing.
 */
void auxbuf_write(struct auxbuf *buf, struct perfdata *pd, const struct perfdata_aux *aux);

#endif
