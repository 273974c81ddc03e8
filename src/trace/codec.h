/* SPDX-License-Identifier: MIT */
/* codec: how the bytes of a trace go into its file: compressed or not, chosen by the suffix. */
#ifndef MT_TRACE_CODEC_H
#define MT_TRACE_CODEC_H

#include "base/err.h"
#include "trace/file.h"

#include <stddef.h>

/*
 * A compressor. Its state is used by one thread at a time. write and finish return 0, or -1 with
 * err; after a failure only close is called.
 */
struct codec {
	const char *suffix; /* of the file's name, with its dot */
	void *(*open)(void);
	int (*write)(void *state, struct file *file, const void *p, size_t n, struct err *err);
	/* Writes what is still held back, and the end of the compressed stream. */
	int (*finish)(void *state, struct file *file, struct err *err);
	void (*close)(void *state);
};

/*
 * The codec for a path: that of its suffix. Without a known one: none at all (plain) for what is
 * there and is neither a regular file nor a directory, as /dev/null; else NULL with err, which
 * lists the suffixes.
 */
const struct codec *codec_for_path(const char *path, struct err *err);

#endif
