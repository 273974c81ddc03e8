/* SPDX-License-Identifier: MIT */
/*
 * records: the branches that our filter in perf writes as records (dlfilter/wire.h), read as
 * events.
 *
 * They come in one stream with lines of text. What is behind text is a record only if it begins
 * with the number that only we and the filter know. Records are no more to be trusted than text:
 * each number in them is checked, and they need no more memory than struct records has.
 */
#ifndef MT_PERF_RECORDS_H
#define MT_PERF_RECORDS_H

#include "base/intern.h"
#include "base/str.h"
#include "event/event.h"

#include <stdbool.h>
#include <stdint.h>

enum records_got {
	RECORDS_EVENT, /* *ev is filled */
	RECORDS_TEXT,  /* what is next is a line of text */
	RECORDS_MORE,  /* what is there is no whole record: more bytes are needed */
	RECORDS_BAD,   /* what is next is no record that we know: to be passed over as a line */
};

struct records;

/* Symbols and DSOs go to names, which is borrowed. Free with records_free. */
struct records *records_new(struct intern *names) __attribute__((returns_nonnull));
void records_free(struct records *r);

/* Gives each place its shown name, when it comes: branches are `named` then. */
void records_namer(struct records *r, void (*name)(void *ctx, int32_t pid, struct location *loc),
		   void *ctx);

/* How many places had an offset that was garbage. */
uint64_t records_bad_offsets(const struct records *r);

/* A new stream, of a filter that was given this cookie; counts go on. */
void records_begin(struct records *r, uint64_t cookie);

/* Whether there were records in this stream: whether the filter is there. */
bool records_seen(const struct records *r);

/*
 * Takes records off the front of *s, which is at the beginning of a line or behind a record, until
 * one of them makes an event, or there is none.
 */
enum records_got records_next(struct records *r, struct str *s, struct event *ev);

/* To be told of a decode error that came as text. */
void records_error(struct records *r, const struct event *ev);

#endif
