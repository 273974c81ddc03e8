/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static uint32_t min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * The distance of Damerau and Levenshtein in which no letter is changed twice; or any number from
 * `limit` on when it is not below that. Two rows that have no cell below the limit end it: each
 * cell further on is reached from one of them.
 */
static uint32_t distance(const char *a, size_t na, const char *b, size_t nb, uint32_t limit)
{
	uint32_t rows[3][NEAREST_WORD_MAX + 1], least = 0;

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (uint32_t)j;
	for (size_t i = 1; i <= na; i++) {
		const uint32_t *above2 = rows[(i + 1) % 3], *above = rows[(i + 2) % 3];
		uint32_t *row = rows[i % 3], before = least;

		row[0] = least = (uint32_t)i;
		for (size_t j = 1; j <= nb; j++) {
			uint32_t change = above[j - 1] + (a[i - 1] != b[j - 1]);

			row[j] = min(change, min(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min(row[j], above2[j - 2] + 1);
			least = min(least, row[j]);
		}
		if (least >= limit && before >= limit)
			return limit;
	}
	return rows[na % 3][nb];
}

/* A bit for each letter there is, by its low six bits. */
static uint64_t letters_of(const char *s, size_t n)
{
	uint64_t letters = 0;

	for (size_t i = 0; i < n; i++)
		letters |= UINT64_C(1) << (s[i] & 63);
	return letters;
}

/* Each letter that only one of them has takes a change of its own. */
static uint32_t letters_apart(uint64_t a, uint64_t b)
{
	uint32_t more = (uint32_t)__builtin_popcountll(a & ~b);
	uint32_t fewer = (uint32_t)__builtin_popcountll(b & ~a);

	return more > fewer ? more : fewer;
}

/* How far it is from the list's word; or any number from `limit` on when it is not below that. */
static uint32_t measure(const struct nearest_list *list, const char *s, size_t n, uint32_t limit)
{
	size_t apart = n > list->length ? n - list->length : list->length - n;

	/* A beginning counts as less than one mistake, if there is enough of it. */
	if (list->length > 1 && !strncmp(list->word, s, list->length))
		return 0;
	if (apart >= limit || n > NEAREST_WORD_MAX ||
	    letters_apart(list->letters, letters_of(s, n)) >= limit)
		return limit;
	return distance(list->word, list->length, s, n, limit);
}

void nearest_begin(struct nearest_list *list, const char *word)
{
	size_t n = strnlen(word, NEAREST_WORD_MAX + 1);

	list->n = 0;
	list->length = n <= NEAREST_WORD_MAX ? n : 0;
	memcpy(list->word, word, list->length);
	list->word[list->length] = '\0';
	list->letters = letters_of(list->word, list->length);
}

static bool is_kept(const struct nearest_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strncmp(list->names[i], name, NEAREST_NAME_MAX))
			return true;
	return false;
}

bool nearest_offer(struct nearest_list *list, const char *compared, const char *name)
{
	uint32_t limit = (uint32_t)(list->length + 1) / 2 + 1, d;
	size_t length = strnlen(compared, NEAREST_NAME_MAX), at;

	if (list->length == 0)
		return false;
	/* one as near as the worst that is kept may still be the shorter one */
	if (list->n == NEAREST_KEPT)
		limit = min(limit, list->kept[NEAREST_KEPT - 1].distance + 1);
	if (list->n)
		limit = min(limit, 2 * list->kept[0].distance + 2);
	d = measure(list, compared, length, limit);
	if (d >= limit)
		return false;
	at = list->n;
	while (at > 0 && (d < list->kept[at - 1].distance ||
			  (d == list->kept[at - 1].distance && length < list->kept[at - 1].length)))
		at--;
	if (at == NEAREST_KEPT || is_kept(list, name))
		return false;
	list->n += list->n < NEAREST_KEPT;
	memmove(&list->kept[at + 1], &list->kept[at], (list->n - 1 - at) * sizeof(list->kept[0]));
	memmove(&list->names[at + 1], &list->names[at],
		(list->n - 1 - at) * sizeof(list->names[0]));
	list->kept[at].distance = d;
	list->kept[at].length = length;
	snprintf(list->names[at], sizeof(list->names[at]), "%.*s", NEAREST_NAME_MAX, name);
	while (list->kept[list->n - 1].distance > 2 * list->kept[0].distance + 1)
		list->n--;
	return at == 0;
}

const char *nearest(const char *word, const char *const *words, size_t n)
{
	struct nearest_list list;
	const char *found = NULL;

	nearest_begin(&list, word);
	for (size_t i = 0; i < n; i++)
		if (nearest_offer(&list, words[i], words[i]))
			found = words[i];
	return found;
}
