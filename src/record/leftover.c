/* SPDX-License-Identifier: MIT */
#include "record/leftover.h"

#include "base/xalloc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define YOUNG_S 10
/* A directory with more names than these is not looked through: it would take seconds. */
#define NAMES_MAX 100000

/* Whether b is a name as mkdtemp(3) has made a, with other characters for the last six. */
static bool is_alike(const char *a, const char *b)
{
	size_t n = strlen(a);

	return strlen(b) == n && n > 6 && strncmp(a, b, n - 6) == 0;
}

static bool is_left(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool left;

	if (fd < 0)
		return false;
	left = fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	       st.st_mtime + YOUNG_S < time(NULL) && flock(fd, LOCK_SH | LOCK_NB) == 0;
	close(fd);
	return left;
}

size_t leftover_find(const char *own, char **first)
{
	const char *slash = strrchr(own, '/'), *name = slash ? slash + 1 : own;
	char *base = slash ? xmemdup0(own, (size_t)(name - own)) : xstrdup("./");
	DIR *dir = opendir(base);
	struct dirent *entry;
	size_t n = 0;

	*first = NULL;
	for (size_t i = 0; dir && i < NAMES_MAX && (entry = readdir(dir)); i++) {
		if (!is_alike(name, entry->d_name) || !is_left(dirfd(dir), entry->d_name))
			continue;
		if (n++ == 0)
			*first = xasprintf("%s%s", base, entry->d_name);
	}
	if (dir)
		closedir(dir);
	free(base);
	return n;
}
