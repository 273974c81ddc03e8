/* SPDX-License-Identifier: MIT */
#include "trace/zstd.h"

#include "base/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zstd.h>

#define OUT_BYTES (256u << 10)
#define LEVEL     1

struct zstd {
	ZSTD_CCtx *ctx; /* NULL: out of memory */
	char out[OUT_BYTES];
};

static void *zstd_open(void)
{
	struct zstd *z = xmalloc(sizeof(*z));

	z->ctx = ZSTD_createCCtx();
	if (z->ctx) {
		ZSTD_CCtx_setParameter(z->ctx, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(z->ctx, ZSTD_c_checksumFlag, 1);
	}
	return z;
}

/* Compresses all of *in and writes what comes out; with ZSTD_e_end to the frame's last byte. */
static int run(struct zstd *z, struct file *file, ZSTD_inBuffer *in, ZSTD_EndDirective mode,
	       struct err *err)
{
	size_t left;

	if (!z->ctx)
		return err_set(err, "not enough memory for the zstd compressor");
	do {
		ZSTD_outBuffer out = { .dst = z->out, .size = sizeof(z->out) };

		left = ZSTD_compressStream2(z->ctx, &out, in, mode);
		if (ZSTD_isError(left))
			return err_set(err, "the zstd compressor failed: %s",
				       ZSTD_getErrorName(left));
		if (file_write(file, z->out, out.pos, err) != 0)
			return -1;
	} while (mode == ZSTD_e_end ? left != 0 : in->pos < in->size);
	return 0;
}

static int zstd_write(void *state, struct file *file, const void *p, size_t n, struct err *err)
{
	ZSTD_inBuffer in = { .src = p, .size = n };

	return run(state, file, &in, ZSTD_e_continue, err);
}

static int zstd_finish(void *state, struct file *file, struct err *err)
{
	ZSTD_inBuffer in = { .src = NULL, .size = 0 };

	return run(state, file, &in, ZSTD_e_end, err);
}

static void zstd_close(void *state)
{
	struct zstd *z = state;

	ZSTD_freeCCtx(z->ctx);
	free(z);
}

const struct codec codec_zstd = {
	.suffix = ".fxt.zst",
	.open = zstd_open,
	.write = zstd_write,
	.finish = zstd_finish,
	.close = zstd_close,
};
