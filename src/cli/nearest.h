/* SPDX-License-Identifier: MIT */
/* nearest: which of the words that exist was meant by one that does not. */
#ifndef MT_CLI_NEAREST_H
#define MT_CLI_NEAREST_H

#include <stddef.h>

/*
 * The word of words[0..n) that is nearest to `word`: one that begins with it, else the one that
 * the fewest insertions, deletions, replacements and swaps of neighbours make of it. NULL when even
 * that takes more changes than half of the word's letters.
 */
const char *nearest(const char *word, const char *const *words, size_t n);

#endif
