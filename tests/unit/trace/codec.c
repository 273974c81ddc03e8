/* SPDX-License-Identifier: MIT */
#include "trace/codec.h"

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

START_TEST(test_event_dumps)
{
	ck_assert_ptr_null(codec_for_path("a.sexp", &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "not written by this magic-trace"));
	ck_assert_ptr_null(codec_for_path("a.binio", &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "not written by this magic-trace"));
	ck_assert_ptr_nonnull(strstr(err.hint, ".fxt.gz"));
}
END_TEST

SUITE_MAIN("trace/codec", test_suffixes, test_refused, test_event_dumps)
