/* SPDX-License-Identifier: MIT */
#include "record/recording.h"

#include "base/str.h"
#include "base/xalloc.h"
#include "record/description.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* perf record's default name, and what it puts before the timestamp of --switch-output. */
#define DATA "perf.data"

/*
 * perf.data, or perf.data.YYYYMMDDhhmmssnn. Not perf.data.old, which is an earlier recording, and
 * not what else people keep beside it.
 */
static bool is_data_name(const char *name)
{
	if (strncmp(name, DATA, strlen(DATA)) != 0)
		return false;
	name += strlen(DATA);
	if (!*name)
		return true;
	if (*name != '.' || !name[1])
		return false;
	return name[1 + strspn(name + 1, "0123456789")] == '\0';
}

static void add_data(struct recording *rec, char *path)
{
	rec->data = xreallocarray(rec->data, rec->n_data + 1, sizeof(*rec->data));
	rec->data[rec->n_data++] = path;
}

/* By name: the plain one first, timestamps in their order. */
static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Bytes of a data file; of what is in it when it is a directory (perf record --kcore, --threads).
 */
static uint64_t size_of(const char *path)
{
	struct dirent *entry;
	struct stat st;
	uint64_t size = 0;
	DIR *dir;

	if (stat(path, &st) < 0)
		return 0;
	if (!S_ISDIR(st.st_mode))
		return (uint64_t)st.st_size;
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && S_ISREG(st.st_mode))
			size += (uint64_t)st.st_size;
	}
	closedir(dir);
	return size;
}

static int check_readable(const struct recording *rec, struct err *err)
{
	for (size_t i = 0; i < rec->n_data; i++) {
		if (access(rec->data[i], R_OK) < 0)
			return err_errno(err, "%s", rec->data[i]);
	}
	return 0;
}

/* A directory that perf takes as one data file has the data in a file of this name. */
static bool is_data_directory(const char *path)
{
	char *data = xasprintf("%s/data", path);
	struct stat st;
	bool is = stat(data, &st) == 0 && S_ISREG(st.st_mode);

	free(data);
	return is;
}

static int find_data(struct recording *rec, const char *path, struct err *err)
{
	struct dirent *entry;
	DIR *dir = opendir(path);

	if (!dir)
		return err_errno(err, "%s", path);
	while ((entry = readdir(dir))) {
		if (is_data_name(entry->d_name))
			add_data(rec, xasprintf("%s/%s", path, entry->d_name));
	}
	closedir(dir);
	if (!rec->n_data && is_data_directory(path))
		add_data(rec, xstrdup(path));
	if (!rec->n_data) {
		err_set(err, "%s: no recording is in this directory", path);
		return err_hint(err, "looked for perf.data and perf.data.TIMESTAMP; a data file of "
				     "another name can be given by its path");
	}
	qsort(rec->data, rec->n_data, sizeof(*rec->data), compare);
	return 0;
}

int recording_open(const char *path, struct recording **out, struct err *warning, struct err *err)
{
	struct recording *rec = xcalloc(1, sizeof(*rec));
	struct stat st;
	char *json;
	int r;

	err_set(warning, "%s", "");
	if (stat(path, &st) < 0) {
		free(rec);
		return err_errno(err, "%s", path);
	}
	if (S_ISDIR(st.st_mode)) {
		r = find_data(rec, path, err);
	} else {
		add_data(rec, xstrdup(path));
		r = 0;
	}
	if (r < 0 || check_readable(rec, err) < 0) {
		recording_free(rec);
		return -1;
	}
	rec->sizes = xcalloc(rec->n_data, sizeof(*rec->sizes));
	for (size_t i = 0; i < rec->n_data; i++) {
		rec->sizes[i] = size_of(rec->data[i]);
		rec->data_bytes += rec->sizes[i];
	}
	if (S_ISDIR(st.st_mode)) {
		json = xasprintf("%s/recording.json", path);
		description_read(rec, json, warning);
		free(json);
	}
	*out = rec;
	return 0;
}

void recording_free(struct recording *rec)
{
	if (!rec)
		return;
	for (size_t i = 0; i < rec->n_data; i++)
		free(rec->data[i]);
	free(rec->data);
	free(rec->sizes);
	description_free(rec);
	free(rec);
}
