/* SPDX-License-Identifier: MIT */
#include "record/identity.h"

#include "base/child.h"
#include "base/xalloc.h"
#include "record/tasks.h"
#include "symbol/buildid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the process that is there is QEMU, and not the program. */
static bool is_emulation(const struct loop *l)
{
	return l->software && software_is_emulation(l->software);
}

/* argv, joined by spaces; to be freed. */
static char *join(char *const argv[])
{
	char *line = xstrdup(argv[0]), *longer;

	for (size_t i = 1; argv[i]; i++) {
		longer = xasprintf("%s %s", line, argv[i]);
		free(line);
		line = longer;
	}
	return line;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The first process as the program that was given, under the number that it has in the data. */
static void add_program(const struct loop *l, pid_t id)
{
	struct recording *rec = l->config->recording;
	char *const *command = l->config->options->command;
	char *line = join(command);

	recording_add_process(rec, id, line);
	recording_add_thread(rec, id, id, base_name(command[0]));
	free(line);
}

/* Processes are numbered from 1 on in the data: the names go to the first. */
static void add_numbered(const struct loop *l)
{
	struct recording *rec = l->config->recording, *now;
	pid_t pid = l->settings.ids[0];

	if (l->program) {
		add_program(l, 1);
		return;
	}
	now = recording_new();
	if (tasks_collect(now, pid) == 0) {
		recording_add_process(rec, 1, recording_command_line(now, pid));
		recording_add_thread(rec, 1, 1, recording_comm(now, pid, pid));
	}
	recording_free(now);
}

void identity_processes(const struct loop *l)
{
	if (l->software && l->config->options->time == RECORDER_INSTRUCTIONS) {
		add_numbered(l);
	} else if (is_emulation(l)) {
		add_program(l, l->settings.ids[0]);
	} else {
		for (size_t i = 0; i < l->settings.n_ids; i++)
			tasks_collect(l->config->recording, l->settings.ids[i]);
	}
}

/* file: where its build-id is read. */
static void set_program(struct recording *rec, const char *path, const char *file)
{
	char hex[BUILDID_HEX];

	recording_set(&rec->executable, path);
	recording_set(&rec->build_id, buildid_read(file, hex) ? hex : NULL);
}

void identity_program(const struct loop *l)
{
	struct recording *rec = l->config->recording;
	char *path = NULL, *real, proc[32];

	if (is_emulation(l)) {
		path = child_find(l->config->options->command[0]);
		real = path ? realpath(path, NULL) : NULL;
		if (real)
			set_program(rec, real, real);
		free(real);
	} else if (task_executable(l->settings.ids[0], &path) == 0) {
		/* the very file that runs, also when another has its path by now */
		snprintf(proc, sizeof(proc), "/proc/%d/exe", (int)l->settings.ids[0]);
		set_program(rec, path, proc);
	}
	free(path);
}
