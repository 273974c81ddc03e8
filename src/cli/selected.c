/* SPDX-License-Identifier: MIT */
#include "cli/selected.h"

#include "base/hash.h"
#include "base/xalloc.h"
#include "symbol/match.h"
#include "symbol/notation.h"
#include "symbol/selection.h"

#include <stdlib.h>
#include <string.h>

/* Functions that are remembered; when there are so many, all are forgotten. */
#define SLOTS (1u << 14)
#define MOST  (SLOTS / 4 * 3)

/* One of the filter's names. */
struct side {
	struct selection selection;
	uint32_t typed; /* the text, which stands for what it selects */
	uint32_t whole,
		shown; /* what functions of this name, and of what is behind LIBRARY:, are called */
	struct match_query query;
	struct str library;               /* empty: any */
	struct notation_line line;        /* its file is empty: it is no line */
	uint64_t address;                 /* 0: it is none */
	uint32_t found_name, found_other; /* two functions that were selected, or INTERN_NONE */
};

/* A function that was looked at. */
struct known {
	uint64_t addr;
	uint32_t sym;
	int32_t pid;
	uint32_t answer;
	bool taken;
};

struct selected {
	struct symbols *symbols;
	struct intern *names;
	struct side sides[2]; /* START, STOP */
	struct known *known;  /* open addressing, linear */
	uint32_t n_known;
};

/* What of the text is a name, behind LIBRARY: if that is there. */
static void take_name(struct selected *s, struct side *side, const char *text)
{
	const char *name = text;

	if (!notation_library(text, &side->library, &name))
		side->library = STR("");
	match_init(&side->query, name);
	side->whole = symbols_shown(s->symbols, intern_add(s->names, str_of(text)));
	side->shown = symbols_shown(s->symbols, intern_add(s->names, str_of(name)));
}

static int open_side(struct selected *s, struct side *side, const char *text, struct err *err)
{
	enum selection_kind kind;

	side->typed = intern_add(s->names, str_of(text));
	if (selection_parse(&side->selection, text, err) < 0)
		return -1;
	kind = side->selection.kind;
	text = side->selection.text;
	if (kind == SELECTION_CHOOSE)
		return err_set(err, "-filter: '?' cannot be chosen from a list here");
	take_name(s, side, text);
	if (kind != SELECTION_SYMBOL && kind != SELECTION_ADDRESS &&
	    !notation_line(text, &side->line))
		side->line.file = STR("");
	if ((kind != SELECTION_ANY && kind != SELECTION_ADDRESS) ||
	    !notation_address(text, &side->address))
		side->address = 0;
	if (kind == SELECTION_LINE || kind == SELECTION_ADDRESS) {
		side->whole = INTERN_NONE;
		side->query = (struct match_query){ .text = "" };
	}
	return 0;
}

struct selected *selected_new(const struct filter_arg *filter, struct symbols *symbols,
			      struct intern *names, struct err *err)
{
	struct selected *s = xcalloc(1, sizeof(*s));

	s->symbols = symbols;
	s->names = names;
	s->known = xcalloc(SLOTS, sizeof(*s->known));
	if (open_side(s, &s->sides[0], filter->start, err) == 0 &&
	    open_side(s, &s->sides[1], filter->stop, err) == 0)
		return s;
	selected_free(s);
	return NULL;
}

void selected_free(struct selected *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < 2; i++)
		selection_fini(&s->sides[i].selection);
	free(s->known);
	free(s);
}

struct str selected_start(const struct selected *s)
{
	return intern_str(s->names, s->sides[0].typed);
}

struct str selected_stop(const struct selected *s)
{
	return intern_str(s->names, s->sides[1].typed);
}

