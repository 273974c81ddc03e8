/* SPDX-License-Identifier: MIT */
/*
 * source: remembers where functions are defined and called from, so that each place is asked for
 * once.
 */
#ifndef MT_TRACE_SOURCE_H
#define MT_TRACE_SOURCE_H

#include "base/intern.h"
#include "trace/trace.h"

#include <stdint.h>

/* What is known of a place. */
struct source_entry {
	struct source_place place;
	uint32_t file; /* a number of source_files(); INTERN_NONE: it is not known */
	uint32_t line, col;
	uint32_t clone; /* as of struct source_line */
	bool taken;
};

struct source;

/* Answers come from options->source (not NULL). Free with source_free. */
struct source *source_new(const struct trace_options *options) __attribute__((returns_nonnull));
void source_free(struct source *s);

/* What is known of a place; valid until the next call. */
const struct source_entry *source_find(struct source *s, const struct source_place *place);

/* The names of the files. */
const struct intern *source_files(const struct source *s);

#endif
