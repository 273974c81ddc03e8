/* SPDX-License-Identifier: MIT */
#include "record/listener.h"

#include <stdarg.h>
#include <stdio.h>

void listener_say(const struct listener *listener, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	listener->say(listener->ctx, line);
}

void listener_warn(const struct listener *listener, const struct err *what)
{
	listener->warn(listener->ctx, what);
}
