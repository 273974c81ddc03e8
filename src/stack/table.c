/* SPDX-License-Identifier: MIT */
#include "stack/table.h"

#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>

#define FIRST_SLOTS 64u

void table_init(struct table *table)
{
	*table = (struct table){ .n_slots = FIRST_SLOTS, .seed = hash_seed() };
	table->slots = xcalloc(table->n_slots, sizeof(*table->slots));
}

void table_fini(struct table *table)
{
	uint32_t i;

	for (i = 0; i < table->n; i++) {
		thread_fini(table->threads[i]);
		free(table->threads[i]);
	}
	free(table->threads);
	free(table->slots);
	*table = (struct table){ 0 };
}

static uint32_t hash(const struct table *table, int32_t pid, int32_t tid)
{
	return (uint32_t)hash_u64((uint64_t)(uint32_t)pid << 32 | (uint32_t)tid, table->seed);
}

/* The slot that holds the thread, or the free one where it belongs. */
static uint32_t find(const struct table *table, int32_t pid, int32_t tid)
{
	uint32_t mask = table->n_slots - 1, i;

	for (i = hash(table, pid, tid) & mask; table->slots[i]; i = (i + 1) & mask) {
		const struct thread *th = table->threads[table->slots[i] - 1];

		if (th->tid == tid && th->pid == pid)
			break;
	}
	return i;
}

static void grow(struct table *table)
{
	uint32_t i;

	table->n_slots *= 2;
	free(table->slots);
	table->slots = xcalloc(table->n_slots, sizeof(*table->slots));
	for (i = 0; i < table->n; i++) {
		const struct thread *th = table->threads[i];

		table->slots[find(table, th->pid, th->tid)] = i + 1;
	}
}

static struct thread *add(struct table *table, struct shared *shared, int32_t pid, int32_t tid)
{
	struct thread *th = xmalloc(sizeof(*th));

	thread_init(th, shared, pid, tid);
	if (table->n == table->cap) {
		table->cap = table->cap ? table->cap * 2 : 16;
		table->threads = xreallocarray(table->threads, table->cap, sizeof(*table->threads));
	}
	table->threads[table->n++] = th;
	if (table->n > table->n_slots / 2)
		grow(table);
	else
		table->slots[find(table, pid, tid)] = table->n;
	return th;
}

struct thread *table_thread(struct table *table, struct shared *shared, int32_t pid, int32_t tid)
{
	struct thread *th = table->last;
	uint32_t slot;

	if (th && th->tid == tid && th->pid == pid)
		return th;
	slot = table->slots[find(table, pid, tid)];
	th = slot ? table->threads[slot - 1] : add(table, shared, pid, tid);
	table->last = th;
	return th;
}
