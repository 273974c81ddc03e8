/* SPDX-License-Identifier: MIT */
/*
 * coverage: included before each file when COVERAGE=1. gcov's counts are written by exit(3); what
 * ends by _exit(2), as most of our processes do that are forked, writes them here.
 */
#ifndef MT_TESTS_SUPPORT_COVERAGE_H
#define MT_TESTS_SUPPORT_COVERAGE_H

#include <unistd.h>

void __gcov_dump(void); /* NOLINT(bugprone-reserved-identifier): libgcov's */

#define _exit(status) (__gcov_dump(), _exit(status))

#endif
