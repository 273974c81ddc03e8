/* SPDX-License-Identifier: MIT */
#include "symbol/linetable.h"

#include "base/xalloc.h"
#include "symbol/debuginfo.h"
#include "symbol/elfopen.h"
#include "symbol/ranges.h"
#include "symbol/regular.h"

#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

struct linetable {
	struct debuginfo info;
	uint64_t *functions; /* where functions begin, sorted */
	struct ranges units; /* of the DWARF's addresses; owners: the offsets of units' DIEs */
	size_t n_functions, cap_functions;
};

static int compare_addr(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void add_function(struct linetable *l, uint64_t addr)
{
	if (l->n_functions == l->cap_functions) {
		l->cap_functions = l->cap_functions ? 2 * l->cap_functions : 256;
		l->functions = xreallocarray(l->functions, l->cap_functions, sizeof(uint64_t));
	}
	l->functions[l->n_functions++] = addr;
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
			ranges_add(&l->units, start, end, dwarf_dieoffset(&die));
	}
	ranges_settle(&l->units);
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
	if (!l->units.n) {
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
	ranges_fini(&lines->units);
	free(lines);
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
	range = ranges_find(&lines->units, addr);
	if (!range || !dwarf_offdie(lines->info.dwarf, range->owner, &unit) ||
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
