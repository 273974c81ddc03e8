/* SPDX-License-Identifier: MIT */
#include "record/identity.h"

#include "base/child.h"
#include "base/xalloc.h"
#include "record/tasks.h"
#include "symbol/buildid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* argv, joined by spaces; to be freed. */
static char *join(char *const argv[])
{
	size_t size = 0;
	char *line, *end;

	for (size_t i = 0; argv[i]; i++)
		size += strlen(argv[i]) + 1;
	line = end = xmalloc(size);
	for (size_t i = 0; argv[i]; i++) {
		end = stpcpy(end, argv[i]);
		*end++ = argv[i + 1] ? ' ' : '\0';
	}
	return line;
}

/* The first process as the program that was given, under the number that it has in the data. */
static void add_program(const struct loop *l, pid_t id)
{
	struct recording *rec = l->config->recording;
	char *const *command = l->config->options->command;
	char *line = join(command);

	recording_add_process(rec, id, line);
	recording_add_thread(rec, id, id, basename(command[0]));
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
	if (software_is_reproducible(l->software)) {
		add_numbered(l);
	} else if (software_is_emulation(l->software)) {
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

	if (software_is_emulation(l->software)) {
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
