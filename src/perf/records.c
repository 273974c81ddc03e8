/* SPDX-License-Identifier: MIT */
#include "perf/records.h"

#include "base/xalloc.h"
#include "dlfilter/wire.h"
#include "perf/flags.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct records {
	struct intern *names;                                       /* borrowed */
	void (*name)(void *ctx, int32_t pid, struct location *loc); /* or NULL */
	void *ctx;
	uint64_t bad_offsets;
	uint64_t cookie; /* what comes from here on is of one stream */
	bool seen;       /* a WIRE_HELLO with our cookie */
	bool on;         /* what is next may be a record without one */
	int32_t pid, tid;
	uint64_t time; /* at most INT64_MAX */
	bool failed;   /* the last error was of pid, tid, and behind all its records */
	int32_t failed_tid;
	struct flags flags[WIRE_INDEXES];
	struct location slots[WIRE_SLOTS];
};

struct records *records_new(struct intern *names)
{
	struct records *r = xcalloc(1, sizeof(*r));

	r->names = names;
	return r;
}

void records_free(struct records *r)
{
	free(r);
}

void records_begin(struct records *r, uint64_t cookie)
{
	memset(&r->cookie, 0, sizeof(*r) - offsetof(struct records, cookie));
	r->cookie = cookie;
}

void records_namer(struct records *r, void (*name)(void *ctx, int32_t pid, struct location *loc),
		   void *ctx)
{
	r->name = name;
	r->ctx = ctx;
}

uint64_t records_bad_offsets(const struct records *r)
{
	return r->bad_offsets;
}

bool records_seen(const struct records *r)
{
	return r->seen;
}

void records_error(struct records *r, const struct event *ev)
{
	r->failed = true;
	r->failed_tid = ev->tid;
}

static uint8_t get_u8(struct str s, size_t at)
{
	return (uint8_t)s.p[at];
}

static uint16_t get_u16(struct str s, size_t at)
{
	uint16_t v;

	memcpy(&v, s.p + at, sizeof(v));
	return v;
}

static uint32_t get_u32(struct str s, size_t at)
{
	uint32_t v;

	memcpy(&v, s.p + at, sizeof(v));
	return v;
}

static uint64_t get_u64(struct str s, size_t at)
{
	uint64_t v;

	memcpy(&v, s.p + at, sizeof(v));
	return v;
}

static bool set_time(struct records *r, uint64_t time)
{
	if (time > INT64_MAX)
		return false;
	r->time = time;
	return true;
}

static bool set_thread(struct records *r, struct str s)
{
	int32_t pid = (int32_t)get_u32(s, 1), tid = (int32_t)get_u32(s, 5);

	if (pid < 0 || tid < 0)
		return false;
	r->pid = pid;
	r->tid = tid;
	return true;
}

static bool set_flags(struct records *r, struct str s)
{
	uint8_t index = get_u8(s, 1);

	return index < WIRE_INDEXES && flags_of_bits(get_u32(s, 2), &r->flags[index]);
}

/* How many bytes the names of a place have. */
static size_t names_length(struct str s)
{
	return (size_t)get_u16(s, 20) + get_u16(s, 22);
}

static bool set_place(struct records *r, struct str s)
{
	struct location *loc = &r->slots[get_u16(s, 2)];
	struct str sym = str_skip(s, WIRE_PLACE_SIZE), dso;

	sym.n = get_u16(s, 20);
	dso = (struct str){ .p = sym.p + sym.n, .n = get_u16(s, 22) };
	loc->addr = get_u64(s, 4);
	loc->off = get_u64(s, 12);
	if (loc->off >= WIRE_MAX_OFFSET) {
		loc->off = 0;
		r->bad_offsets++;
	}
	loc->sym = get_u8(s, 1) ? intern_add(r->names, sym) : INTERN_NONE;
	loc->dso = intern_add(r->names, dso);
	if (r->name)
		r->name(r->ctx, r->pid, loc);
	return true;
}

/* Field by field: what is not of a branch need not be cleared. */
static void set_event(const struct records *r, struct event *ev, const struct flags *flags,
		      const struct location *src, const struct location *dst)
{
	ev->kind = EVENT_BRANCH;
	ev->has_time = true;
	ev->in_tx = flags->in_tx;
	ev->named = r->name != NULL;
	ev->pid = r->pid;
	ev->tid = r->tid;
	ev->time = (int64_t)r->time;
	ev->region = 0;
	ev->branch.kind = flags->kind;
	ev->branch.state = flags->state;
	ev->branch.src = *src;
	ev->branch.dst = *dst;
}

