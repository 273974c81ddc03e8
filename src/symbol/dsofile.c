/* SPDX-License-Identifier: MIT */
#include "symbol/dsofile.h"

#include "base/procmaps.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "symbol/regular.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DELETED " (deleted)"

struct candidate {
	char *path;
	bool trusted; /* what lies there is taken when nothing tells that it is another one */
};

static bool read_id(int fd, char build_id[BUILDID_HEX])
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	build_id[0] = '\0';
	return buildid_read(path, build_id);
}

/* Whether it is the file that was mapped, as far as can be known. */
static bool is_same(const struct dsofile *file, int fd, const struct stat *st, bool trusted,
		    char build_id[BUILDID_HEX])
{
	bool has_id = read_id(fd, build_id);

	if (file->build_id[0])
		return has_id && strcmp(build_id, file->build_id) == 0;
	return trusted || (file->inode && st->st_ino == file->inode);
}

/* Takes the candidate's path over. */
static int try(const struct dsofile *file, struct candidate candidate, char **name,
	       char build_id[BUILDID_HEX], struct err *err)
{
	struct stat st;
	int fd = regular_open(candidate.path, &st, err);

	if (fd >= 0 && is_same(file, fd, &st, candidate.trusted, build_id)) {
		*name = candidate.path;
		return fd;
	}
	if (fd >= 0) {
		close(fd);
		err_set(err, "%s: it is another file than the one that was recorded",
			candidate.path);
	}
	free(candidate.path);
	return -1;
}

/* The copy that perf record may have made of it (perf-buildid-cache(1)). */
static char *perf_copy(const struct dsofile *file)
{
	const char *home = getenv("HOME");

	if (!home || strlen(file->build_id) < 3)
		return NULL;
	return xasprintf("%s/.debug/.build-id/%.2s/%s/elf", home, file->build_id,
			 file->build_id + 2);
}

static int open_elsewhere(const struct dsofile *file, struct str path, char **name,
			  char build_id[BUILDID_HEX])
{
	char *copy = perf_copy(file);
	struct candidate others[] = {
		{ .path = copy ? copy : xstrdup("") },
		{ .path = xasprintf("/proc/%d/root%.*s", file->pid, (int)path.n, path.p) },
		{ .path = xasprintf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64, file->pid,
				    file->start, file->end) },
		{ .path = xasprintf("/proc/%d/exe", file->pid) },
	};
	int fd = -1;

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (fd < 0)
			fd = try(file, others[i], name, build_id, NULL);
		else
			free(others[i].path);
	}
	return fd;
}

/* A copy of the vDSO that the kernel has mapped for us. */
static int copy_vdso(void)
{
	int fd = memfd_create("vdso", MFD_CLOEXEC);
	struct procmaps maps;

	if (fd < 0 || procmaps_read(getpid(), &maps, NULL) < 0)
		return fd;
	for (size_t i = 0; i < maps.n; i++) {
		const struct mapping *m = &maps.all[i];

		/* NOLINTNEXTLINE(performance-no-int-to-ptr): that is what it is */
		const void *from = (const void *)(uintptr_t)m->start;
		size_t n = (size_t)(m->end - m->start);

		if (strcmp(m->path, "[vdso]") == 0 && write(fd, from, n) != (ssize_t)n)
			break;
	}
	procmaps_fini(&maps);
	return fd;
}

static int open_vdso(const struct dsofile *file, char **name, char build_id[BUILDID_HEX],
		     struct err *err)
{
	int fd = copy_vdso();
	bool has_id = fd >= 0 && read_id(fd, build_id);

	if (has_id &&
	    (file->build_id[0] ? strcmp(build_id, file->build_id) == 0 : file->same_machine)) {
		*name = xstrdup("[vdso]");
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return err_set(err, "[vdso]: it is that of another kernel");
}

int dsofile_open(const struct dsofile *file, char **name, char build_id[BUILDID_HEX],
		 struct err *err)
{
	struct str path = str_of(file->path), deleted = STR(DELETED);
	struct candidate by_path = { .trusted = file->symfs };
	int fd;

	build_id[0] = '\0';
	if (strcmp(file->path, "[vdso]") == 0)
		return open_vdso(file, name, build_id, err);
	if (path.n > deleted.n && memcmp(path.p + path.n - deleted.n, deleted.p, deleted.n) == 0)
		path.n -= deleted.n;
	by_path.path = xasprintf("%s%.*s", file->symfs ? file->symfs : "", (int)path.n, path.p);
	fd = try(file, by_path, name, build_id, err);
	if (fd < 0)
		fd = open_elsewhere(file, path, name, build_id);
	if (fd < 0)
		err_hint(err, "decode on the machine of the recording, or with -symfs DIR: "
			      "a copy of its root directory");
	return fd;
}
