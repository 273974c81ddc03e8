/* SPDX-License-Identifier: MIT */
#include "stack/expect.h"

#include "base/intern.h"

/* Calls have no more bytes, but for some that are rare: a direct one has 5, most others 2 to 6. */
#define CALL_BYTES 6

bool expect_back(const struct frame *frame, const struct location *dst)
{
	if (!frame_expects(frame, dst->addr))
		return false;
	return dst->off || dst->sym == INTERN_NONE ||
	       dst->addr - frame->from <= (frame->kind == FRAME_CALL ? CALL_BYTES : 0);
}

uint32_t expect_nearest(const struct callstack *cs, uint32_t n, const struct location *dst)
{
	while (n && !expect_back(callstack_frame(cs, n - 1), dst))
		n--;
	return n;
}

uint32_t expect_holder(const struct callstack *cs, uint32_t n, const struct location *dst)
{
	if (dst->sym == INTERN_NONE)
		return 0;
	while (n && !frame_holds(callstack_frame(cs, n - 1), dst))
		n--;
	return n;
}

bool expect_within(const struct callstack *cs)
{
	uint32_t n = callstack_depth(cs);
	const struct frame *top;

	if (n < 2)
		return false;
	top = callstack_frame(cs, n - 1);
	return top->addr != top->start && callstack_frame(cs, n - 2)->start == top->start;
}
