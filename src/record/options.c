/* SPDX-License-Identifier: MIT */
#include "record/options.h"

#include <string.h>

const char *const record_backends[] = {
	[BACKEND_AUTO] = "auto",
	[BACKEND_PT] = "pt",
	[BACKEND_SAMPLING] = "sampling",
	[BACKEND_SOFTWARE] = "software",
	NULL,
};

const char *const record_engines[] = {
	[ENGINE_AUTO] = "auto", [ENGINE_QEMU] = "qemu", [ENGINE_STEP] = "step", NULL
};

const char *const record_times[] = {
	[RECORDER_VIRTUAL] = "virtual",
	[RECORDER_REAL] = "real",
	[RECORDER_INSTRUCTIONS] = "instructions",
	NULL,
};

unsigned int record_word(const char *const *words, const char *word)
{
	unsigned int i = 0;

	while (word && words[i] && strcmp(words[i], word) != 0)
		i++;
	return word && words[i] ? i : 0;
}
