/* SPDX-License-Identifier: MIT */
#include "symbol/filebuild.h"

#include "base/xalloc.h"
#include "symbol/elfopen.h"
#include "symbol/filetable.h"
#include "symbol/minisyms.h"
#include "symbol/pltstubs.h"
#include "symbol/ranges.h"
#include "symbol/worth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Symbols, and bytes of their names, that no true file has. */
#define SYMBOLS_MAX ((size_t)1 << 25)
#define NAMES_MAX   ((size_t)1 << 30)

/* What is put behind the name of a function that a stub of the PLT jumps to. */
#define STUB_MARK "@plt"

struct symbol {
	uint64_t value, size;
	uint32_t name;  /* where it begins in names */
	uint32_t worth; /* of several at one value the greatest counts */
};

struct build {
	const struct elffile *file;
	struct symbol *symbols;
	size_t n, cap;
	struct blob names;
};

static void add(struct build *b, uint64_t value, uint64_t size, uint32_t worth, const char *name)
{
	/* the version of a symbol is no part of the function's name */
	size_t n = strcspn(name, "@");

	if (strcmp(name + n, STUB_MARK) == 0)
		n += strlen(STUB_MARK);

	if (n == 0 || b->n == SYMBOLS_MAX || b->names.n + n >= NAMES_MAX)
		return;
	if (b->n == b->cap) {
		b->cap = b->cap ? 2 * b->cap : 1024;
		b->symbols = xreallocarray(b->symbols, b->cap, sizeof(*b->symbols));
	}
	b->symbols[b->n++] = (struct symbol){
		.value = value,
		.size = size,
		.name = (uint32_t)b->names.n,
		.worth = worth | worth_of_name(name, n) | (size ? WORTH_SIZED : 0),
	};
	blob_put(&b->names, name, n);
	blob_put(&b->names, "", 1);
}

static void add_functions(struct build *b)
{
	struct elffile_walk walk = { 0 };
	struct elffile_function f;

	while (elffile_next(b->file, &walk, &f))
		add(b, f.value, f.size,
		    (f.is_local ? 0 : WORTH_GLOBAL) | (f.is_weak ? 0 : WORTH_STRONG) |
			    (f.is_old ? 0 : WORTH_CURRENT),
		    f.name);
}

static void add_mini(void *ctx, uint64_t value, uint64_t size, bool local, const char *name)
{
	struct build *b = ctx;

	if (elffile_segment(b->file, value))
		add(b, value, size, WORTH_CURRENT | (local ? 0 : WORTH_GLOBAL), name);
}

/* The best name of the function that begins at a value, or NULL; it lies in b->names. */
static const char *name_at(const struct build *b, uint64_t value)
{
	const struct symbol *best = NULL;

	for (size_t i = 0; i < b->n; i++)
		if (b->symbols[i].value == value && (!best || best->worth < b->symbols[i].worth))
			best = &b->symbols[i];
	return best ? b->names.p + best->name : NULL;
}

static void add_stub(void *ctx, const struct pltstub *stub)
{
	struct build *b = ctx;
	const char *name = stub->name ? stub->name : name_at(b, stub->resolver);
	char *whole;

	if (!name || !elffile_segment(b->file, stub->value))
		return;
	whole = xasprintf("%s" STUB_MARK, name);
	add(b, stub->value, stub->size, 0, whole);
	free(whole);
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->worth != y->worth)
		return x->worth > y->worth ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/* Leaves the best one at each value. */
static void choose(struct build *b)
{
	size_t n = 0;

	if (b->n)
		qsort(b->symbols, b->n, sizeof(*b->symbols), compare);
	for (size_t i = 0; i < b->n; i++)
		if (n == 0 || b->symbols[n - 1].value != b->symbols[i].value)
			b->symbols[n++] = b->symbols[i];
	b->n = n;
}

