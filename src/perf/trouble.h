/* SPDX-License-Identifier: MIT */
/* trouble: what perf prints where it could not decode the trace, and says for itself. */
#ifndef MT_PERF_TROUBLE_H
#define MT_PERF_TROUBLE_H

#include "base/intern.h"
#include "base/str.h"
#include "event/event.h"

#include <stdbool.h>

/*
 * Reads " instruction trace error type T [time S.N] [machine_pid M vcpu V] cpu C pid P tid T ip IP
 * code N: MESSAGE" (perf_event__fprintf_auxtrace_error() in tools/perf/util/auxtrace.c) into all of
 * ev. The message, to the end of the line, goes to names. false when the line is no such error.
 */
bool trouble_read(struct str line, struct intern *names, struct event *ev);

/* Whether perf speaks for itself: "Warning: ...", "7 instruction trace errors" and the like. */
bool trouble_is_message(struct str line);

#endif
