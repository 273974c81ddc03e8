/* SPDX-License-Identifier: MIT */
/*
 * ring: the buffer that the kernel shares with us for an event of perf_event_open(2), one record at
 * a time.
 *
 * Not overwritten: when it is full the kernel drops records, and says so in a PERF_RECORD_LOST.
 */
#ifndef MT_RECORD_RING_H
#define MT_RECORD_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer records are left out; those that we ask for are shorter (a comm is 16 bytes). */
#define RING_RECORD_MAX 256

struct ring {
	struct perf_event_mmap_page *page; /* NULL: there is none */
	const char *data;
	uint64_t size;       /* of data, bytes; a power of two */
	uint64_t head, tail; /* what of it is there to be read, as of the last ring_sync */
	size_t mapped;       /* bytes to unmap */
	_Alignas(8) char copy[RING_RECORD_MAX]; /* of a record that goes round the end */
};

/*
 * Maps the buffer of the event fd, with so many pages (a power of two) of data. 0, or -1 with
 * errno: EPERM when more may not be locked (kernel.perf_event_mlock_kb), EINVAL when the event can
 * have none (an inherited one that is not bound to a CPU).
 */
int ring_map(struct ring *ring, int fd, size_t pages);

/* Reads a buffer that somebody else has mapped; size is a power of two. */
void ring_over(struct ring *ring, struct perf_event_mmap_page *page, const void *data,
	       uint64_t size);

/* Takes notice of what has been written up to now; ring_peek gives no later records. */
void ring_sync(struct ring *ring);

/* The oldest record, good until ring_pop or the next ring_sync; NULL when there is none. */
const struct perf_event_header *ring_peek(struct ring *ring);

/* Gives the place of that record back to the kernel. */
void ring_pop(struct ring *ring);

void ring_unmap(struct ring *ring);

#endif
