/* SPDX-License-Identifier: MIT */
/*
 * fxt: the records of the Fuchsia trace format, as words in the output's blocks.
 *
 * A record is a whole number of little-endian 64-bit words, of which the first is its header. The
 * layouts are those of the Fuchsia trace format's reference, each named where it is built.
 */
#ifndef MT_TRACE_FXT_H
#define MT_TRACE_FXT_H

#include "base/str.h"
#include "trace/output.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

/* String indexes are 1 to this, thread indexes 1 to that; 0 means something else in both. */
#define FXT_MAX_STRING 32767u
#define FXT_MAX_THREAD 255u

/* Bytes of one string: the format's limit for a string record. */
#define FXT_MAX_BYTES 32000u

/* No event has more words: the header and the time, 15 arguments of two at most, one more word. */
#define FXT_EVENT_WORDS (2 + 15 * 2 + 1)

/* Words of a string of n bytes. */
#define FXT_STRING_WORDS(n) (((n) + 7) / 8)

enum fxt_event_type {
	FXT_INSTANT = 0,
	FXT_COUNTER = 1,
	FXT_BEGIN = 2,
	FXT_END = 3,
	FXT_COMPLETE = 4,
	FXT_FLOW_BEGIN = 8,
	FXT_FLOW_END = 10,
};

/* Where the next record goes. */
struct fxt {
	uint64_t *p;     /* the next free word of the block */
	uint64_t *block; /* the block being filled; owned by out */
	uint64_t *end;   /* of that block */
	struct output *out;
	uint64_t handed; /* words in the blocks handed over */
};

/* An event being built. Its words are in the block, but for the header. */
struct fxt_event {
	uint64_t *head, *w;
	uint64_t header;
};

/* Starts on the first block of out. */
void fxt_init(struct fxt *fxt, struct output *out);

/* Hands the block over and takes a fresh one. */
void fxt_next_block(struct fxt *fxt);

/* Whether the block has room for any event. */
static inline bool fxt_has_room(const struct fxt *fxt)
{
	return (size_t)(fxt->end - fxt->p) >= FXT_EVENT_WORDS;
}

/* Room for a record of that many words (a block holds several of the longest). */
static inline uint64_t *fxt_reserve(struct fxt *fxt, size_t words)
{
	if (__builtin_expect((size_t)(fxt->end - fxt->p) < words, 0))
		fxt_next_block(fxt);
	return fxt->p;
}

/*
 * What stands first in a file: magic number, provider (a name, cut at 255 bytes), and the
 * initialization record, which with wall_clock not NULL also says what time (ns since 1970) tick 0
 * is. A tick is 1 ns.
 */
void fxt_file_header(struct fxt *fxt, struct str provider, const int64_t *wall_clock);

/* From here on index stands for text (at most FXT_MAX_BYTES). */
void fxt_string(struct fxt *fxt, uint16_t index, struct str text);

/* From here on index stands for that thread of that process, given by their koids. */
void fxt_thread(struct fxt *fxt, uint8_t index, uint64_t process, uint64_t thread);

/* A process's name (at most FXT_MAX_BYTES). */
void fxt_process_name(struct fxt *fxt, uint64_t process, struct str name);

/* A thread's name (at most FXT_MAX_BYTES); process_ref is the index of the string "process". */
void fxt_thread_name(struct fxt *fxt, uint64_t process, uint64_t thread, uint16_t process_ref,
		     struct str name);

/*
 * Begins an event: then its arguments, then for some types a last word, then fxt_event_end. No
 * other record may be begun meanwhile. category and name are string indexes.
 */
static inline struct fxt_event fxt_event_begin(struct fxt *fxt, enum fxt_event_type type,
					       uint8_t thread, uint16_t category, uint16_t name,
					       int64_t time)
{
	uint64_t *head = fxt_reserve(fxt, FXT_EVENT_WORDS);

	head[1] = htole64((uint64_t)time);
	return (struct fxt_event){
		.head = head,
		.w = head + 2,
		.header = 4 | (uint64_t)type << 16 | (uint64_t)thread << 24 |
			  (uint64_t)category << 32 | (uint64_t)name << 48,
	};
}

static inline void fxt_word(struct fxt_event *ev, uint64_t word)
{
	*ev->w++ = htole64(word);
}

/* An argument's header word; its type, its size in words, and for small types its value. */
static inline void fxt_arg(struct fxt_event *ev, unsigned type, unsigned words, uint16_t name,
			   uint32_t value)
{
	fxt_word(ev, type | words << 4 | (uint64_t)name << 16 | (uint64_t)value << 32);
	ev->header += 1 << 20;
}

static inline void fxt_arg_uint32(struct fxt_event *ev, uint16_t name, uint32_t value)
{
	fxt_arg(ev, 2, 1, name, value);
}

/* A signed number, in the smaller form when it fits. */
static inline void fxt_arg_int(struct fxt_event *ev, uint16_t name, int64_t value)
{
	if (value == (int32_t)value) {
		fxt_arg(ev, 1, 1, name, (uint32_t)value);
		return;
	}
	fxt_arg(ev, 3, 2, name, 0);
	fxt_word(ev, (uint64_t)value);
}

static inline void fxt_arg_uint64(struct fxt_event *ev, uint16_t name, uint64_t value)
{
	fxt_arg(ev, 4, 2, name, 0);
	fxt_word(ev, value);
}

/* value is a string index. */
static inline void fxt_arg_string(struct fxt_event *ev, uint16_t name, uint16_t value)
{
	fxt_arg(ev, 6, 1, name, value);
}

/* A text of at most 8 bytes that stands in the event itself. */
static inline void fxt_arg_short_text(struct fxt_event *ev, uint16_t name, const char *p, size_t n)
{
	fxt_arg(ev, 6, 2, name, 0x8000u | (uint32_t)n);
	*ev->w = 0;
	memcpy(ev->w++, p, n);
}

/* Viewers show it in hex. */
static inline void fxt_arg_pointer(struct fxt_event *ev, uint16_t name, uint64_t value)
{
	fxt_arg(ev, 7, 2, name, 0);
	fxt_word(ev, value);
}

/*
 * For events that look like one before: puts down words of arguments behind those there are. They
 * count only when fxt_set_args says so.
 */
static inline void fxt_put_args(struct fxt_event *ev, const uint64_t *words, unsigned n)
{
	memcpy(ev->w, words, n * sizeof(*words));
}

/* Puts down an argument's word, as fxt_arg_string does, behind so many words of arguments. */
static inline void fxt_put_string(struct fxt_event *ev, unsigned at, uint16_t name, uint16_t value)
{
	ev->head[2 + at] = htole64(6 | 1 << 4 | (uint64_t)name << 16 | (uint64_t)value << 32);
}

/* Of all that was put down, these are the event's: so many arguments, of so many words together. */
static inline void fxt_set_args(struct fxt_event *ev, unsigned args, unsigned words)
{
	ev->w = ev->head + 2 + words;
	ev->header = (ev->header & ~(UINT64_C(15) << 20)) | (uint64_t)args << 20;
}

static inline void fxt_event_end(struct fxt *fxt, const struct fxt_event *ev)
{
	ev->head[0] = htole64(ev->header | (uint64_t)(ev->w - ev->head) << 4);
	fxt->p = ev->w;
}

#endif
