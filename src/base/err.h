/* SPDX-License-Identifier: MIT */
/*
 * err: what went wrong, said once, by the module that knows.
 *
 * Modules fill a struct err and return -1; they never print. The command layer prints it as
 * "what failed: why" with the hint on a line of its own.
 */
#ifndef MT_BASE_ERR_H
#define MT_BASE_ERR_H

/* A place for one error. Owned by the caller; no allocation, so it works out of memory too. */
struct err {
	char msg[1024]; /* what failed, on what object, and why; no trailing newline or stop */
	char hint[512]; /* what the user can do; empty when there is nothing to say */
};

/* An error with nothing in it. */
#define ERR_INIT          \
	{                 \
		.msg = "" \
	}

/*
 * Writes the message (printf style, cut to fit) and clears the hint. err may be NULL: nothing is
 * kept. Always returns -1, so that a caller can write `return err_set(err, ...)`.
 */
int err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As err_set, with ": " and the text of errno (as it was when called) at the end. Returns -1. */
int err_errno(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds what the user can do about it. Returns -1. err may be NULL. */
int err_hint(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "fmt: " before the message, for a caller that knows the object. Returns -1. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
