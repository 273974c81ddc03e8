/* SPDX-License-Identifier: MIT */
#include "stack/known.h"

#include <stdio.h>

void known_init(struct known *known, struct intern *names)
{
	*known = (struct known){
		.names = names,
		.unknown = intern_add(names, STR("[unknown]")),
		.untraced = intern_add(names, STR("[untraced]")),
		.syscall = intern_add(names, STR("[syscall]")),
		.returned = intern_add(names, STR("[returned]")),
		.gogo = intern_add(names, STR("gogo")),
		.mcall = intern_add(names, STR("runtime.mcall")),
		.morestack = intern_add(names, STR("runtime.morestack.abi0")),
		.next_frame_descriptor = intern_add(names, STR("caml_next_frame_descriptor")),
		.stash_backtrace = intern_add(names, STR("caml_stash_backtrace")),
		.raise_exn = intern_add(names, STR("caml_raise_exn")),
		.raise_exception = intern_add(names, STR("caml_raise_exception")),
	};
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
