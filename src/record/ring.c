/* SPDX-License-Identifier: MIT */
#include "record/ring.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_map(struct ring *ring, int fd, size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t mapped = (1 + pages) * page;
	void *base = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -1;
	ring_over(ring, base, (char *)base + page, pages * page);
	ring->mapped = mapped;
	return 0;
}

void ring_over(struct ring *ring, struct perf_event_mmap_page *page, const void *data,
	       uint64_t size)
{
	*ring = (struct ring){ .page = page, .data = data, .size = size };
	ring->tail = page->data_tail;
	ring->head = ring->tail;
}

void ring_sync(struct ring *ring)
{
	/* Pairs with the kernel's barrier between writing a record and moving the head. */
	if (ring->page)
		ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

/* Copies n bytes from where the ring is at. */
static void copy_out(const struct ring *ring, void *to, size_t n)
{
	uint64_t at = ring->tail & (ring->size - 1);
	size_t first = n < ring->size - at ? n : (size_t)(ring->size - at);

	memcpy(to, ring->data + at, first);
	memcpy((char *)to + first, ring->data, n - first);
}

static void move_tail(struct ring *ring, uint64_t tail)
{
	ring->tail = tail;
	/* We have read it all before the kernel may write there. */
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

const struct perf_event_header *ring_peek(struct ring *ring)
{
	struct perf_event_header header;

	while (ring->head != ring->tail) {
		uint64_t at = ring->tail & (ring->size - 1), there = ring->head - ring->tail;

		if (there >= sizeof(header))
			copy_out(ring, &header, sizeof(header));
		if (there < sizeof(header) || header.size < sizeof(header) || header.size > there) {
			/* never seen; nothing behind it can be found */
			move_tail(ring, ring->head);
			return NULL;
		}
		if (header.size > RING_RECORD_MAX) {
			move_tail(ring, ring->tail + header.size);
			continue;
		}
		if (ring->size - at >= header.size && at % 8 == 0)
			return (const struct perf_event_header *)(ring->data + at);
		copy_out(ring, ring->copy, header.size);
		return (const struct perf_event_header *)ring->copy;
	}
	return NULL;
}

void ring_pop(struct ring *ring)
{
	const struct perf_event_header *header = ring_peek(ring);

	if (header)
		move_tail(ring, ring->tail + header->size);
}

void ring_unmap(struct ring *ring)
{
	if (ring->mapped)
		munmap(ring->page, ring->mapped);
	*ring = (struct ring){ .page = NULL };
}
