/* SPDX-License-Identifier: MIT */
#include "symbol/blob.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define FIRST ((size_t)1 << 12)

void *blob_put(struct blob *blob, const void *bytes, size_t n)
{
	size_t cap = blob->cap ? blob->cap : FIRST, at = blob->n;

	while (cap - blob->n < n)
		cap *= 2;
	if (cap != blob->cap)
		blob->p = xreallocarray(blob->p, cap, 1);
	blob->cap = cap;
	if (n)
		memcpy(blob->p + at, bytes, n);
	blob->n += n;
	return blob->p + at;
}

const void *blob_take(const char **p, size_t *left, size_t n, size_t size)
{
	const char *at = *p;

	if (n > *left / size)
		return NULL;
	*p += n * size;
	*left -= n * size;
	return at;
}

void blob_fini(struct blob *blob)
{
	free(blob->p);
	*blob = (struct blob){ 0 };
}
