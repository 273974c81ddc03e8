/* SPDX-License-Identifier: MIT */
#include "record/workdir.h"

#include "base/invoker.h"
#include "base/num.h"
#include "base/planted.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "record/entries.h"
#include "record/guard.h"
#include "record/handover.h"
#include "record/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define FREE_MIN (1u << 20)

struct workdir {
	char *path, *data;
	bool temporary;
	bool made;  /* by us, and not temporary */
	bool taken; /* it is locked, and what is in it is of this recording */
	int fd;     /* the lock is on it */
	struct guard *guard;
};

/* For free(); NULL with errno when it is not known where we are. */
static char *absolute(const char *path)
{
	char *here, *whole;

	if (*path == '/')
		return xstrdup(path);
	here = getcwd(NULL, 0);
	whole = here ? xasprintf("%s/%s", strcmp(here, "/") == 0 ? "" : here, path) : NULL;
	free(here);
	return whole;
}

/* What to do about a directory that is of no use. Returns -1. */
static int hint(const struct workdir *dir, struct err *err)
{
	if (dir->temporary)
		err_hint(err, "$TMPDIR says where temporary directories are made (/tmp when it is "
			      "not set); -working-directory DIR records into DIR");
	else
		err_hint(err, "-working-directory must name a directory that can be written; "
			      "without it a temporary one in $TMPDIR is used");
	return -1;
}

/* mkdir(2); a parent of what is recorded is the user's at once. */
static int make_parent(const char *path)
{
	int fd;

	if (mkdir(path, 0777) < 0)
		return errno == EEXIST ? 0 : -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0) {
		invoker_give(fd);
		close(fd);
	}
	return 0;
}

/* As mkdir -p, but the last for us only: what is recorded is nobody else's business. */
static int make_directories(char *path, bool *made)
{
	int why = 0;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		/* what keeps a parent from being made is what the user must know */
		if (make_parent(path) < 0 && why == 0)
			why = errno;
		*slash = '/';
	}
	*made = mkdir(path, 0700) == 0;
	if (*made || errno == EEXIST)
		return 0;
	errno = errno == ENOENT && why ? why : errno;
	return -1;
}

/* Whether everybody may rename what is there. */
static bool is_common(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX);
}

static int make_temporary(struct workdir *dir, struct err *err)
{
	const char *base = secure_getenv("TMPDIR");
	char *template, *path;

	dir->temporary = true;
	if (!base || !*base)
		base = "/tmp";
	if (is_common(base)) {
		err_set(err,
			"temporary directories in %s can be replaced by everybody: it has no "
			"sticky bit",
			base);
		return err_hint(err, "chmod +t %s, or name another directory in $TMPDIR", base);
	}
	template = xasprintf("%s/magic-trace-XXXXXX", base);
	path = absolute(template);
	free(template);
	if (!path || !mkdtemp(path)) {
		err_errno(err, "cannot make a temporary directory in %s", base);
		free(path);
		return hint(dir, err);
	}
	dir->path = path;
	return 0;
}

static int make_given(struct workdir *dir, const char *path, struct err *err)
{
	struct stat st;

	errno = ENOENT;
	dir->path = *path ? absolute(path) : NULL;
	if (!dir->path) {
		err_errno(err, "the directory '%s'", path);
		return hint(dir, err);
	}
	for (size_t n = strlen(dir->path); n > 1 && dir->path[n - 1] == '/'; n--)
		dir->path[n - 1] = '\0';
	if (stat(dir->path, &st) == 0 || make_directories(dir->path, &dir->made) == 0)
		return 0;
	err_errno(err, "cannot make the directory %s", dir->path);
	return hint(dir, err);
}

/* Takes from s what is up to the next blank, and blanks before it. */
static struct str next_word(struct str *s)
{
	struct str word;

	while (s->n && *s->p == ' ')
		*s = str_skip(*s, 1);
	word = *s;
	while (s->n && *s->p != ' ' && *s->p != '\n')
		*s = str_skip(*s, 1);
	word.n -= s->n;
	return word;
}

/*
 * The process in a line of /proc/locks (proc(5)) that has a lock of flock(2) on that file, "1:
 * FLOCK ADVISORY WRITE PID MAJOR:MINOR:INODE 0 EOF"; 0.
 */
static pid_t locker(struct str line, const char *file)
{
	struct str words[6], pid;
	uint64_t v;

	for (size_t i = 0; i < 6; i++)
		words[i] = next_word(&line);
	pid = words[4];
	if (!str_eq(words[1], STR("FLOCK")) || !str_eq(words[5], str_of(file)) ||
	    !num_dec(&pid, &v) || v > INT_MAX)
		return 0;
	return (pid_t)v;
}

/* 0: not known; so on file systems whose files have another device number than their locks. */
static pid_t find_locker(int fd)
{
	FILE *locks = fopen("/proc/locks", "re");
	char file[64], line[256];
	struct stat st;
	pid_t pid = 0;

	if (!locks)
		return 0;
	if (fstat(fd, &st) == 0) {
		snprintf(file, sizeof(file), "%02x:%02x:%lu", major(st.st_dev), minor(st.st_dev),
			 (unsigned long)st.st_ino);
		while (pid == 0 && fgets(line, sizeof(line), locks))
			pid = locker(str_of(line), file);
	}
	fclose(locks);
	return pid;
}

