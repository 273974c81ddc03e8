/* SPDX-License-Identifier: MIT */
#include "symbol/cacheroom.h"

#include "base/xalloc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Nobody writes a file for so long: seconds. */
#define ABANDONED 3600

struct old_file {
	char *path;
	struct timespec used;
	uint64_t size;
};

static int compare_used(const void *a, const void *b)
{
	const struct old_file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

/* The name of a file of the cache, or with `unfinished` of one that is being written. */
static bool is_named(const char *name, bool unfinished)
{
	size_t n = strlen(name), more = unfinished ? strlen(CACHEROOM_UNFINISHED) : 0;

	return n > strlen(CACHEROOM_SUFFIX) + more &&
	       strncmp(name + n - more - strlen(CACHEROOM_SUFFIX), CACHEROOM_SUFFIX,
		       strlen(CACHEROOM_SUFFIX)) == 0 &&
	       (!unfinished || name[n - more] == '.');
}

/* The files of the cache; *n of them, for the caller to free. Others are left alone. */
static struct old_file *list_files(DIR *dir, const char *directory, size_t *n)
{
	struct old_file *files = NULL;
	time_t now = time(NULL);
	struct dirent *entry;
	struct stat st;

	*n = 0;
	while ((entry = readdir(dir))) {
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		/* whoever wrote it was killed */
		if (is_named(entry->d_name, true) && st.st_mtime < now - ABANDONED)
			unlinkat(dirfd(dir), entry->d_name, 0);
		if (!is_named(entry->d_name, false))
			continue;
		files = xreallocarray(files, *n + 1, sizeof(*files));
		files[(*n)++] = (struct old_file){
			.path = xasprintf("%s/%s", directory, entry->d_name),
			.used = st.st_mtim,
			.size = (uint64_t)st.st_size,
		};
	}
	return files;
}

void cacheroom_make(const char *directory, uint64_t max)
{
	DIR *dir = opendir(directory);
	struct old_file *files;
	uint64_t bytes = 0;
	size_t n;

	if (!dir)
		return;
	files = list_files(dir, directory, &n);
	closedir(dir);
	for (size_t i = 0; i < n; i++)
		bytes += files[i].size;
	if (n)
		qsort(files, n, sizeof(*files), compare_used);
	for (size_t i = 0; i < n; i++) {
		if (bytes > max && unlink(files[i].path) == 0)
			bytes -= files[i].size;
		free(files[i].path);
	}
	free(files);
}
