/* SPDX-License-Identifier: MIT */
#include "cli/ocamltraps.h"

#include "base/xalloc.h"
#include "symbol/ocamlnotes.h"
#include "symbol/regular.h"

#include <stdlib.h>
#include <unistd.h>

/* Processes that had the program at different places: of more, some have no exceptions. */
#define SHIFTS_MAX 64

/* Entries of a list at all places of the program; true programs have some thousands at each. */
#define TRAPS_MAX ((size_t)16 << 20)

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* How many of the n places are not too many for a list. */
static size_t fitting(const struct ocamlnotes_list *list, size_t n)
{
	return list->n && n > TRAPS_MAX / list->n ? TRAPS_MAX / list->n : n;
}

/* A list at all places where the program was: sorted, without duplicates, *total of them. */
static uint64_t *shift_list(const struct ocamlnotes_list *list, const uint64_t *shifts, size_t n,
			    size_t *total)
{
	uint64_t *all = xcalloc(list->n * n + 1, sizeof(*all));

	*total = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < list->n; k++)
			all[i * list->n + k] = list->all[k] + shifts[i];
	qsort(all, list->n * n, sizeof(*all), compare);
	for (size_t i = 0; i < list->n * n; i++)
		if (*total == 0 || all[*total - 1] != all[i])
			all[(*total)++] = all[i];
	return all;
}

static void place(struct ocamltraps *found, const struct ocamlnotes *notes, const uint64_t *shifts,
		  size_t n)
{
	struct ocaml_traps *traps = &found->traps;

	n = fitting(&notes->push, fitting(&notes->pop, fitting(&notes->enter, n)));
	traps->push = found->lists[0] = shift_list(&notes->push, shifts, n, &traps->n_push);
	traps->pop = found->lists[1] = shift_list(&notes->pop, shifts, n, &traps->n_pop);
	traps->enter = found->lists[2] = shift_list(&notes->enter, shifts, n, &traps->n_enter);
}

/* The program's notes; all empty when it is not there. */
static void read_program(const char *symfs, const char *program, struct ocamlnotes *notes,
			 struct err *warning)
{
	char *path = xasprintf("%s%s", symfs ? symfs : "", program);
	int fd = regular_open(path, NULL, NULL);

	*notes = (struct ocamlnotes){ 0 };
	if (fd >= 0) {
		ocamlnotes_read(fd, path, notes, warning);
		close(fd);
	}
	free(path);
}

bool ocamltraps_find(struct ocamltraps *found, struct symbols *symbols, const char *symfs,
		     const char *program, struct err *warning)
{
	uint64_t shifts[SHIFTS_MAX];
	struct ocamlnotes notes;
	size_t n = 0;

	read_program(symfs, program, &notes, warning);
	if (notes.enter.n + notes.push.n + notes.pop.n) {
		n = symbols_shifts(symbols, program, shifts, SHIFTS_MAX);
		if (n)
			place(found, &notes, shifts, n);
		else
			err_set(warning,
				"%s: no exception handlers: the recording does not say where it "
				"was in memory",
				program);
	}
	ocamlnotes_fini(&notes);
	return n > 0;
}

void ocamltraps_fini(struct ocamltraps *found)
{
	for (size_t i = 0; i < sizeof(found->lists) / sizeof(*found->lists); i++)
		free(found->lists[i]);
	*found = (struct ocamltraps){ 0 };
}
