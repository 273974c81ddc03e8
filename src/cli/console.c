/* SPDX-License-Identifier: MIT */
#include "cli/console.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define TEXT_MAX 8192
/* Back to the first column, and erase to the end of the line (ECMA-48: CR, EL). */
#define ERASE "\r\033[K"

/* One message while it is put together. */
struct message {
	char buf[2 * TEXT_MAX];
	size_t n;
};

void console_init(struct console *console, int fd)
{
	*console = (struct console){ .fd = fd, .terminal = isatty(fd) == 1 };
}

size_t console_escape(char *buf, size_t size, struct str s)
{
	size_t n = 0;

	while (s.n) {
		bool bad;
		size_t in = utf8_length(s, &bad);
		bool hidden = bad || utf8_steers(s, in);

		if (n + (hidden ? 4 * in : in) >= size)
			break;
		if (hidden)
			utf8_escape(buf + n, (struct str){ .p = s.p, .n = in });
		else
			memcpy(buf + n, s.p, in);
		n += hidden ? 4 * in : in;
		s = str_skip(s, in);
	}
	buf[n] = '\0';
	return n;
}

/* Adds bytes that are ours; what does not fit is left out. */
static void add(struct message *m, const char *s)
{
	size_t n = strlen(s);

	if (n > sizeof(m->buf) - m->n)
		return;
	memcpy(m->buf + m->n, s, n);
	m->n += n;
}

/* Adds bytes from outside, and leaves room for a newline. */
static void add_text(struct message *m, const char *s)
{
	m->n += console_escape(m->buf + m->n, sizeof(m->buf) - m->n - 1, str_of(s));
}

static void begin(struct message *m, struct console *console)
{
	m->n = 0;
	if (console->status)
		add(m, ERASE);
	console->status = false;
}

/* A failure has nobody to be told to. */
static void send(const struct console *console, const struct message *m)
{
	size_t done = 0;

	while (done < m->n) {
		ssize_t r = write(console->fd, m->buf + done, m->n - done);

		if (r > 0)
			done += (size_t)r;
		else if (r == 0 || errno != EINTR)
			return;
	}
}

static __attribute__((format(printf, 3, 0))) void say(struct console *console, const char *prefix,
						      const char *fmt, va_list ap)
{
	char text[TEXT_MAX];
	struct message m;

	vsnprintf(text, sizeof(text), fmt, ap);
	begin(&m, console);
	add(&m, prefix);
	add_text(&m, text);
	add(&m, "\n");
	send(console, &m);
}

void console_say(struct console *console, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(console, "", fmt, ap);
	va_end(ap);
}

void console_warn(struct console *console, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(console, "magic-trace: warning: ", fmt, ap);
	va_end(ap);
}

static void say_err(struct console *console, const char *prefix, const struct err *err)
{
	struct message m;

	begin(&m, console);
	add(&m, prefix);
	add_text(&m, err->msg);
	add(&m, "\n");
	if (err->hint[0]) {
		add(&m, "  ");
		add_text(&m, err->hint);
		add(&m, "\n");
	}
	send(console, &m);
}

void console_error(struct console *console, const struct err *err)
{
	say_err(console, "magic-trace: ", err);
}

void console_warn_err(struct console *console, const struct err *err)
{
	say_err(console, "magic-trace: warning: ", err);
}

void console_status(struct console *console, const char *fmt, ...)
{
	char text[TEXT_MAX];
	struct message m = { .n = 0 };
	va_list ap;

	if (!console->terminal)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add(&m, ERASE);
	add_text(&m, text);
	send(console, &m);
	console->status = true;
}

void console_status_end(struct console *console)
{
	struct message m;

	begin(&m, console);
	send(console, &m);
}
