/* SPDX-License-Identifier: MIT */
#include "perf/recent.h"

#include "base/xalloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SLOT_BITS 14
#define N_SLOTS   (1u << SLOT_BITS)
#define TEXT_MAX  224u
/* A slot is chosen by the first bytes of a text: the address, and a bit of the symbol. */
#define KEY_BYTES 16u

/* 256 bytes: four cache lines, of which a comparison touches two or three. */
struct slot {
	struct location loc;
	size_t n; /* 0: empty */
	char text[TEXT_MAX];
};

struct recent {
	/*
	 * Each text has two places in each table, and a tag of 16 bits. That a text is not there
	 * shows in the tags, which stay in the first-level caches; the slots, 4 MiB, do not.
	 */
	uint16_t tags[N_SLOTS]; /* of what is in the slots; 0: empty */
	uint16_t seen[N_SLOTS]; /* of what came once */
	struct slot *slots;     /* owned */
	unsigned int turn;      /* which of two is overwritten next */
};

struct key {
	uint32_t at[2];
	uint16_t tag; /* not 0 */
};

struct recent *recent_new(void)
{
	struct recent *r = xcalloc(1, sizeof(*r));

	r->slots = xcalloc(N_SLOTS, sizeof(*r->slots));
	return r;
}

void recent_free(struct recent *r)
{
	if (!r)
		return;
	free(r->slots);
	free(r);
}

static inline struct key key_of(struct str text)
{
	uint64_t a, b;

	memcpy(&a, text.p, 8);
	memcpy(&b, text.p + 8, 8);
	/* the digits that differ are in the high bytes of the words: a product's top bits hold all
	 */
	a = (a * 0x9e3779b97f4a7c15u ^ b) * 0xd6e8feb86659fd93u;
	a ^= a >> 32;
	a *= 0x9e3779b97f4a7c15u;
	return (struct key){
		.at = { (uint32_t)(a >> (64 - SLOT_BITS)),
			(uint32_t)(a >> (64 - 2 * SLOT_BITS)) & (N_SLOTS - 1) },
		.tag = (uint16_t)(a >> 20) | 1,
	};
}

static inline bool holds(const struct recent *r, uint32_t at, uint16_t tag, struct str text)
{
	const struct slot *slot = &r->slots[at];

	return r->tags[at] == tag && slot->n <= text.n && memcmp(text.p, slot->text, slot->n) == 0;
}

size_t recent_find(const struct recent *r, struct str text, struct location *loc)
{
	struct key key;
	uint32_t at;

	if (text.n < KEY_BYTES)
		return 0;
	key = key_of(text);
	at = key.at[0];
	if (!holds(r, at, key.tag, text)) {
		at = key.at[1];
		if (!holds(r, at, key.tag, text))
			return 0;
	}
	*loc = r->slots[at].loc;
	return r->slots[at].n;
}

/*
 * Of the two places for a new text: one that is empty, or else each in turn, so that two texts that
 * alternate do not drive each other out for ever.
 */
static uint32_t victim(struct recent *r, const uint16_t *table, const struct key *key)
{
	for (int i = 0; i < 2; i++)
		if (!table[key->at[i]])
			return key->at[i];
	return key->at[r->turn++ & 1];
}

void recent_add(struct recent *r, struct str text, const struct location *loc)
{
	struct slot *slot;
	struct key key;
	uint32_t at;

	if (text.n < KEY_BYTES || text.n > TEXT_MAX)
		return;
	key = key_of(text);
	if (r->seen[key.at[0]] != key.tag && r->seen[key.at[1]] != key.tag) {
		r->seen[victim(r, r->seen, &key)] = key.tag;
		return;
	}
	at = victim(r, r->tags, &key);
	slot = &r->slots[at];
	slot->loc = *loc;
	slot->n = text.n;
	memcpy(slot->text, text.p, text.n);
	r->tags[at] = key.tag;
}
