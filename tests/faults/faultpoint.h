/* SPDX-License-Identifier: MIT */
/*
 * Points at which a call into the C library can be made to fail, for shim.c.
 *
 * A point is a function and the addresses that the stack of its callers has. What was seen of each
 * lies in a file that the test has made, sized and written its wish into (points.py knows this
 * layout too); its path is in FAULT_TABLE. All processes that magic-trace forks share the file, and
 * so its counts; what they execute knows nothing of it.
 */
#ifndef MT_TESTS_FAULTPOINT_H
#define MT_TESTS_FAULTPOINT_H

#include <stdatomic.h>
#include <stdint.h>

#define FAULT_FRAMES  8
#define FAULT_ENTRIES 16384 /* a power of two */

/* What the failing call does, in place of an errno. */
enum {
	FAULT_SHORT = -1, /* transfers half of what it was asked to */
	FAULT_END = -2,   /* nothing comes: end of file */
};

struct fault_entry {
	_Atomic uint64_t key; /* 0: free */
	_Atomic uint32_t calls;
	uint32_t in_child;
	char name[24];
	/* number of the loaded object, 1 is the program, in the upper 16 bits; its offset there */
	uint64_t frames[FAULT_FRAMES];
};

struct fault_table {
	uint64_t key; /* of the point that is to fail; 0: none */
	uint32_t nth; /* its call, from 1 */
	uint32_t on;  /* not 0: and all calls behind it */
	int32_t how;  /* an errno, or one of the above */
	_Atomic uint32_t fired;
	struct fault_entry entries[FAULT_ENTRIES];
};

/* What is to happen to this call of name: 0 when nothing is. Leaves errno alone. */
int fault_point(const char *name);

#endif
