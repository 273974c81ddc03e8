/* SPDX-License-Identifier: MIT */
#include "symbol/sourceline.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct search {
	const struct debuginfo *info;
	const struct notation_line *wanted;
	struct sourceline *found;
	size_t cap;
};

bool sourceline_fits(const char *path, struct str name)
{
	size_t n = strlen(path);

	while (str_starts(name, STR("./")))
		name = str_skip(name, 2);
	if (name.n == 0 || n < name.n || memcmp(path + n - name.n, name.p, name.n) != 0)
		return false;
	return n == name.n || name.p[0] == '/' || path[n - name.n - 1] == '/';
}

static void add(struct search *s, uint64_t value)
{
	struct sourceline *found = s->found;

	if (found->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 16;
		found->values = xreallocarray(found->values, s->cap, sizeof(*found->values));
	}
	found->values[found->n++] = value;
}

/* A row of a file that fits. */
static void look_at(struct search *s, Dwarf_Line *row)
{
	const struct notation_line *wanted = s->wanted;
	struct sourceline *found = s->found;
	int number, column;
	Dwarf_Addr addr;
	bool is;

	if (dwarf_linebeginstatement(row, &is) != 0 || !is ||
	    dwarf_lineendsequence(row, &is) != 0 || is || dwarf_lineno(row, &number) != 0 ||
	    number <= 0 || dwarf_lineaddr(row, &addr) != 0)
		return;
	if ((uint32_t)number > wanted->line && (!found->next || (uint32_t)number < found->next))
		found->next = (uint32_t)number;
	if ((uint32_t)number != wanted->line)
		return;
	if (wanted->col &&
	    (dwarf_linecol(row, &column) != 0 || column < 0 || (uint32_t)column != wanted->col))
		return;
	add(s, addr + s->info->bias - s->info->load);
}

static void search_unit(struct search *s, Dwarf_Die *unit)
{
	const char *last = NULL;
	Dwarf_Lines *rows;
	bool fits = false;
	size_t n;

	if (dwarf_getsrclines(unit, &rows, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);
		/* libdw has one string for each file of a unit */
		const char *file = dwarf_linesrc(row, NULL, NULL);

		if (file && file != last)
			fits = sourceline_fits(file, s->wanted->file);
		last = file;
		if (!file || !fits)
			continue;
		if (!s->found->file)
			s->found->file = xstrdup(file);
		look_at(s, row);
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void sourceline_find(const struct debuginfo *info, const struct notation_line *line,
		     struct sourceline *found)
{
	struct search search = { .info = info, .wanted = line, .found = found };
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	*found = (struct sourceline){ 0 };
	while (debuginfo_next(info, &unit, &die))
		search_unit(&search, &die);
	if (found->n)
		qsort(found->values, found->n, sizeof(*found->values), compare);
}

void sourceline_fini(struct sourceline *found)
{
	free(found->values);
	free(found->file);
	*found = (struct sourceline){ 0 };
}
