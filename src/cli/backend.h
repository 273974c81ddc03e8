/* SPDX-License-Identifier: MIT */
/* backend: which backend the flags -backend, -software and -sampling ask for, together. */
#ifndef MT_CLI_BACKEND_H
#define MT_CLI_BACKEND_H

#include "base/err.h"
#include "cli/options.h"
#include "record/options.h"

/* 0, or -1 with err: they contradict each other. */
int backend_check(const struct options *options, struct err *err);

/* The one that they ask for, when backend_check has nothing against them. */
enum backend backend_of(const struct options *options);

#endif
