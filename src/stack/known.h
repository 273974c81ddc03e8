/* SPDX-License-Identifier: MIT */
/* known: the numbers of names that mean something to the rules, and of names that we make. */
#ifndef MT_STACK_KNOWN_H
#define MT_STACK_KNOWN_H

#include "base/intern.h"

#include <stdbool.h>
#include <stdint.h>

#define KNOWN_UNWINDERS 14
#define KNOWN_RESUMES   5

struct known {
	struct intern *names;
	/* frames that we make */
	uint32_t unknown;  /* [unknown]: a function that was left and never seen */
	uint32_t untraced; /* [untraced]: tracing stopped here */
	uint32_t syscall;  /* [syscall] */
	uint32_t returned; /* [returned]: a return that ended tracing */
	/* Go's runtime: switches between the stacks of goroutines */
	uint32_t gogo, mcall, morestack;
	/* where a program begins: control is there after an exec */
	uint32_t start, execve, execveat;
	/* what leaves frames without returning from them: longjmp, the unwinder of C++, OCaml */
	uint32_t resumes[KNOWN_RESUMES]; /* called by a function that has cleaned up */
	uint32_t unwinders[KNOWN_UNWINDERS];
	/* OCaml's runtime: how an exception unwinds */
	uint32_t next_frame_descriptor, stash_backtrace, raise_exn, raise_exception;
};

/* Looks all of them up in names, which must live as long as known. */
void known_init(struct known *known, struct intern *names);

/* The name of the span of a stretch of ns that was lost, "[lost: N ns]". */
uint32_t known_lost(struct known *known, int64_t ns);

/* Whether sym is a function that leaves frames without returning from them. */
bool known_unwinder(const struct known *known, uint32_t sym);

/* Whether sym is called by a function that has cleaned up, to unwind the frames below it. */
bool known_resumes(const struct known *known, uint32_t sym);

/* The name of a decode error's span, "[decode error: MESSAGE]"; message is interned. */
uint32_t known_decode_error(struct known *known, uint32_t message);

#endif
