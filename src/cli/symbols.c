/* SPDX-License-Identifier: MIT */
#include "cli/symbols.h"

#include "base/hash.h"
#include "base/xalloc.h"
#include "cli/jitmaps.h"
#include "perf/mmaps.h"
#include "symbol/jitdump.h"
#include "symbol/shownname.h"
#include "symbol/symbolizer.h"
#include "symbol/tablecache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Places, and clones, that are remembered; when there are so many, all are forgotten. */
#define SLOTS (1u << 16)
#define MOST  (SLOTS / 4 * 3)

/* A place that perf has no name for, and what we know of it. */
struct known_place {
	uint64_t addr;
	uint64_t off;
	int32_t pid;
	uint32_t dso;
	uint32_t sym; /* INTERN_NONE: nothing */
	bool taken;
};

/* A function that is a clone. */
struct known_clone {
	uint64_t start;
	uint32_t clone; /* INTERN_NONE: the slot is free */
};

/* What a name of perf's is called. */
struct shown {
	uint32_t name;  /* 0: not looked at yet */
	uint32_t clone; /* or INTERN_NONE */
};

struct symbols {
	struct symbols_config config;
	char *cache;
	struct symbolizer *symbolizer; /* NULL: not asked yet */
	struct jitmaps *jitmaps;
	struct shown *shown; /* by number */
	uint32_t n_shown;
	struct known_place *places; /* open addressing, linear */
	struct known_clone *clones; /* likewise */
	uint32_t n_places, n_clones;
	struct shownname buffer;
};

struct symbols *symbols_new(const struct symbols_config *config)
{
	struct symbols *s = xcalloc(1, sizeof(*s));

	s->config = *config;
	s->jitmaps = jitmaps_new(config->recording, config->symfs);
	s->places = xcalloc(SLOTS, sizeof(*s->places));
	s->clones = xcalloc(SLOTS, sizeof(*s->clones));
	return s;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	symbolizer_free(s->symbolizer);
	jitmaps_free(s->jitmaps);
	free(s->cache);
	free(s->shown);
	free(s->places);
	free(s->clones);
	free(s);
}

static void on_mapping(void *ctx, const struct mmaps_mapping *m)
{
	struct symbols *s = ctx;
	struct symbolizer_mapping mapping = {
		.start = m->start,
		.end = m->end,
		.offset = m->offset,
		.inode = m->inode,
		.path = m->path,
		.build_id = { .p = (const char *)m->build_id.bytes, .n = m->build_id.n },
		.pid = m->pid,
	};

	if (jitdump_is(m->path))
		jitmaps_dump(s->jitmaps, m->pid, m->path, m->inode);
	else
		symbolizer_map(s->symbolizer, &mapping);
}

static void on_fork(void *ctx, int32_t pid, int32_t parent)
{
	struct symbols *s = ctx;

	symbolizer_fork(s->symbolizer, pid, parent);
}

static void on_build_id(void *ctx, struct str path, const struct mmaps_build_id *id)
{
	struct symbols *s = ctx;

	symbolizer_build_id(s->symbolizer, path,
			    (struct str){ .p = (const char *)id->bytes, .n = id->n });
}

static bool is_this_kernel(const struct recording *rec)
{
	struct utsname name;

	return rec->kernel && uname(&name) == 0 && strcmp(rec->kernel, name.release) == 0;
}

/* Reads the recording's mappings. */
static void open_symbolizer(struct symbols *s)
{
	const struct recording *recording = s->config.recording;
	const char *servers = getenv("DEBUGINFOD_URLS");
	struct symbolizer_config config = {
		.symfs = s->config.symfs,
		.fetch = servers && servers[0],
		.same_machine = is_this_kernel(recording),
		.recording = recording->n_data ? recording->data[0] : NULL,
		.release = recording->kernel,
	};
	struct mmaps_sink sink = {
		.ctx = s,
		.mapping = on_mapping,
		.fork = on_fork,
		.build_id = on_build_id,
	};

	s->cache = tablecache_directory();
	config.cache = s->cache;
	s->symbolizer = symbolizer_new(&config);
	/* perf says itself when it cannot read a file; what could be read of it is there */
	for (size_t i = 0; i < recording->n_data; i++)
		mmaps_read(recording->data[i], &sink, NULL);
}

static struct symbolizer *get(struct symbols *s)
{
	if (!s->symbolizer)
		open_symbolizer(s);
	return s->symbolizer;
}