static enum records_got read_branch(struct records *r, struct str s, struct event *ev)
{
	uint64_t record = get_u64(s, 0);
	uint8_t index = record >> 8 & 0xff;

	if (index >= WIRE_INDEXES || !set_time(r, r->time + (record >> 16 & 0xffff)))
		return RECORDS_BAD;
	set_event(r, ev, &r->flags[index], &r->slots[record >> 32 & 0xffff],
		  &r->slots[record >> 48]);
	r->failed = false;
	return RECORDS_EVENT;
}

/*
 * A branch of no kind, which changes nothing, with the time of the last one that was dropped. An
 * error that has come since then is no earlier.
 */
static enum records_got read_tick(const struct records *r, struct event *ev)
{
	static const struct flags none;
	static const struct location nowhere;

	if (r->failed && r->failed_tid == r->tid)
		return RECORDS_MORE;
	set_event(r, ev, &none, &nowhere, &nowhere);
	return RECORDS_EVENT;
}

/* The length of the record at the front of s; 0: more bytes are needed to tell. */
static size_t length_of(struct str s)
{
	static const uint8_t lengths[] = {
		[WIRE_HELLO] = WIRE_HELLO_SIZE,   [WIRE_TIME] = WIRE_TIME_SIZE,
		[WIRE_THREAD] = WIRE_THREAD_SIZE, [WIRE_FLAGS] = WIRE_FLAGS_SIZE,
		[WIRE_PLACE] = WIRE_PLACE_SIZE,   [WIRE_BRANCH] = WIRE_BRANCH_SIZE,
		[WIRE_TICK] = WIRE_TICK_SIZE,
	};
	uint8_t tag = get_u8(s, 0);
	size_t n = lengths[tag];

	if (tag == WIRE_PLACE && s.n >= n)
		n += names_length(s);
	return s.n >= n ? n : 0;
}

static bool is_tag(uint8_t byte)
{
	return byte >= WIRE_HELLO && byte <= WIRE_TICK;
}

/* Takes a whole record; RECORDS_MORE: it made no event. */
static enum records_got take(struct records *r, struct str s, struct event *ev)
{
	bool good = true;

	switch ((enum wire_tag)get_u8(s, 0)) {
	case WIRE_HELLO: good = get_u64(s, 1) == r->cookie; break;
	case WIRE_TIME: good = set_time(r, get_u64(s, 1)); break;
	case WIRE_THREAD: good = set_thread(r, s); break;
	case WIRE_FLAGS: good = set_flags(r, s); break;
	case WIRE_PLACE: good = set_place(r, s); break;
	case WIRE_BRANCH: return read_branch(r, s, ev);
	case WIRE_TICK: return read_tick(r, ev);
	}
	return good ? RECORDS_MORE : RECORDS_BAD;
}

/* Whether records begin here, behind text. */
static enum records_got greet(struct records *r, struct str *s)
{
	if (s->n && get_u8(*s, 0) != WIRE_HELLO)
		return RECORDS_TEXT;
	if (s->n < WIRE_HELLO_SIZE)
		return RECORDS_MORE;
	if (get_u64(*s, 1) != r->cookie)
		return RECORDS_TEXT;
	*s = str_skip(*s, WIRE_HELLO_SIZE);
	r->on = r->seen = true;
	return RECORDS_EVENT;
}

/* Takes the record at the front of *s, which has at least a tag. */
static enum records_got take_next(struct records *r, struct str *s, struct event *ev)
{
	enum records_got got;
	size_t n;

	r->on = is_tag(get_u8(*s, 0));
	if (!r->on)
		return RECORDS_TEXT;
	n = length_of(*s);
	if (n == 0)
		return RECORDS_MORE;
	got = take(r, *s, ev);
	r->on = got != RECORDS_BAD;
	if (r->on)
		*s = str_skip(*s, n);
	return got;
}

enum records_got records_next(struct records *r, struct str *s, struct event *ev)
{
	enum records_got got;
	size_t left;

	if (!r->on) {
		got = greet(r, s);
		if (got != RECORDS_EVENT)
			return got;
	}
	/* as below, for what nearly all of them are */
	if (s->n >= WIRE_BRANCH_SIZE && get_u8(*s, 0) == WIRE_BRANCH) {
		got = read_branch(r, *s, ev);
		r->on = got == RECORDS_EVENT;
		if (r->on)
			*s = str_skip(*s, WIRE_BRANCH_SIZE);
		return got;
	}
	do {
		left = s->n;
		if (left == 0)
			return RECORDS_MORE;
		got = take_next(r, s, ev);
	} while (got == RECORDS_MORE && s->n < left);
	return got;
}
