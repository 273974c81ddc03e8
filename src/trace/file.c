/* SPDX-License-Identifier: MIT */
#include "trace/file.h"

#include "base/invoker.h"
#include "base/planted.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE  0666 /* less the umask */
#define TRIES 100  /* for a temporary name that is free */

struct file {
	int fd;
	int dir;    /* where name and temp are, O_PATH; -1: a device or a pipe, without these two */
	char *path; /* as it was given: for messages */
	char *name; /* in dir */
	char temp[NAME_MAX + 1]; /* empty: it has no name yet */
	uint64_t bytes;
};

/* For the signal handler: the directory (-1: nothing to remove) and the name in it. */
static atomic_int temporary_dir = -1;
static char temporary_name[NAME_MAX + 1];

void file_unlink_temporary(void)
{
	int dir = atomic_load(&temporary_dir);

	if (dir >= 0)
		unlinkat(dir, temporary_name, 0);
}

/* Between these two no handler runs in this thread: a half-done change is never seen. */
static void hold_signals(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, saved);
}

static void release_signals(const sigset_t *saved)
{
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

static void file_free(struct file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->dir >= 0)
		close(f->dir);
	free(f->path);
	free(f->name);
	free(f);
}

static int cannot_write(const char *path, struct err *err)
{
	int why = errno;

	err_errno(err, "cannot write %s", path);
	if (why == ENOSPC || why == EDQUOT)
		err_hint(err, "free some space, or write to another disk with -output FILE");
	else if (why == EACCES || why == EPERM || why == EROFS)
		err_hint(err, "write to a directory that is yours with -output FILE");
	return -1;
}

/* Splits path and opens its directory. */
static int open_dir(struct file *f, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? xmemdup0(path, (size_t)(slash - path) + 1) : xstrdup(".");

	f->name = xstrdup(slash ? slash + 1 : path);
	f->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (f->dir < 0 && errno == ENOENT) {
		err_set(err, "cannot write %s: there is no directory %s", f->path, dir);
		err_hint(err, "make it with: mkdir -p %s", dir);
	} else if (f->dir < 0) {
		cannot_write(f->path, err);
	} else if (strlen(f->name) + strlen(".old") > NAME_MAX) {
		/* Found now, not when all the work is done. */
		err_set(err, "cannot write %s: the name is too long", f->path);
		err_hint(err, "%d bytes are possible", (int)(NAME_MAX - strlen(".old")));
		close(f->dir);
		f->dir = -1;
	}
	free(dir);
	return f->dir < 0 ? -1 : 0;
}

/* The file itself, as a name that linkat(2) can follow. */
static void path_of_fd(const struct file *f, char path[40])
{
	snprintf(path, 40, "/proc/self/fd/%d", f->fd);
}

/*
 * A file without a name, of which a SIGKILL leaves nothing. Not all file systems have that, and
 * without /proc only root could name it later: open(2), O_TMPFILE.
 */
static bool open_unnamed(struct file *f)
{
	char path[40];

	f->fd = openat(f->dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, MODE);
	if (f->fd < 0)
		return false;
	path_of_fd(f, path);
	if (access(path, F_OK) == 0)
		return true;
	close(f->fd);
	f->fd = -1;
	return false;
}

static int make_named(struct file *f)
{
	f->fd = openat(f->dir, f->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
	return f->fd;
}

static int name_unnamed(struct file *f)
{
	char path[40];

	path_of_fd(f, path);
	return linkat(AT_FDCWD, path, f->dir, f->temp, AT_SYMLINK_FOLLOW);
}

/*
 * Has `make` make a temporary name. It shows what it belongs to, should it ever be left behind by a
 * SIGKILL. -1 with errno.
 */
static int take_name(struct file *f, int (*make)(struct file *f))
{
	sigset_t saved;
	int made = -1, why;

	hold_signals(&saved);
	for (int i = 0; i < TRIES && made < 0; i++) {
		snprintf(f->temp, sizeof(f->temp), ".%.200s.%d-%d.tmp", f->name, (int)getpid(), i);
		made = make(f);
		if (made < 0 && errno != EEXIST)
			break;
	}
	why = errno;
	if (made < 0) {
		f->temp[0] = '\0';
	} else {
		memcpy(temporary_name, f->temp, sizeof(temporary_name));
		atomic_store(&temporary_dir, f->dir);
	}
	release_signals(&saved);
	errno = why;
	return made < 0 ? -1 : 0;
}

static int open_temporary(struct file *f, struct err *err)
{
	if (open_unnamed(f) || take_name(f, make_named) == 0)
		return 0;
	return cannot_write(f->path, err);
}

static int create_beside(struct file *f, const char *path, struct err *err)
{
	if (open_dir(f, path, err) != 0)
		return -1;
	return open_temporary(f, err);
}

static int refuse_planted(const struct file *f, const char *what, struct err *err)
{
	err_set(err, "cannot write %s: it is a %s of another user's, where everybody may put one",
		f->path, what);
	return err_hint(err, "write to a directory that is yours with -output FILE");
}

static int create_behind_link(struct file *f, struct err *err)
{
	char *real = realpath(f->path, NULL);
	int ret;

	if (!real)
		return cannot_write(f->path, err);
	ret = create_beside(f, real, err);
	free(real);
	return ret;
}

/* What has been looked at is what is opened: the name may mean something else by now. */
static int open_again(struct file *f, int place, struct err *err)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	f->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return f->fd < 0 ? cannot_write(f->path, err) : 0;
}

