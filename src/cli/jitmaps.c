/* SPDX-License-Identifier: MIT */
#include "cli/jitmaps.h"

#include "base/xalloc.h"
#include "record/entries.h"
#include "symbol/jitdump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Processes whose maps are looked for; those of more have none. */
#define PROCESSES_MAX 1024

struct process {
	int32_t pid;
	bool tried;
	struct perfmap *map;  /* NULL: there is none */
	struct perfmap *dump; /* likewise */
};

struct jitmaps {
	char *directory; /* with the slash at its end, if it has a name */
	struct process all[PROCESSES_MAX];
	size_t n;
};

struct jitmaps *jitmaps_new(const struct recording *recording)
{
	struct jitmaps *jitmaps = xcalloc(1, sizeof(*jitmaps));
	const char *data = recording->n_data ? recording->data[0] : "";
	const char *slash = strrchr(data, '/');

	jitmaps->directory = xmemdup0(data, slash ? (size_t)(slash + 1 - data) : 0);
	return jitmaps;
}

void jitmaps_free(struct jitmaps *jitmaps)
{
	if (!jitmaps)
		return;
	for (size_t i = 0; i < jitmaps->n; i++) {
		perfmap_free(jitmaps->all[i].map);
		perfmap_free(jitmaps->all[i].dump);
	}
	free(jitmaps->directory);
	free(jitmaps);
}

/* NULL: there are too many. */
static struct process *process_of(struct jitmaps *jitmaps, int32_t pid)
{
	for (size_t i = 0; i < jitmaps->n; i++)
		if (jitmaps->all[i].pid == pid)
			return &jitmaps->all[i];
	if (jitmaps->n == PROCESSES_MAX)
		return NULL;
	jitmaps->all[jitmaps->n] = (struct process){ .pid = pid };
	return &jitmaps->all[jitmaps->n++];
}

static void read_map(const struct jitmaps *jitmaps, struct process *process)
{
	char name[ENTRY_MAP_NAME], *path;

	process->tried = true;
	entry_map_name(process->pid, name);
	path = xasprintf("%s%s", jitmaps->directory, name);
	if (perfmap_read(path, &process->map, NULL) < 0) {
		free(path);
		path = xasprintf("%sperf-%" PRId32 ".map", jitmaps->directory, process->pid);
		if (perfmap_read(path, &process->map, NULL) < 0)
			process->map = NULL;
	}
	free(path);
}

void jitmaps_dump(struct jitmaps *jitmaps, int32_t pid, struct str path)
{
	struct process *process = pid > 0 ? process_of(jitmaps, pid) : NULL;
	const char *slash = memrchr(path.p, '/', path.n);
	struct str name = slash ? str_skip(path, (size_t)(slash + 1 - path.p)) : path;
	char *beside, *there;

	if (!process || process->dump)
		return;
	beside = xasprintf("%s%.*s", jitmaps->directory, (int)name.n, name.p);
	there = xmemdup0(path.p, path.n);
	if (jitdump_read(beside, &process->dump, NULL) < 0 &&
	    jitdump_read(there, &process->dump, NULL) < 0)
		process->dump = NULL;
	free(there);
	free(beside);
}

bool jitmaps_find(struct jitmaps *jitmaps, int32_t pid, uint64_t address,
		  struct perfmap_function *function)
{
	struct process *process = pid > 0 ? process_of(jitmaps, pid) : NULL;

	if (!process)
		return false;
	if (!process->tried)
		read_map(jitmaps, process);
	if (process->map && perfmap_find(process->map, address, function))
		return true;
	return process->dump && perfmap_find(process->dump, address, function);
}
