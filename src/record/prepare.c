/* SPDX-License-Identifier: MIT */
#include "record/prepare.h"

#include "base/xalloc.h"
#include "record/bpsource.h"
#include "record/rehearsal.h"
#include "symbol/selection.h"

#include <stdlib.h>
#include <string.h>

static int start_program(struct loop *l, struct err *err)
{
	const struct record_options *options = l->config->options;
	/* the command that runs meanwhile is as ever */
	const struct target_options how = {
		.mask = &l->signals.old,
		.no_aslr = software_is_reproducible(l->software) && !options->n_pids,
		.steppable = l->software && !options->n_pids,
	};
	struct target *target;

	if (!options->command)
		return 0;
	if (target_start(options->command, &how, &target, err) < 0)
		return -1;
	if (options->n_pids)
		l->command = target;
	else
		l->program = target;
	return 0;
}

static int watch_targets(struct loop *l, struct err *err)
{
	const struct record_options *options = l->config->options;
	struct err note = ERR_INIT;
	pid_t stopped;

	if (!options->n_pids)
		return 0;
	if (watch_new(options->pids, options->n_pids, strchr(options->scope, 'k'), &l->watch, err) <
	    0)
		return -1;
	stopped = watch_stopped(l->watch);
	if (stopped) {
		err_set(&note, "process %d is stopped: it does nothing that could be recorded",
			(int)stopped);
		err_hint(&note, "kill -CONT %d lets it go on", (int)stopped);
		listener_warn(&l->config->listener, &note);
	}
	return 0;
}

static void set_ids(struct loop *l)
{
	if (l->watch) {
		l->settings.ids = watch_pids(l->watch, &l->settings.n_ids);
		return;
	}
	l->pid = target_pid(l->program);
	l->settings.ids = &l->pid;
	l->settings.n_ids = 1;
}

/*
 * A program that has not begun has none of its libraries: it is let run to its entry point when the
 * trigger is not in the program itself.
 */
static enum locate_result add_trigger(struct loop *l, pid_t pid, struct err *err)
{
	bool all = l->settings.multi_thread;
	enum locate_result found = trigger_add(l->trigger, pid, all, err);
	uint64_t entry;

	if (found != LOCATE_ABSENT || !l->program || !locate_is_dynamic(pid))
		return found;
	if (locate_entry(pid, &entry, err) < 0 || target_run_to(l->program, entry, err) < 0)
		return LOCATE_FAILED;
	return trigger_add(l->trigger, pid, all, err);
}

static struct hit_source new_source(const struct loop *l)
{
	return l->software ? software_hits(l->software) : bpsource_new();
}

/* The trigger as it was given, or as it is chosen now, of the functions of process pid. */
static int make_trigger(struct loop *l, pid_t pid, struct err *err)
{
	const struct session_config *config = l->config;
	struct selection selection;
	char *function, *text;
	int r;

	if (selection_parse(&selection, config->options->trigger, err) < 0)
		return -1;
	r = selection.kind == SELECTION_CHOOSE;
	selection_fini(&selection);
	if (!r)
		return trigger_new(config->options->trigger, new_source(l), &l->trigger, err);
	if (config->choose(config->listener.ctx, pid, &function, err) < 0)
		return -1;
	text = xasprintf("symbol:%s", function);
	r = trigger_new(text, new_source(l), &l->trigger, err);
	free(text);
	free(function);
	return r;
}

static int set_trigger(struct loop *l, struct err *err)
{
	if (!l->config->options->trigger)
		return 0;
	if (make_trigger(l, l->settings.ids[0], err) < 0)
		return -1;
	for (size_t i = 0; i < l->settings.n_ids; i++) {
		if (add_trigger(l, l->settings.ids[i], err) != LOCATE_FOUND)
			return -1;
		trigger_tell(l->trigger, &l->config->listener);
	}
	return 0;
}

/* ---- under QEMU ---- */

static enum locate_result rehearse(struct loop *l, struct rehearsal *rehearsal, struct err *err)
{
	bool all = l->settings.multi_thread;
	enum locate_result found = trigger_add(l->trigger, rehearsal_pid(rehearsal), all, err);

	if (found != LOCATE_ABSENT || !locate_is_dynamic(rehearsal_pid(rehearsal)))
		return found;
	if (rehearsal_load(rehearsal, err) < 0) {
		err_prefix(err,
			   "-trigger %s is not in the program, and its libraries cannot be "
			   "looked at",
			   l->config->options->trigger);
		return LOCATE_FAILED;
	}
	return trigger_add(l->trigger, rehearsal_pid(rehearsal), all, err);
}

/* Where the trigger lies in which file: under QEMU, addresses are others. */
static int place_trigger(struct loop *l, struct rehearsal *rehearsal, struct err *err)
{
	uint64_t offset;
	char *file;
	int r;

	if (make_trigger(l, rehearsal_pid(rehearsal), err) < 0 ||
	    rehearse(l, rehearsal, err) != LOCATE_FOUND ||
	    rehearsal_place(rehearsal, trigger_address(l->trigger), &file, &offset, err) < 0)
		return -1;
	r = software_set_trigger(l->software, file, offset, err);
	if (r == 0)
		listener_say(&l->config->listener, "[ Attaching to %s @ %s+0x%llx ]",
			     trigger_symbol(l->trigger), file, (unsigned long long)offset);
	free(file);
	return r;
}

static int find_trigger(struct loop *l, struct err *err)
{
	const struct record_options *options = l->config->options;
	struct rehearsal *rehearsal;
	int r;

	if (!options->trigger)
		return 0;
	if (rehearsal_begin(options->command, &rehearsal, err) < 0)
		return -1;
	r = place_trigger(l, rehearsal, err);
	rehearsal_end(rehearsal);
	return r;
}

static int prepare_emulation(struct loop *l, struct err *err)
{
	const struct target_options how = {
		.mask = &l->signals.old,
		.no_aslr = software_is_reproducible(l->software),
		.name = l->config->options->command[0],
	};
	if (find_trigger(l, err) < 0 ||
	    target_start(software_command(l->software), &how, &l->program, err) < 0)
		return -1;
	set_ids(l);
	return 0;
}

int prepare(struct loop *l, struct err *err)
{
	const struct session_config *config = l->config;
	const struct software_config software = {
		.options = config->options,
		.plan = config->plan,
		.dir = config->dir,
		.listener = &config->listener,
	};

	if (config->plan->backend == BACKEND_SOFTWARE &&
	    software_open(&software, &l->software, err) < 0)
		return -1;
	if (software_is_emulation(l->software))
		return prepare_emulation(l, err);
	if (start_program(l, err) < 0 || watch_targets(l, err) < 0)
		return -1;
	set_ids(l);
	return set_trigger(l, err);
}
