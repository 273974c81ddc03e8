/* SPDX-License-Identifier: MIT */
/* filter_arg: the value of -filter, two names of functions. */
#ifndef MT_CLI_FILTER_ARG_H
#define MT_CLI_FILTER_ARG_H

#include "base/err.h"

/* Both NULL: no filter. Both are owned; a record at zero bytes is an empty one. */
struct filter_arg {
	char *start;
	char *stop;
};

/*
 * Reads one of two forms into *arg, replacing what was there:
 *
 *   (START STOP)   exact: words, or "..." with \" and \\ for names with spaces, brackets or quotes;
 *   START:STOP     split at the only ':' that has no ':' beside it ("::" belongs to C++ names).
 *
 * The first form is meant when the bracket that opens the text is closed by its last byte, so that
 * "(anonymous namespace)::f:g" is of the second. -1 with err, and *arg as it was: neither form, a
 * name is empty, both names are the same.
 */
int filter_arg_parse(struct filter_arg *arg, const char *text, struct err *err);

/* Frees the names; *arg is an empty one then. */
void filter_arg_fini(struct filter_arg *arg);

#endif
