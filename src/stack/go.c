/* SPDX-License-Identifier: MIT */
#include "stack/go.h"

static bool has_go_switch(const struct thread *th)
{
	const struct known *known = &th->shared->known;
	uint32_t i, n = callstack_depth(&th->stack);

	for (i = 0; i < n; i++) {
		uint32_t sym = callstack_frame(&th->stack, i)->sym;

		if (sym == known->mcall || sym == known->morestack)
			return true;
	}
	return false;
}

void go_leave(struct thread *th, int64_t t)
{
	const struct known *known = &th->shared->known;
	uint32_t sym = thread_pop(th, t);

	if (sym != known->gogo)
		return;
	if (!has_go_switch(th)) {
		thread_end(th, t);
		return;
	}
	/* Back to who called mcall or morestack: these two never return. */
	do {
		sym = thread_pop(th, t);
	} while (sym != known->mcall && sym != known->morestack);
	thread_pop(th, t);
}
