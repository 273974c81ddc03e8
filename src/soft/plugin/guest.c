/* SPDX-License-Identifier: MIT */
#include "soft/plugin/guest.h"

#include "base/xalloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* execve(2): MAX_ARG_STRLEN; and more pointers than the kernel takes. */
#define TEXT_MAX  ((size_t)128 << 10)
#define TEXTS_MAX ((size_t)1 << 20)

#define PAGE 4096u

bool guest_read(uint64_t base, uint64_t address, void *to, size_t n)
{
	const struct iovec ours = { .iov_base = to, .iov_len = n };
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel looks whether there is memory */
	const struct iovec theirs = { .iov_base = (void *)(base + address), .iov_len = n };

	return process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0) == (ssize_t)n;
}

char *guest_text(uint64_t base, uint64_t address, size_t limit)
{
	char *text = NULL;
	size_t n = 0;

	while (n < limit) {
		size_t piece = PAGE - (address + n) % PAGE;

		text = xreallocarray(text, n + piece, 1);
		if (!guest_read(base, address + n, text + n, piece))
			break;
		if (memchr(text + n, '\0', piece))
			return text;
		n += piece;
	}
	free(text);
	return NULL;
}

void guest_free_texts(char **texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		free(texts[i]);
	free(texts);
}

char **guest_texts(uint64_t base, uint64_t address)
{
	char **texts = xcalloc(1, sizeof(*texts));

	for (size_t n = 0; address && n < TEXTS_MAX; n++) {
		uint64_t at;

		if (!guest_read(base, address + n * sizeof(at), &at, sizeof(at)))
			break;
		if (at == 0)
			return texts;
		texts = xreallocarray(texts, n + 2, sizeof(*texts));
		texts[n] = guest_text(base, at, TEXT_MAX);
		texts[n + 1] = NULL;
		if (!texts[n])
			break;
	}
	if (address == 0)
		return texts; /* Linux takes NULL for an empty array */
	guest_free_texts(texts);
	return NULL;
}
