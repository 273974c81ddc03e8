/* SPDX-License-Identifier: MIT */
#include "symbol/buildid.h"

#include "base/err.h"
#include "symbol/elfopen.h"
#include "symbol/regular.h"

#include <elfutils/libdwelf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

void buildid_hex(char *hex, size_t size, const void *id, size_t n)
{
	const uint8_t *bytes = id;

	hex[0] = '\0';
	for (size_t i = 0; i < n && 2 * i + 2 < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
}

bool buildid_is(Elf *elf, const void *id, size_t n)
{
	const void *own;

	return elf && dwelf_elf_gnu_build_id(elf, &own) == (ssize_t)n && memcmp(own, id, n) == 0;
}

bool buildid_read(const char *path, char hex[BUILDID_HEX])
{
	struct err ignored = ERR_INIT;
	int fd = regular_open(path, NULL, &ignored);
	const void *id = NULL;
	ssize_t n = 0;
	Elf *elf;

	if (fd < 0)
		return false;
	elf = elfopen(fd, path, &ignored);
	if (elf)
		n = dwelf_elf_gnu_build_id(elf, &id);
	if (n > 0)
		buildid_hex(hex, BUILDID_HEX, id, (size_t)n);
	elf_end(elf);
	close(fd);
	return n > 0;
}
