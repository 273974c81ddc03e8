/* SPDX-License-Identifier: MIT */
#include "cli/nearest.h"

#include <stdint.h>
#include <string.h>

/* Longer words are nobody's typing mistake. */
#define WORD_MAX 63

static uint32_t min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The distance of Damerau and Levenshtein in which no letter is changed twice. */
static uint32_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	uint32_t d[WORD_MAX + 1][WORD_MAX + 1];

	for (size_t i = 0; i <= na; i++)
		d[i][0] = (uint32_t)i;
	for (size_t j = 0; j <= nb; j++)
		d[0][j] = (uint32_t)j;
	for (size_t i = 1; i <= na; i++) {
		for (size_t j = 1; j <= nb; j++) {
			uint32_t change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			d[i][j] = min(change, min(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[na][nb];
}

const char *nearest(const char *word, const char *const *words, size_t n)
{
	size_t len = strlen(word);
	uint32_t best = (uint32_t)(len + 1) / 2 + 1;
	const char *found = NULL;

	if (len == 0 || len > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t wlen = strlen(words[i]);
		uint32_t d;

		if (wlen > WORD_MAX)
			continue;
		/* A beginning counts as less than one mistake, if there is enough of it. */
		d = len > 1 && !strncmp(word, words[i], len) ? 0
							     : distance(word, len, words[i], wlen);
		if (d < best) {
			best = d;
			found = words[i];
		}
	}
	return found;
}