/* `place` is what is there, open with O_PATH; a link to it was followed. */
static int create_over(struct file *f, int place, bool link, struct err *err)
{
	struct stat st;

	if (fstat(place, &st) != 0)
		return cannot_write(f->path, err);
	if (S_ISDIR(st.st_mode)) {
		err_set(err, "cannot write %s: it is a directory", f->path);
		return err_hint(err, "-output takes the name of a file, as in DIR/trace.fxt.gz");
	}
	if (S_ISREG(st.st_mode))
		return link ? create_behind_link(f, err) : create_beside(f, f->path, err);
	if (!link && planted(f->path, st.st_uid))
		return refuse_planted(f, "pipe or a device", err);
	return open_again(f, place, err);
}

static int create(struct file *f, struct err *err)
{
	struct stat st;
	int place, ret;
	bool link;

	if (lstat(f->path, &st) != 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			return cannot_write(f->path, err);
		return create_beside(f, f->path, err);
	}
	link = S_ISLNK(st.st_mode);
	if (link && planted(f->path, st.st_uid))
		return refuse_planted(f, "symbolic link", err);
	place = open(f->path, O_PATH | O_CLOEXEC | (link ? 0 : O_NOFOLLOW));
	if (place < 0 && errno == ENOENT) {
		err_set(err, "cannot write %s: it is a symbolic link to nothing", f->path);
		return err_hint(err, "remove the link, or make what it points to");
	}
	if (place < 0)
		return cannot_write(f->path, err);
	ret = create_over(f, place, link, err);
	close(place);
	return ret;
}

int file_create(const char *path, struct file **file, struct err *err)
{
	struct file *f = xcalloc(1, sizeof(*f));

	f->fd = -1;
	f->dir = -1;
	f->path = xstrdup(path);
	if (create(f, err) != 0) {
		file_free(f);
		return -1;
	}
	*file = f;
	return 0;
}

int file_write(struct file *f, const void *p, size_t n, struct err *err)
{
	const char *at = p;

	while (n) {
		ssize_t done = write(f->fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return cannot_write(f->path, err);
		at += done;
		n -= (size_t)done;
		f->bytes += (uint64_t)done;
	}
	return 0;
}

uint64_t file_bytes(const struct file *f)
{
	return f->bytes;
}

/* Gives the older file the name `old` as well, so that at no moment there is none. */
static bool link_older(struct file *f, const char *old)
{
	if (linkat(f->dir, f->name, f->dir, old, 0) == 0)
		return true;
	if (errno != EEXIST || unlinkat(f->dir, old, 0) != 0)
		return false;
	return linkat(f->dir, f->name, f->dir, old, 0) == 0;
}

static int replace(struct file *f, const char *old, struct err *err)
{
	bool linked = link_older(f, old);
	/* FAT has no links, and fs.protected_hardlinks allows them for files of one's own */
	bool renamed = !linked && renameat(f->dir, f->name, f->dir, old) == 0;

	if (!linked && !renamed && errno != ENOENT)
		return err_errno(err, "cannot keep the older %s as %s", f->path, old);
	if (renameat(f->dir, f->temp, f->dir, f->name) == 0)
		return 0;
	cannot_write(f->path, err);
	if (linked)
		unlinkat(f->dir, old, 0);
	else if (renamed && renameat(f->dir, old, f->dir, f->name) != 0)
		err_hint(err, "the older file is now called %s", old);
	return -1;
}

static int put_in_place(struct file *f, struct err *err)
{
	struct stat st;
	char *old;
	int ret;

	/* A directory may have been made under this name meanwhile: it is not ours to move. */
	if (fstatat(f->dir, f->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return cannot_write(f->path, err);
	}
	old = xasprintf("%s.old", f->name);
	ret = replace(f, old, err);
	free(old);
	return ret;
}

/* Removes the temporary file unless it has been put in place, and lets go of its name. */
static void end_temporary(struct file *f, bool in_place)
{
	if (!in_place && f->temp[0])
		unlinkat(f->dir, f->temp, 0);
	if (atomic_load(&temporary_dir) == f->dir)
		atomic_store(&temporary_dir, -1);
}

int file_commit(struct file *f, struct err *err)
{
	sigset_t saved;
	int ret;

	if (f->dir >= 0)
		invoker_give(f->fd);
	ret = f->dir >= 0 && !f->temp[0] && take_name(f, name_unnamed) < 0
		      ? cannot_write(f->path, err)
		      : 0;
	/* Some file systems tell only now that the disk is full. */
	if (close(f->fd) != 0 && errno != EINTR && ret == 0)
		ret = cannot_write(f->path, err);
	f->fd = -1;
	if (f->dir >= 0) {
		hold_signals(&saved);
		if (ret == 0)
			ret = put_in_place(f, err);
		end_temporary(f, ret == 0);
		release_signals(&saved);
	}
	file_free(f);
	return ret;
}

void file_discard(struct file *f)
{
	sigset_t saved;

	if (!f)
		return;
	if (f->dir >= 0) {
		hold_signals(&saved);
		end_temporary(f, false);
		release_signals(&saved);
	}
	file_free(f);
}
