/* SPDX-License-Identifier: MIT */
#include "symbol/maps.h"

#include "base/procfs.h"
#include "base/xalloc.h"
#include "symbol/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DELETED " (deleted)"

static int no_process(pid_t pid, struct err *err)
{
	return err_set(err, "there is no process %d: it has ended, or the number is wrong", pid);
}

static int no_permission(pid_t pid, struct err *err)
{
	err_set(err, "process %d: no permission to look at what it has mapped", pid);
	return err_hint(
		err, "run magic-trace as the user of process %d, or as root (CAP_SYS_PTRACE)", pid);
}

int maps_read(pid_t pid, struct procmaps *maps, struct err *err)
{
	char state;

	if (procmaps_read(pid, maps, err) < 0) {
		if (errno == EACCES || errno == EPERM)
			return no_permission(pid, err);
		if (errno == ENOENT || errno == ESRCH)
			return no_process(pid, err);
		return err_prefix(err, "process %d", pid);
	}
	if (maps->n)
		return 0;
	procmaps_fini(maps);
	state = procfs_state(pid);
	if (state == 0 || state == 'Z' || state == 'X')
		return no_process(pid, err);
	err_set(err, "process %d is a thread of the kernel: it has no program", pid);
	return err_hint(err, "choose a process that runs a program");
}

bool mapping_same_file(const struct mapping *a, const struct mapping *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
	       strcmp(a->path, b->path) == 0;
}

struct str mapping_path(const struct mapping *mapping)
{
	struct str path = str_of(mapping->path), deleted = STR(DELETED);

	if (path.n > deleted.n && memcmp(path.p + path.n - deleted.n, deleted.p, deleted.n) == 0)
		path.n -= deleted.n;
	return path;
}

/*
 * The device is not held against it: stat(2) and /proc/PID/maps do not agree on it for overlayfs
 * and btrfs, of which the latter prints that of the file system below.
 */
static int open_same(const char *path, const struct mapping *mapping, struct err *err)
{
	struct stat st;
	int fd = regular_open(path, &st, err);

	if (fd < 0 || st.st_ino == mapping->inode)
		return fd;
	close(fd);
	return err_set(err, "%s: it was replaced by another file since it was mapped", path);
}

static bool read_link(pid_t pid, const char *what, char *target, size_t size)
{
	char path[40];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, what);
	n = readlink(path, target, size - 1);
	target[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Whether the paths of the process are those of other files than ours. */
static bool has_own_mounts(pid_t pid)
{
	char theirs[64], ours[64];

	return read_link(pid, "ns/mnt", theirs, sizeof(theirs)) &&
	       read_link(getpid(), "ns/mnt", ours, sizeof(ours)) && strcmp(theirs, ours) != 0;
}

/*
 * The part of a path that lies below the process's root directory, when that is another one than
 * ours: the kernel prints paths as they are for who reads them. NULL: none does.
 */
static const char *below_root(pid_t pid, struct str path)
{
	char root[PATH_MAX];
	size_t n;

	if (!read_link(pid, "root", root, sizeof(root)))
		return NULL;
	n = strlen(root);
	if (n <= 1 || path.n <= n || memcmp(path.p, root, n) != 0 || path.p[n] != '/')
		return NULL;
	return path.p + n;
}

/* *name is set to the path, in the process's root directory or ours, if it is the file's. */
static int try_name(pid_t pid, const struct mapping *mapping, bool in_root, struct str path,
		    char **name)
{
	char root[40] = "";
	int fd;

	if (in_root)
		snprintf(root, sizeof(root), "/proc/%d/root", pid);
	*name = xasprintf("%s%.*s", root, (int)path.n, path.p);
	fd = open_same(*name, mapping, NULL);
	if (fd >= 0)
		return fd;
	free(*name);
	*name = NULL;
	return -1;
}

static int open_named(pid_t pid, const struct mapping *mapping, char **name)
{
	/* a file may truly be called "x (deleted)" */
	struct str paths[] = { mapping_path(mapping), str_of(mapping->path) };
	bool in_root = has_own_mounts(pid);

	for (size_t i = 0; i < 2; i++) {
		const char *below = below_root(pid, paths[i]);
		struct str rest = str_skip(paths[i], below ? (size_t)(below - paths[i].p) : 0);
		int fd = below ? try_name(pid, mapping, true, rest, name) : -1;

		if (fd < 0)
			fd = try_name(pid, mapping, in_root, paths[i], name);
		if (fd < 0)
			fd = try_name(pid, mapping, !in_root, paths[i], name);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* Whether the mapping is of the file that the process executes. */
static bool is_program(pid_t pid, const struct mapping *mapping)
{
	char target[PATH_MAX];

	return read_link(pid, "exe", target, sizeof(target)) && strcmp(target, mapping->path) == 0;
}

int maps_open(pid_t pid, const struct mapping *mapping, char **name, struct err *err)
{
	char path[80];
	int fd, named;

	*name = NULL;
	if (mapping->path[0] != '/')
		return err_set(err, "%s: it is not a file", mapping->path);
	named = open_named(pid, mapping, name);
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, mapping->start,
		 mapping->end);
	fd = regular_open(path, NULL, NULL);
	if (fd < 0 && is_program(pid, mapping)) {
		snprintf(path, sizeof(path), "/proc/%d/exe", pid);
		fd = open_same(path, mapping, NULL);
	}
	if (fd >= 0) {
		if (named >= 0)
			close(named);
		return fd;
	}
	if (named >= 0)
		return named;
	err_set(err, "%s: it was deleted or replaced since it was mapped, or may not be read",
		mapping->path);
	return err_hint(err, "as root, the file that is still mapped can be read");
}
