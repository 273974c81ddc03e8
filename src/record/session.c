/* SPDX-License-Identifier: MIT */
#include "record/session.h"

#include "base/xalloc.h"
#include "record/clock.h"
#include "record/loop.h"
#include "record/tasks.h"
#include "symbol/buildid.h"
#include "symbol/selection.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- before ---- */

static int start_program(struct loop *l, struct err *err)
{
	const struct record_options *options = l->config->options;
	struct target *target;

	if (!options->command)
		return 0;
	if (target_start(options->command, &l->signals.old, &target, err) < 0)
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

/* The trigger as it was given, or as it is chosen now. */
static int make_trigger(struct loop *l, struct err *err)
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
		return trigger_new(config->options->trigger, &l->trigger, err);
	if (config->choose(config->listener.ctx, l->settings.ids[0], &function, err) < 0)
		return -1;
	text = xasprintf("symbol:%s", function);
	r = trigger_new(text, &l->trigger, err);
	free(text);
	free(function);
	return r;
}

static int set_trigger(struct loop *l, struct err *err)
{
	if (!l->config->options->trigger)
		return 0;
	if (make_trigger(l, err) < 0)
		return -1;
	for (size_t i = 0; i < l->settings.n_ids; i++) {
		if (add_trigger(l, l->settings.ids[i], err) != LOCATE_FOUND)
			return -1;
		trigger_tell(l->trigger, &l->config->listener);
	}
	return 0;
}

/* ---- behind ---- */

/* How many threads the first process has, 0 when it has ended. */
static size_t n_threads(const struct loop *l)
{
	struct err ignored = ERR_INIT;
	pid_t *tids = NULL;
	size_t n = 0;

	if (tasks_list(l->settings.ids[0], &tids, &n, &ignored) < 0)
		return 0;
	free(tids);
	return n;
}

static int not_hit(const struct loop *l, size_t threads, struct err *err)
{
	err_set(err, "%s was not called: no snapshot was taken", trigger_symbol(l->trigger));
	if (!l->settings.multi_thread && threads > 1)
		return err_hint(err,
				"only the first of %zu threads was watched: -multi-thread records "
				"and watches all of them",
				threads);
	return err_hint(err, "with a trigger Ctrl-C takes none; kill -USR2 of magic-trace does");
}

/* Which program the first process runs; what was known stays when it has ended. */
static void describe_executable(struct recording *rec, pid_t pid)
{
	char *path = NULL, proc[32], hex[BUILDID_HEX];

	if (task_executable(pid, &path) < 0)
		return;
	/* the very file that runs, also when another has its path by now */
	snprintf(proc, sizeof(proc), "/proc/%d/exe", (int)pid);
	recording_set(&rec->executable, path);
	recording_set(&rec->build_id, buildid_read(proc, hex) ? hex : NULL);
	free(path);
}

static void describe(const struct loop *l)
{
	const struct perf_record_settings *settings = &l->settings;
	struct recording *rec = l->config->recording;

	for (size_t i = 0; i < settings->n_ids; i++)
		tasks_collect(rec, settings->ids[i]);
	describe_executable(rec, settings->ids[0]);
	recording_set(&rec->mode, settings->mode == PERF_PT ? "intel_pt" : "sampling");
	recording_set(&rec->scope, settings->scope);
	recording_set(&rec->callgraph, settings->callgraph);
	recording_set(&rec->event, settings->event);
	recording_set(&rec->trigger, l->config->options->trigger);
	recording_set(&rec->perf_version, settings->version.text);
}

/* 0 when there is something to decode. */
static int conclude(struct loop *l, size_t threads, struct err *err)
{
	const struct listener *listener = &l->config->listener;
	struct workdir *dir = l->config->dir;

	if (l->trigger && l->snapshots == 0 && l->end == LOOP_END_TOLD)
		return not_hit(l, threads, err);
	if (l->trigger && (l->snapshots == 0 || l->last) && l->end == LOOP_END_TARGETS)
		listener_say(listener, "[ %s was not called; this is how it ended. ]",
			     trigger_symbol(l->trigger));
	/* what was recorded since the last snapshot is no snapshot */
	if (l->settings.multi_snapshot && l->snapshots)
		workdir_keep_first(dir, l->snapshots);
	describe(l);
	if (recording_write(l->config->recording, workdir_path(dir), err) < 0)
		return -1;
	listener_say(listener, "[ Finished recording. ]");
	return 0;
}

static int record(struct loop *l, struct err *err)
{
	size_t threads = 0;

	if (start_program(l, err) < 0 || watch_targets(l, err) < 0)
		return -1;
	set_ids(l);
	if (set_trigger(l, err) < 0)
		return -1;
	/* it is known only while the process is there */
	describe_executable(l->config->recording, l->settings.ids[0]);
	if (loop_run(l, err) < 0)
		return -1;
	threads = n_threads(l);
	return conclude(l, threads, err);
}

int session_record(const struct session_config *config, struct session_result *result,
		   struct err *err)
{
	struct loop l = { .config = config, .settings = config->plan->perf };
	int r;

	*result = (struct session_result){ .program = NULL };
	l.settings.data = workdir_data(config->dir);
	if (signals_open(&l.signals, err) < 0)
		return -1;
	perf_clock_wall_offset(&config->recording->wall_clock);
	r = record(&l, err);
	trigger_free(l.trigger);
	watch_free(l.watch);
	result->program = l.program ? l.program : l.command;
	/* one that was never let run is not to run now */
	if (result->program && target_step(result->program) == TARGET_STOPPED)
		session_result_fini(result);
	result->snapshots = l.snapshots;
	result->impatient = l.impatient || (l.program && l.told > 1);
	signals_close(&l.signals);
	return r;
}

bool session_wait(const struct listener *listener, struct session_result *result)
{
	struct target *program = result->program;
	struct signals signals;
	struct err err = ERR_INIT;
	bool by_terminal, leave = result->impatient;
	int sig;

	if (!program)
		return true;
	if (target_step(program) != TARGET_ENDED && !leave && signals_open(&signals, &err) == 0) {
		listener_say(listener, "[ Waiting for process %d to end. ]",
			     (int)target_pid(program));
		while (target_step(program) != TARGET_ENDED && !leave) {
			struct pollfd fds[] = {
				{ .fd = target_fd(program), .events = POLLIN },
				{ .fd = signals.fd, .events = POLLIN },
			};

			poll(fds, 2, -1);
			while ((sig = signals_next(&signals, &by_terminal))) {
				if (sig == SIGCHLD || sig == SIGUSR2)
					continue;
				leave = result->impatient;
				result->impatient = true;
				if (!by_terminal && !leave)
					target_signal(program, sig);
			}
		}
		signals_close(&signals);
	}
	return target_step(program) == TARGET_ENDED;
}

void session_result_fini(struct session_result *result)
{
	if (result->program)
		target_free(result->program);
	result->program = NULL;
}
