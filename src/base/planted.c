/* SPDX-License-Identifier: MIT */
#include "base/planted.h"

#include "base/invoker.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool planted(const char *path, uid_t owner)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? xmemdup0(path, (size_t)(slash - path) + 1) : xstrdup(".");
	struct invoker invoker;
	struct stat st;
	int failed = stat(dir, &st);

	free(dir);
	if (failed)
		return true;
	if (!(st.st_mode & S_IWOTH) || owner == geteuid() || owner == st.st_uid)
		return false;
	return !invoker_find(&invoker) || owner != invoker.uid;
}
