/* SPDX-License-Identifier: MIT */
#include "record/session.h"

#include "base/xalloc.h"
#include "record/clock.h"
#include "record/description.h"
#include "record/identity.h"
#include "record/jitcopy.h"
#include "record/loop.h"
#include "record/prepare.h"
#include "record/tasks.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void describe(const struct loop *l)
{
	const struct perf_record_settings *settings = &l->settings;
	struct recording *rec = l->config->recording;

	identity_processes(l);
	identity_program(l);
	recording_set(&rec->mode, settings->mode == PERF_PT ? "intel_pt" : "sampling");
	if (l->software) {
		recording_set(&rec->engine, software_engine_name(l->software));
		recording_set(&rec->time, software_time_name(l->software));
	}
	recording_set(&rec->scope, settings->scope);
	recording_set(&rec->callgraph, settings->callgraph);
	recording_set(&rec->event, settings->event);
	recording_set(&rec->trigger, l->config->options->trigger);
	recording_set(&rec->perf_version, settings->version.text);
}

/* An engine that has seen no instruction: it is no use to decode that. */
static int nothing_executed(const struct loop *l, struct err *err)
{
	err_set(err, "nothing was recorded: process %d executed nothing in that time",
		(int)l->settings.ids[0]);
	return err_hint(err, "%s",
			l->program ? "QEMU may have ended before it ran the program: what it said "
				     "is above; or give a longer -duration"
				   : "it waits for something, or is stopped (kill -CONT lets it go "
				     "on); give a longer -duration");
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
	if (l->software && software_is_empty(l->software))
		return nothing_executed(l, err);
	/* what was recorded since the last snapshot is no snapshot */
	if (l->settings.multi_snapshot && l->snapshots)
		workdir_keep_first(dir, l->snapshots);
	describe(l);
	for (size_t i = 0; i < l->config->recording->n_processes; i++)
		jitcopy(workdir_fd(dir), l->config->recording->processes[i].pid);
	if (recording_write(l->config->recording, workdir_path(dir), err) < 0)
		return -1;
	listener_say(listener, "[ Finished recording. ]");
	return 0;
}

static int record(struct loop *l, struct err *err)
{
	size_t threads = 0;

	if (prepare(l, err) < 0)
		return -1;
	if (l->software)
		l->config->recording->wall_clock = software_wall_clock(l->software);
	else
		perf_clock_wall_offset(&l->config->recording->wall_clock);
	/* it is known only while the process is there */
	identity_program(l);
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
	r = record(&l, err);
	if (r == 0 && l.software)
		software_tell(l.software);
	trigger_free(l.trigger);
	software_free(l.software);
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
