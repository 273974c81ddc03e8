/* SPDX-License-Identifier: MIT */
#include "base/procmaps.h"

#include "base/num.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than a process with the most mappings that the kernel allows by itself (65530) prints. */
#define TEXT_MAX ((size_t)512 << 20)

static bool take(struct str *s, char c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	*s = str_skip(*s, 1);
	return true;
}

/* "55e0-55e1 r-xp 00001000 fe:01 1234   " off *s; the path is left. */
static bool parse_fields(struct str *s, struct mapping *m)
{
	uint64_t major, minor;

	if (!num_hex(s, &m->start) || !take(s, '-') || !num_hex(s, &m->end) || !take(s, ' ') ||
	    s->n < 4 || m->start >= m->end)
		return false;
	m->readable = s->p[0] == 'r';
	m->writable = s->p[1] == 'w';
	m->executable = s->p[2] == 'x';
	m->shared = s->p[3] == 's';
	*s = str_skip(*s, 4);
	if (!take(s, ' ') || !num_hex(s, &m->offset) || !take(s, ' ') || !num_hex(s, &major) ||
	    !take(s, ':') || !num_hex(s, &minor) || !take(s, ' ') || !num_dec(s, &m->inode))
		return false;
	if (major > UINT32_MAX || minor > UINT32_MAX || m->offset + (m->end - m->start) < m->offset)
		return false;
	m->major = (uint32_t)major;
	m->minor = (uint32_t)minor;
	/* one blank, and then as many as bring the path to its column */
	if (s->n && !take(s, ' '))
		return false;
	while (take(s, ' '))
		;
	return true;
}

/* Writes the path to `out`, which has room for s.n + 1 bytes; how many it took. */
static size_t put_path(char *out, struct str s)
{
	size_t n = 0;

	while (s.n) {
		bool newline = str_starts(s, STR("\\012"));

		out[n++] = newline ? '\n' : s.p[0];
		s = str_skip(s, newline ? 4 : 1);
	}
	out[n++] = '\0';
	return n;
}

void procmaps_parse(struct procmaps *maps, struct str text)
{
	size_t cap = 0, used = 0;

	*maps = (struct procmaps){ .text = xmalloc(text.n + 1) };
	while (text.n) {
		const char *end = memchr(text.p, '\n', text.n);
		struct str line = { .p = text.p, .n = end ? (size_t)(end - text.p) : text.n };
		struct mapping m;

		text = str_skip(text, line.n + 1);
		if (!parse_fields(&line, &m))
			continue;
		if (memchr(line.p, '\0', line.n))
			continue;
		m.path = maps->text + used;
		used += put_path(maps->text + used, line);
		if (maps->n == cap) {
			cap = cap ? 2 * cap : 64;
			maps->all = xreallocarray(maps->all, cap, sizeof(*maps->all));
		}
		maps->all[maps->n++] = m;
	}
}

void procmaps_fini(struct procmaps *maps)
{
	free(maps->all);
	free(maps->text);
	*maps = (struct procmaps){ 0 };
}

static int read_all(int fd, char **text, size_t *n, struct err *err)
{
	size_t cap = 1 << 16;

	*text = xmalloc(cap);
	*n = 0;
	for (;;) {
		ssize_t got = read(fd, *text + *n, cap - *n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_errno(err, "reading the mappings");
		if (got == 0)
			return 0;
		*n += (size_t)got;
		if (*n < cap)
			continue;
		if (cap >= TEXT_MAX) {
			errno = EOVERFLOW;
			return err_set(err, "there are too many mappings");
		}
		cap *= 2;
		*text = xreallocarray(*text, cap, 1);
	}
}

int procmaps_read(pid_t pid, struct procmaps *maps, struct err *err)
{
	char path[40], *text = NULL;
	size_t n = 0;
	int fd, result, error;

	*maps = (struct procmaps){ 0 };
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, "%s", path);
	result = read_all(fd, &text, &n, err);
	error = errno;
	close(fd);
	if (result == 0)
		procmaps_parse(maps, (struct str){ .p = text, .n = n });
	free(text);
	errno = error;
	return result;
}

const struct mapping *procmaps_find(const struct procmaps *maps, uint64_t address)
{
	for (size_t i = 0; i < maps->n; i++)
		if (address >= maps->all[i].start && address < maps->all[i].end)
			return &maps->all[i];
	return NULL;
}
