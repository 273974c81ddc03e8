/* SPDX-License-Identifier: MIT */
#include "symbol/splitpath.h"

#include "base/xalloc.h"
#include "symbol/regular.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static const char *string_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

/* The name as it is seen from a directory, for the caller to free. */
static char *seen_from(const char *directory, const char *name)
{
	return name[0] == '/' ? xstrdup(name) : xasprintf("%s/%s", directory, name);
}

/* Takes the path over. */
static bool is_safe(char *path)
{
	bool safe = regular_or_none(path);

	free(path);
	return safe;
}

bool splitpath_is_safe(Dwarf_Die *unit, const char *path)
{
	const char *name = string_of(unit, DW_AT_dwo_name), *compiled;
	char *real, *directory, *from;
	bool safe;

	if (!name)
		name = string_of(unit, DW_AT_GNU_dwo_name);
	if (!name)
		return true;
	/* elfutils takes the directory that the file really lies in */
	real = realpath(path, NULL);
	directory = xstrdup(real ? real : path);
	free(real);
	*(strrchr(directory, '/') ? strrchr(directory, '/') : directory) = '\0';
	safe = is_safe(seen_from(directory, name));
	compiled = string_of(unit, DW_AT_comp_dir);
	if (safe && compiled) {
		from = seen_from(directory, compiled);
		safe = is_safe(seen_from(from, name));
		free(from);
	}
	free(directory);
	return safe;
}
