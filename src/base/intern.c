/* SPDX-License-Identifier: MIT */
#include "base/intern.h"

#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>

#define FIRST_SLOTS 4096u /* a power of two */
#define BLOCK_BYTES (256u << 10)

struct entry {
	const char *p;
	size_t n;
};

/* Half the hash beside the number: most misses end without a look at the bytes. */
struct slot {
	uint32_t id;
	uint32_t hash;
};

struct block {
	struct block *next;
	char bytes[];
};

struct intern {
	struct entry *entries; /* entries[id - 1] */
	uint32_t count, cap;
	struct slot *slots; /* open addressing, linear; n_slots a power of two, at most half full */
	uint32_t n_slots;
	struct block *blocks;
	char *free; /* room in the newest block */
	size_t left;
	size_t bytes, max_bytes;
	uint64_t seed;
	uint64_t refused;
	uint32_t full_id; /* the string that stands for all refused ones */
};

struct intern *intern_new(size_t max_bytes)
{
	struct intern *in = xcalloc(1, sizeof(*in));

	in->max_bytes = max_bytes ? max_bytes : SIZE_MAX;
	in->seed = hash_seed();
	in->n_slots = FIRST_SLOTS;
	in->slots = xcalloc(in->n_slots, sizeof(*in->slots));
	return in;
}

void intern_free(struct intern *in)
{
	struct block *b, *next;

	if (!in)
		return;
	for (b = in->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	free(in->entries);
	free(in->slots);
	free(in);
}

/* A copy of s and a NUL, from the newest block or a new one. */
static const char *keep(struct intern *in, struct str s)
{
	struct block *b;
	char *p;

	if (s.n + 1 > in->left) {
		size_t room = s.n + 1 > BLOCK_BYTES ? s.n + 1 : BLOCK_BYTES;

		b = xmalloc(sizeof(*b) + room);
		b->next = in->blocks;
		in->blocks = b;
		in->free = b->bytes;
		in->left = room;
	}
	p = in->free;
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	in->free += s.n + 1;
	in->left -= s.n + 1;
	in->bytes += s.n + 1;
	return p;
}

static void put(struct slot *slots, uint32_t mask, struct slot slot)
{
	uint32_t i = slot.hash & mask;

	while (slots[i].id)
		i = (i + 1) & mask;
	slots[i] = slot;
}

static void grow_slots(struct intern *in)
{
	uint32_t n = in->n_slots * 2, i;
	struct slot *slots = xcalloc(n, sizeof(*slots));

	for (i = 0; i < in->n_slots; i++)
		if (in->slots[i].id)
			put(slots, n - 1, in->slots[i]);
	free(in->slots);
	in->slots = slots;
	in->n_slots = n;
}

static uint32_t add_new(struct intern *in, struct str s, uint32_t hash)
{
	if (in->count == in->cap) {
		in->cap = in->cap ? in->cap * 2 : 1024;
		in->entries = xreallocarray(in->entries, in->cap, sizeof(*in->entries));
	}
	if (in->count >= in->n_slots / 2)
		grow_slots(in);
	in->entries[in->count] = (struct entry){ .p = keep(in, s), .n = s.n };
	in->count++;
	put(in->slots, in->n_slots - 1, (struct slot){ .id = in->count, .hash = hash });
	return in->count;
}

static uint32_t refuse(struct intern *in)
{
	in->refused++;
	if (!in->full_id) {
		in->max_bytes = SIZE_MAX; /* room for this one */
		in->full_id = intern_add(in, STR("[too many names]"));
		in->max_bytes = 0;
	}
	return in->full_id;
}

uint32_t intern_add(struct intern *in, struct str s)
{
	uint32_t hash = (uint32_t)hash_bytes(s, in->seed);
	uint32_t mask = in->n_slots - 1, i;

	for (i = hash & mask; in->slots[i].id; i = (i + 1) & mask) {
		const struct entry *e;

		if (in->slots[i].hash != hash)
			continue;
		e = &in->entries[in->slots[i].id - 1];
		if (e->n == s.n && (s.n == 0 || memcmp(e->p, s.p, s.n) == 0))
			return in->slots[i].id;
	}
	/* The entry beside the bytes counts too: a million one-letter names are no small thing. */
	if (in->bytes + (size_t)in->count * sizeof(struct entry) + s.n >= in->max_bytes ||
	    in->count >= UINT32_MAX / 4)
		return refuse(in);
	return add_new(in, s, hash);
}

struct str intern_str(const struct intern *in, uint32_t id)
{
	if (id == INTERN_NONE || id > in->count)
		return (struct str){ .p = "", .n = 0 };
	return (struct str){ .p = in->entries[id - 1].p, .n = in->entries[id - 1].n };
}

uint32_t intern_count(const struct intern *in)
{
	return in->count;
}

uint64_t intern_refused(const struct intern *in)
{
	return in->refused;
}
