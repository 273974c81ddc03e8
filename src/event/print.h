/* SPDX-License-Identifier: MIT */
/* print: one line of text for an event, for a person to read. */
#ifndef MT_EVENT_PRINT_H
#define MT_EVENT_PRINT_H

#include "base/intern.h"
#include "event/event.h"

#include <stddef.h>

/* The least that event_print takes. */
#define EVENT_PRINT_MIN 64

/*
 * Writes ev as one line, without a newline and with a NUL behind, into buf of size bytes (at least
 * EVENT_PRINT_MIN), and returns its length. What does not fit is cut and ends in "...". names is
 *the table that the event's names are numbers of.
 *
 *	12.000000345 10/11 branch call 401136 main+0x6 (/bin/x) => 401020 f+0x0 (/bin/x)
 *	12.000000345 10/11 branch end syscall tx 401136 [unknown] (/bin/x) => 0 [unknown]
 *	12.000000345 10/11 sample 2: main+0x6 > f+0x3
 *
 * Names are written as perf printed them: control bytes in them are for the caller to escape.
 */
size_t event_print(char *buf, size_t size, const struct event *ev, const struct intern *names);

#endif
