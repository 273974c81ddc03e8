/* SPDX-License-Identifier: MIT */
/* byline: looks for the code of a source line in what a process has mapped. */
#ifndef MT_SYMBOL_BYLINE_H
#define MT_SYMBOL_BYLINE_H

#include "base/err.h"
#include "symbol/locate.h"
#include "symbol/process.h"

/*
 * FILE:LINE or FILE:LINE:COL: the first statement of the line in each function that has code of it
 * (it may be inlined). Results as of locate(). Libraries are looked through when the program has no
 * source file of that name; debug info for them is not fetched from servers.
 */
enum locate_result byline_locate(struct process *process, const char *text, struct located *located,
				 struct err *err);

#endif
