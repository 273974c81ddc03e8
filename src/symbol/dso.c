/* SPDX-License-Identifier: MIT */
#include "symbol/dso.h"

#include "base/xalloc.h"
#include "symbol/debugfile.h"
#include "symbol/reader.h"
#include "symbol/regular.h"
#include "symbol/tablecache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file's reader is not started anew for ever. */
#define DEATHS_MAX 2

/* Bytes of units' tables that are kept in memory; then all are read again when they are needed. */
#define UNITS_BYTES_MAX ((size_t)512 << 20)

/* A unit that was asked for. */
struct unit {
	uint64_t number;
	struct blob bytes;
	struct unittable table;
	bool known; /* else there is no table of it */
};

struct dso {
	int fd;         /* -1: closed */
	struct stat st; /* of the file, when it is closed */
	char *path;
	char build_id[BUILDID_HEX];
	bool fetch;
	struct tablecache *cache; /* NULL: nothing is kept */
	struct reader *reader;    /* NULL: not started, or dead */
	unsigned deaths;          /* of readers, by a unit */
	bool tried, usable;
	struct blob bytes;
	struct filetable table;
	struct err err;     /* why it is not usable */
	struct err trouble; /* "": none */
	struct unit *units; /* by number */
	size_t n, cap, units_bytes;
};

struct dso *dso_open(int fd, const char *path, const char *build_id, const char *cache, bool fetch)
{
	struct dso *dso = xcalloc(1, sizeof(*dso));

	dso->fd = fd;
	dso->path = xstrdup(path);
	dso->fetch = fetch;
	snprintf(dso->build_id, sizeof(dso->build_id), "%s", build_id);
	if (cache && build_id[0])
		dso->cache = tablecache_open(cache, build_id);
	return dso;
}

/* Those that could not be read stay: they are not asked for again. */
static void forget_units(struct dso *dso)
{
	size_t n = 0;

	for (size_t i = 0; i < dso->n; i++) {
		if (dso->units[i].known)
			blob_fini(&dso->units[i].bytes);
		else
			dso->units[n++] = dso->units[i];
	}
	dso->n = n;
	dso->units_bytes = 0;
}

void dso_close(struct dso *dso)
{
	if (!dso)
		return;
	reader_stop(dso->reader);
	tablecache_close(dso->cache);
	forget_units(dso);
	free(dso->units);
	blob_fini(&dso->bytes);
	if (dso->fd >= 0)
		close(dso->fd);
	free(dso->path);
	free(dso);
}

void dso_rest(struct dso *dso)
{
	struct stat there = { 0 };
	int again;

	reader_stop(dso->reader);
	dso->reader = NULL;
	if (dso->cache)
		tablecache_rest(dso->cache);
	if (dso->fd < 0)
		return;
	again = regular_open(dso->path, &there, NULL);
	if (again < 0)
		return;
	close(again);
	if (fstat(dso->fd, &dso->st) < 0 || !regular_same(&there, &dso->st))
		return;
	close(dso->fd);
	dso->fd = -1;
}

static int open_again(struct dso *dso, struct err *err)
{
	struct stat st = { 0 };

	if (dso->fd >= 0)
		return 0;
	dso->fd = regular_open(dso->path, &st, err);
	if (dso->fd < 0)
		return -1;
	if (regular_same(&st, &dso->st))
		return 0;
	close(dso->fd);
	dso->fd = -1;
	return err_set(err, "%s: it is another file than before", dso->path);
}

/* Takes the table over. False: it is none. */
static bool use(struct dso *dso, struct blob *bytes)
{
	if (filetable_check(bytes->p, bytes->n, &dso->table)) {
		dso->bytes = *bytes;
		return true;
	}
	blob_fini(bytes);
	return false;
}

/*
 * Of a file without debug info the cache has the state of the directories where it may be installed
 * later, and the table behind it. Servers may have got it at any time.
 */
static bool read_bare(struct dso *dso)
{
	struct blob kept, table = { 0 };
	uint64_t state = debugfile_state(dso->path, dso->build_id), then;
	bool good;

	if (dso->fetch || !tablecache_get(dso->cache, TABLECACHE_BARE, &kept))
		return false;
	good = kept.n > sizeof(then);
	if (good) {
		memcpy(&then, kept.p, sizeof(then));
		good = then == state;
	}
	if (good)
		blob_put(&table, kept.p + sizeof(then), kept.n - sizeof(then));
	blob_fini(&kept);
	return good && use(dso, &table);
}

static void keep_bare(struct dso *dso, const struct blob *table)
{
	uint64_t state = debugfile_state(dso->path, dso->build_id);
	struct blob kept = { 0 };

	blob_put(&kept, &state, sizeof(state));
	blob_put(&kept, table->p, table->n);
	tablecache_put(dso->cache, TABLECACHE_BARE, &kept);
	blob_fini(&kept);
}

static bool read_cached(struct dso *dso)
{
	struct blob bytes;

	if (!dso->cache)
		return false;
	if (tablecache_get(dso->cache, TABLECACHE_FILE, &bytes) && use(dso, &bytes))
		return true;
	return read_bare(dso);
}

static int start_reader(struct dso *dso, struct err *err)
{
	static const struct reader_limits limits = READER_LIMITS;

	if (dso->reader)
		return 0;
	if (open_again(dso, err) < 0)
		return -1;
	return reader_start(dso->fd, dso->path, dso->fetch, &limits, &dso->reader, err);
}

