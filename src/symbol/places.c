/* SPDX-License-Identifier: MIT */
#include "symbol/places.h"

#include "base/xalloc.h"
#include "symbol/debuginfo.h"
#include "symbol/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than these would not fit into a message, or be read. */
#define LISTED_MAX 8
/* More than these are no use to anybody; they are said to be as many. */
#define PLACES_MAX 4096
/* One library is not loaded more often than that: dlmopen(3) has 16 namespaces. */
#define COPIES_MAX 16

static void add_one(struct places *places, struct place place)
{
	for (size_t i = 0; i < places->n; i++)
		if (places->all[i].address == place.address)
			return;
	if (places->n == PLACES_MAX)
		return;
	if (!places->all)
		places->all = xcalloc(PLACES_MAX, sizeof(*places->all));
	places->all[places->n++] = place;
}

void places_add(struct places *places, const struct process *process, struct place place)
{
	uint64_t addresses[COPIES_MAX];
	size_t n = process_addresses(process, place.image, place.value, addresses, COPIES_MAX);

	places->unmapped += n == 0;
	for (size_t i = 0; i < n; i++) {
		place.address = addresses[i];
		add_one(places, place);
	}
}

void places_clear(struct places *places)
{
	free(places->all);
	*places = (struct places){ 0 };
}

/* " (file.c:12)", by the debug info, else " (file.c)", by the symbol table, else nothing. */
static void write_source(const struct process *process, const struct place *place, char *buf,
			 size_t size)
{
	struct debuginfo info;
	const char *path;
	char *name;
	int line, fd;

	buf[0] = '\0';
	if (place->source)
		snprintf(buf, size, " (%.100s)", place->source);
	fd = process_reopen(process, place->image, &name, NULL);
	if (fd >= 0 && debuginfo_open(fd, name ? name : place->image->mapping->path, false, &info,
				      NULL) == 0) {
		if (debuginfo_line(&info, place->value, &path, &line))
			snprintf(buf, size, " (%.100s:%d)", basename(path), line);
		debuginfo_close(&info);
	}
	free(name);
}

static char *full_name(const char *raw)
{
	char name[2 * DEMANGLE_NAME_MAX];

	if (demangle(raw, DEMANGLE_FULL, name, sizeof(name)))
		return xstrdup(name);
	return xmemdup0(raw, strcspn(raw, "@"));
}

/* "NAME at 0xADDRESS (FILE:LINE) of LIBRARY" */
static char *describe(const struct process *process, const struct place *place)
{
	char source[160], *name = place->name ? full_name(place->name) : xstrdup("?"), *text;

	write_source(process, place, source, sizeof(source));
	text = xasprintf("%.120s at 0x%" PRIx64 "%s of %.60s", name, place->address, source,
			 basename(place->image->mapping->path));
	free(name);
	return text;
}

static enum locate_result fail_several(const struct places *places, const struct process *process,
				       const char *text, bool named, struct err *err)
{
	size_t shown = 0, used;

	if (!err)
		return LOCATE_FAILED;
	err_set(err, "%.200s is ambiguous: %zu places have it: ", text, places->n);
	used = strlen(err->msg);
	for (; shown < places->n && shown < LISTED_MAX; shown++) {
		char *one = describe(process, &places->all[shown]);
		size_t n = strlen(one);
		bool fits = used + n + 40 < sizeof(err->msg);

		if (fits)
			used += (size_t)snprintf(err->msg + used, sizeof(err->msg) - used, "%s%s",
						 shown ? "; " : "", one);
		free(one);
		if (!fits)
			break;
	}
	if (shown < places->n)
		snprintf(err->msg + used, sizeof(err->msg) - used, "; and %zu more",
			 places->n - shown);
	if (named)
		err_hint(err,
			 "give the full name with its parameters, LIBRARY:NAME, the line "
			 "(line:FILE:LINE), or the address (addr:0x%" PRIx64 ")",
			 places->all[0].address);
	else
		err_hint(err, "give the address (addr:0x%" PRIx64 ") or the function",
			 places->all[0].address);
	return LOCATE_FAILED;
}

enum locate_result places_end(const struct places *places, const struct process *process,
			      const char *text, bool named, struct located *located,
			      struct err *err)
{
	const struct place *place = places->all;
	char name[2 * DEMANGLE_NAME_MAX];

	if (places->n > 1)
		return fail_several(places, process, text, named, err);
	if (places->n == 0 && !places->unmapped)
		return LOCATE_ABSENT;
	if (places->n == 0) {
		err_set(err, "%.200s: its code is not mapped from its file any more", text);
		err_hint(err, "the program has moved its code; give an address (addr:HEX)");
		return LOCATE_FAILED;
	}
	*located = (struct located){
		.address = place->address,
		.file = xstrdup(place->image->mapping->path),
	};
	if (!named || !place->name)
		located->symbol = xstrdup(text);
	else if (demangle(place->name, DEMANGLE_SHORT, name, sizeof(name)))
		located->symbol = xstrdup(name);
	else
		located->symbol = xmemdup0(place->name, strcspn(place->name, "@"));
	return LOCATE_FOUND;
}
