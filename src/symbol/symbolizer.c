/* SPDX-License-Identifier: MIT */
#include "symbol/symbolizer.h"

#include "base/intern.h"
#include "base/xalloc.h"
#include "symbol/dso.h"
#include "symbol/dsofile.h"
#include "symbol/spaces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of paths and the like; what is beyond belongs to no file. */
#define KEYS_MAX ((size_t)64 << 20)

#define ID_MAX ((BUILDID_HEX - 1) / 2)

/* A file that was mapped. */
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

/* What a path had for a build-id. */
struct named_id {
	uint32_t path; /* in keys */
	char build_id[BUILDID_HEX];
};

struct symbolizer {
	struct symbolizer_config config;
	struct spaces *spaces;
	struct intern *keys;  /* of files: path, inode and build-id; the number less 1 its place */
	struct intern *paths; /* the number less 1 is the place in by_path */
	struct file *files;
	uint32_t *by_path; /* the newest file of each path */
	struct named_id *ids;
	uint32_t n_files, cap_files, cap_paths;
	size_t n_ids, cap_ids;
};

struct symbolizer *symbolizer_new(const struct symbolizer_config *config)
{
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	s->config = *config;
	s->spaces = spaces_new();
	s->keys = intern_new(KEYS_MAX);
	s->paths = intern_new(KEYS_MAX);
	return s;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_files; i++) {
		dso_close(s->files[i].dso);
		free(s->files[i].path);
	}
	free(s->files);
	free(s->by_path);
	free(s->ids);
	intern_free(s->keys);
	intern_free(s->paths);
	spaces_free(s->spaces);
	free(s);
}

static void put_hex(char hex[BUILDID_HEX], struct str id)
{
	hex[0] = '\0';
	for (size_t i = 0; i < id.n && i < ID_MAX; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)id.p[i]);
}

void symbolizer_build_id(struct symbolizer *s, struct str path, struct str build_id)
{
	uint32_t number = intern_add(s->paths, path);

	if (s->n_ids == s->cap_ids) {
		s->cap_ids = s->cap_ids ? 2 * s->cap_ids : 64;
		s->ids = xreallocarray(s->ids, s->cap_ids, sizeof(*s->ids));
	}
	s->ids[s->n_ids].path = number;
	put_hex(s->ids[s->n_ids++].build_id, build_id);
}

static const char *known_id(const struct symbolizer *s, uint32_t path)
{
	for (size_t i = s->n_ids; i-- > 0;)
		if (s->ids[i].path == path)
			return s->ids[i].build_id;
	return "";
}

/* Names that the kernel gives to memory of no file (proc_pid_maps(5)), and perf in its place. */
static bool is_file(struct str path)
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

static uint32_t add_file(struct symbolizer *s, const struct symbolizer_mapping *mapping,
			 const char *build_id)
{
	struct file *file;

	if (s->n_files == s->cap_files) {
		s->cap_files = s->cap_files ? 2 * s->cap_files : 64;
		s->files = xreallocarray(s->files, s->cap_files, sizeof(*s->files));
	}
	file = &s->files[s->n_files];
	*file = (struct file){
		.path = xmemdup0(mapping->path.p, mapping->path.n),
		.inode = mapping->inode,
		.pid = mapping->pid,
		.start = mapping->start,
		.end = mapping->end,
	};
	memcpy(file->build_id, build_id, strlen(build_id) + 1);
	return s->n_files++;
}

/* The newest file of a path is the one that is meant by it. */
static void set_newest(struct symbolizer *s, uint32_t path, uint32_t file)
{
	uint32_t before = s->cap_paths;

	if (path >= s->cap_paths) {
		while (path >= s->cap_paths)
			s->cap_paths = s->cap_paths ? 2 * s->cap_paths : 64;
		s->by_path = xreallocarray(s->by_path, s->cap_paths, sizeof(*s->by_path));
		for (uint32_t i = before; i < s->cap_paths; i++)
			s->by_path[i] = UINT32_MAX;
	}
	s->by_path[path] = file;
}

static uint32_t newest(struct symbolizer *s, struct str path)
{
	uint32_t number = intern_add(s->paths, path);

	return number < s->cap_paths ? s->by_path[number] : UINT32_MAX;
}

