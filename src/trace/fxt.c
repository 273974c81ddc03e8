/* SPDX-License-Identifier: MIT */
#include "trace/fxt.h"

#define TICKS_PER_SECOND 1000000000u
/* Its length has eight bits. */
#define PROVIDER_MAX 255
#define PROVIDER_ID  1u

/* Record types of the FXT reference ("Record types"). */
enum record_type {
	RECORD_METADATA = 0,
	RECORD_INITIALIZATION = 1,
	RECORD_STRING = 2,
	RECORD_THREAD = 3,
	RECORD_KERNEL_OBJECT = 7,
};

/* Object types of kernel object records: Zircon's ZX_OBJ_TYPE_*. */
enum object_type {
	OBJECT_PROCESS = 1,
	OBJECT_THREAD = 2,
};

/* A string reference that says: the bytes stand in this record. */
#define INLINE(n) (0x8000u | (uint64_t)(n))

void fxt_init(struct fxt *fxt, struct output *out)
{
	fxt->out = out;
	fxt->block = output_first(out);
	fxt->p = fxt->block;
	fxt->end = fxt->block + OUTPUT_BLOCK_WORDS;
	fxt->handed = 0;
}

void fxt_next_block(struct fxt *fxt)
{
	size_t words = (size_t)(fxt->p - fxt->block);

	fxt->handed += words;
	fxt->block = output_next(fxt->out, words);
	fxt->p = fxt->block;
	fxt->end = fxt->block + OUTPUT_BLOCK_WORDS;
}

static void put(struct fxt *fxt, uint64_t word)
{
	*fxt->p++ = htole64(word);
}

/* Type and size stand in the same bits of every record. */
static void put_header(struct fxt *fxt, enum record_type type, size_t words, uint64_t rest)
{
	fxt_reserve(fxt, words);
	put(fxt, (uint64_t)type | (uint64_t)words << 4 | rest);
}

/* The bytes, and zeros to the word's end. */
static void put_text(struct fxt *fxt, struct str text)
{
	size_t words = FXT_STRING_WORDS(text.n);

	if (words == 0)
		return;
	fxt->p[words - 1] = 0;
	memcpy(fxt->p, text.p, text.n);
	fxt->p += words;
}

void fxt_file_header(struct fxt *fxt, struct str provider, const int64_t *wall_clock)
{
	if (provider.n > PROVIDER_MAX)
		provider.n = PROVIDER_MAX;
	/* A metadata record whose bits 16-19 are 4 and 24-55 "FxT\x16": the magic number. */
	put_header(fxt, RECORD_METADATA, 1, 0x0016547846040000u);
	/* Provider info (1) and provider section (2). */
	put_header(fxt, RECORD_METADATA, 1 + FXT_STRING_WORDS(provider.n),
		   1u << 16 | (uint64_t)PROVIDER_ID << 20 | (uint64_t)provider.n << 52);
	put_text(fxt, provider);
	put_header(fxt, RECORD_METADATA, 1, 2u << 16 | (uint64_t)PROVIDER_ID << 20);
	put_header(fxt, RECORD_INITIALIZATION, wall_clock ? 4 : 2, 0);
	put(fxt, TICKS_PER_SECOND);
	if (wall_clock) {
		/* An extension that magic-trace.org reads: a tick, and its time. */
		put(fxt, 0);
		put(fxt, (uint64_t)*wall_clock);
	}
}

void fxt_string(struct fxt *fxt, uint16_t index, struct str text)
{
	put_header(fxt, RECORD_STRING, 1 + FXT_STRING_WORDS(text.n),
		   (uint64_t)index << 16 | (uint64_t)text.n << 32);
	put_text(fxt, text);
}

void fxt_thread(struct fxt *fxt, uint8_t index, uint64_t process, uint64_t thread)
{
	put_header(fxt, RECORD_THREAD, 3, (uint64_t)index << 16);
	put(fxt, process);
	put(fxt, thread);
}

void fxt_process_name(struct fxt *fxt, uint64_t process, struct str name)
{
	put_header(fxt, RECORD_KERNEL_OBJECT, 2 + FXT_STRING_WORDS(name.n),
		   (uint64_t)OBJECT_PROCESS << 16 | INLINE(name.n) << 24);
	put(fxt, process);
	put_text(fxt, name);
}

void fxt_thread_name(struct fxt *fxt, uint64_t process, uint64_t thread, uint16_t process_ref,
		     struct str name)
{
	put_header(fxt, RECORD_KERNEL_OBJECT, 2 + FXT_STRING_WORDS(name.n) + 2,
		   (uint64_t)OBJECT_THREAD << 16 | INLINE(name.n) << 24 | UINT64_C(1) << 40);
	put(fxt, thread);
	put_text(fxt, name);
	/* One argument: a koid (type 8) of two words. */
	put(fxt, 8 | 2 << 4 | (uint64_t)process_ref << 16);
	put(fxt, process);
}
