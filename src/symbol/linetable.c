/* SPDX-License-Identifier: MIT */
#include "symbol/linetable.h"

#include "base/xalloc.h"
#include "symbol/debuginfo.h"
#include "symbol/elfopen.h"
#include "symbol/regular.h"

#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

/* A stretch of code that a compilation unit covers: addresses of the file. */
struct range {
	Dwarf_Addr start, end;
	Dwarf_Off unit; /* of the unit's DIE */
};

struct linetable {
	struct debuginfo info;
	uint64_t *functions;  /* where functions begin, sorted */
	struct range *ranges; /* sorted, and none overlaps another */
	size_t n_functions, n_ranges;
	size_t cap_functions, cap_ranges;
};

static int compare_addr(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int compare_range(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* The larger one first: it holds the other. */
	return (x->end < y->end) - (x->end > y->end);
}

static void add_function(struct linetable *l, uint64_t addr)
{
	if (l->n_functions == l->cap_functions) {
		l->cap_functions = l->cap_functions ? 2 * l->cap_functions : 256;
		l->functions = xreallocarray(l->functions, l->cap_functions, sizeof(uint64_t));
	}
	l->functions[l->n_functions++] = addr;
}

static void add_range(struct linetable *l, Dwarf_Addr start, Dwarf_Addr end, Dwarf_Off unit)
{
	if (start >= end)
		return;
	if (l->n_ranges == l->cap_ranges) {
		l->cap_ranges = l->cap_ranges ? 2 * l->cap_ranges : 256;
		l->ranges = xreallocarray(l->ranges, l->cap_ranges, sizeof(*l->ranges));
	}
	l->ranges[l->n_ranges++] = (struct range){ .start = start, .end = end, .unit = unit };
}

static void find_functions(struct linetable *l)
{
	int n = dwfl_module_getsymtab(l->info.module);

	for (int i = 0; i < n; i++) {
		GElf_Word section;
		GElf_Addr addr;
		GElf_Sym sym;
		int type;

		if (!dwfl_module_getsym_info(l->info.module, i, &sym, &addr, &section, NULL, NULL))
			continue;
		type = GELF_ST_TYPE(sym.st_info);
		if (section != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC))
			add_function(l, addr);
	}
	if (l->n_functions)
		qsort(l->functions, l->n_functions, sizeof(uint64_t), compare_addr);
}

/*
 * Cuts the sorted ranges where they overlap, so that each address is in one at most: that which
 * begins last of those it was in. `open` holds the ranges that have begun, in that order.
 */
static void cut_ranges(struct linetable *l)
{
	struct range *all = l->ranges, *open = xcalloc(l->n_ranges, sizeof(*open));
	size_t n = l->n_ranges, n_open = 0;
	Dwarf_Addr at = 0;

	l->ranges = NULL;
	l->n_ranges = l->cap_ranges = 0;
	for (size_t i = 0; i <= n; i++) {
		Dwarf_Addr next = i < n ? all[i].start : UINT64_MAX;

		while (n_open && at < next) {
			const struct range *last = &open[n_open - 1];
			Dwarf_Addr end = last->end < next ? last->end : next;

			if (at < end) {
				add_range(l, at, end, last->unit);
				at = end;
			} else {
				n_open--;
			}
		}
		at = next;
		if (i < n)
			open[n_open++] = all[i];
	}
	free(open);
	free(all);
}

/*
 * Not through .debug_aranges, which would be the index for this: clang does not write it.
 */
static void find_ranges(struct linetable *l)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (debuginfo_next(&l->info, &cu, &die)) {
		Dwarf_Addr base, start, end;
		ptrdiff_t at = 0;

		while ((at = dwarf_ranges(&die, at, &base, &start, &end)) > 0)
			add_range(l, start, end, dwarf_dieoffset(&die));
	}
	if (!l->n_ranges)
		return;
	qsort(l->ranges, l->n_ranges, sizeof(*l->ranges), compare_range);
	cut_ranges(l);
}

static int check_type(int fd, const char *path, struct err *err)
{
	Elf *elf = elfopen(fd, path, err);
	int type = ET_NONE;
	GElf_Ehdr ehdr;

	if (!elf)
		return -1;
	if (gelf_getehdr(elf, &ehdr))
		type = ehdr.e_type;
	elf_end(elf);
	if (type == ET_EXEC)
		return 0;
	return err_set(err, "%s: it is position independent, so its addresses say nothing", path);
}

int linetable_open(const char *path, struct linetable **lines, struct err *err)
{
	struct linetable *l;
	int fd;

	fd = regular_open(path, NULL, err);
	if (fd < 0)
		return -1;
	if (check_type(fd, path, err) < 0) {
		close(fd);
		return -1;
	}
	l = xcalloc(1, sizeof(*l));
	if (debuginfo_open(fd, path, true, &l->info, err) < 0) {
		linetable_close(l);
		return -1;
	}
	find_functions(l);
	find_ranges(l);
	if (!l->n_ranges) {
		linetable_close(l);
		return err_set(err, "%s: it has no line table", path);
	}
	*lines = l;
	return 0;
}

void linetable_close(struct linetable *lines)
{
	if (!lines)
		return;
	debuginfo_close(&lines->info);
	free(lines->functions);
	free(lines->ranges);
	free(lines);
}

/* The range that addr (of the debug info) is in; NULL: no unit's code is there. */
static const struct range *find_range(const struct linetable *l, Dwarf_Addr addr)
{
	size_t low = 0, high = l->n_ranges;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->ranges[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && addr < l->ranges[low - 1].end ? &l->ranges[low - 1] : NULL;
}

/* The first row for addr that names a line: the one of the function's own head. */
static Dwarf_Line *find_row(Dwarf_Lines *rows, size_t n, Dwarf_Addr addr)
{
	size_t low = 0, high = n;
	Dwarf_Addr at;
	bool end;
	int line;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (dwarf_lineaddr(dwarf_onesrcline(rows, mid), &at) == 0 && at < addr)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < n; low++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, low);

		if (dwarf_lineaddr(row, &at) != 0 || at != addr)
			return NULL;
		if (dwarf_lineendsequence(row, &end) == 0 && !end &&
		    dwarf_lineno(row, &line) == 0 && line > 0)
			return row;
	}
	return NULL;
}

bool linetable_function(struct linetable *lines, uint64_t addr, const char **file, uint32_t *line,
			uint32_t *col)
{
	const struct range *range;
	Dwarf_Lines *rows;
	Dwarf_Line *row;
	Dwarf_Die unit;
	int number, column;
	size_t n;

	if (!lines->n_functions ||
	    !bsearch(&addr, lines->functions, lines->n_functions, sizeof(uint64_t), compare_addr))
		return false;
	addr -= lines->info.bias;
	range = find_range(lines, addr);
	if (!range || !dwarf_offdie(lines->info.dwarf, range->unit, &unit) ||
	    dwarf_getsrclines(&unit, &rows, &n) != 0)
		return false;
	row = find_row(rows, n, addr);
	if (!row || dwarf_lineno(row, &number) != 0)
		return false;
	*file = dwarf_linesrc(row, NULL, NULL);
	*line = (uint32_t)number;
	*col = dwarf_linecol(row, &column) == 0 && column > 0 ? (uint32_t)column : 0;
	return *file;
}
