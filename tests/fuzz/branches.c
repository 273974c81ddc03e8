/* SPDX-License-Identifier: MIT */
/*
 * branches [CASES [SEED]]: bytes become a trace of branches (support/branchplan.h), which goes
 * through the stacks with settings of the first bytes' choice. What comes out must obey
 * support/spancheck.h, every frame is drawn or counted, and the memory for waiting spans changes
 * nothing.
 */
#include "base/hash.h"
#include "base/spool.h"
#include "base/xalloc.h"
#include "stack/stacks.h"
#include "support/branchplan.h"
#include "support/fuzz.h"
#include "support/inlinedsomewhere.h"
#include "support/spancheck.h"

static const uint32_t depths[] = { 500, 0, 1, 2, 5, 40, 500, 500 };

/* OCaml code that installs, removes and enters handlers, in main, f and g. */
static const uint64_t pushes[] = { 0x400000, 0x401003, 0x402007 };
static const uint64_t pops[] = { 0x400005, 0x401005, 0x40200b };
static const uint64_t enters[] = { 0x400010, 0x401010 };
static const struct ocaml_traps traps = {
	.push = pushes,
	.pop = pops,
	.enter = enters,
	.n_push = 3,
	.n_pop = 3,
	.n_enter = 2,
};

static struct stacks_config choose_config(uint64_t choice, struct intern *names)
{
	struct stacks_config config = {
		.names = names,
		.scope = (enum trace_scope)(choice % 3),
		.skip_tx = choice >> 2 & 1,
		.reference = choice >> 3 & 1,
		.reference_times = choice >> 4 & 1,
		.traps = choice >> 5 & 1 ? &traps : NULL,
		.inlined = choice >> 6 & 1 ? inlined_somewhere : NULL,
		.ctx = names,
		.max_depth = depths[choice >> 8 & 7],
	};

	if (choice >> 7 & 1) {
		config.filter_start = STR("f");
		config.filter_stop = choice >> 11 & 1 ? STR("g") : STR("h");
	}
	return config;
}

static void check_counts(const struct spancheck *check, const struct stacks_config *config,
			 const struct stacks_stats *stats)
{
	uint64_t shown = check->begins + check->unknowns;

	MUST(config->max_depth || stats->hidden == 0);
	if (config->filter_start.n == 0)
		MUST(shown + stats->hidden == stats->calls + stats->inlined);
	MUST(stats->threads <= BRANCHPLAN_THREADS + 1);
}

/* A hash of all that comes out. */
static uint64_t run(struct fuzz_bytes bytes, size_t budget)
{
	uint64_t choice = fuzz_take(&bytes, 2), h = 1;
	struct intern *names = intern_new(0);
	struct stacks_config config = choose_config(choice, names);
	struct trigger_hit hit = { .time = (int64_t)(choice & 0xfff), .passed = 900, .tid = 7 };
	struct spancheck check = { .names = names, .max_depth = config.max_depth };
	struct branchplan *plan = xmalloc(sizeof(*plan));
	struct stacks *stacks;
	struct event ev;
	int got;

	branchplan_init(plan, bytes, names);
	hit.symbol = plan->functions[20];
	config.hits = &hit;
	config.n_hits = choice >> 12 & 1;
	config.sink = spancheck_sink(&check);
	config.pool = spool_pool_new(budget);
	stacks = stacks_new(&config);
	stacks_next_file(stacks);
	while ((got = branchplan_next(plan, &ev)) != 0) {
		if (got < 0)
			stacks_next_file(stacks);
		else
			stacks_feed(stacks, &ev);
	}
	stacks_finish(stacks);
	for (size_t i = 0; i < check.n; i++) {
		const struct span *s = &check.all[i].span;

		h = hash_mix(h ^ (uint64_t)s->time,
			     (uint64_t)s->name << 32 | s->track << 8 | s->kind);
		h = hash_mix(h ^ s->addr, s->value | 1);
	}
	check_counts(&check, &config, stacks_stats(stacks));
	MUST(spool_pool_error(config.pool, NULL) == 0);
	spancheck_end(&check);
	stacks_free(stacks);
	spool_pool_free(config.pool);
	intern_free(names);
	free(plan);
	return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	uint64_t h = run(bytes, 1 << 20);

	MUST(size % 8 || run(bytes, 1) == h);
	return 0;
}

FUZZ_MAIN("branches", 1500)
