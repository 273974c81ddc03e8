/* SPDX-License-Identifier: MIT */
#include "soft/unixaddr.h"

#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool unixaddr_is_trusted(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return false;
	if (peer.uid == 0 || peer.uid == geteuid())
		return true;
	errno = EACCES;
	return false;
}

int unixaddr_set(struct sockaddr_un *address, const char *path, int *dir)
{
	const char *slash = strrchr(path, '/');
	char *parent;
	int n;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	*dir = -1;
	if (strlen(path) < sizeof(address->sun_path)) {
		memcpy(address->sun_path, path, strlen(path));
		return 0;
	}
	parent = slash ? xmemdup0(path, (size_t)(slash - path) + 1) : xstrdup(".");
	*dir = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(parent);
	if (*dir < 0)
		return -1;
	n = snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/%s", *dir,
		     slash ? slash + 1 : path);
	if (n > 0 && (size_t)n < sizeof(address->sun_path))
		return 0;
	close(*dir);
	*dir = -1;
	errno = ENAMETOOLONG;
	return -1;
}
