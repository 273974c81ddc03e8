/* SPDX-License-Identifier: MIT */
#include "symbol/mapped.h"

#include "base/intern.h"
#include "base/xalloc.h"
#include "symbol/dsofile.h"
#include "symbol/package.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of paths and the like; what is beyond belongs to no file. */
#define KEYS_MAX ((size_t)64 << 20)

/* Files that are open, and read by a process each, at one time. */
#define AWAKE_MAX 16

struct file {
	char *path;
	char build_id[BUILDID_HEX];
	uint64_t inode;
	int32_t pid; /* that had it first, where: */
	uint64_t start, end;
	bool tried;
	struct dso *dso;  /* NULL: it cannot be had */
	struct err err;   /* why */
	uint64_t unknown; /* places in it that no function is known of */
};

/* What is known of a path. */
struct named {
	uint32_t newest;   /* its newest file, or MAPPED_NONE */
	uint32_t build_id; /* place in ids from 1; 0: none was told */
};

struct id {
	char hex[BUILDID_HEX];
};

struct mapped {
	struct mapped_config config;
	struct intern *keys;  /* path, inode and build-id; the number less 1 is the file's */
	struct intern *paths; /* the number is the place in by_path */
	struct file *files;
	struct named *by_path;
	struct id *ids; /* at most one for each path */
	uint32_t n_files, cap_files, cap_paths, n_ids, cap_ids;
	uint32_t
		awake[AWAKE_MAX]; /* files that may be open; the one that was asked last is first */
	size_t n_awake;
};

struct mapped *mapped_new(const struct mapped_config *config)
{
	struct mapped *m = xcalloc(1, sizeof(*m));

	m->config = *config;
	m->keys = intern_new(KEYS_MAX);
	m->paths = intern_new(KEYS_MAX);
	return m;
}

void mapped_free(struct mapped *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->n_files; i++) {
		dso_close(m->files[i].dso);
		free(m->files[i].path);
	}
	free(m->files);
	free(m->by_path);
	free(m->ids);
	intern_free(m->keys);
	intern_free(m->paths);
	free(m);
}

/* Names that the kernel gives to memory of no file (proc_pid_maps(5)), and perf in its place. */
bool mapped_is_file(struct str path)
{
	static const char *const others[] = { "//",    "/memfd:",        "/dev/",
					      "/SYSV", "/anon_hugepage", "/[aio]" };

	if (str_eq(path, STR("[vdso]")))
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (str_starts(path, str_of(others[i])))
			return false;
	return path.n && path.p[0] == '/';
}

/* The number of a path; INTERN_NONE: there is no room for it. */
static uint32_t number_of(struct mapped *m, struct str path)
{
	uint64_t refused = intern_refused(m->paths);
	uint32_t number = intern_add(m->paths, path), before = m->cap_paths;

	if (intern_refused(m->paths) > refused)
		return INTERN_NONE;
	if (number >= m->cap_paths) {
		m->cap_paths = before ? 2 * before : 64;
		m->by_path = xreallocarray(m->by_path, m->cap_paths, sizeof(*m->by_path));
		for (uint32_t i = before; i < m->cap_paths; i++)
			m->by_path[i] = (struct named){ .newest = MAPPED_NONE };
	}
	return number;
}

void mapped_build_id(struct mapped *m, struct str path, struct str build_id)
{
	uint32_t number = number_of(m, path);
	struct named *named;

	if (number == INTERN_NONE)
		return;
	named = &m->by_path[number];
	if (!named->build_id) {
		if (m->n_ids == m->cap_ids) {
			m->cap_ids = m->cap_ids ? 2 * m->cap_ids : 64;
			m->ids = xreallocarray(m->ids, m->cap_ids, sizeof(*m->ids));
		}
		named->build_id = ++m->n_ids;
	}
	buildid_hex(m->ids[named->build_id - 1].hex, BUILDID_HEX, build_id.p, build_id.n);
}

static void add_file(struct mapped *m, const struct mapped_key *key, const char *build_id)
{
	struct file *file;

	if (m->n_files == m->cap_files) {
		m->cap_files = m->cap_files ? 2 * m->cap_files : 64;
		m->files = xreallocarray(m->files, m->cap_files, sizeof(*m->files));
	}
	file = &m->files[m->n_files++];
	*file = (struct file){
		.path = xmemdup0(key->path.p, key->path.n),
		.inode = key->inode,
		.pid = key->pid,
		.start = key->start,
		.end = key->end,
	};
	memcpy(file->build_id, build_id, strlen(build_id) + 1);
}

