/* SPDX-License-Identifier: MIT */
/*
 * symbols: what we know of functions beside what perf prints: their names where perf has none, what
 * they are called in the trace, their source lines, where they were called from.
 */
#ifndef MT_CLI_SYMBOLS_H
#define MT_CLI_SYMBOLS_H

#include "base/err.h"
#include "base/intern.h"
#include "event/event.h"
#include "perf/text.h"
#include "record/recording.h"
#include "stack/stacks.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* All borrowed. */
struct symbols_config {
	struct intern *names;
	const struct recording *recording;
	const char *symfs; /* NULL: none */
	enum perf_mode mode;
	bool demangle; /* show C++, Rust, D and OCaml names as programmers write them */
};

struct symbols;

/* Reads nothing yet: the recording's mappings are read when a place is first asked for. */
struct symbols *symbols_new(const struct symbols_config *config) __attribute__((returns_nonnull));
void symbols_free(struct symbols *s);

/*
 * Gives the places of an event the names that they have in the trace. Those for which perf has none
 * get ours; with check_offsets also those whose offsets perf had wrong (perf_text_stats). The event
 * is as long valid as it was.
 */
void symbols_event(struct symbols *s, struct event *ev, bool check_offsets);

/*
 * The same in two steps, for places that are named once and then are in many events: symbols_place
 * as soon as a place is known; symbols_check for each branch of such places (`named`), when offsets
 * are to be checked.
 */
void symbols_place(struct symbols *s, int32_t pid, struct location *loc);
void symbols_check(struct symbols *s, struct event *ev);

/* What a name of perf's is called in the trace. */
uint32_t symbols_shown(struct symbols *s, uint32_t name);

/* What is known of a place of the trace; *out->file is valid until the next question. */
bool symbols_source(struct symbols *s, const struct source_place *place, struct source_line *out);

/* What was inlined at a place, as of stacks_config.inlined. */
void symbols_inlined(struct symbols *s, int32_t pid, const struct location *place,
		     struct inlined_place *out);

/* As symbolizer_shifts(). */
size_t symbols_shifts(struct symbols *s, const char *path, uint64_t *shifts, size_t max);

/* Calls each for every file that could not be read, or has no symbols where some were needed. */
void symbols_troubles(const struct symbols *s, void (*each)(void *ctx, const struct err *trouble),
		      void *ctx);

#endif
