/* SPDX-License-Identifier: MIT */
#include "symbol/demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/*
 * From libiberty's demangle.h, whose place differs between distributions: /usr/include/libiberty in
 * Debian, /usr/include or nowhere in others.
 */
#define DMGL_PARAMS   (1 << 0)
#define DMGL_ANSI     (1 << 1)
#define DMGL_RET_DROP (1 << 6)

typedef void (*demangle_callback)(const char *text, size_t n, void *ctx);

extern int cplus_demangle_v3_callback(const char *mangled, int options, demangle_callback callback,
				      void *ctx);
extern int rust_demangle_callback(const char *mangled, int options, demangle_callback callback,
				  void *ctx);

extern char *dlang_demangle(const char *mangled, int options);

/*
 * The demangler of D returns what it has made when it is done. Each reference to what stood before
 * ("Q") may double it: so names with many of them are left as they are.
 */
#define D_NAME_MAX       512
#define D_REFERENCES_MAX 8

struct output {
	char *buf;
	size_t n, size;
	jmp_buf full;
};

/*
 * A short name can stand for a text that doubles with each of its letters. The demangler cannot be
 * told to stop, so it is left: what these two functions use is all on the stack.
 */
static void put(const char *text, size_t n, void *ctx)
{
	struct output *out = ctx;

	if (n >= out->size - out->n)
		longjmp(out->full, 1);
	/* an empty part may be at no place at all */
	if (n)
		memcpy(out->buf + out->n, text, n);
	out->n += n;
}

/* The D compiler puts the types of parameters behind a function's name, always. */
static bool demangle_d(const char *name, enum demangle_form form, char *buf, size_t size)
{
	size_t n = strnlen(name, D_NAME_MAX + 1), references = 0;
	char *text, *parameters;
	bool fits;

	for (size_t i = 0; i < n; i++)
		references += name[i] == 'Q';
	if (n > D_NAME_MAX || references > D_REFERENCES_MAX || !isalnum((unsigned char)name[2]))
		return false;
	text = dlang_demangle(name, 0);
	if (!text)
		return false;
	parameters = form == DEMANGLE_SHORT ? strrchr(text, '(') : NULL;
	/* "a!(int).b" has no parameters at its end */
	if (parameters && parameters != text && text[strlen(text) - 1] == ')')
		*parameters = '\0';
	fits = strlen(text) < size;
	if (fits)
		memcpy(buf, text, strlen(text) + 1);
	free(text);
	return fits && buf[0];
}

bool demangle(const char *name, enum demangle_form form, char *buf, size_t size)
{
	static const int options[] = {
		[DEMANGLE_SHORT] = 0,
		[DEMANGLE_FULL] = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP,
		[DEMANGLE_RETURN] = DMGL_PARAMS | DMGL_ANSI,
	};
	struct output out = { .buf = buf, .size = size };

	if (!demangle_is_mangled(name) ||
	    strnlen(name, DEMANGLE_NAME_MAX + 1) > DEMANGLE_NAME_MAX || size == 0)
		return false;
	if (name[1] == 'D')
		return demangle_d(name, form, buf, size);
	if (setjmp(out.full))
		return false;
	if (!rust_demangle_callback(name, options[form], put, &out)) {
		out.n = 0;
		if (name[1] == 'R' || !cplus_demangle_v3_callback(name, options[form], put, &out))
			return false;
	}
	buf[out.n] = '\0';
	return out.n > 0;
}
