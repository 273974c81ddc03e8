/* SPDX-License-Identifier: MIT */
/* trigger: a selection, watched in all the processes that are traced. */
#ifndef MT_RECORD_TRIGGER_H
#define MT_RECORD_TRIGGER_H

#include "base/err.h"
#include "record/hit.h"
#include "record/listener.h"
#include "record/recording.h"
#include "symbol/locate.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct trigger;

/*
 * Parses text; SELECTION_CHOOSE has to be replaced before. The source is the trigger's from here
 * on. -1 with err.
 */
int trigger_new(const char *text, struct hit_source source, struct trigger **trigger,
		struct err *err);

/*
 * Finds it in process pid, and has it watched, from trigger_arm on. LOCATE_ABSENT: it is not in
 * what pid has mapped so far. In LOCATE_FOUND trigger_symbol and trigger_address say what was
 * found; with several processes, last.
 */
enum locate_result trigger_add(struct trigger *trigger, pid_t pid, bool all_threads,
			       struct err *err);

const char *trigger_symbol(const struct trigger *trigger);
uint64_t trigger_address(const struct trigger *trigger);

/* Says what was found last, and where. */
void trigger_tell(const struct trigger *trigger, const struct listener *listener);

/* Switches it on, for one hit where that can be. */
void trigger_arm(struct trigger *trigger);

/* To be polled; -1 when there is nothing to be. */
int trigger_fd(const struct trigger *trigger);

/* When trigger_step is to be called at the latest, in ms; -1: when trigger_fd is readable. */
int trigger_wait(const struct trigger *trigger);

/*
 * Takes what has come since: adds hits to rec (the first few: a hot function has many before it is
 * switched off) and says so; with rec NULL they are dropped. True when there was one, then it is
 * switched off until trigger_arm. When a process executed another program, the trigger is looked
 * for in that, for up to two seconds, and armed again or said to be lost.
 */
bool trigger_step(struct trigger *trigger, struct recording *rec, const struct listener *listener);

void trigger_free(struct trigger *trigger);

#endif
