/* SPDX-License-Identifier: MIT */
/*
 * fibers: the stacks that a thread left and may come back to: of coroutines, fibers, contexts.
 *
 * A thread that switches stacks returns (or jumps) to where another stack was left. So a stack that
 * is left is kept with the address that control must land on when it goes on: behind the call of
 * the function that switched.
 */
#ifndef MT_STACK_FIBERS_H
#define MT_STACK_FIBERS_H

#include "event/event.h"
#include "stack/callstack.h"

#include <stdbool.h>
#include <stdint.h>

/* Stacks kept for one thread; the one that was left first makes room for another. */
#define FIBERS_MAX 128u

/* What is deeper is not kept: each return to it would draw all its frames anew. */
#define FIBER_MAX_FRAMES 1024u

/* One stack that was left. */
struct fiber {
	struct frame *frames; /* outermost first; owned */
	uint32_t n, cap;      /* n: at least 1 */
	struct frame gone;    /* the frame that switched: where it returns to, this stack goes on */
	uint32_t left;        /* the number of the switch by which it was left */
	uint32_t arrow;       /* the number of the arrow that leads from there; 0: there is none */
};

struct fibers {
	struct fiber *list; /* in the order they were kept; owned */
	uint32_t n, cap;    /* list[n..cap) keep their memory */
	struct fiber taken; /* the one that was taken last */
	uint32_t switches;  /* of the thread, counted */
};

/* None. Free with fibers_fini. */
void fibers_init(struct fibers *fibers);
void fibers_fini(struct fibers *fibers);

/*
 * Keeps a copy of the n frames of a stack, outermost first, of which the last one switched; it was
 * left by that switch. Returns it, without an arrow, valid until the next one is kept or taken.
 * NULL: it is not kept, for there are less than two frames or more than FIBER_MAX_FRAMES, or it is
 * not known where the last one was called.
 */
struct fiber *fibers_keep(struct fibers *fibers, const struct frame *frames, uint32_t n,
			  uint32_t left);

/*
 * The stack that goes on when control lands at addr: of those whose frame that switched was called
 * just before it, the one that waits longest. NULL: none.
 */
struct fiber *fibers_find(const struct fibers *fibers, uint64_t addr);

/* Takes one that was found (NULL: none, NULL is returned). Valid until the next one is taken. */
const struct fiber *fibers_take(struct fibers *fibers, const struct fiber *fiber);

/*
 * Takes the stack that has a function which holds loc, without the frames above that one: control
 * came there by a longjmp. Of several it is the one with the fewest frames above, since who waits
 * for a longjmp has called little more than what left the stack; and of those the one that waits
 * longest. NULL: none. Valid until the next one is taken.
 */
const struct fiber *fibers_take_within(struct fibers *fibers, const struct location *loc);

/* Forgets all. */
static inline void fibers_clear(struct fibers *fibers)
{
	fibers->n = 0;
}

#endif
