/* SPDX-License-Identifier: MIT */
#include "symbol/altdebug.h"

#include "base/xalloc.h"
#include "symbol/buildid.h"
#include "symbol/elfopen.h"
#include "symbol/regular.h"

#include <elfutils/libdwelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ID_DIR "/usr/lib/debug/.build-id"

struct wanted {
	const char *name;
	const void *id;
	ssize_t id_length;
};

/* Takes the path over. */
static bool try(char *path, const struct wanted *wanted, struct altdebug *alt)
{
	int fd = regular_open(path, NULL, NULL);

	free(path);
	if (fd < 0)
		return false;
	alt->elf = elfopen_object(fd, "", NULL);
	if (buildid_is(alt->elf, wanted->id, (size_t)wanted->id_length))
		alt->dwarf = dwarf_begin_elf(alt->elf, DWARF_C_READ, NULL);
	alt->fd = fd;
	if (alt->dwarf)
		return true;
	elf_end(alt->elf);
	alt->elf = NULL;
	close(fd);
	return false;
}

static bool try_id(const struct wanted *wanted, struct altdebug *alt)
{
	char hex[2 * BUILDID_MAX + 1];

	buildid_hex(hex, sizeof(hex), wanted->id, (size_t)wanted->id_length);
	return try(xasprintf(ID_DIR "/%.2s/%s.debug", hex, hex + 2), wanted, alt);
}

/* The name, as it is seen from the file at a path. */
static char *named(const struct wanted *wanted, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (wanted->name[0] == '/' || !slash)
		return xstrdup(wanted->name);
	return xasprintf("%.*s/%s", (int)(slash - path), path, wanted->name);
}

static bool is_safe(const struct wanted *wanted, const char *path)
{
	char *name = named(wanted, path);
	bool safe = regular_or_none(name);

	free(name);
	return safe;
}

bool altdebug_find(Dwarf *main, const char *path, struct altdebug *alt)
{
	struct wanted wanted;

	wanted.id_length = dwelf_dwarf_gnu_debugaltlink(main, &wanted.name, &wanted.id);
	if (wanted.id_length < BUILDID_MIN || wanted.id_length > BUILDID_MAX)
		return wanted.id_length <= 0 || is_safe(&wanted, path);
	if (!try_id(&wanted, alt) && !try(named(&wanted, path), &wanted, alt))
		return is_safe(&wanted, path);
	dwarf_setalt(main, alt->dwarf);
	return true;
}

void altdebug_close(struct altdebug *alt)
{
	dwarf_end(alt->dwarf);
	if (alt->elf) {
		elf_end(alt->elf);
		close(alt->fd);
	}
	*alt = (struct altdebug){ .elf = NULL };
}
