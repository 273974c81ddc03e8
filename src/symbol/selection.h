/* SPDX-License-Identifier: MIT */
/* selection: what -trigger names: a function, an address, a source line. */
#ifndef MT_SYMBOL_SELECTION_H
#define MT_SYMBOL_SELECTION_H

#include "base/err.h"

#include <stdint.h>

enum selection_kind {
	SELECTION_ANY,     /* symbol, else line, else address: whichever is there */
	SELECTION_SYMBOL,  /* symbol:NAME, symbol:LIBRARY:NAME */
	SELECTION_ADDRESS, /* addr:HEX: an address of the process, as it runs */
	SELECTION_LINE,    /* line:FILE:LINE, line:FILE:LINE:COL */
	SELECTION_CHOOSE,  /* ?, symbol:?: to be chosen from a list of functions */
};

struct selection {
	enum selection_kind kind;
	char *text; /* as it was given, without the prefix; owned */
};

/* The function that magic_trace.h defines; what "." stands for. */
#define STOP_INDICATOR "magic_trace_stop_indicator"

/*
 * Parses "NAME", "LIBRARY:NAME", "FILE:LINE[:COL]", a hexadecimal address with or without 0x, each
 * with an optional "symbol:", "line:" or "addr:" before it; "." for the stop indicator; "?",
 * "symbol:?", "line:?". A prefix that is known with nothing behind it, or with what cannot be one
 * (addr:xyz, line:a), is an error: -1 with err. 0 and *selection, to be freed with selection_fini.
 */
int selection_parse(struct selection *selection, const char *text, struct err *err);
void selection_fini(struct selection *selection);

#endif
