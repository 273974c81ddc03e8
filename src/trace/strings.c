/* SPDX-License-Identifier: MIT */
#include "trace/strings.h"

#include "base/place.h"
#include "base/xalloc.h"
#include "trace/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const fixed[FIXED_STRINGS] = {
	[FIXED_CATEGORY] = "magic-trace",
	[FIXED_PROCESS] = "process",
	[FIXED_ADDRESS] = "address",
	[FIXED_LINE] = "line",
	[FIXED_COL] = "col",
	[FIXED_SYMBOL] = "symbol",
	[FIXED_FILE] = "file",
	[FIXED_INFERRED_START_TIME] = "inferred_start_time",
	[FIXED_TRUE] = "true",
	[FIXED_SIGNAL] = "[signal]",
	[FIXED_INLINED] = "[inlined]",
	[FIXED_FRAMES_BELOW] = "frames_below",
	[FIXED_DOUBT_BEGIN] = "± begin (ns)",
	[FIXED_DOUBT_END] = "± end (ns)",
	[FIXED_GOES_ON] = "goes on",
	[FIXED_CPU] = "CPU",
	[FIXED_FREQ] = "freq (MHz)",
	[FIXED_TIMESTAMP] = "timestamp",
	[FIXED_TIMESTAMP_PASSED] = "timestamp_passed",
	[FIXED_ADDR] = "addr",
	[FIXED_COUNT] = "count",
	[FIXED_PID] = "pid",
	[FIXED_TID] = "tid",
	[FIXED_IP] = "ip",
	[FIXED_ARG] = "arg",
	[FIXED_PTWRITE] = "ptwrite",
	[FIXED_PAYLOAD] = "payload",
	[FIXED_TEXT] = "text",
	[FIXED_CALLED_FROM] = "called_from",
	[FIXED_CLONE] = "clone",
};

struct strings *strings_new(struct fxt *fxt, const struct intern *names, const struct intern *files,
			    struct trace_stats *stats)
{
	struct strings *s = xcalloc(1, sizeof(*s));

	s->fxt = fxt;
	s->names = names;
	s->files = files;
	s->stats = stats;
	s->now = 1;
	s->given = FIXED_STRINGS - 1;
	s->hand = FIXED_STRINGS;
	return s;
}

void strings_free(struct strings *s)
{
	if (!s)
		return;
	free(s->by_id);
	free(s->raw);
	free(s);
}

void strings_write_fixed(struct strings *s)
{
	unsigned i;

	for (i = 1; i < FIXED_STRINGS; i++)
		fxt_string(s->fxt, (uint16_t)i, str_of(fixed[i]));
}

static uint16_t *chain_of(struct strings *s, enum string_kind kind, uint32_t id, uint64_t addr)
{
	uint64_t h = (addr ^ (uint64_t)id << 32 ^ kind) * UINT64_C(0x9e3779b97f4a7c15);

	return &s->chains[h >> 50];
}

static uint16_t find(struct strings *s, enum string_kind kind, uint32_t id, uint64_t addr)
{
	uint16_t i;

	for (i = *chain_of(s, kind, id, addr); i; i = s->slots[i].next)
		if (s->slots[i].addr == addr && s->slots[i].id == id && s->slots[i].kind == kind)
			break;
	return i;
}

/* The entry of an interned name. */
static struct string_name *name_entry(struct strings *s, uint32_t id)
{
	uint32_t n = s->n_ids ? s->n_ids : 1024;

	if (id >= s->n_ids) {
		while (n <= id)
			n *= 2;
		s->by_id = xreallocarray(s->by_id, n, sizeof(*s->by_id));
		memset(s->by_id + s->n_ids, 0, (n - s->n_ids) * sizeof(*s->by_id));
		s->n_ids = n;
	}
	return &s->by_id[id];
}

/* Nothing leads to index any more. */
static void forget(struct strings *s, uint16_t index)
{
	struct string_slot *slot = &s->slots[index];
	uint16_t *link;

	if (slot->kind == STRING_NAME) {
		s->by_id[slot->id].index = 0;
		return;
	}
	link = chain_of(s, slot->kind, slot->id, slot->addr);
	while (*link != index)
		link = &s->slots[*link].next;
	*link = slot->next;
}

