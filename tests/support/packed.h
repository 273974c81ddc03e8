/* SPDX-License-Identifier: MIT */
/* packed: puts bytes through a codec in pieces, for the tests of each codec. */
#ifndef MT_TESTS_SUPPORT_PACKED_H
#define MT_TESTS_SUPPORT_PACKED_H

#include "support/scratch.h"
#include "trace/codec.h"

/* What goes in: nothing, little, what packs well, what does not pack, and a mixture. */
enum packed_input {
	PACKED_EMPTY,
	PACKED_BYTE,
	PACKED_ZEROS,
	PACKED_NOISE,
	PACKED_MIXED,
	PACKED_INPUTS
};

#define PACKED_BYTES (3u << 20)

/* Fills buf (PACKED_BYTES) and returns how many bytes count. */
static inline size_t packed_fill(enum packed_input kind, char *buf)
{
	unsigned seed = 1;
	size_t i;

	memset(buf, 0, PACKED_BYTES);
	if (kind == PACKED_EMPTY || kind == PACKED_BYTE)
		return kind == PACKED_BYTE;
	for (i = 0; i < PACKED_BYTES && kind != PACKED_ZEROS; i++) {
		seed = seed * 1103515245 + 12345;
		if (kind == PACKED_NOISE || i % 8 < 2)
			buf[i] = (char)(seed >> 16);
		else
			buf[i] = (char)(i >> 12);
	}
	return PACKED_BYTES;
}

/* Writes "raw", and "packed" through the codec, in pieces of at most `piece` bytes. */
static inline void packed_write(struct scratch *s, const struct codec *codec, const char *data,
				size_t n, size_t piece)
{
	struct err err = ERR_INIT;
	struct file *file = NULL;
	FILE *raw = fopen(scratch_path(s, "raw"), "w");
	void *state = codec->open();
	size_t at, k;

	ck_assert_uint_eq(fwrite(data, 1, n, raw), n);
	ck_assert_int_eq(fclose(raw), 0);
	ck_assert_int_eq(file_create(scratch_path(s, "packed"), &file, &err), 0);
	for (at = 0; at < n; at += k) {
		k = n - at < piece ? n - at : piece;
		ck_assert_int_eq(codec->write(state, file, data + at, k, &err), 0);
	}
	ck_assert_int_eq(codec->finish(state, file, &err), 0);
	codec->close(state);
	ck_assert_int_eq(file_commit(file, &err), 0);
}

/* A full disk is an error of write or finish, not a crash, whatever the codec holds back. */
static inline void packed_disk_full(const struct codec *codec)
{
	struct scratch s;
	struct err err = ERR_INIT;
	struct file *file = NULL;
	void *state = codec->open();
	char *data = malloc(PACKED_BYTES);
	size_t n = packed_fill(PACKED_NOISE, data);

	scratch_init(&s);
	ck_assert_int_eq(symlink("/dev/full", scratch_path(&s, "packed")), 0);
	ck_assert_int_eq(file_create(scratch_path(&s, "packed"), &file, &err), 0);
	ck_assert(codec->write(state, file, data, n, &err) != 0 ||
		  codec->finish(state, file, &err) != 0);
	ck_assert_ptr_nonnull(strstr(err.msg, "No space left"));
	codec->close(state);
	file_discard(file);
	free(data);
	scratch_fini(&s);
}

#endif
