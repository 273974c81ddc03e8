/* SPDX-License-Identifier: MIT */
#include "soft/outfile.h"

#include "base/xalloc.h"
#include "soft/highfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM (256u << 10)

/* Not a FILE: it has to be dropped in a child without its buffer being written twice. */
struct outfile {
	int fd;
	int failure; /* errno of the first one */
	char *path;
	uint64_t size; /* those that wait in bytes too */
	size_t n;
	uint8_t bytes[ROOM];
};

/* An older file keeps its mode when it is emptied; a device has to keep it. */
static int make_private(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	return S_ISREG(st.st_mode) && (st.st_mode & 0777) != 0600 ? fchmod(fd, 0600) : 0;
}

int outfile_open(const char *path, struct outfile **file, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_errno(err, "cannot create %s", path);
	if (make_private(fd) < 0) {
		err_errno(err, "cannot make %s private", path);
		close(fd);
		return -1;
	}
	*file = xcalloc(1, sizeof(**file));
	(*file)->fd = highfd_move(fd);
	(*file)->path = xstrdup(path);
	return 0;
}

static void write_all(struct outfile *file, const uint8_t *bytes, size_t n)
{
	while (n && !file->failure) {
		ssize_t done = write(file->fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			file->failure = done < 0 ? errno : ENOSPC;
			return;
		}
		bytes += done;
		n -= (size_t)done;
	}
}

static void flush(struct outfile *file)
{
	write_all(file, file->bytes, file->n);
	file->n = 0;
}

void outfile_put(struct outfile *file, const void *bytes, size_t n)
{
	file->size += n;
	if (n > sizeof(file->bytes) - file->n)
		flush(file);
	if (n > sizeof(file->bytes)) {
		write_all(file, bytes, n);
		return;
	}
	if (n)
		memcpy(file->bytes + file->n, bytes, n);
	file->n += n;
}

void outfile_put_head(struct outfile *file, const void *bytes, size_t n)
{
	flush(file);
	if (file->failure)
		return;
	if (lseek(file->fd, 0, SEEK_SET) < 0) {
		file->failure = errno;
		return;
	}
	write_all(file, bytes, n);
	if (!file->failure && lseek(file->fd, 0, SEEK_END) < 0)
		file->failure = errno;
}

uint64_t outfile_size(const struct outfile *file)
{
	return file->size;
}

int outfile_fd(const struct outfile *file)
{
	return file->fd;
}

int outfile_close(struct outfile *file, struct err *err)
{
	int failure;

	flush(file);
	/* some file systems tell only now that there is no space */
	if (close(file->fd) < 0 && !file->failure)
		file->failure = errno;
	file->fd = -1;
	failure = file->failure;
	if (failure) {
		errno = failure;
		err_errno(err, "cannot write %s", file->path);
	}
	if (failure == ENOSPC || failure == EDQUOT)
		err_hint(
			err,
			"make room, or record to another file system: $TMPDIR, or -working-directory DIR");
	outfile_abandon(file);
	return failure ? -1 : 0;
}

void outfile_abandon(struct outfile *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	free(file);
}
