/* SPDX-License-Identifier: MIT */
#include "cli/jitmaps.h"

#include "base/xalloc.h"
#include "record/entries.h"
#include "symbol/jitdump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
	const char *symfs;
	uid_t user; /* the data file's owner */
	struct err trouble;
	struct process all[PROCESSES_MAX];
	size_t n;
};

struct jitmaps *jitmaps_new(const struct recording *recording, const char *symfs)
{
	struct jitmaps *jitmaps = xcalloc(1, sizeof(*jitmaps));
	const char *data = recording->n_data ? recording->data[0] : "";
	const char *slash = strrchr(data, '/');
	struct stat st;

	jitmaps->directory = xmemdup0(data, slash ? (size_t)(slash + 1 - data) : 0);
	jitmaps->symfs = symfs ? symfs : "";
	jitmaps->user = stat(data, &st) == 0 ? st.st_uid : geteuid();
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

/* Takes the path over. NULL: there is no such file, or it is of no use, which is noted. */
static struct perfmap *read_file(struct jitmaps *jitmaps, char *path, bool dump, uint64_t inode)
{
	struct regular_trust trust = { .user = jitmaps->user, .inode = inode };
	struct perfmap *map = NULL;
	struct err err = ERR_INIT;
	bool failed = dump ? jitdump_read(path, &trust, &map, &err) < 0
			   : perfmap_read(path, &trust, &map, &err) < 0;

	if (!failed && perfmap_is_cut(map))
		err_set(&err, "%s: of more than %zu functions the later ones are left out", path,
			PERFMAP_FUNCTIONS_MAX);
	/* most have none */
	if (failed && access(path, F_OK) < 0)
		err = (struct err)ERR_INIT;
	if (err.msg[0] && !jitmaps->trouble.msg[0])
		jitmaps->trouble = err;
	free(path);
	return failed ? NULL : map;
}

static void read_map(struct jitmaps *jitmaps, struct process *process)
{
	char name[ENTRY_MAP_NAME];

	process->tried = true;
	entry_map_name(process->pid, name);
	process->map = read_file(jitmaps, xasprintf("%s%s", jitmaps->directory, name), false, 0);
	if (!process->map)
		process->map = read_file(
			jitmaps,
			xasprintf("%sperf-%" PRId32 ".map", jitmaps->directory, process->pid),
			false, 0);
}

void jitmaps_dump(struct jitmaps *jitmaps, int32_t pid, struct str path, uint64_t inode)
{
	struct process *process = pid > 0 ? process_of(jitmaps, pid) : NULL;
	const char *slash = memrchr(path.p, '/', path.n);
	struct str name = slash ? str_skip(path, (size_t)(slash + 1 - path.p)) : path;

	if (!process || process->dump)
		return;
	process->dump = read_file(
		jitmaps, xasprintf("%s%.*s", jitmaps->directory, (int)name.n, name.p), true, 0);
	if (!process->dump)
		process->dump =
			read_file(jitmaps, xasprintf("%s%.*s", jitmaps->symfs, (int)path.n, path.p),
				  true, inode);
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

const struct err *jitmaps_trouble(const struct jitmaps *jitmaps)
{
	return jitmaps->trouble.msg[0] ? &jitmaps->trouble : NULL;
}
