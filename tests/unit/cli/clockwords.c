/* SPDX-License-Identifier: MIT */
#include "cli/clockwords.h"

#include "support/suite.h"

#include <string.h>

static struct recording *timed(const char *time)
{
	struct recording *rec = recording_new();

	recording_set(&rec->time, time);
	return rec;
}

START_TEST(test_a_clock_needs_no_words)
{
	struct recording *rec = recording_new();

	ck_assert_ptr_null(clockwords_short(rec));
	ck_assert_ptr_null(clockwords_long(rec));
	recording_free(rec);
}
END_TEST

START_TEST(test_each_time)
{
	static const struct {
		const char *time, *brief, *in_sentence;
	} cases[] = {
		{ "virtual", "virtual time", "system call what it took" },
		{ "real", "slowed time", "slowed down" },
		{ "instructions", "instruction time", "always the same" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recording *rec = timed(cases[i].time);

		ck_assert_str_eq(clockwords_short(rec), cases[i].brief);
		ck_assert_ptr_nonnull(strstr(clockwords_long(rec), cases[i].in_sentence));
		recording_free(rec);
	}
}
END_TEST

SUITE_MAIN("clockwords", test_a_clock_needs_no_words, test_each_time)
