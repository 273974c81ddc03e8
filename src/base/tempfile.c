/* SPDX-License-Identifier: MIT */
#include "base/tempfile.h"

#include "base/xalloc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int tempfile_open(const char *stem)
{
	const char *dir = secure_getenv("TMPDIR");
	char *path;
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* not every file system can make a file without a name */
	path = xasprintf("%s/%s-XXXXXX", dir, stem);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}
