/* SPDX-License-Identifier: MIT */
/* perftracer: `perf record` as a tracer. */
#ifndef MT_RECORD_PERFTRACER_H
#define MT_RECORD_PERFTRACER_H

#include "base/err.h"
#include "base/str.h"
#include "perf/recordargs.h"
#include "record/tracer.h"

/* As perf_record_start. 0 and *tracer, which is ended by its finish; or -1 with err. */
int perftracer_start(const struct perf_record_settings *settings,
		     void (*on_stderr)(void *ctx, struct str line), void *ctx,
		     struct tracer *tracer, struct err *err);

#endif
