/* SPDX-License-Identifier: MIT */
/*
 * fxtread: reads an uncompressed FXT file back, one event at a time. Written from the format's
 * reference, and shares nothing with the writer. Anything malformed fails the test; with
 * FXTREAD_ABORTS, for programs without libcheck, it aborts.
 */
#ifndef MT_TESTS_SUPPORT_FXTREAD_H
#define MT_TESTS_SUPPORT_FXTREAD_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef FXTREAD_ABORTS
#include "support/random.h"
#define fxtread_check(condition) MUST(condition)
#else
#include "support/scratch.h"

#include <check.h>

/* libcheck's own assertions write to a file each time: too slow for each word of a large trace. */
#define fxtread_check(condition)                             \
	do {                                                 \
		if (!(condition))                            \
			ck_abort_msg("not: %s", #condition); \
	} while (0)
#endif

struct fxtread_arg {
	struct str name;
	unsigned type;
	uint64_t value;  /* of numbers, pointers, koids */
	struct str text; /* of strings */
};

struct fxtread_event {
	unsigned type; /* 0 instant, 1 counter, 2 begin, 3 end, 4 complete, 8 and 10 flows */
	uint64_t process, thread;
	struct str category, name;
	uint64_t time;
	uint64_t last; /* counter: the id; complete: the end */
	unsigned n_args;
	struct fxtread_arg args[15];
};

struct fxtread_object {
	unsigned type; /* 1 process, 2 thread */
	uint64_t koid;
	uint64_t process; /* of a thread */
	struct str name;
};

struct fxtread {
	char *data;
	size_t size, at; /* bytes */
	struct str strings[32768];
	bool defined[32768];
	uint64_t threads[256][2];
	bool thread_defined[256];
	struct fxtread_object *objects;
	size_t n_objects;
	uint64_t redefined;        /* string indexes defined again with another text */
	uint64_t thread_redefined; /* thread indexes likewise */
	unsigned init_words;       /* of the initialization record */
	uint64_t ticks, base_tick, base_time;
};

static inline uint64_t fxtread_word(const struct fxtread *r, size_t at)
{
	const unsigned char *p = (const unsigned char *)r->data + at;
	uint64_t w = 0;
	int i;

	fxtread_check(at + 8 <= r->size);
	for (i = 7; i >= 0; i--)
		w = w << 8 | p[i];
	return w;
}

static inline unsigned fxtread_bits(uint64_t word, unsigned low, unsigned high)
{
	return (unsigned)(word >> low & ((UINT64_C(1) << (high - low + 1)) - 1));
}

/* n bytes at *at; moves on to the next word, and the rest of the last one must be zero. */
static inline struct str fxtread_bytes(struct fxtread *r, size_t *at, size_t n)
{
	struct str s = { .p = r->data + *at, .n = n };
	size_t end = *at + (n + 7) / 8 * 8, i;

	fxtread_check(end <= r->size);
	for (i = *at + n; i < end; i++)
		fxtread_check(r->data[i] == 0);
	*at = end;
	return s;
}

static inline struct str fxtread_ref(struct fxtread *r, size_t *at, unsigned ref)
{
	if (ref == 0)
		return STR("");
	if (ref & 0x8000)
		return fxtread_bytes(r, at, ref & 0x7fff);
	fxtread_check(r->defined[ref]);
	return r->strings[ref];
}

static inline void fxtread_argument(struct fxtread *r, size_t *at, struct fxtread_arg *arg)
{
	uint64_t head = fxtread_word(r, *at);
	size_t end = *at + (size_t)fxtread_bits(head, 4, 15) * 8, p = *at + 8;

	fxtread_check(end > *at);
	arg->type = fxtread_bits(head, 0, 3);
	arg->name = fxtread_ref(r, &p, fxtread_bits(head, 16, 31));
	switch (arg->type) {
	case 1: arg->value = (uint64_t)(int64_t)(int32_t)(head >> 32); break;
	case 2: arg->value = head >> 32; break;
	case 6: arg->text = fxtread_ref(r, &p, fxtread_bits(head, 32, 47)); break;
	case 3:
	case 4:
	case 7:
	case 8:
		arg->value = fxtread_word(r, p);
		p += 8;
		break;
	default: fxtread_check(!"a known type of argument");
	}
	fxtread_check(p == end);
	*at = end;
}

static inline void fxtread_event_record(struct fxtread *r, uint64_t head, size_t end,
					struct fxtread_event *ev)
{
	unsigned thread = fxtread_bits(head, 24, 31), i;
	size_t p = r->at + 16;

	fxtread_check(thread && r->thread_defined[thread]);
	ev->type = fxtread_bits(head, 16, 19);
	ev->process = r->threads[thread][0];
	ev->thread = r->threads[thread][1];
	ev->time = fxtread_word(r, r->at + 8);
	ev->category = fxtread_ref(r, &p, fxtread_bits(head, 32, 47));
	ev->name = fxtread_ref(r, &p, fxtread_bits(head, 48, 63));
	ev->n_args = fxtread_bits(head, 20, 23);
	for (i = 0; i < ev->n_args; i++)
		fxtread_argument(r, &p, &ev->args[i]);
	ev->last = 0;
	if (ev->type == 1 || ev->type >= 4) {
		ev->last = fxtread_word(r, p);
		p += 8;
	}
	fxtread_check(p == end);
}

static inline void fxtread_string(struct fxtread *r, uint64_t head, size_t end)
{
	unsigned index = fxtread_bits(head, 16, 30), n = fxtread_bits(head, 32, 46);
	size_t p = r->at + 8;
	struct str s = fxtread_bytes(r, &p, n);

	fxtread_check(p == end);
	fxtread_check(index > 0);
	fxtread_check(n <= 32000);
	r->redefined += r->defined[index] && !str_eq(r->strings[index], s);
	r->defined[index] = true;
	r->strings[index] = s;
}

static inline void fxtread_thread(struct fxtread *r, uint64_t head, size_t end)
{
	unsigned index = fxtread_bits(head, 16, 23);

	fxtread_check(r->at + 24 == end);
	fxtread_check(index > 0);
	r->thread_redefined += r->thread_defined[index];
	r->thread_defined[index] = true;
	r->threads[index][0] = fxtread_word(r, r->at + 8);
	r->threads[index][1] = fxtread_word(r, r->at + 16);
}

static inline void fxtread_object_record(struct fxtread *r, uint64_t head, size_t end)
{
	struct fxtread_object *o;
	struct fxtread_arg arg = { 0 };
	size_t p = r->at + 16;

	r->objects = realloc(r->objects, (r->n_objects + 1) * sizeof(*o));
	o = &r->objects[r->n_objects++];
	memset(o, 0, sizeof(*o));
	o->type = fxtread_bits(head, 16, 23);
	o->koid = fxtread_word(r, r->at + 8);
	o->name = fxtread_ref(r, &p, fxtread_bits(head, 24, 39));
	if (o->type == 2) {
		fxtread_check(fxtread_bits(head, 40, 43) == 1);
		fxtread_argument(r, &p, &arg);
		fxtread_check(str_eq(arg.name, STR("process")));
		fxtread_check(arg.type == 8);
		o->process = arg.value;
	}
	fxtread_check(p == end);
}

static inline void fxtread_init_record(struct fxtread *r, size_t end)
{
	r->init_words = (unsigned)(end - r->at) / 8;
	r->ticks = fxtread_word(r, r->at + 8);
	if (r->init_words == 4) {
		r->base_tick = fxtread_word(r, r->at + 16);
		r->base_time = fxtread_word(r, r->at + 24);
	}
}

/* Reads up to the next event and it; false at the end of the file. */
static inline bool fxtread_next(struct fxtread *r, struct fxtread_event *ev)
{
	while (r->at < r->size) {
		uint64_t head = fxtread_word(r, r->at);
		unsigned type = fxtread_bits(head, 0, 3);
		size_t end = r->at + (size_t)fxtread_bits(head, 4, 15) * 8;

		fxtread_check(end > r->at);
		fxtread_check(end <= r->size);
		switch (type) {
		case 0: break;
		case 1: fxtread_init_record(r, end); break;
		case 2: fxtread_string(r, head, end); break;
		case 3: fxtread_thread(r, head, end); break;
		case 4: fxtread_event_record(r, head, end, ev); break;
		case 7: fxtread_object_record(r, head, end); break;
		default: fxtread_check(!"a known type of record");
		}
		r->at = end;
		if (type == 4)
			return true;
	}
	return false;
}

/* Reads a file's n bytes, takes them over, and checks how it begins. Free with fxtread_free. */
static inline struct fxtread *fxtread_over(char *data, size_t n)
{
	struct fxtread *r = calloc(1, sizeof(*r));

	fxtread_check(r != NULL);
	r->data = data;
	r->size = n;
	fxtread_check(r->size % 8 == 0);
	fxtread_check(fxtread_word(r, 0) == UINT64_C(0x0016547846040010));
	return r;
}

#ifndef FXTREAD_ABORTS
/* The same of a file. */
static inline struct fxtread *fxtread_open(const char *path)
{
	size_t n;
	char *data = scratch_get(path, &n);

	return fxtread_over(data, n);
}
#endif

static inline void fxtread_free(struct fxtread *r)
{
	free(r->objects);
	free(r->data);
	free(r);
}

/* The name that a process (type 1) or a thread (type 2) was given; empty when it has none. */
static inline struct str fxtread_name(const struct fxtread *r, unsigned type, uint64_t koid)
{
	struct str name = STR("");
	size_t i;

	for (i = 0; i < r->n_objects; i++)
		if (r->objects[i].type == type && r->objects[i].koid == koid)
			name = r->objects[i].name;
	return name;
}

/* The argument of that name; fails when there is none. */
static inline const struct fxtread_arg *fxtread_arg(const struct fxtread_event *ev,
						    const char *name)
{
	unsigned i;

	for (i = 0; i < ev->n_args; i++)
		if (str_eq(ev->args[i].name, str_of(name)))
			return &ev->args[i];
	fxtread_check(!"an argument of that name");
	return NULL;
}

/* Whether s is this text. */
static inline bool fxtread_is(struct str s, const char *text)
{
	return str_eq(s, str_of(text));
}

#endif
