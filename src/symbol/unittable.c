/* SPDX-License-Identifier: MIT */
#include "symbol/unittable.h"

#include "symbol/blob.h"

#include <string.h>

static bool rows_are_sane(const struct unittable *table)
{
	for (size_t i = 0; i < table->n_rows; i++)
		if (table->rows[i].file >= table->n_names ||
		    (i && table->rows[i].value < table->rows[i - 1].value))
			return false;
	return true;
}

static bool spans_are_sane(const struct unittable *table)
{
	uint64_t end = 0;

	for (size_t i = 0; i < table->n_spans; i++) {
		const struct unittable_span *span = &table->spans[i];

		if (span->start < end || span->end <= span->start || span->scope >= table->n_scopes)
			return false;
		end = span->end;
	}
	return true;
}

static bool scopes_are_sane(const struct unittable *table)
{
	for (size_t i = 0; i < table->n_scopes; i++) {
		const struct unittable_scope *scope = &table->scopes[i];

		/* a parent comes first, so that there is no circle */
		if (scope->name >= table->n_names || scope->call_file >= table->n_names ||
		    (scope->parent != UNITTABLE_NONE && scope->parent >= i))
			return false;
	}
	return true;
}

bool unittable_check(const void *bytes, size_t n, struct unittable *table)
{
	struct unittable_head head;
	const char *p = bytes;

	if (n < sizeof(head))
		return false;
	memcpy(&head, p, sizeof(head));
	p += sizeof(head);
	n -= sizeof(head);
	*table = (struct unittable){
		.n_rows = head.n_rows,
		.n_spans = head.n_spans,
		.n_scopes = head.n_scopes,
	};
	table->rows = blob_take(&p, &n, head.n_rows, sizeof(*table->rows));
	table->spans = blob_take(&p, &n, head.n_spans, sizeof(*table->spans));
	table->scopes = blob_take(&p, &n, head.n_scopes, sizeof(*table->scopes));
	table->names = p;
	table->n_names = n;
	return head.version == UNITTABLE_VERSION && table->rows && table->spans && table->scopes &&
	       head.n_names == n && n > 0 && p[0] == '\0' && p[n - 1] == '\0' &&
	       rows_are_sane(table) && spans_are_sane(table) && scopes_are_sane(table);
}

/* How many rows begin at or before a value. */
static size_t rows_until(const struct unittable *table, uint64_t value)
{
	size_t low = 0, high = table->n_rows;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (table->rows[mid].value <= value)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool unittable_line(const struct unittable *table, uint64_t value, bool first,
		    struct unittable_place *place)
{
	size_t n = rows_until(table, value), i = n;
	const struct unittable_row *row;

	if (n == 0)
		return false;
	row = &table->rows[n - 1];
	for (; first && i-- > 0 && table->rows[i].value == value;)
		if (table->rows[i].line)
			row = &table->rows[i];
	if (row->line == 0)
		return false;
	*place = (struct unittable_place){
		.function = "",
		.file = table->names + row->file,
		.line = row->line,
		.col = row->col,
	};
	return true;
}

/* How many spans begin at or before a value. */
static size_t spans_until(const struct unittable *table, uint64_t value)
{
	size_t low = 0, high = table->n_spans;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (table->spans[mid].start <= value)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static const struct unittable_span *find_span(const struct unittable *table, uint64_t value)
{
	size_t n = spans_until(table, value);

	return n && value < table->spans[n - 1].end ? &table->spans[n - 1] : NULL;
}

static void clip(struct unittable_run *run, uint64_t start, uint64_t end)
{
	if (run->start < start)
		run->start = start;
	if (run->end > end)
		run->end = end;
}

void unittable_run(const struct unittable *table, uint64_t value, struct unittable_run *run)
{
	size_t n = spans_until(table, value);
	const struct unittable_span *before = n ? &table->spans[n - 1] : NULL;
	const struct unittable_span *behind = n < table->n_spans ? &table->spans[n] : NULL;

	run->scope = UNITTABLE_NONE;
	if (before && value < before->end) {
		run->scope = before->scope;
		clip(run, before->start, before->end);
		return;
	}
	clip(run, before ? before->end : 0, behind ? behind->start : UINT64_MAX);
}

size_t unittable_chain(const struct unittable *table, uint64_t value,
		       struct unittable_place *places, size_t max)
{
	const struct unittable_span *span = find_span(table, value);
	struct unittable_place place = { .file = "" };
	uint32_t at = span ? span->scope : UNITTABLE_NONE;
	size_t n = 0;

	unittable_line(table, value, false, &place);
	for (; at != UNITTABLE_NONE && n < max; at = table->scopes[at].parent) {
		const struct unittable_scope *scope = &table->scopes[at];

		place.function = table->names + scope->name;
		places[n++] = place;
		place = (struct unittable_place){
			.file = table->names + scope->call_file,
			.line = scope->call_line,
			.col = scope->call_col,
		};
	}
	return n;
}
