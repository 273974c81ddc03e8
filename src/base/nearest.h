/* SPDX-License-Identifier: MIT */
/* nearest: which of the words that exist was meant by one that does not. */
#ifndef MT_BASE_NEAREST_H
#define MT_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The word of words[0..n) that is nearest to `word`: one that begins with it, else the one that
 * the fewest insertions, deletions, replacements and swaps of neighbours make of it. NULL when even
 * that takes more changes than half of the word's letters.
 */
const char *nearest(const char *word, const char *const *words, size_t n);

/* Longer words are nobody's typing mistake. */
#define NEAREST_WORD_MAX 63
/* A longer name is cut where it is shown. */
#define NEAREST_NAME_MAX 127
#define NEAREST_KEPT     3

/*
 * The same for words that come one at a time: the NEAREST_KEPT best, the best first, without those
 * that are more than twice as far as it, and one.
 */
struct nearest_list {
	char names[NEAREST_KEPT][NEAREST_NAME_MAX + 1];
	size_t n; /* of names */
	/* the rest is private */
	char word[NEAREST_WORD_MAX + 1];
	size_t length;    /* of word; 0: nothing is near it */
	uint64_t letters; /* of word */
	struct {
		uint32_t distance;
		size_t length;
	} kept[NEAREST_KEPT];
};

void nearest_begin(struct nearest_list *list, const char *word);

/*
 * Takes the name when it is nearer than the worst that is kept, and is not kept already; of names
 * as near as each other the shorter one, then that which came first. `compared` is what is held
 * against the word, `name` what is kept. Whether it is the nearest so far. Most names that are not
 * near cost no more than a look at their letters.
 */
bool nearest_offer(struct nearest_list *list, const char *compared, const char *name);

#endif
