/* SPDX-License-Identifier: MIT */
#include "base/installed.h"

#include "base/xalloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The directory of our own executable, with its slash; NULL: unknown. */
static char *own_directory(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *slash;

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	slash = strrchr(path, '/');
	return slash ? xmemdup0(path, (size_t)(slash - path) + 1) : NULL;
}

char *installed_find(const char *name, struct err *err)
{
	static const char *const places[] = { "", "../lib/magic-trace/" };
	char *directory = own_directory();

	for (size_t i = 0; directory && i < sizeof(places) / sizeof(places[0]); i++) {
		char *path = xasprintf("%s%s%s", directory, places[i], name);

		if (access(path, R_OK) == 0) {
			free(directory);
			return path;
		}
		free(path);
	}
	free(directory);
	err_set(err, "there is no %s beside magic-trace, nor in ../lib/magic-trace/", name);
	return NULL;
}
