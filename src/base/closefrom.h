/* SPDX-License-Identifier: MIT */
/* closefrom: for a process that is to have nothing of its parent's. */
#ifndef MT_BASE_CLOSEFROM_H
#define MT_BASE_CLOSEFROM_H

/* Closes every file descriptor from first on (close_range(2)). Safe behind fork(2). */
void closefrom_fd(int first);

#endif