/* perf prints the places of a call chain as offsets in their files. */
static struct symbolizer_place place_of(const struct symbols *s, uint64_t addr, int32_t pid,
					uint32_t dso)
{
	struct symbolizer_place place = {
		.address = addr,
		.pid = pid,
		.is_offset = s->config.mode == PERF_SAMPLING,
	};

	if (dso != INTERN_NONE)
		place.path = intern_str(s->config.names, dso);
	return place;
}

static struct shown *shown_of(struct symbols *s, uint32_t name)
{
	uint32_t n = s->n_shown ? s->n_shown : 1024;
	struct shown *shown;
	struct str clone;

	if (name >= s->n_shown) {
		while (n <= name)
			n *= 2;
		s->shown = xreallocarray(s->shown, n, sizeof(*s->shown));
		memset(s->shown + s->n_shown, 0, (n - s->n_shown) * sizeof(*s->shown));
		s->n_shown = n;
	}
	shown = &s->shown[name];
	if (shown->name)
		return shown;
	shownname(&s->buffer, intern_str(s->config.names, name), s->config.demangle);
	clone = s->buffer.clone;
	shown->name = intern_add(s->config.names, s->buffer.name);
	if (clone.n)
		shown->clone = intern_add(s->config.names, clone);
	return shown;
}

uint32_t symbols_shown(struct symbols *s, uint32_t name)
{
	return shown_of(s, name)->name;
}

static struct known_clone *clone_slot(const struct symbols *s, uint64_t start)
{
	uint32_t at = (uint32_t)(hash_u64(start, hash_seed()) % SLOTS);

	while (s->clones[at].clone != INTERN_NONE && s->clones[at].start != start)
		at = (at + 1) % SLOTS;
	return &s->clones[at];
}

static void keep_clone(struct symbols *s, uint64_t start, uint32_t clone)
{
	struct known_clone *slot = clone_slot(s, start);

	if (slot->clone == INTERN_NONE && ++s->n_clones == MOST) {
		memset(s->clones, 0, SLOTS * sizeof(*s->clones));
		s->n_clones = 1;
		slot = clone_slot(s, start);
	}
	*slot = (struct known_clone){ .start = start, .clone = clone };
}

static struct known_place *place_slot(const struct symbols *s, const struct location *loc,
				      int32_t pid)
{
	uint64_t more = (uint64_t)loc->dso << 32 | (uint32_t)pid;
	uint32_t at = (uint32_t)(hash_mix(hash_u64(loc->addr, hash_seed()), more | 1) % SLOTS);

	while (s->places[at].taken && (s->places[at].addr != loc->addr ||
				       s->places[at].pid != pid || s->places[at].dso != loc->dso))
		at = (at + 1) % SLOTS;
	return &s->places[at];
}

/* What we know of a place. Asked for once. */
static const struct known_place *know(struct symbols *s, const struct location *loc, int32_t pid)
{
	struct known_place *known = place_slot(s, loc, pid);
	struct symbolizer_place place = place_of(s, loc->addr, pid, loc->dso);
	struct symbolizer_function function;
	struct perfmap_function compiled;

	if (known->taken)
		return known;
	if (s->n_places == MOST) {
		memset(s->places, 0, SLOTS * sizeof(*s->places));
		s->n_places = 0;
		known = place_slot(s, loc, pid);
	}
	s->n_places++;
	*known = (struct known_place){
		.addr = loc->addr, .pid = pid, .dso = loc->dso, .taken = true
	};
	if (symbolizer_function(get(s), &place, &function)) {
		known->sym = intern_add(s->config.names, str_of(function.name));
		known->off = loc->addr - function.start;
	} else if (jitmaps_find(s->jitmaps, pid, loc->addr, &compiled) && compiled.name[0]) {
		known->sym = intern_add(s->config.names, str_of(compiled.name));
		known->off = loc->addr - compiled.start;
	}
	return known;
}

/*
 * A name whose offset perf had wrong has none here. It stays as it is when the place is the first
 * one of a function, of which perf may know another name than we do.
 */
static void check_offset(struct symbols *s, struct location *loc, int32_t pid)
{
	const struct known_place *known = know(s, loc, pid);

	if (known->sym == INTERN_NONE || known->off == 0)
		return;
	loc->sym = known->sym;
	loc->off = known->off;
}

