/* SPDX-License-Identifier: MIT */
/*
 * console: what the user reads on standard error. Only the command layer has one.
 *
 * Each message is one write(2), so that lines of several programs do not mix. What steers a
 * terminal (utf8_steers) and bytes that are not UTF-8 are shown as \xNN: names in recordings are
 * not to.
 */
#ifndef MT_CLI_CONSOLE_H
#define MT_CLI_CONSOLE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct console {
	int fd;
	bool terminal;
	bool status; /* a status line is drawn, and goes before the next message */
};

void console_init(struct console *console, int fd);

/* One line, as it is; cut at some 8,000 bytes. */
void console_say(struct console *console, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "magic-trace: warning: ..." */
void console_warn(struct console *console, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "magic-trace: ..." or "magic-trace: warning: ...", with the hint on a line of its own. */
void console_error(struct console *console, const struct err *err);
void console_warn_err(struct console *console, const struct err *err);

/*
 * Draws a line that the next one of its kind, or any message, replaces. Nothing when this is no
 * terminal.
 */
void console_status(struct console *console, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Takes the status line away. */
void console_status_end(struct console *console);

/*
 * Writes s with what steers a terminal, or is not UTF-8, as \xNN into buf of size bytes (at least
 * 1), cut at a whole character to fit, with a NUL behind. The length.
 */
size_t console_escape(char *buf, size_t size, struct str s);

#endif
