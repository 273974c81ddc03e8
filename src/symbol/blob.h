/* SPDX-License-Identifier: MIT */
/* blob: bytes that are put one behind the other, to be sent or kept. */
#ifndef MT_SYMBOL_BLOB_H
#define MT_SYMBOL_BLOB_H

#include <stddef.h>

/* Begin with all zero. */
struct blob {
	char *p; /* owned; aligned as malloc(3) does */
	size_t n, cap;
};

/* Puts n bytes behind the others; where they are now is valid until the next call. */
void *blob_put(struct blob *blob, const void *bytes, size_t n);

/*
 * Takes n things of a size off the front of the *left bytes at *p, which were such a blob: where
 * they begin; or NULL, when there are not so many.
 */
const void *blob_take(const char **p, size_t *left, size_t n, size_t size);

/* Frees the bytes. */
void blob_fini(struct blob *blob);

#endif
