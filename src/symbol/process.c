/* SPDX-License-Identifier: MIT */
#include "symbol/process.h"

#include "base/xalloc.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names that the kernel gives to memory of no file: proc_pid_maps(5), memfd_create(2), shmget(2).
 */
static bool is_file(const struct mapping *m)
{
	static const char *const others[] = { "/memfd:", "/dev/", "/SYSV", "/anon_hugepage",
					      "/[aio]" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strncmp(m->path, others[i], strlen(others[i])) == 0)
			return false;
	return m->path[0] == '/' && m->inode;
}

static bool is_known(const struct process *process, const struct mapping *m)
{
	for (size_t i = process->n; i-- > 0;)
		if (mapping_same_file(process->images[i].mapping, m))
			return true;
	return false;
}

/* The path of the program, as it stands in the mappings; "" when it cannot be known. */
static void read_program(pid_t pid, char *path, size_t size)
{
	char link[40];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, path, size - 1);
	path[n > 0 ? n : 0] = '\0';
}

static void add(struct process *process, const struct mapping *m, bool is_program)
{
	process->images[process->n++] = (struct image){ .mapping = m, .is_program = is_program };
}

int process_open(pid_t pid, struct process *process, struct err *err)
{
	char program[PATH_MAX];
	struct procmaps *maps = &process->maps;

	*process = (struct process){ .pid = pid };
	if (maps_read(pid, maps, err) < 0)
		return -1;
	process->images = xcalloc(maps->n, sizeof(*process->images));
	read_program(pid, program, sizeof(program));
	for (size_t i = 0; i < maps->n && !process->n; i++)
		if (is_file(&maps->all[i]) && strcmp(maps->all[i].path, program) == 0)
			add(process, &maps->all[i], true);
	for (size_t i = 0; i < maps->n; i++)
		if (maps->all[i].executable && is_file(&maps->all[i]) &&
		    !is_known(process, &maps->all[i]))
			add(process, &maps->all[i], false);
	return 0;
}

void process_close(struct process *process)
{
	for (size_t i = 0; i < process->n; i++)
		elffile_close(process->images[i].file);
	free(process->images);
	procmaps_fini(&process->maps);
	*process = (struct process){ 0 };
}

int process_reopen(const struct process *process, const struct image *image, char **name,
		   struct err *err)
{
	return maps_open(process->pid, image->mapping, name, err);
}

struct elffile *process_file(struct process *process, struct image *image, struct err *err)
{
	char *name;
	int fd;

	if (!image->tried) {
		image->tried = true;
		fd = process_reopen(process, image, &name, &image->err);
		if (fd >= 0)
			elffile_open(fd, name ? name : image->mapping->path, &image->file,
				     &image->err);
		free(name);
	}
	if (!image->file && err)
		*err = image->err;
	return image->file;
}

static bool is_mapped(const struct process *process, const struct image *image, uint64_t address,
		      uint64_t offset)
{
	const struct mapping *m = procmaps_find(&process->maps, address);

	return m && mapping_same_file(m, image->mapping) &&
	       m->offset + (address - m->start) == offset;
}

/*
 * How many parts of the file are where it must be when the value is at this address: more than
 * one when the dynamic linker has loaded it, and not somebody mapped it to read it.
 */
static size_t count_parts(const struct process *process, const struct image *image, uint64_t shift)
{
	size_t n, count = 0;
	const struct elffile_segment *segments = elffile_segments(image->file, &n);

	for (size_t i = 0; i < n; i++)
		count += is_mapped(process, image, segments[i].value + shift, segments[i].offset);
	return count;
}

size_t process_addresses(const struct process *process, const struct image *image, uint64_t value,
			 uint64_t *addresses, size_t max)
{
	const struct elffile_segment *segment = elffile_segment(image->file, value);
	size_t n = 0, most = 0;
	uint64_t offset;

	if (!segment)
		return 0;
	offset = value - segment->value + segment->offset;
	if (elffile_is_fixed(image->file)) {
		const struct mapping *m = procmaps_find(&process->maps, value);

		addresses[0] = value;
		return m && m->executable;
	}
	for (size_t i = 0; i < process->maps.n; i++) {
		const struct mapping *m = &process->maps.all[i];
		uint64_t address = m->start + (offset - m->offset);
		size_t parts;

		if (!m->executable || offset < m->offset ||
		    offset - m->offset >= m->end - m->start ||
		    !mapping_same_file(m, image->mapping))
			continue;
		parts = count_parts(process, image, address - value);
		if (parts > most)
			n = 0;
		if (parts < most || n == max)
			continue;
		most = parts;
		addresses[n++] = address;
	}
	return n;
}

bool image_is_named(const struct image *image, struct str name)
{
	struct str path = mapping_path(image->mapping);
	const char *slash = memrchr(path.p, '/', path.n);

	if (memchr(name.p, '/', name.n))
		return str_eq(path, name) || str_eq(str_of(image->mapping->path), name);
	if (slash)
		path = str_skip(path, (size_t)(slash + 1 - path.p));
	if (str_eq(path, name))
		return true;
	/* libm.so of libm.so.6 */
	return str_starts(path, name) && path.p[name.n] == '.' && name.n > 3 &&
	       memcmp(name.p + name.n - 3, ".so", 3) == 0;
}
