/* SPDX-License-Identifier: MIT */
/* buildid: the build id of an ELF file, by which its debug info is found. */
#ifndef MT_SYMBOL_BUILDID_H
#define MT_SYMBOL_BUILDID_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

/* Two digits for each byte, and a NUL; longer ids than 32 bytes are cut. */
#define BUILDID_HEX 65

/* Build ids are 8 to 20 bytes; one of fewer or more than these is damaged. */
#define BUILDID_MIN 3
#define BUILDID_MAX 64

/* Writes as many of the n bytes of a build id as there is room for, as small hex digits. */
void buildid_hex(char *hex, size_t size, const void *id, size_t n);

/* Whether an ELF file has the build id of n bytes. elf may be NULL. */
bool buildid_is(Elf *elf, const void *id, size_t n);

/* Writes the build id of the file at path as small hex digits. False: it has none, or is no ELF. */
bool buildid_read(const char *path, char hex[BUILDID_HEX]);

#endif
