/* SPDX-License-Identifier: MIT */
/*
 * tables [CASES [SEED]]: any bytes as a file's table, a unit's table, or a file of the cache. A
 * table that was accepted can be asked for any address. Of a file of the cache the checksums are
 * put right, so that what is behind them is reached; and what is put into it is found again.
 */
#include "base/xalloc.h"
#include "support/fuzz.h"
#include "symbol/filetable.h"
#include "symbol/tablecache.h"
#include "symbol/unittable.h"

#include <isa-l/crc64.h>

/* As in symbol/tablecache.c. */
struct cache_head {
	char magic[8];
	uint32_t version, file_version, unit_version, pointer_size;
	uint64_t n_entries, checksum;
};

struct cache_entry {
	uint64_t number, offset, size, checksum;
};

#define CACHE_ENTRIES_MAX 8

static void ask_file(const struct filetable *table, uint64_t value)
{
	const struct filetable_symbol *symbol = filetable_symbol(table, value);
	uint64_t start, end, unit, other;

	if (symbol) {
		MUST(symbol->start <= value && value < symbol->end);
		MUST(strlen(filetable_name(table, symbol)) < table->n_names);
	}
	filetable_value(table, value, &other);
	filetable_stretch(table, value, &start, &end);
	MUST(start <= value);
	/* the last byte of all addresses is in no stretch */
	MUST(value < end || value == UINT64_MAX);
	if (filetable_unit(table, value, &unit))
		MUST(end - start > 0);
}

static void check_file(const char *p, size_t n)
{
	struct filetable table;

	if (!filetable_check(p, n, &table))
		return;
	for (size_t i = 0; i < table.n_symbols; i++) {
		ask_file(&table, table.symbols[i].start);
		ask_file(&table, table.symbols[i].end);
	}
	for (size_t i = 0; i < table.n_units; i++) {
		ask_file(&table, table.units[i].start);
		ask_file(&table, table.units[i].end);
	}
	for (size_t i = 0; i < table.n_segments; i++) {
		ask_file(&table, table.segments[i].value);
		ask_file(&table, table.segments[i].value + table.segments[i].size - 1);
		ask_file(&table, table.segments[i].offset);
	}
	ask_file(&table, 0);
	ask_file(&table, UINT64_MAX);
}

static void ask_unit(const struct unittable *table, uint64_t value)
{
	struct unittable_place places[UNITTABLE_DEPTH_MAX];
	struct unittable_run run = { .end = UINT64_MAX };
	size_t n = unittable_chain(table, value, places, UNITTABLE_DEPTH_MAX);

	for (size_t i = 0; i < n; i++)
		MUST(strlen(places[i].function) < table->n_names &&
		     strlen(places[i].file) < table->n_names);
	unittable_run(table, value, &run);
	MUST(run.start <= value && (value < run.end || value == UINT64_MAX));
	MUST((run.scope == UNITTABLE_NONE) == (n == 0));
	if (unittable_line(table, value, value & 1, places))
		MUST(places[0].line > 0 && strlen(places[0].file) < table->n_names);
}

static void check_unit(const char *p, size_t n)
{
	struct unittable table;

	if (!unittable_check(p, n, &table))
		return;
	for (size_t i = 0; i < table.n_spans; i++) {
		ask_unit(&table, table.spans[i].start);
		ask_unit(&table, table.spans[i].end);
	}
	for (size_t i = 0; i < table.n_rows; i++)
		ask_unit(&table, table.rows[i].value);
	ask_unit(&table, 0);
	ask_unit(&table, UINT64_MAX);
}

/* Puts the checksums right, so far as the entries are there. */
static void put_right(char *p, size_t n)
{
	struct cache_head head;
	struct cache_entry entries[CACHE_ENTRIES_MAX];
	size_t bytes;

	if (n < sizeof(head))
		return;
	memcpy(&head, p, sizeof(head));
	bytes = head.n_entries * sizeof(*entries);
	if (head.n_entries > CACHE_ENTRIES_MAX || bytes > n - sizeof(head))
		return;
	memcpy(entries, p + sizeof(head), bytes);
	for (size_t i = 0; i < head.n_entries; i++)
		if (entries[i].offset <= n && entries[i].size <= n - entries[i].offset)
			entries[i].checksum = crc64_ecma_refl(
				0, (unsigned char *)p + entries[i].offset, entries[i].size);
	head.checksum = crc64_ecma_refl(0, (unsigned char *)entries, bytes);
	memcpy(p, &head, sizeof(head));
	memcpy(p + sizeof(head), entries, bytes);
}

static void check_cache(char *p, size_t n)
{
	static const struct blob put = { .p = (char *)"kept", .n = 4 };
	struct tablecache *cache;
	struct blob blob = { 0 };

	put_right(p, n);
	fuzz_put("00ff.tables", p, n);
	cache = tablecache_open(fuzz_dir(), "00ff");
	for (uint64_t number = 0; number < 4; number++) {
		if (!tablecache_get(cache, number, &blob))
			continue;
		MUST(blob.n <= n);
		check_file(blob.p, blob.n);
		check_unit(blob.p, blob.n);
		blob_fini(&blob);
	}
	tablecache_put(cache, 2, &put);
	tablecache_close(cache);
	cache = tablecache_open(fuzz_dir(), "00ff");
	MUST(tablecache_get(cache, 2, &blob) && blob.n == 4 && memcmp(blob.p, "kept", 4) == 0);
	blob_fini(&blob);
	tablecache_close(cache);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy;

	if (size == 0)
		return 0;
	/* they lie in memory as malloc(3) gives it */
	copy = xmemdup0((const char *)data + 1, size - 1);
	switch (data[0] % 4) {
	case 0:
	case 1: check_file(copy, size - 1); break;
	case 2: check_unit(copy, size - 1); break;
	default: check_cache(copy, size - 1);
	}
	free(copy);
	return 0;
}

FUZZ_MAIN("tables", 8000)
