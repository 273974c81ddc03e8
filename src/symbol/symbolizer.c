/* SPDX-License-Identifier: MIT */
#include "symbol/symbolizer.h"

#include "base/xalloc.h"
#include "symbol/dso.h"
#include "symbol/kernel.h"
#include "symbol/mapped.h"
#include "symbol/spaces.h"

#include <stdlib.h>

struct symbolizer {
	struct spaces *spaces;
	struct mapped *files;
	struct kernel *kernel;
};

struct symbolizer *symbolizer_new(const struct symbolizer_config *config)
{
	struct mapped_config files = {
		.symfs = config->symfs,
		.cache = config->cache,
		.fetch = config->fetch,
		.same_machine = config->same_machine,
	};
	struct kernel_config kernel = {
		.recording = config->recording,
		.release = config->release,
		.symfs = config->symfs,
		.cache = config->cache,
		.fetch = config->fetch,
		.same_machine = config->same_machine,
	};
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	s->spaces = spaces_new();
	s->files = mapped_new(&files);
	s->kernel = kernel_new(&kernel);
	return s;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	kernel_free(s->kernel);
	mapped_free(s->files);
	spaces_free(s->spaces);
	free(s);
}

void symbolizer_build_id(struct symbolizer *s, struct str path, struct str build_id)
{
	mapped_build_id(s->files, path, build_id);
	kernel_build_id(s->kernel, path, build_id);
}

void symbolizer_map(struct symbolizer *s, const struct symbolizer_mapping *mapping)
{
	struct spaces_mapping added = {
		.start = mapping->start,
		.end = mapping->end,
		.offset = mapping->offset,
	};

	struct mapped_key key = {
		.path = mapping->path,
		.build_id = mapping->build_id,
		.inode = mapping->inode,
		.pid = mapping->pid,
		.start = mapping->start,
		.end = mapping->end,
	};

	if (mapping->pid == -1)
		kernel_map(s->kernel, mapping->path, mapping->offset);
	if (mapping->pid <= 0 || !mapped_is_file(mapping->path))
		return;
	added.file = mapped_add(s->files, &key);
	if (added.file == MAPPED_NONE)
		return;
	spaces_add(s->spaces, mapping->pid, &added);
}

void symbolizer_fork(struct symbolizer *s, int32_t pid, int32_t parent)
{
	spaces_fork(s->spaces, pid, parent);
}

/* A place, found. */
struct found {
	uint32_t file;
	struct dso *dso;
	const struct filetable *table;
	uint64_t value;
};

static bool find_offset(struct symbolizer *s, const struct symbolizer_place *place, uint32_t *file,
			uint64_t *offset)
{
	const struct spaces_mapping *m;

	*file = place->path.n ? mapped_newest(s->files, place->path) : MAPPED_NONE;
	if (place->is_offset) {
		*offset = place->address;
		return *file != MAPPED_NONE;
	}
	/* a file of this name may not be the newest one of it */
	m = spaces_find(s->spaces, place->pid, place->address, *file);
	if (!m && *file != MAPPED_NONE)
		m = spaces_find(s->spaces, place->pid, place->address, UINT32_MAX);
	if (!m)
		return false;
	*file = m->file;
	*offset = place->address - m->start + m->offset;
	return true;
}

static bool find_kernel(struct symbolizer *s, const struct symbolizer_place *place,
			struct found *found)
{
	found->file = MAPPED_NONE;
	found->dso = kernel_dso(s->kernel, place->address, &found->value);
	found->table = found->dso ? dso_file(found->dso, NULL) : NULL;
	return found->table;
}

static bool find(struct symbolizer *s, const struct symbolizer_place *place, struct found *found)
{
	uint64_t offset;

	if (kernel_has(place->address))
		return find_kernel(s, place, found);
	if (!find_offset(s, place, &found->file, &offset))
		return false;
	found->dso = mapped_dso(s->files, found->file);
	if (!found->dso)
		return false;
	found->table = dso_file(found->dso, NULL);
	return found->table && filetable_value(found->table, offset, &found->value);
}

bool symbolizer_function(struct symbolizer *s, const struct symbolizer_place *place,
			 struct symbolizer_function *function)
{
	const struct filetable_symbol *symbol;
	struct kallsyms_function known;
	struct found found;

	if (kernel_has(place->address)) {
		if (!kernel_function(s->kernel, place->address, &known))
			return false;
		*function =
			(struct symbolizer_function){ .name = known.name, .start = known.start };
		return true;
	}
	if (!find(s, place, &found))
		return false;
	symbol = filetable_symbol(found.table, found.value);
	if (!symbol) {
		mapped_unknown(s->files, found.file);
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
	unit = dso_unit(found.dso, found.value);
	return unit && unittable_line(unit, found.value, first, line);
}

size_t symbolizer_chain(struct symbolizer *s, const struct symbolizer_place *place,
			struct unittable_place *places, size_t max)
{
	const struct unittable *unit;
	struct found found;

	if (!find(s, place, &found))
		return 0;
	unit = dso_unit(found.dso, found.value);
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
		table = dso_unit(found.dso, found.value);
	if (table)
		unittable_run(table, found.value, &run);
	stretch->start = place->address - (found.value - run.start);
	stretch->end = place->address + (run.end - found.value);
	/* units of several files may have one number */
	unit ^= (uint64_t)found.file << 40;
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
	uint32_t number = mapped_newest(s->files, path);
	struct dso *dso = number == MAPPED_NONE ? NULL : mapped_dso(s->files, number);

	if (dso)
		shifts.table = dso_file(dso, NULL);
	if (shifts.table)
		spaces_each(s->spaces, number, add_shift, &shifts);
	return shifts.n;
}

void symbolizer_troubles(const struct symbolizer *s,
			 void (*each)(void *ctx, const struct err *trouble), void *ctx)
{
	mapped_troubles(s->files, each, ctx);
	kernel_troubles(s->kernel, each, ctx);
}
