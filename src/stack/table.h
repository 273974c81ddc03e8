/* SPDX-License-Identifier: MIT */
/* table: the threads of a trace, found by pid and tid, and kept in order of first appearance. */
#ifndef MT_STACK_TABLE_H
#define MT_STACK_TABLE_H

#include "stack/thread.h"

struct table {
	struct thread **threads; /* in order of first appearance; owned */
	uint32_t n, cap;
	uint32_t *slots; /* open addressing: index into threads + 1, or 0 */
	uint32_t n_slots;
	uint64_t seed;       /* of the hash */
	struct thread *last; /* the one that was asked for last: mostly it is asked for again */
};

/* Empty. Free with table_fini. */
void table_init(struct table *table);
void table_fini(struct table *table);

/* The thread of pid and tid (0: not known), made when it is new. Valid as long as the table. */
struct thread *table_thread(struct table *table, struct shared *shared, int32_t pid, int32_t tid);

#endif