uint32_t mapped_newest(struct mapped *m, struct str path)
{
	uint32_t number = number_of(m, path);

	return number == INTERN_NONE ? MAPPED_NONE : m->by_path[number].newest;
}

uint32_t mapped_add(struct mapped *m, const struct mapped_key *key)
{
	uint32_t path = number_of(m, key->path), number;
	uint64_t refused = intern_refused(m->keys);
	char build_id[BUILDID_HEX], *text;
	struct named *named;

	if (path == INTERN_NONE)
		return MAPPED_NONE;
	named = &m->by_path[path];
	buildid_hex(build_id, sizeof(build_id), key->build_id.p, key->build_id.n);
	if (!build_id[0] && named->build_id)
		memcpy(build_id, m->ids[named->build_id - 1].hex, sizeof(build_id));
	text = xasprintf("%" PRIu32 " %" PRIu64 " %s", path, key->inode, build_id);
	number = intern_add(m->keys, str_of(text));
	free(text);
	if (intern_refused(m->keys) > refused)
		return MAPPED_NONE;
	if (number > m->n_files)
		add_file(m, key, build_id);
	named->newest = number - 1;
	return named->newest;
}

static void open_file(const struct mapped *m, struct file *file)
{
	struct dsofile wanted = {
		.path = file->path,
		.build_id = file->build_id,
		.inode = file->inode,
		.pid = file->pid,
		.start = file->start,
		.end = file->end,
		.symfs = m->config.symfs,
		.same_machine = m->config.same_machine,
	};
	char build_id[BUILDID_HEX], *name;
	int fd;

	file->tried = true;
	fd = dsofile_open(&wanted, &name, build_id, &file->err);
	if (fd < 0)
		return;
	file->dso = dso_open(fd, name, build_id, m->config.cache, m->config.fetch);
	free(name);
	if (dso_file(file->dso, &file->err))
		return;
	dso_close(file->dso);
	file->dso = NULL;
}

/* The file is asked for something: the one that was not for longest is closed. */
static void wake(struct mapped *m, uint32_t file)
{
	size_t at = 0;

	while (at < m->n_awake && m->awake[at] != file)
		at++;
	if (at == AWAKE_MAX)
		dso_rest(m->files[m->awake[--at]].dso);
	else if (at == m->n_awake)
		m->n_awake++;
	memmove(&m->awake[1], &m->awake[0], at * sizeof(*m->awake));
	m->awake[0] = file;
}

struct dso *mapped_dso(struct mapped *m, uint32_t file)
{
	if (!m->files[file].tried)
		open_file(m, &m->files[file]);
	if (m->files[file].dso)
		wake(m, file);
	return m->files[file].dso;
}

void mapped_unknown(struct mapped *m, uint32_t file)
{
	m->files[file].unknown++;
}

/* What would give the file its symbols. */
static void advise(const struct mapped *m, const struct file *file, struct err *err)
{
	char *package = m->config.symfs ? NULL : package_of_symbols(PACKAGE_LISTS, file->path);

	if (package)
		err_hint(err,
			 "install %s (most are in Debian's debug archive), or set DEBUGINFOD_URLS",
			 package);
	else
		err_hint(err,
			 "of your own program: build it with -g and do not strip it; else "
			 "install its debug symbols, often NAME-dbgsym or NAME-debuginfo, or set "
			 "DEBUGINFOD_URLS");
	free(package);
}

/* Functions of it were looked for and not found. */
static void say_unknown(const struct mapped *m, const struct file *file, struct err *err)
{
	bool stripped = dso_file(file->dso, NULL)->flags & FILETABLE_STRIPPED;

	err_set(err, "%s: no function is known at %" PRIu64 " place%s%s", file->path, file->unknown,
		file->unknown == 1 ? "" : "s", stripped ? ": it has no symbol table" : "");
	if (stripped)
		advise(m, file, err);
}

void mapped_troubles(const struct mapped *m, void (*each)(void *ctx, const struct err *trouble),
		     void *ctx)
{
	for (uint32_t i = 0; i < m->n_files; i++) {
		const struct file *file = &m->files[i];
		const struct err *trouble = file->dso ? dso_trouble(file->dso) : &file->err;
		struct err unknown = ERR_INIT;

		if (!file->tried)
			continue;
		if (trouble && trouble->msg[0])
			each(ctx, trouble);
		if (file->dso && file->unknown) {
			say_unknown(m, file, &unknown);
			each(ctx, &unknown);
		}
	}
}
