/* SPDX-License-Identifier: MIT */
#include "record/software.h"

#include "base/child.h"
#include "base/monotonic.h"
#include "base/xalloc.h"
#include "record/emulation.h"
#include "record/stepping.h"
#include "soft/image.h"
#include "soft/qemu.h"
#include "soft/qemuargs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct software {
	struct software_config config;
	/* one of the two: */
	struct stepping *stepping;
	struct emulation *emulation;
	struct qemu qemu;
	struct err why_steps; /* why it is not QEMU; to be said when the program is there */
	char **command;
};

/* ---- QEMU ---- */

/* With no trigger, file is NULL. -1 with err: QEMU cannot run the program. */
static int make_command(struct software *s, const char *file, uint64_t offset, struct err *err)
{
	const struct software_config *c = &s->config;
	const struct emulation_settings settings = {
		.data = workdir_data(c->dir),
		.time = c->options->time,
		.ring = c->plan->ring,
		.multi_thread = c->options->multi_thread,
		.multi_snapshot = c->options->multi_snapshot,
		.trigger_file = file,
		.trigger_at = offset,
	};

	qemuargs_free(s->command);
	s->command = emulation_command(s->emulation, &s->qemu, &settings, c->options->command, err);
	return s->command ? 0 : -1;
}

/* 0 when QEMU can run the program; -1 with err, and nothing is there. */
static int open_emulation(struct software *s, struct err *err)
{
	if (qemu_find(&s->qemu, err) < 0)
		return -1;
	if (emulation_new(workdir_path(s->config.dir), s->config.listener, &s->emulation, err) ==
	    0) {
		if (make_command(s, NULL, 0, err) == 0)
			return 0;
		emulation_free(s->emulation);
		s->emulation = NULL;
	}
	qemu_fini(&s->qemu);
	return -1;
}

/* Whether QEMU is to be tried. */
static bool wants_emulation(const struct record_options *options)
{
	return !options->n_pids && !options->follow_fork && options->engine != ENGINE_STEP;
}

/*
 * Whether single steps would take rights from it that it gets by being executed (ptrace(2)); they
 * do not when we are root.
 */
static bool loses_rights(const struct record_options *options, struct err *err)
{
	char *path, *program, **args;
	enum image_kind kind;

	if (options->n_pids || geteuid() == 0)
		return false;
	path = child_find(options->command[0]);
	if (!path)
		return false; /* it is not there, which is said when it is started */
	kind = image_find(path, options->command, &program, &args, err);
	free(path);
	if (kind == IMAGE_FINE)
		image_free(program, args);
	return kind == IMAGE_OTHER;
}

int software_open(const struct software_config *config, struct software **software, struct err *err)
{
	struct software *s = xcalloc(1, sizeof(*s));
	struct err why = ERR_INIT;

	s->config = *config;
	if (wants_emulation(config->options)) {
		if (open_emulation(s, &why) == 0) {
			*software = s;
			return 0;
		}
		if (config->options->engine == ENGINE_QEMU) {
			*err = why;
			err_prefix(err, "-software-engine qemu");
			software_free(s);
			return -1;
		}
		err_prefix(&why, "the program is single-stepped, which is far slower than QEMU");
		s->why_steps = why;
	}
	if (loses_rights(config->options, err)) {
		software_free(s);
		return -1;
	}
	s->stepping = stepping_new();
	*software = s;
	return 0;
}

bool software_is_emulation(const struct software *s)
{
	return s && s->emulation;
}

bool software_is_reproducible(const struct software *s)
{
	return s && s->config.options->time == RECORDER_INSTRUCTIONS;
}

int software_set_trigger(struct software *s, const char *file, uint64_t offset, struct err *err)
{
	return make_command(s, file, offset, err);
}

char *const *software_command(const struct software *s)
{
	return s->command;
}

/* ---- both ---- */

struct hit_source software_hits(struct software *s)
{
	return s->emulation ? emulation_hits(s->emulation) : stepping_hits(s->stepping);
}

int software_start(struct software *s, pid_t pid, bool held, struct tracer *tracer, struct err *err)
{
	static char name[] = "magic-trace";
	static char *const line[] = { name, NULL };
	const struct record_options *options = s->config.options;
	const struct stepping_settings settings = {
		.data = workdir_data(s->config.dir),
		.pid = pid,
		.held = held,
		.time = options->time,
		.ring = s->config.plan->ring,
		.multi_thread = options->multi_thread,
		.follow_fork = options->follow_fork,
		.multi_snapshot = options->multi_snapshot,
		.command_line = line,
	};

	if (s->why_steps.msg[0])
		listener_warn(s->config.listener, &s->why_steps);
	s->why_steps = (struct err)ERR_INIT;
	if (!s->emulation)
		return stepping_start(s->stepping, &settings, tracer, err);
	*tracer = emulation_tracer(s->emulation, pid);
	return 0;
}

const char *software_engine_name(const struct software *s)
{
	return record_engines[s->emulation ? ENGINE_QEMU : ENGINE_STEP];
}

const char *software_time_name(const struct software *s)
{
	return record_times[s->config.options->time];
}

int64_t software_wall_clock(const struct software *s)
{
	struct timespec now;

	if (s->config.options->time != RECORDER_REAL)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - monotonic_ns();
}

static bool get_stats(const struct software *s, struct recorder_stats *stats)
{
	return s->emulation ? emulation_stats(s->emulation, stats)
			    : stepping_stats(s->stepping, stats);
}

bool software_is_empty(const struct software *s)
{
	struct recorder_stats stats;

	return get_stats(s, &stats) && stats.instructions == 0;
}

void software_tell(const struct software *s)
{
	struct recorder_stats stats;
	char text[400];

	if (!get_stats(s, &stats))
		return;
	recorder_summary(&stats, text, sizeof(text));
	listener_say(s->config.listener, "[ %s: %s. ]", s->emulation ? "QEMU" : "Single steps",
		     text);
}

void software_free(struct software *s)
{
	if (!s)
		return;
	stepping_free(s->stepping);
	emulation_free(s->emulation);
	qemu_fini(&s->qemu);
	qemuargs_free(s->command);
	free(s);
}
