/* SPDX-License-Identifier: MIT */
#include "symbol/package.h"

#include "base/str.h"
#include "base/xalloc.h"
#include "symbol/regular.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A list is no larger than this, and no more lists are read: some machines have 5000. */
#define LIST_BYTES_MAX ((size_t)16 << 20)
#define LISTS_MAX      50000u

#define ENDING ".list"

/* Whether a line of the text is the path. */
static bool has_line(const char *text, const char *path)
{
	size_t n = strlen(path);

	for (const char *at = text; (at = strstr(at, path)); at += n)
		if ((at == text || at[-1] == '\n') && (at[n] == '\n' || at[n] == '\0'))
			return true;
	return false;
}

static bool lists(const char *directory, const char *name, const char *path)
{
	char *file = xasprintf("%s/%s", directory, name);
	size_t n;
	char *text = regular_text(file, LIST_BYTES_MAX, &n, NULL);
	bool found;

	free(file);
	if (!text)
		return false;
	found = has_line(text, path) ||
		(strncmp(path, "/usr/", 5) == 0 && has_line(text, path + strlen("/usr")));
	free(text);
	return found;
}

/* The package's name is what stands before its architecture. */
static char *symbols_of(struct str name)
{
	const char *colon = memchr(name.p, ':', name.n);

	if (colon)
		name.n = (size_t)(colon - name.p);
	if (str_eq(name, STR("libc6")))
		return xstrdup("libc6-dbg");
	return xasprintf("%.*s-dbgsym", (int)name.n, name.p);
}

char *package_of_symbols(const char *directory, const char *path)
{
	DIR *dir = path[0] == '/' && !strchr(path, '\n') ? opendir(directory) : NULL;
	const struct dirent *entry;
	char *found = NULL;

	for (unsigned i = 0; dir && !found && i < LISTS_MAX && (entry = readdir(dir)); i++) {
		struct str name = str_of(entry->d_name), ending = STR(ENDING);

		if (name.n <= ending.n ||
		    memcmp(name.p + name.n - ending.n, ending.p, ending.n) != 0)
			continue;
		name.n -= ending.n;
		if (lists(directory, entry->d_name, path))
			found = symbols_of(name);
	}
	if (dir)
		closedir(dir);
	return found;
}