static inline void name_place(struct symbols *s, struct location *loc, int32_t pid,
			      bool check_offsets)
{
	const struct known_place *known;
	const struct shown *shown;

	if (loc->sym == INTERN_NONE) {
		if (loc->addr == 0)
			return;
		known = know(s, loc, pid);
		if (known->sym == INTERN_NONE)
			return;
		loc->sym = known->sym;
		loc->off = known->off;
	} else if (check_offsets && loc->off == 0) {
		check_offset(s, loc, pid);
	}
	shown = loc->sym < s->n_shown && s->shown[loc->sym].name ? &s->shown[loc->sym]
								 : shown_of(s, loc->sym);
	if (shown->clone != INTERN_NONE)
		keep_clone(s, loc->addr - loc->off, shown->clone);
	loc->sym = shown->name;
}

void symbols_place(struct symbols *s, int32_t pid, struct location *loc)
{
	name_place(s, loc, pid, false);
}

/* As symbols_event, of places that symbols_place has named. */
static void check_named(struct symbols *s, struct location *loc, int32_t pid)
{
	if (loc->sym == INTERN_NONE || loc->off)
		return;
	check_offset(s, loc, pid);
	if (loc->off)
		name_place(s, loc, pid, false);
}

void symbols_check(struct symbols *s, struct event *ev)
{
	check_named(s, &ev->branch.src, ev->pid);
	check_named(s, &ev->branch.dst, ev->pid);
}

void symbols_event(struct symbols *s, struct event *ev, bool check_offsets)
{
	switch (ev->kind) {
	case EVENT_BRANCH:
		name_place(s, &ev->branch.src, ev->pid, check_offsets);
		name_place(s, &ev->branch.dst, ev->pid, check_offsets);
		break;
	case EVENT_SAMPLE:
		for (size_t i = 0; i < ev->sample.n; i++)
			name_place(s, &ev->sample.frames[i], ev->pid, check_offsets);
		break;
	case EVENT_EXTRA: name_place(s, &ev->extra.place, ev->pid, check_offsets); break;
	case EVENT_PTWRITE: name_place(s, &ev->ptwrite.place, ev->pid, check_offsets); break;
	case EVENT_CBR:
	case EVENT_ERROR: break;
	}
}

void symbols_inlined(struct symbols *s, int32_t pid, const struct location *place,
		     struct inlined_place *out)
{
	struct symbolizer_place asked = place_of(s, place->addr, pid, place->dso);
	struct symbolizer_stretch stretch = { .start = out->start, .end = out->end };
	struct symbolizer_inlined all[INLINED_MAX];
	size_t n = symbolizer_inlined(get(s), &asked, all, INLINED_MAX, &stretch);

	out->start = stretch.start;
	out->end = stretch.end;
	out->n = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		struct str name = all[i].name[0] ? str_of(all[i].name) : STR("[unknown]");

		out->all[i] = (struct inlined_function){
			.unit = all[i].unit,
			.scope = all[i].scope,
			.name = symbols_shown(s, intern_add(s->config.names, name)),
		};
	}
}

/* The place in a function that was inlined, or in the one around it. */
static bool inlined_source(struct symbols *s, const struct source_place *place,
			   struct source_line *out)
{
	struct symbolizer_place asked = place_of(s, place->addr, place->pid, place->dso);
	struct unittable_place chain[UNITTABLE_DEPTH_MAX];
	size_t n = symbolizer_chain(get(s), &asked, chain, UNITTABLE_DEPTH_MAX);
	const struct unittable_place *found;

	/* the last one is the function that the others were inlined into */
	if (place->inlined >= n)
		return false;
	found = &chain[n - 1 - place->inlined + place->is_call];
	out->file = str_of(found->file);
	out->line = found->line;
	out->col = found->col;
	return out->file.n;
}

bool symbols_source(struct symbols *s, const struct source_place *place, struct source_line *out)
{
	struct symbolizer_place asked = place_of(s, place->addr, place->pid, place->dso);
	struct unittable_place line;

	if (place->addr == 0)
		return false;
	if (place->inlined)
		return inlined_source(s, place, out);
	if (!place->is_call)
		out->clone = clone_slot(s, place->addr)->clone;
	if (symbolizer_line(get(s), &asked, !place->is_call, &line)) {
		out->file = str_of(line.file);
		out->line = line.line;
		out->col = line.col;
	}
	return out->file.n || out->clone != INTERN_NONE;
}

size_t symbols_shifts(struct symbols *s, const char *path, uint64_t *shifts, size_t max)
{
	return symbolizer_shifts(get(s), str_of(path), shifts, max);
}

void symbols_troubles(const struct symbols *s, void (*each)(void *ctx, const struct err *trouble),
		      void *ctx)
{
	const struct err *trouble = jitmaps_trouble(s->jitmaps);

	if (trouble)
		each(ctx, trouble);
	if (s->symbolizer)
		symbolizer_troubles(s->symbolizer, each, ctx);
}
