/* SPDX-License-Identifier: MIT */
#include "symbol/perfmap.h"

#include "base/num.h"
#include "base/str.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* A line; none overlaps another when all are read. */
struct piece {
	uint64_t start, end; /* of what is left of it */
	uint64_t function;   /* where it began */
	const char *name;
	uint64_t line;
};

struct perfmap {
	char *text;
	struct piece *all;
	size_t n, cap;
	bool is_cut;
};

static bool take_hex(struct str *s, uint64_t *value)
{
	if (str_starts(*s, STR("0x")) || str_starts(*s, STR("0X")))
		*s = str_skip(*s, 2);
	return num_hex(s, value);
}

static bool take_blanks(struct str *s)
{
	size_t n = 0;

	while (n < s->n && (s->p[n] == ' ' || s->p[n] == '\t'))
		n++;
	*s = str_skip(*s, n);
	return n > 0;
}

static void add(struct perfmap *map, const struct piece *piece)
{
	if (map->n == map->cap) {
		map->cap = map->cap ? 2 * map->cap : 1024;
		map->all = xreallocarray(map->all, map->cap, sizeof(*map->all));
	}
	map->all[map->n++] = *piece;
}

/* The line ends with a NUL. */
static void read_line(struct perfmap *map, struct str line)
{
	struct piece piece = { .line = map->n };
	uint64_t size;

	if (!take_hex(&line, &piece.start) || !take_blanks(&line) || !take_hex(&line, &size) ||
	    (line.n && !take_blanks(&line)) || size == 0 ||
	    __builtin_add_overflow(piece.start, size, &piece.end))
		return;
	piece.function = piece.start;
	piece.name = line.p;
	add(map, &piece);
}

static void read_lines(struct perfmap *map, size_t n)
{
	char *p = map->text, *end = map->text + n;

	/* the last line may lack its newline */
	while (p < end && map->n < PERFMAP_FUNCTIONS_MAX) {
		char *next = memchr(p, '\n', (size_t)(end - p));

		if (!next)
			next = end;
		*next = '\0';
		read_line(map, (struct str){ .p = p, .n = (size_t)(next - p) });
		p = next + 1;
	}
	map->is_cut = p < end;
}

static int compare(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* A heap of pieces, the latest line on top. */
struct heap {
	const struct piece **all;
	size_t n;
};

static void push(struct heap *heap, const struct piece *piece)
{
	size_t i = heap->n++;

	for (; i && heap->all[(i - 1) / 2]->line < piece->line; i = (i - 1) / 2)
		heap->all[i] = heap->all[(i - 1) / 2];
	heap->all[i] = piece;
}

static void pop(struct heap *heap)
{
	const struct piece *last = heap->all[--heap->n];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < heap->n; i = child) {
		if (child + 1 < heap->n && heap->all[child + 1]->line > heap->all[child]->line)
			child++;
		if (heap->all[child]->line < last->line)
			break;
		heap->all[i] = heap->all[child];
	}
	heap->all[i] = last;
}

/* Code is thrown away and its memory used again: what a later line says counts where both do. */
static void cut(struct perfmap *map)
{
	struct perfmap whole = *map;
	struct heap open = { .all = xcalloc(map->n + 1, sizeof(struct piece *)) };
	uint64_t at = 0;

	map->all = NULL;
	map->n = map->cap = 0;
	for (size_t i = 0; i <= whole.n; i++) {
		uint64_t next = i < whole.n ? whole.all[i].start : UINT64_MAX;

		while (open.n && at < next) {
			struct piece piece = *open.all[0];

			if (piece.end <= at) {
				pop(&open);
				continue;
			}
			piece.start = at;
			piece.end = piece.end < next ? piece.end : next;
			add(map, &piece);
			at = piece.end;
		}
		at = next;
		if (i < whole.n)
			push(&open, &whole.all[i]);
	}
	free(open.all);
	free(whole.all);
}

struct perfmap *perfmap_of_text(char *text, size_t n)
{
	struct perfmap *map = xcalloc(1, sizeof(*map));

	map->text = text;
	read_lines(map, n);
	if (map->n) {
		qsort(map->all, map->n, sizeof(*map->all), compare);
		cut(map);
	}
	return map;
}

int perfmap_read(const char *path, const struct regular_trust *trust, struct perfmap **out,
		 struct err *err)
{
	size_t n;
	char *text = regular_trusted(path, trust, PERFMAP_BYTES_MAX, &n, err);

	if (!text)
		return -1;
	*out = perfmap_of_text(text, n);
	return 0;
}

void perfmap_free(struct perfmap *map)
{
	if (!map)
		return;
	free(map->text);
	free(map->all);
	free(map);
}

bool perfmap_is_cut(const struct perfmap *map)
{
	return map->is_cut;
}

bool perfmap_find(const struct perfmap *map, uint64_t address, struct perfmap_function *function)
{
	size_t low = 0, high = map->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (map->all[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 || address >= map->all[low - 1].end)
		return false;
	*function = (struct perfmap_function){
		.name = map->all[low - 1].name,
		.start = map->all[low - 1].function,
	};
	return true;
}
