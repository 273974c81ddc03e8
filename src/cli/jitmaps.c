/* SPDX-License-Identifier: MIT */
#include "cli/jitmaps.h"

#include "base/xalloc.h"
#include "record/entries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Processes whose maps are looked for; those of more have none. */
#define PROCESSES_MAX 1024

struct process {
	int32_t pid;
	struct perfmap *map; /* NULL: there is none */
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
	for (size_t i = 0; i < jitmaps->n; i++)
		perfmap_free(jitmaps->all[i].map);
	free(jitmaps->directory);
	free(jitmaps);
}

static struct perfmap *map_of(struct jitmaps *jitmaps, int32_t pid)
{
	char name[ENTRY_MAP_NAME], *path;
	struct perfmap *map = NULL;

	for (size_t i = 0; i < jitmaps->n; i++)
		if (jitmaps->all[i].pid == pid)
			return jitmaps->all[i].map;
	if (jitmaps->n == PROCESSES_MAX)
		return NULL;
	entry_map_name(pid, name);
	path = xasprintf("%s%s", jitmaps->directory, name);
	if (perfmap_read(path, &map, NULL) < 0) {
		free(path);
		path = xasprintf("%sperf-%" PRId32 ".map", jitmaps->directory, pid);
		if (perfmap_read(path, &map, NULL) < 0)
			map = NULL;
	}
	free(path);
	jitmaps->all[jitmaps->n++] = (struct process){ .pid = pid, .map = map };
	return map;
}

bool jitmaps_find(struct jitmaps *jitmaps, int32_t pid, uint64_t address,
		  struct perfmap_function *function)
{
	const struct perfmap *map = pid > 0 ? map_of(jitmaps, pid) : NULL;

	return map && perfmap_find(map, address, function);
}
