/* SPDX-License-Identifier: MIT */
#include "symbol/perfmap.h"

#include "base/num.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "symbol/ranges.h"

#include <stdlib.h>
#include <string.h>

/* A line. */
struct line {
	uint64_t start;
	const char *name;
};

struct perfmap {
	char *text;
	struct line *all;
	size_t n, cap;
	struct ranges code; /* owners: lines */
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

static void add(struct perfmap *map, const struct line *line)
{
	if (map->n == map->cap) {
		map->cap = map->cap ? 2 * map->cap : 1024;
		map->all = xreallocarray(map->all, map->cap, sizeof(*map->all));
	}
	map->all[map->n++] = *line;
}

/* The line ends with a NUL. */
static void read_line(struct perfmap *map, struct str text)
{
	struct line line;
	uint64_t size, end;

	if (!take_hex(&text, &line.start) || !take_blanks(&text) || !take_hex(&text, &size) ||
	    (text.n && !take_blanks(&text)) || size == 0 ||
	    __builtin_add_overflow(line.start, size, &end))
		return;
	line.name = text.p;
	ranges_add(&map->code, line.start, end, map->n);
	add(map, &line);
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

struct perfmap *perfmap_of_text(char *text, size_t n)
{
	struct perfmap *map = xcalloc(1, sizeof(*map));

	map->text = text;
	read_lines(map, n);
	/* code is thrown away and its memory used again: what a later line says counts */
	ranges_settle_newest(&map->code);
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
	ranges_fini(&map->code);
	free(map);
}

bool perfmap_is_cut(const struct perfmap *map)
{
	return map->is_cut;
}

bool perfmap_find(const struct perfmap *map, uint64_t address, struct perfmap_function *function)
{
	const struct range *range = ranges_find(&map->code, address);
	const struct line *line = range ? &map->all[range->owner] : NULL;

	if (line)
		*function = (struct perfmap_function){ .name = line->name, .start = line->start };
	return line;
}
