/* SPDX-License-Identifier: MIT */
/* buildid: the build id of an ELF file, by which its debug info is found. */
#ifndef MT_SYMBOL_BUILDID_H
#define MT_SYMBOL_BUILDID_H

#include <stdbool.h>

/* Two digits for each byte, and a NUL; longer ids than 32 bytes are cut. */
#define BUILDID_HEX 65

/* Writes the build id of the file at path as small hex digits. False: it has none, or is no ELF. */
bool buildid_read(const char *path, char hex[BUILDID_HEX]);

#endif
