/* SPDX-License-Identifier: MIT */
/*
 * Events to spans, without text and without a file: streams of several shapes into a sink that only
 * counts. Prints events a second, ns an event, and requests for memory an event once warm.
 */
#include "stack/stacks.h"
#include "base/xalloc.h"
#include "support/bench.h"

#include <stdio.h>
#include <stdlib.h>

#define EVENTS  4000000u
#define SYMBOLS 300u

struct shape {
	const char *name;
	unsigned call, ret, jump, error, equal; /* of 1,000; equal: events with the time before */
	uint32_t depth;                         /* that the stack hovers at */
};

static const struct shape shapes[] = {
	{ "mostly jumps in one function", 80, 80, 0, 0, 700, 30 },
	{ "calls and returns", 480, 480, 20, 0, 600, 30 },
	{ "deep", 480, 480, 20, 0, 600, 2000 },
	{ "tail calls", 100, 100, 700, 0, 600, 30 },
	{ "errors", 440, 440, 20, 5, 600, 30 },
	{ "every event its own time", 480, 480, 20, 0, 0, 30 },
};

static uint32_t random_u32(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static struct location place(uint32_t symbol, uint32_t off)
{
	return (struct location){ .addr = 0x400000 + symbol * 0x1000ull + off,
				  .off = off,
				  .sym = symbol + 100,
				  .dso = 1 };
}

static struct event *make(const struct shape *shape)
{
	struct event *events = xcalloc(EVENTS, sizeof(*events));
	uint32_t stack[4096] = { 0 }, depth = 1, i, x;
	uint64_t state = 1;
	int64_t t = 1000;

	for (i = 0; i < EVENTS; i++) {
		struct event *ev = &events[i];

		if (random_u32(&state) % 1000 >= shape->equal)
			t += 1 + random_u32(&state) % 100;
		*ev = (struct event){ .has_time = true, .time = t, .pid = 1, .tid = 1 };
		x = random_u32(&state) % 1000;
		ev->branch.kind = BRANCH_JCC;
		ev->branch.src = place(stack[depth - 1], 8);
		if (x < shape->call && depth < 2 * shape->depth) {
			stack[depth++] = random_u32(&state) % SYMBOLS;
			ev->branch.kind = BRANCH_CALL;
			ev->branch.dst = place(stack[depth - 1], 0);
		} else if (x < shape->call + shape->ret && depth > 1) {
			depth--;
			ev->branch.kind = BRANCH_RETURN;
			ev->branch.dst = place(stack[depth - 1], 16);
		} else if (x < shape->call + shape->ret + shape->jump) {
			stack[depth - 1] = random_u32(&state) % SYMBOLS;
			ev->branch.kind = BRANCH_JMP;
			ev->branch.dst = place(stack[depth - 1], 0);
		} else if (x < shape->call + shape->ret + shape->jump + shape->error) {
			*ev = (struct event){
				.kind = EVENT_ERROR, .has_time = true, .time = t, .pid = 1, .tid = 1
			};
			ev->error.message = 1;
		} else {
			ev->branch.dst = place(stack[depth - 1], 24);
		}
	}
	return events;
}

static void measure(const struct shape *shape)
{
	struct event *events = make(shape);
	struct intern *names = intern_new(0);
	struct spool_pool *pool = spool_pool_new(16u << 20);
	uint64_t spans = 0;
	struct stacks_config config = {
		.scope = SCOPE_USER,
		.names = names,
		.sink = bench_sink(&spans),
		.pool = pool,
		.max_depth = 500,
	};
	struct stacks *stacks = stacks_new(&config);
	size_t requests = 0;
	double start = bench_now(CLOCK_MONOTONIC), seconds;
	uint32_t i;

	for (i = 0; i < EVENTS; i++) {
		if (i == EVENTS / 2)
			requests = xalloc_count();
		stacks_feed(stacks, &events[i]);
	}
	requests = xalloc_count() - requests;
	stacks_finish(stacks);
	seconds = bench_now(CLOCK_MONOTONIC) - start;
	printf("%-30s %6.1f M events/s %6.1f ns/event %9lu spans  %zu requests for memory in the second half\n",
	       shape->name, EVENTS / seconds / 1e6, seconds * 1e9 / EVENTS, (unsigned long)spans,
	       requests);
	stacks_free(stacks);
	spool_pool_free(pool);
	intern_free(names);
	free(events);
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		measure(&shapes[i]);
	return 0;
}
