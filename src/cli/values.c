/* SPDX-License-Identifier: MIT */
#include "cli/values.h"

#include "base/num.h"
#include "base/str.h"
#include "base/xalloc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NS_PER_S UINT64_C(1000000000)

void pid_list_fini(struct pid_list *list)
{
	free(list->pids);
	*list = (struct pid_list){ .n = 0 };
}

/* What a unit stands for, as a power of two; -1: nothing. */
static int unit_shift(const char *unit)
{
	static const char *const units[] = { "", "k", "m", "g", "t" };

	for (int i = 0; i < 5; i++) {
		size_t n = strlen(units[i]);

		if (strncasecmp(unit, units[i], n) != 0)
			continue;
		if (!unit[n] || !strcasecmp(unit + n, "b") || (i && !strcasecmp(unit + n, "ib")))
			return 10 * i;
	}
	return -1;
}

int value_size(const char *text, uint64_t *out, struct err *err)
{
	struct str s = str_of(text);
	uint64_t n;
	int shift;

	if (!num_dec(&s, &n) || n == 0 || (shift = unit_shift(s.p)) < 0 || n > UINT64_MAX >> shift)
		return err_set(err, "'%s' is no size: 4096, 512K, 64M or 1G are", text);
	*out = n << shift;
	return 0;
}

/*
 * Takes a number with or without a fraction off *s, in units of 1/scale (a power of ten); what is
 * less than one is dropped. false: there is none, or it is beyond INT64_MAX.
 */
static bool take_decimal(struct str *s, uint64_t scale, uint64_t *out)
{
	uint64_t whole = 0, part = 0, unit = scale;
	bool good = num_dec(s, &whole);

	if (good && s->n && *s->p == '.') {
		*s = str_skip(*s, 1);
		good = s->n && *s->p >= '0' && *s->p <= '9';
		for (; s->n && *s->p >= '0' && *s->p <= '9'; *s = str_skip(*s, 1)) {
			unit /= 10;
			part += (uint64_t)(*s->p - '0') * unit;
		}
	}
	*out = whole * scale + part;
	return good && whole <= INT64_MAX / scale - 1;
}

int value_seconds(const char *text, uint64_t *out, struct err *err)
{
	struct str s = str_of(text);
	uint64_t ns;

	if (!take_decimal(&s, NS_PER_S, &ns) || s.n || ns == 0)
		return err_set(err, "'%s' is no time in seconds: 5 or 0.25 are", text);
	*out = ns;
	return 0;
}

/* What stands behind the number of a time. */
static const struct unit {
	const char *name;
	uint64_t scale;
	enum when_kind kind;
} units[] = {
	{ "ns", 1, WHEN_SPAN },
	{ "us", 1000, WHEN_SPAN },
	{ "ms", 1000000, WHEN_SPAN },
	{ "s", NS_PER_S, WHEN_SPAN },
	{ "%", WHEN_WHOLE / 100, WHEN_PERCENT },
};

static const struct unit *find_unit(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(name, units[i].name))
			return &units[i];
	}
	return NULL;
}

static bool read_when(const char *text, struct when *out)
{
	bool clock = *text == '@';
	struct str s = str_of(text + clock);
	const struct unit *unit = find_unit(s.p + strspn(s.p, "0123456789."));

	if (clock) {
		out->kind = WHEN_CLOCK;
		return take_decimal(&s, NS_PER_S, &out->value) && s.n == 0;
	}
	if (!unit || !take_decimal(&s, unit->scale, &out->value) || strcmp(s.p, unit->name) != 0)
		return false;
	out->kind = unit->kind;
	return out->kind != WHEN_PERCENT || out->value <= WHEN_WHOLE;
}

int value_when(const char *text, struct when *out, struct err *err)
{
	struct when when;

	if (!read_when(text, &when))
		return err_set(err, "'%s' is no time in a trace: 2ms, 30%% or @1234.5 are", text);
	*out = when;
	return 0;
}

int value_length(const char *text, struct when *out, struct err *err)
{
	struct when when;

	if (!read_when(text, &when) || when.kind == WHEN_CLOCK || when.value == 0)
		return err_set(err, "'%s' is no length of time: 2ms, 800us or 10%% are", text);
	*out = when;
	return 0;
}

int value_fd(const char *text, int *out, struct err *err)
{
	struct str s = str_of(text);
	uint64_t n;
	int mode;

	if (!num_dec(&s, &n) || s.n || n > INT32_MAX)
		return err_set(err, "'%s' is no number of a file descriptor", text);
	mode = fcntl((int)n, F_GETFL);
	if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY) {
		err_set(err, "file descriptor %s is not open for writing", text);
		return err_hint(err, "a shell opens it with, say, %s>ready", text);
	}
	*out = (int)n;
	return 0;
}

int value_pids(const char *text, struct pid_list *out, struct err *err)
{
	struct str s = str_of(text);
	struct pid_list list = { .n = 0 };
	uint64_t pid;

	for (;;) {
		if (!num_dec(&s, &pid) || pid == 0 || pid > INT32_MAX ||
		    (s.n && (*s.p != ',' || s.n == 1))) {
			pid_list_fini(&list);
			return err_set(err,
				       "'%s' is no process id, nor several with commas "
				       "between them",
				       text);
		}
		list.pids = xreallocarray(list.pids, list.n + 1, sizeof(*list.pids));
		list.pids[list.n++] = (pid_t)pid;
		if (!s.n)
			break;
		s.p++;
		s.n--;
	}
	pid_list_fini(out);
	*out = list;
	return 0;
}

int value_events(const char *text, struct extra_events *out, struct err *err)
{
	struct extra_events events = { .branch_misses = false };

	for (const char *p = text;; p++) {
		size_t n = strcspn(p, ",");
		struct str name = { .p = p, .n = n };

		if (str_eq(name, str_of("branch-misses")))
			events.branch_misses = true;
		else if (str_eq(name, str_of("cache-misses")))
			events.cache_misses = true;
		else
			return err_set(err,
				       "'%.*s' is no event that can be recorded: "
				       "branch-misses and cache-misses are",
				       (int)(n < 64 ? n : 64), p);
		p += n;
		if (!*p)
			break;
	}
	*out = events;
	return 0;
}

int value_jobs(const char *text, uint32_t *out, struct err *err)
{
	struct str s = str_of(text);
	uint64_t n;

	if (!num_dec(&s, &n) || s.n || n == 0 || n > 1024)
		return err_set(err, "'%s' is no number from 1 to 1024", text);
	*out = (uint32_t)n;
	return 0;
}

int value_depth(const char *text, uint32_t *out, struct err *err)
{
	struct str s = str_of(text);
	uint64_t depth;

	if (!strcmp(text, "none")) {
		*out = 0;
		return 0;
	}
	if (!num_dec(&s, &depth) || s.n || depth == 0 || depth > UINT32_MAX)
		return err_set(err, "'%s' is no number from 1 to %u, nor none", text, UINT32_MAX);
	*out = (uint32_t)depth;
	return 0;
}
