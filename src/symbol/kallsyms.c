/* SPDX-License-Identifier: MIT */
#include "symbol/kallsyms.h"

#include "base/num.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "symbol/regular.h"
#include "symbol/worth.h"

#include <stdlib.h>
#include <string.h>

/* Sizes are not told: a function ends where the next one begins. None is as large as this. */
#define FUNCTION_MAX ((uint64_t)1 << 20)

/* Kernels have 200,000; the later ones of more are left out. */
#define SYMBOLS_MAX ((size_t)4 << 20)

struct symbol {
	uint64_t start;
	const char *name;
	uint32_t worth;
	bool of_module;
};

struct kallsyms {
	char *text;
	struct symbol *all;
	size_t n, cap;
};

static void add(struct kallsyms *k, const struct symbol *symbol)
{
	if (k->n == k->cap) {
		k->cap = k->cap ? 2 * k->cap : 16384;
		k->all = xreallocarray(k->all, k->cap, sizeof(*k->all));
	}
	k->all[k->n++] = *symbol;
}

/* Takes the type and the blanks around it: T and t are code, W and w weak code (nm(1)). */
static bool take_type(struct str *s, uint32_t *worth)
{
	if (s->n < 4 || s->p[0] != ' ' || s->p[2] != ' ' || !strchr("TtWw", s->p[1]))
		return false;
	if (s->p[1] == 'T' || s->p[1] == 'W')
		*worth |= WORTH_GLOBAL;
	if (s->p[1] == 'T' || s->p[1] == 't')
		*worth |= WORTH_STRONG;
	*s = str_skip(*s, 3);
	return true;
}

/* The line is in k->text, and no longer needed as it is. */
static void read_line(struct kallsyms *k, char *line, size_t n)
{
	struct str s = { .p = line, .n = n };
	struct symbol symbol = { .worth = 0 };
	char *tab;

	if (!num_hex(&s, &symbol.start) || symbol.start == 0 || !take_type(&s, &symbol.worth))
		return;
	tab = memchr(line, '\t', n);
	symbol.of_module = tab;
	if (tab)
		*tab = '\0';
	symbol.name = s.p;
	symbol.worth |= worth_of_name(s.p, strlen(s.p));
	if (symbol.name[0])
		add(k, &symbol);
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->worth != y->worth)
		return x->worth > y->worth ? -1 : 1;
	/* both lie in one text: the first of the file */
	return (x->name > y->name) - (x->name < y->name);
}

int kallsyms_read(const char *path, struct kallsyms **out, struct err *err)
{
	struct kallsyms *k;
	size_t n;
	char *text = regular_text(path, KALLSYMS_BYTES_MAX, &n, err), *next;

	if (!text)
		return -1;
	k = xcalloc(1, sizeof(*k));
	k->text = text;
	for (char *p = text; p < text + n && k->n < SYMBOLS_MAX; p = next + 1) {
		next = memchr(p, '\n', (size_t)(text + n - p));
		if (!next)
			next = text + n;
		*next = '\0';
		read_line(k, p, (size_t)(next - p));
	}
	if (!k->n) {
		kallsyms_free(k);
		return err_set(err, "%s: no function has an address there", path);
	}
	qsort(k->all, k->n, sizeof(*k->all), compare);
	*out = k;
	return 0;
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	free(k->text);
	free(k->all);
	free(k);
}

bool kallsyms_move(struct kallsyms *k, const char *reference, uint64_t address)
{
	size_t at = 0, n = 0;
	uint64_t shift;

	while (at < k->n && (k->all[at].of_module || strcmp(k->all[at].name, reference) != 0))
		at++;
	if (at == k->n)
		return false;
	shift = address - k->all[at].start;
	if (!shift)
		return true;
	for (size_t i = 0; i < k->n; i++) {
		if (k->all[i].of_module)
			continue;
		k->all[n] = k->all[i];
		k->all[n++].start += shift;
	}
	k->n = n;
	/* a shift that is none of a kernel may have pushed some over the end */
	qsort(k->all, k->n, sizeof(*k->all), compare);
	return true;
}

/* How many of the functions begin before an address. */
static size_t count_before(const struct kallsyms *k, uint64_t address)
{
	size_t low = 0, high = k->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->all[mid].start < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool kallsyms_find(const struct kallsyms *k, uint64_t address, struct kallsyms_function *function)
{
	size_t n = address == UINT64_MAX ? k->n : count_before(k, address + 1);
	const struct symbol *best;

	if (n == 0 || address - k->all[n - 1].start >= FUNCTION_MAX)
		return false;
	/* of several at one address the best comes first */
	best = &k->all[count_before(k, k->all[n - 1].start)];
	*function = (struct kallsyms_function){ .name = best->name, .start = best->start };
	return true;
}
