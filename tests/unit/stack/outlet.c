/* SPDX-License-Identifier: MIT */
#include "stack/outlet.h"

#include "support/collect.h"
#include "support/suite.h"

static struct span at(int64_t t)
{
	return (struct span){ .kind = SPAN_COUNTER, .time = t };
}

static void put(struct outlet *out, int64_t t)
{
	struct span s = at(t);

	outlet_span(out, &s);
}

START_TEST(test_muted_kept_committed_discarded)
{
	struct spool_pool *pool = spool_pool_new(4096);
	struct intern *names = intern_new(0);
	static struct collect collect;
	struct span_sink sink = collect_sink(&collect, names);
	struct outlet out;

	outlet_init(&out, &sink, pool);
	put(&out, 1);
	out.muted = true;
	put(&out, 2);
	out.muted = false;
	outlet_commit(&out); /* nothing is kept: nothing happens */
	outlet_keep(&out);
	put(&out, 3);
	put(&out, 4);
	ck_assert_str_eq(collect.text, "C 1 0\n");
	outlet_commit(&out);
	put(&out, 5);
	ck_assert_str_eq(collect.text, "C 1 0\nC 3 0\nC 4 0\nC 5 0\n");
	outlet_keep(&out);
	put(&out, 6);
	outlet_discard(&out);
	put(&out, 7);
	ck_assert_str_eq(collect.text, "C 1 0\nC 3 0\nC 4 0\nC 5 0\nC 7 0\n");
	outlet_fini(&out);
	intern_free(names);
	spool_pool_free(pool);
}
END_TEST

SUITE_MAIN("stack/outlet", test_muted_kept_committed_discarded)
