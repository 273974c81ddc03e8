/* SPDX-License-Identifier: MIT */
#include "perf/evname.h"

#include <string.h>

/* s up to the first c. */
static struct str until(struct str s, char c)
{
	const char *at = s.n ? memchr(s.p, c, s.n) : NULL;

	return (struct str){ .p = s.p, .n = at ? (size_t)(at - s.p) : s.n };
}

/* Letters that perf takes behind an event (modifier_event in tools/perf/util/parse-events.l). */
static bool are_modifiers(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!s.p[i] || !strchr("ukhpPGHSDIWebRX", s.p[i]))
			return false;
	return true;
}

/*
 * Takes ":u" and the like off. Behind a name that is known it is modifiers, whatever letters a
 * later perf may have added.
 */
static struct str cut_modifiers(struct str s)
{
	struct str first = until(s, ':'), last;
	const char *colon;

	if (first.n == s.n || evname_class(first) != EVCLASS_OTHER)
		return first;
	colon = memrchr(s.p, ':', s.n);
	last = str_skip(s, (size_t)(colon + 1 - s.p));
	if (are_modifiers(last))
		s.n = (size_t)(colon - s.p);
	return s;
}

struct str evname_strip(struct str event)
{
	struct str pmu = until(event, '/'), term;

	/* without a config, or with one behind the colon, where no config is */
	if (pmu.n == event.n || memchr(pmu.p, ':', pmu.n))
		return cut_modifiers(event);
	term = until(until(str_skip(event, pmu.n + 1), '/'), ',');
	if (term.n && !memchr(term.p, '=', term.n))
		return term;
	return pmu;
}

enum evclass evname_class(struct str name)
{
	static const struct {
		const char *name;
		enum evclass class;
	} known[] = {
		{ "branches", EVCLASS_BRANCH },
		{ "cbr", EVCLASS_CBR },
		{ "psb", EVCLASS_PSB },
		{ "ptwrite", EVCLASS_PTWRITE },
		{ "mwait", EVCLASS_UNDRAWN },
		{ "pwre", EVCLASS_UNDRAWN },
		{ "exstop", EVCLASS_UNDRAWN },
		{ "pwrx", EVCLASS_UNDRAWN },
		{ "evt", EVCLASS_UNDRAWN },
		{ "iflag", EVCLASS_UNDRAWN },
		{ "transactions", EVCLASS_UNDRAWN },
		{ "instructions", EVCLASS_UNDRAWN },
		{ "cycles", EVCLASS_SAMPLE },
		{ "cpu-clock", EVCLASS_SAMPLE },
		{ "task-clock", EVCLASS_SAMPLE },
		{ "branch-misses", EVCLASS_EXTRA },
		{ "cache-misses", EVCLASS_EXTRA },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (str_eq(name, str_of(known[i].name)))
			return known[i].class;
	return EVCLASS_OTHER;
}

static bool is_kept(const struct evname *kept, struct str event)
{
	return kept->n == event.n && memcmp(kept->event, event.p, event.n) == 0;
}

enum evclass evnames_find(struct evnames *names, struct str event, struct str *name)
{
	struct evname *kept = &names->kept[names->last];
	size_t i;

	for (i = 0; i < EVNAME_KEPT && !is_kept(kept, event); i++) {
		names->last = (names->last + 1) % EVNAME_KEPT;
		kept = &names->kept[names->last];
	}
	if (i < EVNAME_KEPT) {
		*name = (struct str){ .p = event.p + kept->name_at, .n = kept->name_n };
		return kept->class;
	}
	*name = evname_strip(event);
	if (event.n == 0 || event.n > EVNAME_BYTES)
		return evname_class(*name);
	names->last = (names->last + 1) % EVNAME_KEPT;
	kept = &names->kept[names->last];
	memcpy(kept->event, event.p, event.n);
	kept->n = event.n;
	kept->name_at = (size_t)(name->p - event.p);
	kept->name_n = name->n;
	kept->class = evname_class(*name);
	return kept->class;
}
