/* SPDX-License-Identifier: MIT */
#include "perf/datafile.h"

#include "base/str.h"
#include "base/xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t datafile_bytes(const char *data)
{
	struct stat st;
	char *inside;
	int failed;

	if (stat(data, &st))
		return 0;
	if (!S_ISDIR(st.st_mode))
		return (uint64_t)st.st_size;
	inside = xasprintf("%s/data", data);
	failed = stat(inside, &st);
	free(inside);
	return failed ? 0 : (uint64_t)st.st_size;
}

static bool is_named(struct str name, struct str base)
{
	if (!str_starts(name, base))
		return false;
	name = str_skip(name, base.n);
	return name.n > 1 && name.p[0] == '.' && name.p[1] >= '0' && name.p[1] <= '9';
}

size_t datafile_count_named(const char *data)
{
	const char *slash = strrchr(data, '/'), *base = slash ? slash + 1 : data;
	char *path = slash ? xmemdup0(data, (size_t)(base - data)) : xstrdup(".");
	DIR *dir = opendir(path);
	struct dirent *entry;
	size_t n = 0;

	free(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		n += is_named(str_of(entry->d_name), str_of(base));
	closedir(dir);
	return n;
}

int datafile_open(const char *data, struct err *err)
{
	struct stat st;
	char *inside;
	int fd;

	if (stat(data, &st) < 0)
		return err_errno(err, "%s", data);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return err_set(err, "%s: it is neither a file nor a directory", data);
	inside = xasprintf("%s%s", data, S_ISDIR(st.st_mode) ? "/data" : "");
	fd = open(inside, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		err_errno(err, "%s", inside);
	free(inside);
	return fd;
}

ssize_t datafile_read(int fd, void *buf, size_t size, uint64_t offset)
{
	size_t done = 0;

	if (offset > INT64_MAX - size)
		return 0;
	while (done < size) {
		ssize_t n = pread(fd, (char *)buf + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}
