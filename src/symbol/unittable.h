/* SPDX-License-Identifier: MIT */
/*
 * unittable: the source lines and the inlined functions of one compilation unit. Flat, so that it
 * can be sent from process to process and kept in a file; whoever reads one checks it first.
 *
 * Addresses are those of the file as it was linked.
 */
#ifndef MT_SYMBOL_UNITTABLE_H
#define MT_SYMBOL_UNITTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* To be raised when a table of old code would be misunderstood. */
#define UNITTABLE_VERSION 1

#define UNITTABLE_NONE UINT32_MAX

/* Functions inlined into each other this deep are followed, not deeper. */
#define UNITTABLE_DEPTH_MAX 256

/* From value on the code is of this line; line 0: of none. Sorted; equal values in the DWARF's
 * order.
 */
struct unittable_row {
	uint64_t value;
	uint32_t file; /* of names */
	uint32_t line, col, reserved;
};

/* [start, end) is of this scope and of none that lies in it. Sorted, none overlaps another. */
struct unittable_span {
	uint64_t start, end;
	uint32_t scope, reserved;
};

/* A function, or (with a parent) a place where one was inlined. */
struct unittable_scope {
	uint32_t name;      /* the linkage name where there is one */
	uint32_t parent;    /* the scope it was inlined into, a smaller number; or UNITTABLE_NONE */
	uint32_t call_file; /* where that is, when there is a parent; line 0: not known */
	uint32_t call_line, call_col, reserved;
};

/* As it lies in memory and in files. */
struct unittable_head {
	uint32_t version, n_rows, n_spans, n_scopes;
	uint64_t n_names; /* bytes; the first and the last one are NUL */
};

/* One that was checked; all is borrowed from the bytes. */
struct unittable {
	const struct unittable_row *rows;
	const struct unittable_span *spans;
	const struct unittable_scope *scopes;
	const char *names;
	size_t n_rows, n_spans, n_scopes, n_names;
};

/* Whether the bytes are a table that can be read without a further look; then *table is filled. */
bool unittable_check(const void *bytes, size_t n, struct unittable *table);

/* A place in a source file; line 0 and file "": not known; col 0: not known. */
struct unittable_place {
	const char *function; /* "": not known */
	const char *file;
	uint32_t line, col;
};

/*
 * The line that the code at a value is of. `first`: of several rows at this very value the first
 * one is meant, which is that of a function's own head, and not what was inlined at its beginning.
 */
bool unittable_line(const struct unittable *table, uint64_t value, bool first,
		    struct unittable_place *place);

/* Code of one scope; UNITTABLE_NONE: of none that is known. */
struct unittable_run {
	uint64_t start, end;
	uint32_t scope;
};

/* Clips *run, which holds a value, to the code around the value that is of its scope. */
void unittable_run(const struct unittable *table, uint64_t value, struct unittable_run *run);

/*
 * The functions that the code at a value is of, innermost first, each with the place in it: how
 * many were written to places (at most max). The last one is no inlined one. 0: no function is
 * known there.
 */
size_t unittable_chain(const struct unittable *table, uint64_t value,
		       struct unittable_place *places, size_t max);

#endif
