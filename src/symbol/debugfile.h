/* SPDX-License-Identifier: MIT */
/* debugfile: the file that holds what was stripped from another. */
#ifndef MT_SYMBOL_DEBUGFILE_H
#define MT_SYMBOL_DEBUGFILE_H

#include <libelf.h>
#include <stdint.h>

/*
 * Looks for the separate debug file of `elf` on this machine, as GDB's manual ("Debugging
 * Information in Separate Files") says: by build-id below /usr/lib/debug/.build-id, and by
 * .gnu_debuglink in the directory of `path`, in its .debug, and in /usr/lib/debug. `path` is one
 * that leads to elf's file, or NULL; when it begins with /proc/PID/root, /usr/lib/debug there comes
 * first. The file found has the same build-id, or, where there is none, the checksum that the link
 * asks for. A descriptor that the caller closes, with *found its path, to be freed; or -1.
 */
int debugfile_open(Elf *elf, const char *path, char **found);

/*
 * A number that is another one when a file was put into, or taken from, any directory in which
 * debugfile_open looks for that of the file at `path` with this build-id (hex digits).
 */
uint64_t debugfile_state(const char *path, const char *build_id);

#endif
