/* SPDX-License-Identifier: MIT */
#include "cli/words.h"

#include "base/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"

void words_free(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* Copies a quotation without its quotes; what follows it, or NULL when it does not end. */
static const char *copy_quoted(const char *from, char **to)
{
	char quote = *from++;

	for (; *from && *from != quote; from++) {
		if (quote == '"' && *from == '\\' && (from[1] == '"' || from[1] == '\\'))
			from++;
		*(*to)++ = *from;
	}
	return *from ? from + 1 : NULL;
}

/* Copies a word; what follows it, or NULL with err. */
static const char *copy_word(const char *from, char *to, struct err *err)
{
	while (from && *from && !strchr(BLANKS, *from)) {
		if (*from == '\'' || *from == '"') {
			from = copy_quoted(from, &to);
			continue;
		}
		if (*from == '\\' && !*++from) {
			err_set(err, "there is nothing behind its last backslash");
			return NULL;
		}
		*to++ = *from++;
	}
	*to = '\0';
	if (!from)
		err_set(err, "a quotation does not end");
	return from;
}

char **words_split(const char *text, const char *last, struct err *err)
{
	/* no more words than every second byte, and none longer than all */
	char **words = xcalloc(strlen(text) / 2 + 3, sizeof(*words));
	size_t n = 0;

	while (*(text += strspn(text, BLANKS))) {
		words[n] = xmalloc(strlen(text) + 1);
		text = copy_word(text, words[n++], err);
		if (!text) {
			words_free(words);
			return NULL;
		}
	}
	if (n == 0) {
		err_set(err, "it is blank");
		words_free(words);
		return NULL;
	}
	words[n] = xstrdup(last);
	return words;
}