/* The number of the mapping's file. */
static uint32_t file_of(struct symbolizer *s, const struct symbolizer_mapping *mapping)
{
	uint32_t path = intern_add(s->paths, mapping->path), number;
	char build_id[BUILDID_HEX], *key;

	put_hex(build_id, mapping->build_id);
	if (!build_id[0])
		snprintf(build_id, sizeof(build_id), "%s", known_id(s, path));
	key = xasprintf("%" PRIu32 " %" PRIu64 " %s", path, mapping->inode, build_id);
	number = intern_add(s->keys, str_of(key));
	free(key);
	if (number > s->n_files)
		add_file(s, mapping, build_id);
	set_newest(s, path, number - 1);
	return number - 1;
}

void symbolizer_map(struct symbolizer *s, const struct symbolizer_mapping *mapping)
{
	struct spaces_mapping added = {
		.start = mapping->start,
		.end = mapping->end,
		.offset = mapping->offset,
	};

	if (mapping->pid <= 0 || !is_file(mapping->path))
		return;
	added.file = file_of(s, mapping);
	spaces_add(s->spaces, mapping->pid, &added);
}

void symbolizer_fork(struct symbolizer *s, int32_t pid, int32_t parent)
{
	spaces_fork(s->spaces, pid, parent);
}

static void open_file(const struct symbolizer *s, struct file *file)
{
	struct dsofile wanted = {
		.path = file->path,
		.build_id = file->build_id,
		.inode = file->inode,
		.pid = file->pid,
		.start = file->start,
		.end = file->end,
		.symfs = s->config.symfs,
		.same_machine = s->config.same_machine,
	};
	char build_id[BUILDID_HEX], *name;
	int fd;

	file->tried = true;
	fd = dsofile_open(&wanted, &name, build_id, &file->err);
	if (fd < 0)
		return;
	file->dso = dso_open(fd, name, build_id, s->config.cache, s->config.fetch);
	free(name);
	if (dso_file(file->dso, &file->err))
		return;
	dso_close(file->dso);
	file->dso = NULL;
}

/* A place, found. */
struct found {
	struct file *file;
	const struct filetable *table;
	uint64_t value;
};

static bool find_offset(struct symbolizer *s, const struct symbolizer_place *place, uint32_t *file,
			uint64_t *offset)
{
	const struct spaces_mapping *m;

	*file = place->path.n ? newest(s, place->path) : UINT32_MAX;
	if (place->is_offset) {
		*offset = place->address;
		return *file != UINT32_MAX;
	}
	/* a file of this name may not be the newest one of it */
	m = spaces_find(s->spaces, place->pid, place->address, *file);
	if (!m && *file != UINT32_MAX)
		m = spaces_find(s->spaces, place->pid, place->address, UINT32_MAX);
	if (!m)
		return false;
	*file = m->file;
	*offset = place->address - m->start + m->offset;
	return true;
}

static bool find(struct symbolizer *s, const struct symbolizer_place *place, struct found *found)
{
	uint64_t offset;
	uint32_t number;

	if (!find_offset(s, place, &number, &offset))
		return false;
	found->file = &s->files[number];
	if (!found->file->tried)
		open_file(s, found->file);
	if (!found->file->dso)
		return false;
	found->table = dso_file(found->file->dso, NULL);
	return found->table && filetable_value(found->table, offset, &found->value);
}

bool symbolizer_function(struct symbolizer *s, const struct symbolizer_place *place,
			 struct symbolizer_function *function)
{
	const struct filetable_symbol *symbol;
	struct found found;

	if (!find(s, place, &found))
		return false;
	symbol = filetable_symbol(found.table, found.value);
	if (!symbol) {
		found.file->unknown++;
		return false;
	}
	*function = (struct symbolizer_function){
		.name = filetable_name(found.table, symbol),
		.start = place->address - (found.value - symbol->value),
	};
	return true;
}

bool symbolizer_line(struct symbolizer *s, const struct symbolizer_place *place, bool first,
		     struct unittable_place *line)
{
	const struct unittable *unit;
	struct found found;

	if (!find(s, place, &found))
		return false;
	unit = dso_unit(found.file->dso, found.value);
	return unit && unittable_line(unit, found.value, first, line);
}

size_t symbolizer_chain(struct symbolizer *s, const struct symbolizer_place *place,
			struct unittable_place *places, size_t max)
{
	const struct unittable *unit;
	struct found found;

