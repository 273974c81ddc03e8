/* SPDX-License-Identifier: MIT */
#include "base/input.h"

#include <errno.h>
#include <unistd.h>

static ssize_t fd_read(void *ctx, void *buf, size_t size, struct err *err)
{
	const int *fd = ctx;

	for (;;) {
		ssize_t n = read(*fd, buf, size);

		if (n >= 0)
			return n;
		if (errno != EINTR)
			return err_errno(err, "reading failed");
	}
}

struct input input_fd(int *fd)
{
	return (struct input){ .ctx = fd, .read = fd_read };
}
