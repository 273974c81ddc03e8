/* SPDX-License-Identifier: MIT */
/* clockwords: what the times of a recording are, in words. */
#ifndef MT_CLI_CLOCKWORDS_H
#define MT_CLI_CLOCKWORDS_H

#include "record/recording.h"

/* For a trace's tracks: "virtual time". NULL: they are what a clock showed while it ran freely. */
const char *clockwords_short(const struct recording *recording);

/* A sentence without its full stop, for the same recordings. */
const char *clockwords_long(const struct recording *recording);

#endif