static int lock(const struct workdir *dir, struct err *err)
{
	pid_t pid;

	/* a file system without locks (some network ones) is used without */
	if (flock(dir->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	pid = find_locker(dir->fd);
	if (pid > 0)
		err_set(err, "process %d is recording into %s already", (int)pid, dir->path);
	else
		err_set(err, "another process is recording into %s already", dir->path);
	return err_hint(err, "two recordings at once need two directories");
}

static int check_free(const struct workdir *dir, struct err *err)
{
	uint64_t bytes = workdir_free_bytes(dir);

	if (bytes >= FREE_MIN)
		return 0;
	err_set(err, "%s: only %llu bytes are free there, which is too little to record anything",
		dir->path, (unsigned long long)bytes);
	return err_hint(err, "free some space, or record elsewhere with -working-directory DIR or "
			     "$TMPDIR");
}

static int refuse(const struct workdir *dir, const char *why, struct err *err)
{
	err_set(err, "%s is not recorded into: %s", dir->path, why);
	return err_hint(err, "-working-directory must name a directory of one's own");
}

/*
 * perf opens its file by its path, and follows links. So nobody else may have a say in what is
 * there: neither in a directory where everybody may write, nor in one that somebody put there.
 */
static int open_safely(struct workdir *dir, struct err *err)
{
	struct stat named, st;
	bool link = lstat(dir->path, &named) == 0 && S_ISLNK(named.st_mode) && !dir->temporary;

	if (link && planted(dir->path, named.st_uid))
		return refuse(dir, "it is another user's symbolic link", err);
	dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (link ? 0 : O_NOFOLLOW));
	if (dir->fd < 0 || fstat(dir->fd, &st) < 0) {
		err_errno(err, "the directory %s", dir->path);
		return hint(dir, err);
	}
	if (!link && planted(dir->path, st.st_uid))
		return refuse(dir, "another user made it, where everybody may make one", err);
	if (!(st.st_mode & S_IWOTH))
		return 0;
	refuse(dir, "everybody may write there", err);
	/* a sticky one is meant to be so, as /tmp */
	if (st.st_uid == geteuid() && !(st.st_mode & S_ISVTX))
		err_hint(err, "chmod o-w %s, or give another directory with -working-directory",
			 dir->path);
	return -1;
}

/* Opens the directory, and makes it ours and empty of earlier recordings. */
static int take(struct workdir *dir, struct err *err)
{
	if (open_safely(dir, err) < 0 || lock(dir, err) < 0)
		return -1;
	if (faccessat(dir->fd, ".", W_OK | X_OK, AT_EACCESS) < 0) {
		err_errno(err, "the directory %s cannot be written", dir->path);
		return hint(dir, err);
	}
	if (!sweep_directory(dir->fd)) {
		err_errno(err, "%s: what an earlier recording left there cannot be removed",
			  dir->path);
		return err_hint(err, "remove perf.data* and " ENTRY_JSON
				     " there, or give another directory with -working-directory");
	}
	dir->taken = true;
	return check_free(dir, err);
}

int workdir_open(const char *path, struct workdir **out, struct err *err)
{
	struct workdir *dir = xcalloc(1, sizeof(*dir));

	dir->fd = -1;
	if ((path ? make_given(dir, path, err) : make_temporary(dir, err)) < 0)
		goto failed;
	if (take(dir, err) < 0 ||
	    guard_start(dir->fd, dir->temporary ? dir->path : NULL, &dir->guard, err) < 0)
		goto failed;
	dir->data = xasprintf("%s/" ENTRY_DATA, dir->path);
	*out = dir;
	return 0;
failed:
	workdir_close(dir);
	return -1;
}

const char *workdir_path(const struct workdir *dir)
{
	return dir->path;
}

const char *workdir_data(const struct workdir *dir)
{
	return dir->data;
}

int workdir_fd(const struct workdir *dir)
{
	return dir->fd;
}

bool workdir_is_temporary(const struct workdir *dir)
{
	return dir->temporary;
}

void workdir_guard(struct workdir *dir, pid_t pgid)
{
	guard_watch(dir->guard, pgid);
}

static int is_data(const struct dirent *entry)
{
	return entry_is_data(entry->d_name);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

size_t workdir_keep_first(struct workdir *dir, size_t n)
{
	struct dirent **names;
	int count = scandirat(dir->fd, ".", &names, is_data, by_bytes);
	size_t removed = 0;

	if (count < 0)
		return 0;
	for (size_t i = 0; i < (size_t)count; i++) {
		if (i >= n && sweep_name(dir->fd, names[i]->d_name))
			removed++;
		free(names[i]);
	}
	free(names);
	return removed;
}

uint64_t workdir_free_bytes(const struct workdir *dir)
{
	struct statvfs st;
	uint64_t bytes;

	/* what has no blocks at all does not tell */
	if (fstatvfs(dir->fd, &st) < 0 || st.f_blocks == 0)
		return UINT64_MAX;
	/* some blocks are reserved for root */
	if (__builtin_mul_overflow(geteuid() == 0 ? st.f_bfree : st.f_bavail, st.f_frsize, &bytes))
		return UINT64_MAX;
	return bytes;
}

void workdir_close(struct workdir *dir)
{
	if (!dir)
		return;
	if (!dir->temporary && dir->taken)
		handover(dir->fd);
	if (dir->made && dir->fd >= 0)
		invoker_give(dir->fd);
	if (dir->temporary && dir->path) {
		if (dir->fd >= 0)
			sweep_directory(dir->fd);
		rmdir(dir->path);
	}
	/* then only: should we be killed meanwhile, the guard removes the rest */
	guard_end(dir->guard);
	if (dir->fd >= 0)
		close(dir->fd);
	free(dir->path);
	free(dir->data);
	free(dir);
}