/* An index that nobody needs in this record: a fresh one while there are any. */
static uint16_t free_index(struct strings *s)
{
	uint16_t index;

	if (s->given < FXT_MAX_STRING)
		return (uint16_t)++s->given;
	for (;;) {
		index = (uint16_t)s->hand++;
		if (s->hand > FXT_MAX_STRING)
			s->hand = FIXED_STRINGS;
		if (s->used[index] == 0)
			break;
		if (s->used[index] != s->now)
			s->used[index] = 0;
	}
	forget(s, index);
	s->stats->redefined++;
	return index;
}

/* The name of a place, in s->raw. */
static struct str place_text(struct strings *s, uint64_t addr, struct str dso)
{
	size_t need = dso.n + PLACE_NAME_EXTRA;

	if (need > s->raw_size) {
		s->raw = xreallocarray(s->raw, need, 1);
		s->raw_size = need;
	}
	return (struct str){ .p = s->raw, .n = place_name(s->raw, s->raw_size, addr, dso) };
}

static size_t put(char *at, struct str text)
{
	memcpy(at, text.p, text.n);
	return text.n;
}

/* The string's text, clean, in s->text. */
static struct str compose(struct strings *s, enum string_kind kind, uint32_t id, uint64_t addr,
			  unsigned *flaws)
{
	struct str prefix = STR(""), suffix = STR(""), raw;
	bool is_file = kind == STRING_FILE || kind == STRING_FILE_LINE;
	char line[24];
	size_t n;

	if (kind == STRING_HIT)
		prefix = STR("hit ");
	if (kind == STRING_NAME_INFERRED || kind == STRING_PLACE_INFERRED)
		suffix = STR(" [inferred start time]");
	if (kind == STRING_FILE_LINE) {
		suffix.p = line;
		suffix.n = (size_t)snprintf(line, sizeof(line), ":%" PRIu64, addr);
	}
	raw = intern_str(is_file ? s->files : s->names, id);
	if (kind == STRING_PLACE || kind == STRING_PLACE_INFERRED)
		raw = place_text(s, addr, raw);
	n = put(s->text, prefix);
	n += text_clean(s->text + n, sizeof(s->text) - prefix.n - suffix.n, raw, flaws);
	n += put(s->text + n, suffix);
	return (struct str){ .p = s->text, .n = n };
}

/* Each name, and each DSO in the name of a place, is counted once. */
static void count_flaws(struct strings *s, enum string_kind kind, uint32_t id, unsigned flaws)
{
	bool is_file = kind == STRING_FILE || kind == STRING_FILE_LINE;
	struct string_name *name = is_file ? NULL : name_entry(s, id);
	unsigned fresh = name ? flaws & ~(unsigned)name->flaws : flaws;

	s->stats->cut_names += (fresh & TEXT_CUT) != 0;
	s->stats->bad_utf8 += (fresh & TEXT_BAD_UTF8) != 0;
	if (name)
		name->flaws |= (uint16_t)flaws;
}

static uint16_t define(struct strings *s, enum string_kind kind, uint32_t id, uint64_t addr)
{
	uint16_t index = free_index(s), *chain;
	struct string_slot *slot = &s->slots[index];
	unsigned flaws = 0;

	*slot = (struct string_slot){ .addr = addr, .id = id, .kind = (uint8_t)kind };
	if (kind == STRING_NAME) {
		name_entry(s, id)->index = index;
	} else {
		chain = chain_of(s, kind, id, addr);
		slot->next = *chain;
		*chain = index;
	}
	fxt_string(s->fxt, index, compose(s, kind, id, addr, &flaws));
	if (flaws)
		count_flaws(s, kind, id, flaws);
	return index;
}

uint16_t strings_get(struct strings *s, enum string_kind kind, uint32_t id, uint64_t addr)
{
	uint16_t index = kind == STRING_NAME ? strings_known_name(s, id) : find(s, kind, id, addr);

	if (index == 0)
		index = define(s, kind, id, addr);
	strings_use(s, index);
	return index;
}
