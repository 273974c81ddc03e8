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

const char *const recording_callgraphs[] = { "lbr", "lbr-no-stitch", "dwarf", "fp", NULL };

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

/* Opening a FIFO would wait for its writer, and perf reads no other kinds. */
static int check_usable(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_errno(err, "%s", path);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return err_set(err, "%s: it is neither a regular file nor a directory", path);
	if (access(path, R_OK) < 0)
		return err_errno(err, "%s", path);
	return 0;
}

/* Leaves out what cannot be used and says so in warning; -1 with err when nothing is left. */
static int keep_usable(struct recording *rec, struct err *warning, struct err *err)
{
	size_t n = rec->n_data, kept = 0;
	struct err first = ERR_INIT; /* failure: until then i is kept */

	for (size_t i = 0; i < n; i++) {
		if (check_usable(rec->data[i], i == kept ? &first : NULL) == 0)
			rec->data[kept++] = rec->data[i];
		else
			free(rec->data[i]);
	}
	rec->n_data = kept;
	rec->part = kept < n;
	if (kept == n)
		return 0;
	if (kept == 0 && n == 1)
		return err_set(err, "%s", first.msg);
	if (kept == 0)
		return err_set(err, "none of %zu data files can be read; %s", n, first.msg);
	err_set(warning, "%zu of %zu data files left out; %s", n - kept, n, first.msg);
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

static void read_sizes(struct recording *rec)
{
	rec->sizes = xcalloc(rec->n_data, sizeof(*rec->sizes));
	for (size_t i = 0; i < rec->n_data; i++) {
		rec->sizes[i] = size_of(rec->data[i]);
		rec->data_bytes += rec->sizes[i];
	}
}

/* Behind what warning says already, if it does. */
static void read_json(struct recording *rec, const char *path, struct err *warning)
{
	char *json = xasprintf("%s/recording.json", path);
	struct err before = *warning, more = ERR_INIT;

	description_read(rec, json, &more);
	free(json);
	if (before.msg[0] && more.msg[0])
		err_set(warning, "%s; %s", before.msg, more.msg);
	else if (more.msg[0])
		*warning = more;
}

int recording_open(const char *path, struct recording **out, struct err *warning, struct err *err)
{
	struct recording *rec;
	struct stat st;

	err_set(warning, "%s", "");
	if (stat(path, &st) < 0)
		return err_errno(err, "%s", path);
	rec = xcalloc(1, sizeof(*rec));
	if (!S_ISDIR(st.st_mode))
		add_data(rec, xstrdup(path));
	else if (find_data(rec, path, err) < 0)
		goto failed;
	if (keep_usable(rec, warning, err) < 0)
		goto failed;
	read_sizes(rec);
	if (S_ISDIR(st.st_mode))
		read_json(rec, path, warning);
	*out = rec;
	return 0;
failed:
	recording_free(rec);
	return -1;
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

/* The first process that is not less than pid. */
static size_t find_process(const struct recording *rec, int32_t pid)
{
	size_t low = 0, high = rec->n_processes;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (rec->processes[mid].pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const char *recording_command_line(const struct recording *rec, int32_t pid)
{
	size_t at = find_process(rec, pid);

	if (at == rec->n_processes || rec->processes[at].pid != pid)
		return NULL;
	return rec->processes[at].command_line;
}

/* The first thread that is not less than that one. */
static size_t find_thread(const struct recording *rec, int32_t pid, int32_t tid)
{
	size_t low = 0, high = rec->n_threads;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct recording_thread *t = &rec->threads[mid];

		if (t->pid < pid || (t->pid == pid && t->tid < tid))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const char *recording_comm(const struct recording *rec, int32_t pid, int32_t tid)
{
	size_t at = find_thread(rec, pid, tid);

	if (at == rec->n_threads || rec->threads[at].pid != pid || rec->threads[at].tid != tid)
		return NULL;
	return rec->threads[at].comm;
}
