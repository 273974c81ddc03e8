/* SPDX-License-Identifier: MIT */
#include "stack/outlet.h"

void outlet_init(struct outlet *out, const struct span_sink *sink, struct spool_pool *pool)
{
	*out = (struct outlet){ .sink = *sink };
	spool_init(&out->kept, pool, sizeof(struct span));
}

void outlet_fini(struct outlet *out)
{
	spool_fini(&out->kept);
}

void outlet_keep(struct outlet *out)
{
	out->keeping = true;
}

static void pass_on(void *ctx, void *rec)
{
	struct outlet *out = ctx;

	out->sink.span(out->sink.ctx, rec);
}

void outlet_commit(struct outlet *out)
{
	if (!out->keeping)
		return;
	out->keeping = false;
	spool_each(&out->kept, pass_on, out);
	spool_clear(&out->kept);
}

void outlet_discard(struct outlet *out)
{
	out->keeping = false;
	spool_clear(&out->kept);
}
