/* SPDX-License-Identifier: MIT */
/* byname: looks for a function in what a process has mapped. */
#ifndef MT_SYMBOL_BYNAME_H
#define MT_SYMBOL_BYNAME_H

#include "base/err.h"
#include "symbol/locate.h"
#include "symbol/process.h"

/* NAME or LIBRARY:NAME; results as of locate(). */
enum locate_result byname_locate(struct process *process, const char *text, struct located *located,
				 struct err *err);

#endif
