/* SPDX-License-Identifier: MIT */
#include "stack/known.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const unwinders[KNOWN_UNWINDERS] = {
	"_Unwind_RaiseException",
	"_Unwind_Resume",
	"_Unwind_Resume_or_Rethrow",
	"_Unwind_ForcedUnwind",
	"__longjmp",
	"____longjmp_chk",
	"__longjmp_chk",
	"__libc_siglongjmp",
	"__libc_longjmp",
	"_longjmp",
	"longjmp",
	"siglongjmp",
	"caml_raise_exn",
	"caml_raise_exception",
};

/* all but the first: the cleanup of a thread that exits or is cancelled, in C; glibc's versions */
static const char *const resumes[KNOWN_RESUMES] = {
	"_Unwind_Resume",
	"__pthread_unwind_next",
	"___pthread_unwind_next",
	"__pthread_unwind_next@GLIBC_2.3.3",
	"__pthread_unwind_next@@GLIBC_2.3.3",
};

void known_init(struct known *known, struct intern *names)
{
	size_t i;

	*known = (struct known){
		.names = names,
		.unknown = intern_add(names, STR("[unknown]")),
		.untraced = intern_add(names, STR("[untraced]")),
		.syscall = intern_add(names, STR("[syscall]")),
		.returned = intern_add(names, STR("[returned]")),
		.gogo = intern_add(names, STR("gogo")),
		.mcall = intern_add(names, STR("runtime.mcall")),
		.morestack = intern_add(names, STR("runtime.morestack.abi0")),
		.start = intern_add(names, STR("_start")),
		.execve = intern_add(names, STR("execve")),
		.execveat = intern_add(names, STR("execveat")),
		.next_frame_descriptor = intern_add(names, STR("caml_next_frame_descriptor")),
		.stash_backtrace = intern_add(names, STR("caml_stash_backtrace")),
		.raise_exn = intern_add(names, STR("caml_raise_exn")),
		.raise_exception = intern_add(names, STR("caml_raise_exception")),
	};
	for (i = 0; i < KNOWN_UNWINDERS; i++)
		known->unwinders[i] = intern_add(names, str_of(unwinders[i]));
	for (i = 0; i < KNOWN_RESUMES; i++)
		known->resumes[i] = intern_add(names, str_of(resumes[i]));
}

static bool is_among(const uint32_t *syms, size_t n, uint32_t sym)
{
	for (size_t i = 0; i < n; i++)
		if (syms[i] == sym)
			return true;
	return false;
}

bool known_unwinder(const struct known *known, uint32_t sym)
{
	return is_among(known->unwinders, KNOWN_UNWINDERS, sym);
}

bool known_resumes(const struct known *known, uint32_t sym)
{
	return is_among(known->resumes, KNOWN_RESUMES, sym);
}

uint32_t known_decode_error(struct known *known, uint32_t message)
{
	struct str text = intern_str(known->names, message);
	char buf[512];
	int n;

	/* A message is a few words; a longer one is hostile and is cut. */
	n = snprintf(buf, sizeof(buf), "[decode error: %.*s]", text.n < 400 ? (int)text.n : 400,
		     text.p);
	return intern_add(known->names, (struct str){ .p = buf, .n = (size_t)n });
}

uint32_t known_lost(struct known *known, int64_t ns)
{
	char buf[64];
	int n = snprintf(buf, sizeof(buf), "[lost: %" PRId64 " ns]", ns);

	return intern_add(known->names, (struct str){ .p = buf, .n = (size_t)n });
}
