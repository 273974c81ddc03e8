/* SPDX-License-Identifier: MIT */
#include "symbol/buildid.h"

#include "base/err.h"
#include "symbol/elfopen.h"
#include "symbol/regular.h"

#include <elfutils/libdwelf.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

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
	if (n > (BUILDID_HEX - 1) / 2)
		n = (BUILDID_HEX - 1) / 2;
	for (ssize_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", ((const uint8_t *)id)[i]);
	elf_end(elf);
	close(fd);
	return n > 0;
}
