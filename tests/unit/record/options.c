/* SPDX-License-Identifier: MIT */
#include "record/options.h"

#include "support/suite.h"

START_TEST(test_words)
{
	ck_assert_uint_eq(record_word(record_backends, "pt"), BACKEND_PT);
	ck_assert_uint_eq(record_word(record_backends, "software"), BACKEND_SOFTWARE);
	ck_assert_uint_eq(record_word(record_engines, "step"), ENGINE_STEP);
	ck_assert_uint_eq(record_word(record_times, "instructions"), RECORDER_INSTRUCTIONS);
}
END_TEST

START_TEST(test_default)
{
	ck_assert_uint_eq(record_word(record_backends, NULL), BACKEND_AUTO);
	ck_assert_uint_eq(record_word(record_backends, "auto"), BACKEND_AUTO);
	ck_assert_uint_eq(record_word(record_engines, "qem"), ENGINE_AUTO);
	ck_assert_uint_eq(record_word(record_times, ""), RECORDER_VIRTUAL);
}
END_TEST

SUITE_MAIN("options", test_words, test_default)
