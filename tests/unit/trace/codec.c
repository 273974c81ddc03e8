/* SPDX-License-Identifier: MIT */
#include "trace/codec.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "trace/gzip.h"
#include "trace/zstd.h"

#include <string.h>

static struct err err;

START_TEST(test_suffixes)
{
	ck_assert_ptr_eq(codec_for_path("trace.fxt.gz", &err), &codec_gzip);
	ck_assert_ptr_eq(codec_for_path("a/b.fxt.zst", &err), &codec_zstd);
	ck_assert_str_eq(codec_for_path("/x.y/trace.fxt", NULL)->suffix, ".fxt");
	ck_assert_str_eq(codec_for_path("a.fxt.gz.fxt", NULL)->suffix, ".fxt");
}
END_TEST

START_TEST(test_refused)
{
	static const char *const paths[] = { "",           "trace",      "trace.gz", "fxt.gz",
					     "trace.fxt.", "a.fxt.gz/b", "a.FXT",    "a.json" };
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		err = (struct err)ERR_INIT;
		ck_assert_ptr_null(codec_for_path(paths[i], &err));
		ck_assert_ptr_nonnull(strstr(err.msg, "suffix"));
		ck_assert_ptr_nonnull(strstr(err.hint, ".fxt.gz, .fxt or .fxt.zst"));
	}
}
END_TEST

/* What is no regular file needs no suffix; one that it has counts. */
START_TEST(test_special_files)
{
	struct scratch s;

	ck_assert_str_eq(codec_for_path("/dev/null", NULL)->suffix, ".fxt");
	scratch_init(&s);
	ck_assert_int_eq(mkfifo(scratch_path(&s, "pipe"), 0600), 0);
	ck_assert_str_eq(codec_for_path(scratch_path(&s, "pipe"), NULL)->suffix, ".fxt");
	ck_assert_int_eq(mkfifo(scratch_path(&s, "p.fxt.gz"), 0600), 0);
	ck_assert_ptr_eq(codec_for_path(scratch_path(&s, "p.fxt.gz"), NULL), &codec_gzip);
	scratch_put(&s, "file", "");
	ck_assert_ptr_null(codec_for_path(scratch_path(&s, "file"), NULL));
	ck_assert_int_eq(mkdir(scratch_path(&s, "dir"), 0700), 0);
	ck_assert_ptr_null(codec_for_path(scratch_path(&s, "dir"), NULL));
	scratch_fini(&s);
}
END_TEST

START_TEST(test_event_dumps)
{
	ck_assert_ptr_null(codec_for_path("a.sexp", &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "not written by this magic-trace"));
	ck_assert_ptr_null(codec_for_path("a.binio", &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "not written by this magic-trace"));
	ck_assert_ptr_nonnull(strstr(err.hint, ".fxt.gz"));
}
END_TEST

SUITE_MAIN("trace/codec", test_suffixes, test_refused, test_special_files, test_event_dumps)
