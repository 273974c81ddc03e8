/* SPDX-License-Identifier: MIT */
#include "record/trigger.h"

#include "base/monotonic.h"
#include "base/xalloc.h"
#include "record/tasks.h"

#include <stdlib.h>

/* Hits that are kept for one snapshot, and how many are taken at once. */
#define HITS_KEPT 16
#define HITS_READ 64
/* The kernel says that a program is executed before it, and long before its libraries, is mapped.
 */
#define EXEC_ASK_MS  2
#define EXEC_WAIT_MS 2000

/* A process that executed another program, in which the trigger has not been found yet. */
struct executed {
	pid_t pid;
	int64_t deadline; /* when it is lost, ms of CLOCK_MONOTONIC */
};

struct trigger {
	struct selection selection;
	struct hit_source source;
	struct located found; /* last */
	size_t hits;          /* since it was armed */
	bool all_threads;
	struct executed *executed;
	size_t n_executed;
};

int trigger_new(const char *text, struct hit_source source, struct trigger **out, struct err *err)
{
	struct selection selection;
	struct trigger *trigger;

	if (selection_parse(&selection, text, err) < 0) {
		if (source.ops->free)
			source.ops->free(source.self);
		return -1;
	}
	trigger = xcalloc(1, sizeof(*trigger));
	trigger->selection = selection;
	trigger->source = source;
	*out = trigger;
	return 0;
}

enum locate_result trigger_add(struct trigger *trigger, pid_t pid, bool all_threads,
			       struct err *err)
{
	struct located located;
	enum locate_result found = locate(&trigger->selection, pid, &located, err);

	if (found != LOCATE_FOUND)
		return found;
	located_fini(&trigger->found);
	trigger->found = located;
	trigger->all_threads = all_threads;
	if (trigger->source.ops->add(trigger->source.self, pid, located.address, all_threads,
				     err) == 0)
		return LOCATE_FOUND;
	err_prefix(err, "-trigger %s", located.symbol);
	return LOCATE_FAILED;
}

const char *trigger_symbol(const struct trigger *trigger)
{
	return trigger->found.symbol;
}

uint64_t trigger_address(const struct trigger *trigger)
{
	return trigger->found.address;
}

void trigger_tell(const struct trigger *trigger, const struct listener *listener)
{
	listener_say(listener, "[ Attaching to %s @ 0x%llx ]", trigger_symbol(trigger),
		     (unsigned long long)trigger->found.address);
}

void trigger_arm(struct trigger *trigger)
{
	trigger->hits = 0;
	trigger->source.ops->arm(trigger->source.self);
}

int trigger_fd(const struct trigger *trigger)
{
	return trigger->source.ops->fd(trigger->source.self);
}

static void add_hit(struct trigger *trigger, const struct hit *hit, struct recording *rec,
		    const struct listener *listener)
{
	struct recording_hit kept = {
		.time = hit->time,
		.passed = hit->passed,
		.arg = hit->arg,
		.ip = hit->ip,
		.tid = hit->tid,
		.symbol = trigger->found.symbol,
	};

	if (trigger->hits++ >= HITS_KEPT)
		return;
	recording_add_hit(rec, &kept);
	if (trigger->hits == 1)
		listener_say(listener, "[ Thread %d called %s. ]", (int)hit->tid,
			     trigger->found.symbol);
}

/* Whether there is no more to be done about it: the trigger was found again, or is lost. */
static bool look_again(struct trigger *trigger, const struct executed *executed, bool arm,
		       const struct listener *listener)
{
	struct err err = ERR_INIT;

	if (trigger_add(trigger, executed->pid, trigger->all_threads, &err) == LOCATE_FOUND) {
		trigger_tell(trigger, listener);
		if (arm)
			trigger_arm(trigger);
		return true;
	}
	if (task_is_alive(executed->pid) && monotonic_ms() < executed->deadline)
		return false;
	err_prefix(&err, "process %d executed another program: the trigger is lost",
		   (int)executed->pid);
	listener_warn(listener, &err);
	return true;
}

/* Another program was executed in its place: the address was one of the old one. */
static void look_for_exec(struct trigger *trigger, bool arm, const struct listener *listener)
{
	size_t left = 0;
	pid_t pid;

	while (trigger->source.ops->executed(trigger->source.self, &pid)) {
		trigger->executed = xreallocarray(trigger->executed, trigger->n_executed + 1,
						  sizeof(*trigger->executed));
		trigger->executed[trigger->n_executed++] = (struct executed){
			.pid = pid,
			.deadline = monotonic_ms() + EXEC_WAIT_MS,
		};
	}
	for (size_t i = 0; i < trigger->n_executed; i++) {
		struct executed executed = trigger->executed[i];

		if (!look_again(trigger, &executed, arm, listener))
			trigger->executed[left++] = executed;
	}
	trigger->n_executed = left;
}

int trigger_wait(const struct trigger *trigger)
{
	return trigger->n_executed ? EXEC_ASK_MS : -1;
}

bool trigger_step(struct trigger *trigger, struct recording *rec, const struct listener *listener)
{
	struct hit hits[HITS_READ];
	size_t n = trigger->source.ops->read(trigger->source.self, hits, HITS_READ);

	if (n && rec) {
		trigger->source.ops->disarm(trigger->source.self);
		for (size_t i = 0; i < n; i++)
			add_hit(trigger, &hits[i], rec, listener);
	}
	look_for_exec(trigger, rec && !n, listener);
	return n && rec;
}

void trigger_free(struct trigger *trigger)
{
	if (!trigger)
		return;
	if (trigger->source.ops->free)
		trigger->source.ops->free(trigger->source.self);
	located_fini(&trigger->found);
	selection_fini(&trigger->selection);
	free(trigger->executed);
	free(trigger);
}
