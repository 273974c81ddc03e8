/* SPDX-License-Identifier: MIT */
/*
 * strings: which index of the trace's string table stands for which name.
 *
 * The table has 32,767 places and a program may have more names. An index may be defined again, so
 * a name that has not been used for a while gives its place to a new one ("second chance": a hand
 * goes round and takes the first that was not used since it last came by).
 */
#ifndef MT_TRACE_STRINGS_H
#define MT_TRACE_STRINGS_H

#include "base/intern.h"
#include "trace/fxt.h"
#include "trace/trace.h"

#include <stdint.h>

/* Strings that every trace has, by their index; they keep it. */
enum fixed_string {
	FIXED_CATEGORY = 1,
	FIXED_PROCESS,
	FIXED_ADDRESS,
	FIXED_LINE,
	FIXED_COL,
	FIXED_SYMBOL,
	FIXED_FILE,
	FIXED_INFERRED_START_TIME,
	FIXED_TRUE,
	FIXED_SIGNAL,
	FIXED_INLINED,
	FIXED_FRAMES_BELOW,
	FIXED_CPU,
	FIXED_FREQ,
	FIXED_TIMESTAMP,
	FIXED_TIMESTAMP_PASSED,
	FIXED_ADDR,
	FIXED_COUNT,
	FIXED_PID,
	FIXED_TID,
	FIXED_IP,
	FIXED_ARG,
	FIXED_PTWRITE,
	FIXED_PAYLOAD,
	FIXED_TEXT,
	FIXED_CALLED_FROM,
	FIXED_CLONE,
	FIXED_DOUBT_BEGIN,
	FIXED_DOUBT_END,
	FIXED_GOES_ON,
	FIXED_STRINGS
};

/* What a string is made of. */
enum string_kind {
	STRING_NAME,          /* an interned name */
	STRING_PLACE,         /* a place without a symbol: addr, and the interned DSO */
	STRING_NAME_INFERRED, /* these two, marked */
	STRING_PLACE_INFERRED,
	STRING_HIT,       /* "hit NAME" */
	STRING_FILE,      /* a source file: a number of the files' own table */
	STRING_FILE_LINE, /* the same, with ":LINE" behind it, which is in addr */
};

/* What an index stands for now. */
struct string_slot {
	uint64_t addr;
	uint32_t id;
	uint16_t next; /* in the chain of its hash; 0: the last. Not for STRING_NAME */
	uint8_t kind;
};

/* An interned name's part of the table. */
struct string_name {
	uint16_t index; /* as STRING_NAME; 0: none now */
	uint16_t flaws; /* enum text_flaw: already in the counts */
};

#define STRING_CHAINS (1u << 14)

/* Large (about 700 KB). The fields are those of strings.c; here for the inline functions below. */
struct strings {
	struct fxt *fxt;
	const struct intern *names, *files;
	struct trace_stats *stats;
	struct string_name *by_id; /* owned; entries 0 to n_ids - 1 */
	uint32_t n_ids;
	uint32_t now;   /* the number of the record that is being made; odd, so never 0 */
	uint32_t given; /* indexes up to here have been given out */
	uint32_t hand;  /* the one that is looked at next */
	char *raw;      /* owned: where a place's name is put together */
	size_t raw_size;
	char text[FXT_MAX_BYTES];
	uint32_t used[FXT_MAX_STRING + 1]; /* `now` of the last use; 0: not lately */
	struct string_slot slots[FXT_MAX_STRING + 1];
	uint16_t chains[STRING_CHAINS];
};

/*
 * An empty table that writes its string records to fxt and counts in stats (all borrowed). names
 * and files are what the numbers mean. Free with strings_free.
 */
struct strings *strings_new(struct fxt *fxt, const struct intern *names, const struct intern *files,
			    struct trace_stats *stats) __attribute__((returns_nonnull));
void strings_free(struct strings *s);

/* Writes the fixed strings. Once, before all else. */
void strings_write_fixed(struct strings *s);

/*
 * Says that a new record is being made. All indexes that are asked for until the next call stand
 * for what they were asked for.
 */
static inline void strings_record(struct strings *s)
{
	s->now += 2;
}

/* The index of a string; it is defined in the trace when it must be. */
uint16_t strings_get(struct strings *s, enum string_kind kind, uint32_t id, uint64_t addr);

/* The index of an interned name if it has one now, else 0. Counts as no use. */
static inline uint16_t strings_known_name(const struct strings *s, uint32_t id)
{
	return id < s->n_ids ? s->by_id[id].index : 0;
}

/* Says that an index is used in this record, as strings_get does by itself. */
static inline void strings_use(struct strings *s, uint16_t index)
{
	s->used[index] = s->now;
}

#endif
