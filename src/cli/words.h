/* SPDX-License-Identifier: MIT */
/* words: a command in one text, as an environment variable has it, taken apart without a shell. */
#ifndef MT_CLI_WORDS_H
#define MT_CLI_WORDS_H

#include "base/err.h"

/*
 * The words of text, between blanks, and `last` (a copy) behind them; a NULL ends them. What is in
 * '...' is as it is; in "..." a backslash stands before " or \; elsewhere it stands before any
 * byte. All else is as it is: nothing is expanded or redirected. NULL with err: there is no word, a
 * quotation does not end, or a backslash has nothing behind it. Free with words_free.
 */
char **words_split(const char *text, const char *last, struct err *err);

/* words may be NULL. */
void words_free(char **words);

#endif
