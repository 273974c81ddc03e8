/* SPDX-License-Identifier: MIT */
/* unixaddr: addresses of unix(7) sockets, at paths of any length. */
#ifndef MT_SOFT_UNIXADDR_H
#define MT_SOFT_UNIXADDR_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

/*
 * Fills in the address of the socket at path. One that is too long goes by the descriptor of its
 * directory, *dir, which the caller closes when it has used the address (-1: there is none).
 * -1 with errno.
 */
int unixaddr_set(struct sockaddr_un *address, const char *path, int *dir);

/*
 * Whether the other end of a connected socket is root's or our own user's (SO_PEERCRED in unix(7)).
 * False with errno.
 */
bool unixaddr_is_trusted(int fd);

#endif
