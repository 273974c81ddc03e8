/* SPDX-License-Identifier: MIT */
/* demangle: the names of C++, Rust and D functions as programmers write them (libiberty). */
#ifndef MT_SYMBOL_DEMANGLE_H
#define MT_SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Longer ones are left as they are: what a few hundred letters stand for may be without bounds. */
#define DEMANGLE_NAME_MAX 4096

enum demangle_form {
	DEMANGLE_SHORT,  /* without parameters and return type, as perf prints it */
	DEMANGLE_FULL,   /* with parameters */
	DEMANGLE_RETURN, /* with parameters, and the return type where there is one */
};

/* Whether a name looks as if it were mangled (Itanium C++ ABI, Rust legacy and v0, D). */
static inline bool demangle_is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
}

/*
 * Writes the name in this form into buf, with a NUL. false, with buf undefined, when it is not
 * mangled, or is longer than DEMANGLE_NAME_MAX, or the result does not fit.
 */
bool demangle(const char *name, enum demangle_form form, char *buf, size_t size);

#endif