/* One that is dead is started anew when something is asked for. True: it was. */
static bool bury_reader(struct dso *dso)
{
	if (dso->reader && !reader_is_dead(dso->reader))
		return false;
	reader_stop(dso->reader);
	dso->reader = NULL;
	return true;
}

/* Asks for the file's table, with `bare` as if there was no debug info. */
static int ask_file(struct dso *dso, bool bare, struct blob *bytes, struct err *err)
{
	struct filetable table;

	if (start_reader(dso, err) < 0 || reader_file(dso->reader, bare, bytes, err) < 0)
		return -1;
	if (filetable_check(bytes->p, bytes->n, &table))
		return 0;
	blob_fini(bytes);
	return err_set(err, "%s: what is read of it is no table", dso->path);
}

/* Debug info that kills its reader shall not take the file's functions with it. */
static int read_bare_fresh(struct dso *dso, struct blob *bytes, struct err *err)
{
	struct err first = *err;

	if (ask_file(dso, true, bytes, err) < 0) {
		bury_reader(dso);
		return -1;
	}
	err_set(&dso->trouble, "%s, so it has no lines and no inlined functions", first.msg);
	return 0;
}

static int read_fresh(struct dso *dso, struct err *err)
{
	struct blob bytes;

	if (ask_file(dso, false, &bytes, err) < 0 &&
	    (!bury_reader(dso) || read_bare_fresh(dso, &bytes, err) < 0))
		return -1;
	filetable_check(bytes.p, bytes.n, &dso->table);
	dso->bytes = bytes;
	/* what a healthy reader would have found is not known */
	if (!dso->cache || dso->trouble.msg[0])
		return 0;
	if (dso->table.flags & FILETABLE_DWARF)
		tablecache_put(dso->cache, TABLECACHE_FILE, &bytes);
	else
		keep_bare(dso, &bytes);
	return 0;
}

const struct filetable *dso_file(struct dso *dso, struct err *err)
{
	if (!dso->tried) {
		dso->tried = true;
		dso->usable = read_cached(dso) || read_fresh(dso, &dso->err) == 0;
	}
	if (!dso->usable && err)
		*err = dso->err;
	return dso->usable ? &dso->table : NULL;
}

/* Where the unit is, or belongs. */
static size_t place_of(const struct dso *dso, uint64_t number)
{
	size_t low = 0, high = dso->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (dso->units[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The first failure is told; other units may be well. */
static void note(struct dso *dso, const struct err *err)
{
	if (!dso->trouble.msg[0])
		dso->trouble = *err;
}

static bool ask_unit(struct dso *dso, struct unit *unit, bool *whole)
{
	struct err err = ERR_INIT;

	if (dso->deaths == DEATHS_MAX)
		return false;
	if (start_reader(dso, &err) == 0 &&
	    reader_unit(dso->reader, unit->number, &unit->bytes, whole, &err) == 0)
		return true;
	note(dso, &err);
	dso->deaths += bury_reader(dso);
	return false;
}

static void read_unit(struct dso *dso, struct unit *unit)
{
	struct err err = ERR_INIT;
	bool whole = true;

	if (dso->cache && tablecache_get(dso->cache, unit->number, &unit->bytes)) {
		unit->known = unittable_check(unit->bytes.p, unit->bytes.n, &unit->table);
		if (unit->known)
			return;
		blob_fini(&unit->bytes);
	}
	if (!ask_unit(dso, unit, &whole))
		return;
	unit->known = unittable_check(unit->bytes.p, unit->bytes.n, &unit->table);
	if (unit->known) {
		if (dso->cache && whole)
			tablecache_put(dso->cache, unit->number, &unit->bytes);
		return;
	}
	blob_fini(&unit->bytes);
	err_set(&err, "%s: what is read of a unit is no table", dso->path);
	note(dso, &err);
}

static struct unit *add_unit(struct dso *dso, size_t at, uint64_t number)
{
	struct unit unit = { .number = number };

	read_unit(dso, &unit);
	if (dso->units_bytes + unit.bytes.n > UNITS_BYTES_MAX) {
		forget_units(dso);
		at = place_of(dso, number);
	}
	if (dso->n == dso->cap) {
		dso->cap = dso->cap ? 2 * dso->cap : 64;
		dso->units = xreallocarray(dso->units, dso->cap, sizeof(*dso->units));
	}
	memmove(&dso->units[at + 1], &dso->units[at], (dso->n - at) * sizeof(unit));
	dso->units[at] = unit;
	dso->n++;
	dso->units_bytes += unit.bytes.n;
	return &dso->units[at];
}

const struct unittable *dso_unit(struct dso *dso, uint64_t value)
{
	const struct filetable *table = dso_file(dso, NULL);
	struct unit *unit;
	uint64_t number;
	size_t at;

	if (!table || !filetable_unit(table, value, &number))
		return NULL;
	at = place_of(dso, number);
	unit = at < dso->n && dso->units[at].number == number ? &dso->units[at]
							      : add_unit(dso, at, number);
	return unit->known ? &unit->table : NULL;
}

const struct err *dso_trouble(const struct dso *dso)
{
	return dso->trouble.msg[0] ? &dso->trouble : NULL;
}
