/* SPDX-License-Identifier: MIT */
#include "perf/position.h"

#include "base/num.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "perf/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Drops the word at the front of s and the blanks behind it. */
static void next_word(struct str *s)
{
	while (s->n && s->p[0] != ' ')
		*s = str_skip(*s, 1);
	scan_blanks(s);
}

/* The inode of "START-END PERMS OFFSET DEVICE INODE PATH"; false for the lines below such a one. */
static bool read_inode(struct str line, uint64_t *inode)
{
	uint64_t start;

	if (!num_hex_lower(&line, &start) || !str_starts(line, STR("-")))
		return false;
	for (int i = 0; i < 4; i++)
		next_word(&line);
	return num_dec(&line, inode);
}

/* The number of "Rss:  N kB". */
static bool read_rss(struct str line, uint64_t *kilobytes)
{
	if (!str_starts(line, STR("Rss:")))
		return false;
	line = str_skip(line, 4);
	scan_blanks(&line);
	return num_dec(&line, kilobytes);
}

/* perf record --kcore makes a directory, in which a file `data` is what others are themselves. */
static bool find_file(const char *data, struct stat *st)
{
	char *inside;
	bool found;

	if (stat(data, st) < 0)
		return false;
	if (!S_ISDIR(st->st_mode))
		return S_ISREG(st->st_mode);
	inside = xasprintf("%s/data", data);
	found = stat(inside, st) == 0 && S_ISREG(st->st_mode);
	free(inside);
	return found;
}

bool position_of(pid_t pid, const char *data, uint64_t *bytes)
{
	uint64_t inode, kilobytes;
	bool ours = false, found = false;
	char path[64], *line = NULL;
	size_t cap = 0;
	struct stat st;
	ssize_t n;
	FILE *f;

	if (!find_file(data, &st))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	*bytes = 0;
	while ((n = getline(&line, &cap, f)) > 0) {
		struct str s = { .p = line, .n = (size_t)n };

		if (read_inode(s, &inode)) {
			ours = inode == st.st_ino;
		} else if (ours && read_rss(s, &kilobytes)) {
			*bytes += kilobytes * 1024;
			found = true;
		}
	}
	free(line);
	fclose(f);
	return found;
}