/* Whether a DSO's file name is the library's, with or without what follows ".so". */
static bool is_library(struct str dso, struct str library)
{
	const char *slash = memrchr(dso.p, '/', dso.n);

	if (str_eq(dso, library))
		return true;
	if (slash)
		dso = str_skip(dso, (size_t)(slash + 1 - dso.p));
	if (!str_starts(dso, library))
		return false;
	dso = str_skip(dso, library.n);
	return !dso.n || (dso.p[0] == '.' && library.n > 3 &&
			  memcmp(library.p + library.n - 3, ".so", 3) == 0);
}

static bool has_name(const struct selected *s, const struct side *side,
		     const struct location *place)
{
	if (place->sym == INTERN_NONE || !side->query.text[0])
		return false;
	/* a name may have a colon in it */
	if (place->sym == side->whole)
		return true;
	if (side->library.n && (place->dso == INTERN_NONE ||
				!is_library(intern_str(s->names, place->dso), side->library)))
		return false;
	return place->sym == side->shown ||
	       match_shown(&side->query, intern_str(s->names, place->sym).p) != MATCH_NONE;
}

/* Whether the path is the file, or ends with it behind a slash. */
static bool is_file(struct str path, struct str file)
{
	size_t front;

	if (path.n < file.n)
		return false;
	front = path.n - file.n;
	return memcmp(path.p + front, file.p, file.n) == 0 && (!front || path.p[front - 1] == '/');
}

static bool has_line(const struct selected *s, const struct side *side, int32_t pid,
		     const struct location *place)
{
	struct source_place asked = { .addr = place->addr - place->off,
				      .pid = pid,
				      .dso = place->dso };
	struct source_line line = { .col = 0 };

	if (!side->line.file.n || !symbols_source(s->symbols, &asked, &line))
		return false;
	return line.line == side->line.line && is_file(line.file, side->line.file) &&
	       (!side->line.col || side->line.col == line.col);
}

static bool is_selected(const struct selected *s, const struct side *side, int32_t pid,
			const struct location *place)
{
	return has_name(s, side, place) || has_line(s, side, pid, place) ||
	       (side->address && side->address == place->addr - place->off);
}

/* Of a function that was not looked at before. */
static uint32_t look(struct selected *s, int32_t pid, const struct location *place)
{
	for (size_t i = 0; i < 2; i++) {
		struct side *side = &s->sides[i];

		if (!is_selected(s, side, pid, place))
			continue;
		if (side->found_name == INTERN_NONE)
			side->found_name = place->sym;
		else if (side->found_name != place->sym)
			side->found_other = place->sym;
		return side->typed;
	}
	return INTERN_NONE;
}

static struct known *slot_of(const struct selected *s, int32_t pid, const struct location *place)
{
	uint64_t more = (uint64_t)place->sym << 32 | (uint32_t)pid;
	uint32_t at = (uint32_t)(hash_mix(hash_u64(place->addr, hash_seed()), more | 1) % SLOTS);

	while (s->known[at].taken && (s->known[at].addr != place->addr ||
				      s->known[at].sym != place->sym || s->known[at].pid != pid))
		at = (at + 1) % SLOTS;
	return &s->known[at];
}

uint32_t selected_find(struct selected *s, int32_t pid, const struct location *place)
{
	struct known *known = slot_of(s, pid, place);

	if (known->taken)
		return known->answer;
	if (s->n_known == MOST) {
		memset(s->known, 0, SLOTS * sizeof(*s->known));
		s->n_known = 0;
		known = slot_of(s, pid, place);
	}
	s->n_known++;
	*known = (struct known){
		.addr = place->addr,
		.sym = place->sym,
		.pid = pid,
		.answer = look(s, pid, place),
		.taken = true,
	};
	return known->answer;
}

bool selected_ambiguous(const struct selected *s, bool stop, struct err *err)
{
	const struct side *side = &s->sides[stop];

	if (side->found_other == INTERN_NONE)
		return false;
	err_set(err, "-filter: '%s' stands for several functions, among them %s and %s",
		intern_str(s->names, side->typed).p, intern_str(s->names, side->found_name).p,
		intern_str(s->names, side->found_other).p);
	err_hint(err, "write more of the name that is meant");
	return true;
}
