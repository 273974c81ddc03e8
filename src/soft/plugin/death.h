/* SPDX-License-Identifier: MIT */
/*
 * death: the end of a program by a signal that it does not handle. QEMU tells plugins nothing of
 * it: it calls kill(2) on itself. So its calls of kill come to us first.
 */
#ifndef MT_SOFT_PLUGIN_DEATH_H
#define MT_SOFT_PLUGIN_DEATH_H

/* fn is called right before a signal that QEMU sends to itself. -1: it cannot be (errno). */
int death_watch(void (*fn)(void));

#endif
