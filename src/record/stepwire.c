/* SPDX-License-Identifier: MIT */
#include "record/stepwire.h"

#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool stepwire_flush(struct stepwire *wire)
{
	size_t sent = 0;
	ssize_t n = 0;

	if (wire->n == 0)
		return true;
	while (wire->fd >= 0 && sent < wire->n) {
		n = send(wire->fd, &wire->queue[sent], sizeof(*wire->queue),
			 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		sent++;
	}
	/* ENOBUFS, ENOMEM: the kernel has no room just now */
	if (n < 0 && errno != EAGAIN && errno != ENOBUFS && errno != ENOMEM)
		sent = wire->n;
	memmove(wire->queue, wire->queue + sent, (wire->n - sent) * sizeof(*wire->queue));
	wire->n -= sent;
	return wire->n == 0;
}

void stepwire_send(struct stepwire *wire, const struct stepwire_message *message)
{
	if (wire->fd < 0)
		return;
	if (wire->n == wire->room) {
		wire->room = wire->room ? 2 * wire->room : 4;
		wire->queue = xreallocarray(wire->queue, wire->room, sizeof(*wire->queue));
	}
	wire->queue[wire->n++] = *message;
	stepwire_flush(wire);
}

int stepwire_receive(struct stepwire *wire, struct stepwire_message *message)
{
	ssize_t n;

	errno = 0;
	if (wire->fd < 0)
		return -1;
	/*
	 * ECONNRESET: it left messages unread; told once, ahead of those that we can read.
	 * MSG_TRUNC: how long it was, so that one that is too long is not taken for one of ours.
	 */
	do
		n = recv(wire->fd, message, sizeof(*message), MSG_DONTWAIT | MSG_TRUNC);
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	if (n == (ssize_t)sizeof(*message))
		return 1;
	if (n >= 0)
		errno = 0;
	return n < 0 && errno == EAGAIN ? 0 : -1;
}

void stepwire_close(struct stepwire *wire)
{
	if (wire->fd >= 0)
		close(wire->fd);
	free(wire->queue);
	*wire = (struct stepwire){ .fd = -1 };
}
