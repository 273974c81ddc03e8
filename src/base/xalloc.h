/* SPDX-License-Identifier: MIT */
/*
 * xalloc: allocation that does not fail. A command-line tool can do nothing useful without memory:
 * out of memory writes one line and ends the process with status 1, after the function set by
 * xalloc_on_fail has run (it removes the half-written output file).
 */
#ifndef MT_BASE_XALLOC_H
#define MT_BASE_XALLOC_H

#include <stddef.h>

/* n bytes, not cleared; never NULL. Free with free(). */
void *xmalloc(size_t n) __attribute__((malloc, returns_nonnull, alloc_size(1)));

/* n * size bytes, cleared; an overflowing product counts as out of memory. */
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1, 2)));

/* p resized to n * size bytes; the old block is freed or reused. p may be NULL. */
void *xreallocarray(void *p, size_t n, size_t size) __attribute__((returns_nonnull));

/* p resized to n bytes. libiberty's demangler of D calls it, and so takes memory as we do. */
void *xrealloc(void *p, size_t n) __attribute__((returns_nonnull));

/* A copy of the n bytes at s and a NUL behind them. */
char *xmemdup0(const void *s, size_t n) __attribute__((malloc, returns_nonnull));

/* A copy of a C string; NULL gives NULL. */
char *xstrdup(const char *s) __attribute__((malloc));

/* printf into fresh memory; never NULL. Free with free(). */
char *xasprintf(const char *fmt, ...) __attribute__((malloc, format(printf, 1, 2)));

/* What runs before the process ends for want of memory; NULL for nothing. */
void xalloc_on_fail(void (*fn)(void));

/*
 * How many times the functions above have asked the C library for memory since the start: the
 * benchmark shows with it that a line costs no allocation.
 */
size_t xalloc_count(void);

#endif
