/* SPDX-License-Identifier: MIT */
/* source: remembers where functions are defined, so that each is asked for once. */
#ifndef MT_TRACE_SOURCE_H
#define MT_TRACE_SOURCE_H

#include "base/intern.h"
#include "trace/trace.h"

#include <stdint.h>

/* What is known of the function that begins at start. */
struct source_entry {
	uint64_t start;
	uint32_t file; /* a number of source_files(); INTERN_NONE: nothing is known */
	uint32_t line, col;
	bool taken;
};

struct source;

/* Answers come from options->source (not NULL). Free with source_free. */
struct source *source_new(const struct trace_options *options) __attribute__((returns_nonnull));
void source_free(struct source *s);

/* Where the function that begins at start is defined; valid until the next call. */
const struct source_entry *source_find(struct source *s, uint64_t start);

/* The names of the files. */
const struct intern *source_files(const struct source *s);

#endif
