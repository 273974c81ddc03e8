/* SPDX-License-Identifier: MIT */
/* emulation: an emulation and its tracer, in a directory for one test. */
#ifndef MT_TESTS_SUPPORT_EMULATION_H
#define MT_TESTS_SUPPORT_EMULATION_H

#include "record/emulation.h"
#include "support/scratch.h"

#include <string.h>

static struct scratch s;
static struct err err;
static struct emulation *e;
static struct tracer tracer;
static char warnings[4096];

static inline void on_warn(void *ctx, const struct err *what)
{
	(void)ctx;
	ck_assert_uint_lt(strlen(warnings) + strlen(what->msg) + 2, sizeof(warnings));
	strcat(strcat(warnings, what->msg), "\n");
}

static const struct listener listener = { .warn = on_warn };

static inline void set_up(void)
{
	err = (struct err)ERR_INIT;
	warnings[0] = '\0';
	scratch_init(&s);
	ck_assert_msg(emulation_new(s.dir, &listener, &e, &err) == 0, "%s", err.msg);
}

static inline struct emulation_settings settings_of(size_t ring, bool multi)
{
	return (struct emulation_settings){
		.data = scratch_path(&s, "perf.data"),
		.ring = ring,
		.multi_snapshot = multi,
		.trigger_file = "/bin/sh",
		.trigger_at = 0x1234,
	};
}

static inline void step_to(enum tracer_state state)
{
	ck_assert_int_eq(tracer.ops->step(tracer.self), state);
}

static inline void finishes(const char *warned)
{
	ck_assert_msg(tracer.ops->finish(tracer.self, &err) == 0, "%s", err.msg);
	ck_assert_msg(*warned ? strstr(warnings, warned) != NULL : !warnings[0], "%s", warnings);
}

static inline void fails(const char *why, const char *hint)
{
	ck_assert_int_eq(tracer.ops->finish(tracer.self, &err), -1);
	ck_assert_msg(strstr(err.msg, why) != NULL, "%s", err.msg);
	ck_assert_msg(strstr(err.hint, hint) != NULL, "%s", err.hint);
	ck_assert_str_eq(warnings, "");
}

static inline size_t snapshots(void)
{
	return tracer.ops->snapshots(tracer.self);
}

static inline size_t read_hits(struct hit *hits, size_t max)
{
	struct hit_source source = emulation_hits(e);

	return source.ops->read(source.self, hits, max);
}

#endif
