/* SPDX-License-Identifier: MIT */
#include "record/emulfiles.h"

#include "soft/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a data file begins with (perf.data-file-format.txt in tools/perf); it is written last. */
#define MAGIC "PERFILE2"

enum found {
	FOUND_NONE,
	FOUND_COMPLETE,
	FOUND_PART,
};

static enum found look_at(const char *path)
{
	char magic[sizeof(MAGIC) - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool complete;

	if (fd < 0)
		return errno == ENOENT ? FOUND_NONE : FOUND_PART;
	complete = read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
		   memcmp(magic, MAGIC, sizeof(magic)) == 0;
	close(fd);
	return complete ? FOUND_COMPLETE : FOUND_PART;
}

size_t emulfiles_settle(const char *data, unsigned int n_images)
{
	size_t complete = 0;

	for (unsigned int image = 0; image < n_images; image++)
		for (unsigned int n = 0; n < UINT_MAX; n++) {
			char *path = recorder_file_name(data, image, n);
			enum found found = look_at(path);

			complete += found == FOUND_COMPLETE;
			if (found == FOUND_PART)
				unlink(path);
			free(path);
			if (found == FOUND_NONE)
				break;
		}
	return complete;
}
