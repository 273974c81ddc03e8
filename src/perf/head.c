/* SPDX-License-Identifier: MIT */
#include "perf/head.h"

#include "base/num.h"
#include "perf/scan.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Where the first blank of s is, or s.n. */
static size_t to_blank(struct str s, size_t from)
{
	while (from < s.n && !scan_is_blank(s.p[from]))
		from++;
	return from;
}

/*
 * How long the word at the front of s is, when it is an event's name and its colon; else 0. A
 * config between slashes may hold blanks ("cpu/name='a b'/u:").
 */
static size_t event_length(struct str s)
{
	const char *slash, *close;
	size_t n = to_blank(s, 0);

	if (n > 1 && s.p[n - 1] == ':')
		return n;
	slash = n ? memchr(s.p, '/', n) : NULL;
	if (!slash || memchr(slash + 1, '/', (size_t)(s.p + n - slash - 1)))
		return 0;
	close = memchr(s.p + n, '/', s.n - n);
	if (!close)
		return 0;
	n = to_blank(s, (size_t)(close - s.p));
	return s.p[n - 1] == ':' ? n : 0;
}

/* "PERIOD EVENT: rest", from what stands behind the time's colon. */
static bool read_event(struct str s, struct head *h)
{
	struct str after;
	size_t n;

	if (scan_blanks(&s) == 0)
		return false;
	h->period = 0;
	after = s;
	if (s.n && is_digit(s.p[0])) {
		uint64_t period;

		if (num_dec(&after, &period) && scan_blanks(&after)) {
			h->period = period;
			s = after;
		}
	}
	n = event_length(s);
	h->event = (struct str){ .p = s.p, .n = n ? n - 1 : 0 };
	h->rest = str_skip(s, n);
	return true;
}

/* "[7] ", the CPU; not being there is well. */
static void skip_cpu(struct str *s)
{
	struct str rest = *s;
	uint64_t cpu;

	if (scan_word(&rest, STR("[")) && num_dec(&rest, &cpu) && scan_word(&rest, STR("]")) &&
	    scan_blanks(&rest))
		*s = rest;
}

/* "PID/TID [CPU] SECONDS.": the time of the whole seconds. */
static bool read_start(struct str *s, struct head *h)
{
	scan_blanks(s);
	if (!scan_id(s, &h->pid) || !scan_word(s, STR("/")) || !scan_id(s, &h->tid) ||
	    scan_blanks(s) == 0)
		return false;
	if (s->n && s->p[0] == '[')
		skip_cpu(s);
	return scan_seconds(s, &h->time);
}

/* As read_start, from memory when it is the same. */
static bool recall_start(struct head_memory *m, struct str *s, struct head *h)
{
	const char *begin = s->p;
	size_t n = m->start.n;

	if (n && n <= s->n && memcmp(s->p, m->start.text, n) == 0) {
		h->pid = m->start.pid;
		h->tid = m->start.tid;
		h->time = m->start.time;
		*s = str_skip(*s, n);
		return true;
	}
	if (!read_start(s, h))
		return false;
	n = (size_t)(s->p - begin);
	if (n > sizeof(m->start.text))
		return true;
	memcpy(m->start.text, begin, n);
	m->start.n = n;
	m->start.pid = h->pid;
	m->start.tid = h->tid;
	m->start.time = h->time;
	return true;
}

/* Whether an event's name that ends at s can end there. */
static bool is_apart(struct str s)
{
	return s.n == 0 || scan_is_blank(*s.p);
}

/* ": PERIOD EVENT:", from memory when it is the same. */
static bool recall_middle(struct head_memory *m, struct str s, struct head *h)
{
	struct str colon = s;
	size_t n = m->middle.n;

	if (n && n <= s.n && memcmp(s.p, m->middle.text, n) == 0 && is_apart(str_skip(s, n))) {
		h->period = m->middle.period;
		h->event.n = m->middle.event_n;
		h->event.p = s.p + n - 1 - h->event.n;
		h->rest = str_skip(s, n);
		return true;
	}
	if (!scan_word(&s, STR(":")) || !read_event(s, h))
		return false;
	n = (size_t)(h->rest.p - colon.p);
	if (h->event.n == 0 || n > sizeof(m->middle.text))
		return true;
	memcpy(m->middle.text, colon.p, n);
	m->middle.n = n;
	m->middle.period = h->period;
	m->middle.event_n = h->event.n;
	return true;
}

bool head_read(struct head_memory *memory, struct str s, struct head *h)
{
	return recall_start(memory, &s, h) && scan_fraction(&s, &h->time) &&
	       recall_middle(memory, s, h);
}

/*
 * Finds " SECONDS.FRACTION:" with a blank behind it: where the seconds begin, or s.n when there is
 * no such thing. *colon is where its colon is.
 */
static size_t find_time(struct str s, size_t *colon)
{
	const char *p = s.p, *end = s.p + s.n;

	while ((p = memchr(p, ':', (size_t)(end - p)))) {
		const char *d = p, *dot;

		*colon = (size_t)(p - s.p);
		p++;
		if (p == end || !scan_is_blank(*p))
			continue;
		while (d > s.p && is_digit(d[-1]))
			d--;
		if (d == p - 1 || d == s.p || d[-1] != '.')
			continue;
		dot = --d;
		while (d > s.p && is_digit(d[-1]))
			d--;
		if (d < dot && d > s.p && scan_is_blank(d[-1]))
			return (size_t)(d - s.p);
	}
	return s.n;
}

/* Takes "[7]" off the end. */
static struct str cut_cpu(struct str s)
{
	size_t n = s.n;

	if (n < 3 || s.p[n - 1] != ']')
		return s;
	for (n--; n && is_digit(s.p[n - 1]);)
		n--;
	if (n && n < s.n - 1 && s.p[n - 1] == '[')
		s.n = n - 1;
	return scan_trim_end(s);
}

bool head_read_comm(struct str line, struct head *h)
{
	size_t colon = 0, start = find_time(line, &colon);
	struct str who = { .p = line.p, .n = start }, time = str_skip(line, start);
	size_t id;

	if (start == line.n || !scan_time(&time, &h->time))
		return false;
	who = cut_cpu(scan_trim_end(who));
	for (id = who.n; id && !scan_is_blank(who.p[id - 1]);)
		id--;
	who = str_skip(who, id);
	if (!scan_id(&who, &h->tid))
		return false;
	h->pid = 0;
	if (scan_word(&who, STR("/"))) {
		h->pid = h->tid;
		if (!scan_id(&who, &h->tid))
			return false;
	}
	return who.n == 0 && read_event(str_skip(line, colon + 1), h);
}