	if (!find(s, place, &found))
		return 0;
	unit = dso_unit(found.file->dso, found.value);
	return unit ? unittable_chain(unit, found.value, places, max) : 0;
}

/* The functions of a scope that were inlined, outermost first. */
static size_t inlined_scopes(const struct unittable *table, uint32_t scope, uint64_t unit,
			     struct symbolizer_inlined *all, size_t max)
{
	size_t n = 0, i;
	uint32_t at;

	for (at = scope; at != UNITTABLE_NONE && table->scopes[at].parent != UNITTABLE_NONE;
	     at = table->scopes[at].parent)
		n++;
	for (at = scope, i = n; i-- > 0; at = table->scopes[at].parent) {
		if (i >= max)
			continue;
		all[i] = (struct symbolizer_inlined){
			.unit = unit,
			.scope = at,
			.name = table->names + table->scopes[at].name,
		};
	}
	return n < max ? n : max;
}

size_t symbolizer_inlined(struct symbolizer *s, const struct symbolizer_place *place,
			  struct symbolizer_inlined *all, size_t max,
			  struct symbolizer_stretch *stretch)
{
	struct unittable_run run = { .scope = UNITTABLE_NONE };
	const struct unittable *table = NULL;
	struct found found;
	uint64_t unit = 0;

	if (!find(s, place, &found))
		return 0;
	filetable_stretch(found.table, found.value, &run.start, &run.end);
	if (filetable_unit(found.table, found.value, &unit))
		table = dso_unit(found.file->dso, found.value);
	if (table)
		unittable_run(table, found.value, &run);
	stretch->start = place->address - (found.value - run.start);
	stretch->end = place->address + (run.end - found.value);
	/* units of several files may have one number */
	unit ^= (uint64_t)(found.file - s->files) << 40;
	return table ? inlined_scopes(table, run.scope, unit, all, max) : 0;
}

struct shifts {
	const struct filetable *table;
	uint64_t *all;
	size_t n, max;
};

static void add_shift(void *ctx, const struct spaces_mapping *mapping)
{
	struct shifts *shifts = ctx;
	uint64_t value, shift;

	if (!filetable_value(shifts->table, mapping->offset, &value))
		return;
	shift = mapping->start - value;
	for (size_t i = 0; i < shifts->n; i++)
		if (shifts->all[i] == shift)
			return;
	if (shifts->n < shifts->max)
		shifts->all[shifts->n++] = shift;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): what it points to is written, by add_shift */
size_t symbolizer_shifts(struct symbolizer *s, struct str path, uint64_t *all, size_t max)
{
	struct shifts shifts = { .all = all, .max = max };
	uint32_t number = newest(s, path);

	if (number == UINT32_MAX)
		return 0;
	if (!s->files[number].tried)
		open_file(s, &s->files[number]);
	if (s->files[number].dso)
		shifts.table = dso_file(s->files[number].dso, NULL);
	if (shifts.table)
		spaces_each(s->spaces, number, add_shift, &shifts);
	return shifts.n;
}

/* Functions of it were looked for and not found. */
static void say_unknown(const struct file *file, struct err *err)
{
	const struct filetable *table = dso_file(file->dso, NULL);

	err_set(err, "%s: no function is known at %" PRIu64 " place%s%s", file->path, file->unknown,
		file->unknown == 1 ? "" : "s",
		table->flags & FILETABLE_STRIPPED ? ": it has no symbol table" : "");
	if (table->flags & FILETABLE_STRIPPED)
		err_hint(err, "install its debug symbols (on Debian the package NAME-dbgsym, where "
			      "`dpkg -S FILE` says NAME; elsewhere often NAME-debuginfo), or set "
			      "DEBUGINFOD_URLS; of your own program: do not strip it");
}

void symbolizer_troubles(const struct symbolizer *s,
			 void (*each)(void *ctx, const struct err *trouble), void *ctx)
{
	for (uint32_t i = 0; i < s->n_files; i++) {
		const struct file *file = &s->files[i];
		const struct err *trouble = file->dso ? dso_trouble(file->dso) : &file->err;
		struct err unknown = ERR_INIT;

		if (!file->tried)
			continue;
		if (trouble && trouble->msg[0])
			each(ctx, trouble);
		if (file->dso && file->unknown) {
			say_unknown(file, &unknown);
			each(ctx, &unknown);
		}
	}
}
