/* SPDX-License-Identifier: MIT */
/* selected: whether a function of the trace is the one that -filter names. */
#ifndef MT_CLI_SELECTED_H
#define MT_CLI_SELECTED_H

#include "base/err.h"
#include "cli/filter_arg.h"
#include "cli/symbols.h"
#include "event/event.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a name of the filter may be, tried in this order: the name that the trace shows, or perf's;
 * its end (Book::add_order of market::Book::add_order), with or without template arguments; any of
 * these behind LIBRARY:; FILE:LINE, as the trace has it for the function; its address in the
 * process, hex. "symbol:", "line:" and "addr:" say which one is meant.
 */
struct selected;

/* All borrowed. Free with selected_free. NULL with err: a name is none of these. */
struct selected *selected_new(const struct filter_arg *filter, struct symbols *symbols,
			      struct intern *names, struct err *err);
void selected_free(struct selected *s);

/* The interned names that stand for START and STOP. */
struct str selected_start(const struct selected *s);
struct str selected_stop(const struct selected *s);

/* That of the two that the function at the place is, else INTERN_NONE. */
uint32_t selected_find(struct selected *s, int32_t pid, const struct location *place);

/* True, with err, when a name was found to be that of two functions. START's comes first. */
bool selected_ambiguous(const struct selected *s, bool stop, struct err *err);

#endif
