/* SPDX-License-Identifier: MIT */
/*
 * ocaml: how OCaml exceptions leave frames without returning from them.
 *
 * With the addresses where the compiler put, took away and entered exception handlers, code under a
 * handler runs on a stack of its own, which is dropped when the handler is entered. Without them a
 * handler is where an exception lands, see landing.h; and with stacks_config.reference (rule A) the
 * runtime functions that unwind are counted.
 */
#ifndef MT_STACK_OCAML_H
#define MT_STACK_OCAML_H

#include "stack/thread.h"

#include <stdint.h>

/* Whether it is known where handlers are. ocaml_follow and ocaml_enter_handler need it. */
static inline bool ocaml_traps_known(const struct thread *th)
{
	return th->shared->config.traps;
}

/*
 * Before any rule for a branch at t: handlers that the code passed by on its way from the branch
 * before to src were put or taken away.
 */
void ocaml_follow(struct thread *th, int64_t t, uint64_t src, uint64_t dst);

/* A decode error: what code ran between the branches around it is not known. */
void ocaml_forget(struct thread *th);

/*
 * Control came to dst by a jump or a return. When a handler begins there, goes back to the stack
 * that had it: true. Else false: nothing happened.
 */
bool ocaml_enter_handler(struct thread *th, int64_t t, uint64_t dst);

/* A return, or the end of what interrupted: leaves the top frame, and what an exception left. */
void ocaml_return(struct thread *th, int64_t t);

#endif
