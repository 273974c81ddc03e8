/* SPDX-License-Identifier: MIT */
/* scratch: a directory for the files of one test. */
#ifndef MT_TESTS_SUPPORT_SCRATCH_H
#define MT_TESTS_SUPPORT_SCRATCH_H

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct scratch {
	char dir[64];
	char path[8][512]; /* what scratch_path gave last, in turn */
	unsigned next;
};

static inline void scratch_init(struct scratch *s)
{
	*s = (struct scratch){ .dir = "/tmp/magic-trace-test-XXXXXX" };
	ck_assert_ptr_nonnull(mkdtemp(s->dir));
}

/* The path of a file in the directory; good until the eighth call from here. */
static inline const char *scratch_path(struct scratch *s, const char *name)
{
	char *path = s->path[s->next++ % 8];

	ck_assert_uint_lt(strlen(s->dir) + strlen(name) + 1, sizeof(s->path[0]));
	stpcpy(stpcpy(stpcpy(path, s->dir), "/"), name);
	return path;
}

static inline void scratch_put(struct scratch *s, const char *name, const char *text)
{
	FILE *file = fopen(scratch_path(s, name), "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

/* All bytes of a file, and a NUL; the caller frees them. *n (may be NULL): how many. */
static inline char *scratch_get(const char *path, size_t *n)
{
	FILE *file = fopen(path, "r");
	struct stat st;
	char *data;

	ck_assert_msg(file != NULL, "no %s", path);
	ck_assert_int_eq(fstat(fileno(file), &st), 0);
	data = malloc((size_t)st.st_size + 1);
	ck_assert_uint_eq(fread(data, 1, (size_t)st.st_size, file), (size_t)st.st_size);
	data[st.st_size] = '\0';
	fclose(file);
	if (n)
		*n = (size_t)st.st_size;
	return data;
}

/* Whether the file holds this text. */
static inline int scratch_holds(struct scratch *s, const char *name, const char *text)
{
	char *data = scratch_get(scratch_path(s, name), NULL);
	int same = strcmp(data, text) == 0;

	free(data);
	return same;
}

static inline int scratch_has(struct scratch *s, const char *name)
{
	struct stat st;

	return lstat(scratch_path(s, name), &st) == 0;
}

/* How many entries the directory has, those whose names begin with a dot too. */
static inline unsigned scratch_count(struct scratch *s)
{
	DIR *dir = opendir(s->dir);
	struct dirent *d;
	unsigned n = 0;

	ck_assert_ptr_nonnull(dir);
	while ((d = readdir(dir)))
		n += strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
	closedir(dir);
	return n;
}

/* Runs a shell command in the directory; its exit status. */
static inline int scratch_run(struct scratch *s, const char *command)
{
	char line[1200];
	int status;

	snprintf(line, sizeof(line), "cd %s && %s", s->dir, command);
	status = system(line); /* NOLINT(cert-env33-c): the commands are the tests' own */
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void scratch_fini(struct scratch *s)
{
	ck_assert_int_eq(scratch_run(s, "rm -rf \"$PWD\""), 0);
}

#endif
