/* SPDX-License-Identifier: MIT */
#include "cli/version.h"

/* The Makefile defines it for this file alone. */
#ifndef MT_VERSION
#define MT_VERSION "unknown"
#endif

const char *version(void)
{
	return MT_VERSION;
}
