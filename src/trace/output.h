/* SPDX-License-Identifier: MIT */
/*
 * output: the way from the writer's blocks through the compressor to the file.
 *
 * Compressing costs several times as much as writing records, so it has a thread of its own: the
 * writer fills one block while others are compressed. Their number bounds the memory.
 */
#ifndef MT_TRACE_OUTPUT_H
#define MT_TRACE_OUTPUT_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Words in a block: 256 KB, so that a block is still in the cache when it is compressed. */
#define OUTPUT_BLOCK_WORDS (32u << 10)

struct output;

/* 0 and *out, or -1 with err: see codec_for_path and file_create. */
int output_open(const char *path, struct output **out, struct err *err);

/* The block to fill first: OUTPUT_BLOCK_WORDS words, owned by out. */
uint64_t *output_first(struct output *out) __attribute__((returns_nonnull));

/*
 * Hands over the first `words` of the block being filled and returns the next one. Waits while all
 * others are still to be compressed.
 */
uint64_t *output_next(struct output *out, size_t words) __attribute__((returns_nonnull));

/* 0, or -1 with the first failure to compress or write in err. */
int output_error(struct output *out, struct err *err);

/*
 * Hands over the last `words`, waits for all to be written, puts the file in place and frees out.
 * *file_bytes is the file's size. -1 with err: the file is as it was.
 */
int output_finish(struct output *out, size_t words, uint64_t *file_bytes, struct err *err);

/* Frees out and leaves the file as it was. */
void output_abort(struct output *out);

#endif