/* Where a symbol ends: one of no size at the next one, or with its segment. */
static uint64_t end_of(const struct build *b, size_t i)
{
	const struct symbol *symbol = &b->symbols[i];
	const struct elffile_segment *segment = elffile_segment(b->file, symbol->value);
	uint64_t last = segment->value + segment->size, end;

	if (symbol->size == 0)
		end = i + 1 < b->n ? b->symbols[i + 1].value : last;
	else if (__builtin_add_overflow(symbol->value, symbol->size, &end))
		end = last;
	return end < last ? end : last;
}

static void put_symbols(const struct build *b, const struct ranges *ranges, struct blob *blob)
{
	for (size_t i = 0; i < ranges->n; i++) {
		const struct range *range = &ranges->all[i];
		const struct symbol *symbol = &b->symbols[range->owner];
		struct filetable_symbol out = {
			.start = range->start,
			.end = range->end,
			.value = symbol->value,
			.name = symbol->name,
		};

		blob_put(blob, &out, sizeof(out));
	}
}

static void find_units(const struct build *b, const struct debuginfo *info, struct ranges *units)
{
	uint64_t shift = info->bias - info->load;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	/* not by .debug_aranges, which would be the index for this: clang does not write it */
	while (debuginfo_next(info, &unit, &die)) {
		Dwarf_Addr base, start, end;
		ptrdiff_t at = 0;

		/* functions that the linker left out begin at 0, or where no code is */
		while ((at = dwarf_ranges(&die, at, &base, &start, &end)) > 0)
			if (elffile_segment(b->file, start + shift))
				ranges_add(units, start + shift, end + shift,
					   dwarf_dieoffset(&die));
	}
	ranges_settle(units);
}

static void put_segments(const struct build *b, struct filetable_head *head, struct blob *blob)
{
	size_t n;
	const struct elffile_segment *segments = elffile_segments(b->file, &n);

	for (size_t i = 0; i < n; i++) {
		struct filetable_segment out = {
			.value = segments[i].value,
			.offset = segments[i].offset,
			.size = segments[i].size,
		};

		if (!segments[i].executable)
			continue;
		blob_put(blob, &out, sizeof(out));
		head->n_segments++;
	}
}

static void put(struct build *b, const struct ranges *symbols, const struct ranges *units,
		uint32_t flags, struct blob *blob)
{
	struct filetable_head head = {
		.version = FILETABLE_VERSION,
		.flags = flags,
		.n_symbols = (uint32_t)symbols->n,
		.n_units = (uint32_t)units->n,
		.n_names = b->names.n,
	};
	size_t at = blob->n;

	blob_put(blob, &head, sizeof(head));
	put_segments(b, &head, blob);
	put_symbols(b, symbols, blob);
	blob_put(blob, units->all, units->n * sizeof(*units->all));
	blob_put(blob, b->names.p, b->names.n);
	memcpy(blob->p + at, &head, sizeof(head));
}

static void find_symbols(struct build *b, int fd, const char *path)
{
	Elf *elf;

	add_functions(b);
	if (elffile_is_stripped(b->file))
		minisyms_find(fd, path, add_mini, b);
	elf = elfopen(fd, path, NULL);
	if (elf)
		pltstubs_find(elf, add_stub, b);
	elf_end(elf);
	choose(b);
}

void filebuild(int fd, const char *path, const struct elffile *file, const struct debuginfo *info,
	       struct blob *blob)
{
	struct build b = { .file = file };
	struct ranges symbols = { 0 }, units = { 0 };
	uint32_t flags = (info ? FILETABLE_DWARF : 0);

	if (elffile_is_stripped(file))
		flags |= FILETABLE_STRIPPED;
	blob_put(&b.names, "", 1);
	find_symbols(&b, fd, path);
	for (size_t i = 0; i < b.n; i++)
		ranges_add(&symbols, b.symbols[i].value, end_of(&b, i), i);
	ranges_settle(&symbols);
	if (info)
		find_units(&b, info, &units);
	put(&b, &symbols, &units, flags, blob);
	ranges_fini(&symbols);
	ranges_fini(&units);
	blob_fini(&b.names);
	free(b.symbols);
}
