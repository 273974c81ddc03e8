/* SPDX-License-Identifier: MIT */
#include "trace/codec.h"

#include "base/str.h"
#include "trace/gzip.h"
#include "trace/zstd.h"

#include <stdbool.h>
#include <sys/stat.h>

static void *plain_open(void)
{
	return NULL;
}

static int plain_write(void *state, struct file *file, const void *p, size_t n, struct err *err)
{
	(void)state;
	return file_write(file, p, n, err);
}

static int plain_finish(void *state, struct file *file, struct err *err)
{
	(void)state;
	(void)file;
	(void)err;
	return 0;
}

static void plain_close(void *state)
{
	(void)state;
}

static const struct codec codec_plain = {
	.suffix = ".fxt",
	.open = plain_open,
	.write = plain_write,
	.finish = plain_finish,
	.close = plain_close,
};

static bool ends_in(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return n >= m && memcmp(path + n - m, suffix, m) == 0;
}

/* A device, a pipe, a socket: something whose name was not chosen for a trace. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

const struct codec *codec_for_path(const char *path, struct err *err)
{
	static const struct codec *const codecs[] = { &codec_gzip, &codec_plain, &codec_zstd };
	size_t i;

	for (i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
		if (ends_in(path, codecs[i]->suffix))
			return codecs[i];
	if (is_special(path))
		return &codec_plain;
	if (ends_in(path, ".sexp") || ends_in(path, ".binio"))
		err_set(err,
			"cannot write %s: event dumps for OCaml programs (.sexp, .binio) are not "
			"written by this magic-trace",
			path);
	else
		err_set(err, "cannot write %s: the file's suffix is not one of a trace", path);
	err_hint(err, "a trace's name ends in .fxt.gz, .fxt or .fxt.zst");
	return NULL;
}
