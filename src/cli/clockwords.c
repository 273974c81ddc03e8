/* SPDX-License-Identifier: MIT */
#include "cli/clockwords.h"

#include "record/options.h"

#include <stddef.h>

struct words {
	const char *brief, *full;
};

static const struct words all[] = {
	[RECORDER_VIRTUAL] = { "virtual time",
			       "times are virtual: an instruction takes 1 ns, a system call what "
			       "it took" },
	[RECORDER_REAL] = { "slowed time",
			    "times are real, but the program was slowed down many times, unevenly, "
			    "by what recorded it" },
	[RECORDER_INSTRUCTIONS] = { "instruction time",
				    "times count instructions: one takes 1 ns, a system call "
				    "always the same" },
};

static const struct words *find(const struct recording *recording)
{
	static const struct words none = { NULL, NULL };

	return recording->time ? &all[record_word(record_times, recording->time)] : &none;
}

const char *clockwords_short(const struct recording *recording)
{
	return find(recording)->brief;
}

const char *clockwords_long(const struct recording *recording)
{
	return find(recording)->full;
}
