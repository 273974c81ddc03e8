/* SPDX-License-Identifier: MIT */
#include "cli/fastpath.h"

#include "base/hash.h"
#include "base/installed.h"

#include <stdlib.h>

#define FILTER_NAME "magic-trace-dlfilter.so"

/* A number that nobody else knows, and from which the seed is not to be had. */
static uint64_t make_cookie(void)
{
	uint64_t seed = hash_seed();

	return hash_mix(seed, seed ^ 0x5851f42d4c957f2du);
}

/*
 * Whether jumps within a function count. Times are given by the code that ran, inlined functions
 * and OCaml's handlers are seen by where branches come from and go to, and a region ends at the
 * last event of each thread, whatever it was.
 */
static bool wants_all(const struct settings *settings, const struct options *options)
{
	if (settings->print_events || options->filter.start)
		return true;
	if (!settings->reference || !settings->reference_times || settings->inlined)
		return true;
	return settings->executable && !settings->skip_traps;
}

void fastpath_open(struct fastpath *fast, struct console *console, const struct settings *settings,
		   const struct options *options, void (*say)(void *ctx, struct str line),
		   void *ctx)
{
	struct err err = ERR_INIT;

	*fast = (struct fastpath){ .said = { .say = say, .ctx = ctx } };
	if (settings->mode != PERF_PT || settings->no_filter)
		return;
	fast->filter = installed_find(FILTER_NAME, &err);
	if (!fast->filter) {
		err_hint(&err, "decoding takes longer without it; `make` makes it");
		console_warn_err(console, &err);
		return;
	}
	fast->cookie = make_cookie();
	fast->all = wants_all(settings, options);
}

void fastpath_close(struct fastpath *fast)
{
	held_drop(&fast->said);
	free(fast->filter);
	fast->filter = NULL;
}

void fastpath_begin(struct fastpath *fast, struct perf_script_args *args)
{
	args->filter = fast->refused ? NULL : fast->filter;
	args->cookie = fast->cookie;
	args->all = fast->all;
	fast->trying = args->filter != NULL;
}

bool fastpath_hold(struct fastpath *fast, struct str line)
{
	if (fast->trying)
		held_add(&fast->said, line);
	return fast->trying;
}

void fastpath_accepted(struct fastpath *fast)
{
	fast->trying = false;
	held_say(&fast->said);
}

void fastpath_refused(struct fastpath *fast)
{
	fast->trying = false;
	fast->refused = true;
	held_drop(&fast->said);
}

void fastpath_not_to_blame(struct fastpath *fast)
{
	fast->refused = false;
}
