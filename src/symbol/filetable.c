/* SPDX-License-Identifier: MIT */
#include "symbol/filetable.h"

#include <string.h>

static bool segments_are_sane(const struct filetable *table)
{
	uint64_t end;

	for (size_t i = 0; i < table->n_segments; i++)
		if (__builtin_add_overflow(table->segments[i].value, table->segments[i].size, &end))
			return false;
	return true;
}

static bool symbols_are_sane(const struct filetable *table)
{
	uint64_t end = 0;

	for (size_t i = 0; i < table->n_symbols; i++) {
		const struct filetable_symbol *symbol = &table->symbols[i];

		if (symbol->start < end || symbol->end <= symbol->start ||
		    symbol->value > symbol->start || symbol->name >= table->n_names)
			return false;
		end = symbol->end;
	}
	return true;
}

static bool units_are_sane(const struct filetable *table)
{
	uint64_t end = 0;

	for (size_t i = 0; i < table->n_units; i++) {
		if (table->units[i].start < end || table->units[i].end <= table->units[i].start)
			return false;
		end = table->units[i].end;
	}
	return true;
}

bool filetable_check(const void *bytes, size_t n, struct filetable *table)
{
	struct filetable_head head;
	const char *p = bytes;

	if (n < sizeof(head))
		return false;
	memcpy(&head, p, sizeof(head));
	p += sizeof(head);
	n -= sizeof(head);
	*table = (struct filetable){
		.flags = head.flags,
		.n_segments = head.n_segments,
		.n_symbols = head.n_symbols,
		.n_units = head.n_units,
	};
	table->segments = blob_take(&p, &n, head.n_segments, sizeof(*table->segments));
	table->symbols = blob_take(&p, &n, head.n_symbols, sizeof(*table->symbols));
	table->units = blob_take(&p, &n, head.n_units, sizeof(*table->units));
	table->names = p;
	table->n_names = n;
	return head.version == FILETABLE_VERSION && table->segments && table->symbols &&
	       table->units && head.n_names == n && n > 0 && p[n - 1] == '\0' &&
	       segments_are_sane(table) && symbols_are_sane(table) && units_are_sane(table);
}

bool filetable_value(const struct filetable *table, uint64_t offset, uint64_t *value)
{
	for (size_t i = 0; i < table->n_segments; i++) {
		const struct filetable_segment *segment = &table->segments[i];

		if (offset - segment->offset < segment->size) {
			*value = segment->value + (offset - segment->offset);
			return true;
		}
	}
	return false;
}

const struct filetable_symbol *filetable_symbol(const struct filetable *table, uint64_t value)
{
	size_t low = 0, high = table->n_symbols;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (table->symbols[mid].start <= value)
			low = mid + 1;
		else
			high = mid;
	}
	return low && value < table->symbols[low - 1].end ? &table->symbols[low - 1] : NULL;
}

const char *filetable_name(const struct filetable *table, const struct filetable_symbol *symbol)
{
	return table->names + symbol->name;
}

bool filetable_unit(const struct filetable *table, uint64_t value, uint64_t *unit)
{
	/* only looked into */
	struct ranges units = { .all = (struct range *)table->units, .n = table->n_units };
	const struct range *range = ranges_find(&units, value);

	if (range)
		*unit = range->owner;
	return range;
}

/* The segment that a value is in; else all addresses. */
static void segment_of(const struct filetable *table, uint64_t value, uint64_t *start,
		       uint64_t *end)
{
	*start = 0;
	*end = UINT64_MAX;
	for (size_t i = 0; i < table->n_segments; i++) {
		const struct filetable_segment *segment = &table->segments[i];

		if (value - segment->value >= segment->size)
			continue;
		*start = segment->value;
		*end = segment->value + segment->size;
		return;
	}
}

void filetable_stretch(const struct filetable *table, uint64_t value, uint64_t *start,
		       uint64_t *end)
{
	size_t low = 0, high = table->n_units;
	const struct range *unit;

	segment_of(table, value, start, end);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (table->units[mid].start <= value)
			low = mid + 1;
		else
			high = mid;
	}
	unit = low ? &table->units[low - 1] : NULL;
	if (unit && value < unit->end) {
		*start = unit->start;
		*end = unit->end;
		return;
	}
	if (unit && *start < unit->end)
		*start = unit->end;
	if (low<table->n_units && * end> table->units[low].start)
		*end = table->units[low].start;
}
