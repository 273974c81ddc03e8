/* SPDX-License-Identifier: MIT */
#include "stack/sample.h"

void sample_apply(struct thread *th, int64_t t, const struct event *ev)
{
	uint32_t common = 0, depth = callstack_depth(&th->stack);
	size_t n = ev->sample.n, i;

	while (common < depth && common < n &&
	       frame_same_start(callstack_frame(&th->stack, common), &ev->sample.frames[common]))
		common++;
	/* A sample that changes nothing is a timestamp all the same: calls share the time up to it.
	 */
	if (common == depth && common == n && t > th->spread.time)
		spread_flush(&th->spread, t);
	while (callstack_depth(&th->stack) > common)
		thread_pop(th, t);
	for (i = common; i < n; i++)
		thread_call(th, t, &ev->sample.frames[i], 0);
}
