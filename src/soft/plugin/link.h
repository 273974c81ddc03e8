/* SPDX-License-Identifier: MIT */
/* link: the plugin's end of the connection to who controls it (soft/qemuctl.h has the lines). */
#ifndef MT_SOFT_PLUGIN_LINK_H
#define MT_SOFT_PLUGIN_LINK_H

#include "base/err.h"

#include <stddef.h>

/* Connects to the socket at path: its descriptor; -1 with err. */
int link_connect(const char *path, struct err *err);

/* Sends a line (printf style, without its newline); nothing, when fd is -1. */
void link_say(int fd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Waits for a line; -1: there will be none. Longer ones are cut. */
int link_listen(int fd, char *line, size_t size);

#endif
