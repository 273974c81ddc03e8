/* SPDX-License-Identifier: MIT */
/* unixaddr: addresses of unix(7) sockets, at paths of any length. */
#ifndef MT_SOFT_UNIXADDR_H
#define MT_SOFT_UNIXADDR_H

#include <sys/socket.h>
#include <sys/un.h>

/*
 * Fills in the address of the socket at path. One that is too long goes by the descriptor of its
 * directory, *dir, which the caller closes when it has used the address (-1: there is none).
 * -1 with errno.
 */
int unixaddr_set(struct sockaddr_un *address, const char *path, int *dir);

#endif
