/* SPDX-License-Identifier: MIT */
/*
 * highfd: file descriptors that are out of the way. What is recorded from within its own process
 * (QEMU's plugin) shares their numbers with us: the program is to get those that it would get
 * without us, and to close all of its own without closing ours.
 */
#ifndef MT_SOFT_HIGHFD_H
#define MT_SOFT_HIGHFD_H

/*
 * Closes fd and returns another for the same file, with a high number; or fd, if there is none.
 * The number lies above the soft limit (RLIMIT_NOFILE, getrlimit(2)) if the hard one leaves room
 * there, else just below it. The soft limit is raised for the moment of this call.
 */
int highfd_move(int fd);

#endif
