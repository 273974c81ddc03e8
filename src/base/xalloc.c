/* SPDX-License-Identifier: MIT */
#include "base/xalloc.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*on_fail)(void);
/* Atomic, since the compressor allocates in a thread of its own. */
static atomic_size_t requests;

static _Noreturn void out_of_memory(void)
{
	static const char text[] = "magic-trace: out of memory\n";
	ssize_t ignored;

	if (on_fail)
		on_fail();
	ignored = write(STDERR_FILENO, text, sizeof(text) - 1);
	(void)ignored;
	_exit(1);
}

static void *checked(void *p)
{
	atomic_fetch_add_explicit(&requests, 1, memory_order_relaxed);
	if (!p)
		out_of_memory();
	return p;
}

void *xmalloc(size_t n)
{
	return checked(malloc(n ? n : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (n == 0 || size == 0)
		n = size = 1;
	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory();
	return checked(realloc(p, bytes));
}

void *xrealloc(void *p, size_t n)
{
	return xreallocarray(p, n, 1);
}

char *xmemdup0(const void *s, size_t n)
{
	char *p;

	if (n == SIZE_MAX)
		out_of_memory();
	p = xmalloc(n + 1);
	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *xstrdup(const char *s)
{
	return s ? xmemdup0(s, strlen(s)) : NULL;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&p, fmt, ap);
	va_end(ap);
	return checked(n < 0 ? NULL : p);
}

void xalloc_on_fail(void (*fn)(void))
{
	on_fail = fn;
}

size_t xalloc_count(void)
{
	return atomic_load_explicit(&requests, memory_order_relaxed);
}
