/* SPDX-License-Identifier: MIT */
#include "record/recording.h"

#include "base/str.h"
#include "base/xalloc.h"
#include "record/describe.h"
#include "record/description.h"
#include "record/entries.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const recording_callgraphs[] = { "lbr", "lbr-no-stitch", "dwarf", "fp", NULL };

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

/* Leaves out what cannot be used and says so in warning; -1 with err when nothing is left. */
static int keep_usable(struct recording *rec, struct err *warning, struct err *err)
{
	size_t n = rec->n_data, kept = 0;
	struct err first = ERR_INIT; /* failure: until then i is kept */

	for (size_t i = 0; i < n; i++) {
		if (entry_check(rec->data[i], i == kept ? &first : NULL) == 0)
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

/* NULL with errno 0: there is no more. */
static struct dirent *next_entry(DIR *dir)
{
	errno = 0;
	return readdir(dir);
}

static int find_data(struct recording *rec, const char *path, struct err *err)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	int why;

	if (!dir)
		return err_errno(err, "%s", path);
	while ((entry = next_entry(dir))) {
		if (entry_is_data(entry->d_name))
			add_data(rec, xasprintf("%s/%s", path, entry->d_name));
	}
	why = errno;
	closedir(dir);
	errno = why;
	if (why)
		return err_errno(err, "%s cannot be read", path);
	if (!rec->n_data && entry_is_data_directory(path))
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
		rec->sizes[i] = entry_size(rec->data[i]);
		rec->data_bytes += rec->sizes[i];
	}
}

/* Behind what warning says already, if it does. */
static void read_json(struct recording *rec, const char *path, struct err *warning)
{
	char *json = xasprintf("%s/" ENTRY_JSON, path);
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
	rec = recording_new();
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

struct recording *recording_new(void)
{
	return xcalloc(1, sizeof(struct recording));
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

void recording_set(char **field, const char *value)
{
	char *copy = xstrdup(value);

	free(*field);
	*field = copy;
}

void recording_set_part(struct recording *rec, const char *reason)
{
	rec->part = true;
	if (!rec->reason)
		rec->reason = xstrdup(reason);
}

bool recording_add_hit(struct recording *rec, const struct recording_hit *hit)
{
	struct recording_hit *copy;

	if (hit->time < 0 || hit->tid < 1)
		return false;
	rec->hits = xreallocarray(rec->hits, rec->n_hits + 1, sizeof(*rec->hits));
	copy = &rec->hits[rec->n_hits++];
	*copy = *hit;
	if (copy->passed < 0)
		copy->passed = 0;
	copy->symbol = xstrdup(hit->symbol ? hit->symbol : "");
	return true;
}

void recording_add_process(struct recording *rec, int32_t pid, const char *command_line)
{
	size_t at = find_process(rec, pid), n = rec->n_processes;
	struct recording_process *process;

	if (pid < 1)
		return;
	if (at == n || rec->processes[at].pid != pid) {
		rec->processes = xreallocarray(rec->processes, n + 1, sizeof(*process));
		process = &rec->processes[at];
		memmove(process + 1, process, (n - at) * sizeof(*process));
		*process = (struct recording_process){ .pid = pid, .at = n };
		rec->n_processes++;
	}
	if (command_line)
		recording_set(&rec->processes[at].command_line, command_line);
}

void recording_add_thread(struct recording *rec, int32_t pid, int32_t tid, const char *comm)
{
	size_t at = find_thread(rec, pid, tid), n = rec->n_threads;
	struct recording_thread *thread;

	if (pid < 1 || tid < 1)
		return;
	recording_add_process(rec, pid, NULL);
	if (at == n || rec->threads[at].pid != pid || rec->threads[at].tid != tid) {
		rec->threads = xreallocarray(rec->threads, n + 1, sizeof(*thread));
		thread = &rec->threads[at];
		memmove(thread + 1, thread, (n - at) * sizeof(*thread));
		*thread = (struct recording_thread){ .pid = pid, .tid = tid, .at = n };
		rec->n_threads++;
	}
	if (comm)
		recording_set(&rec->threads[at].comm, comm);
}

static int write_all(int fd, struct str text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0)
			text = str_skip(text, (size_t)n);
	}
	return 0;
}

/* Under another name first: recording.json is there as a whole or not at all. */
static int write_json(int dir, struct str text)
{
	int fd, why;

	unlinkat(dir, ENTRY_JSON_NEW, 0);
	fd = openat(dir, ENTRY_JSON_NEW, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	if (write_all(fd, text) < 0) {
		why = errno;
		close(fd);
	} else if (close(fd) < 0 || renameat(dir, ENTRY_JSON_NEW, dir, ENTRY_JSON) < 0) {
		why = errno;
	} else {
		return 0;
	}
	unlinkat(dir, ENTRY_JSON_NEW, 0);
	errno = why;
	return -1;
}

int recording_write(const struct recording *rec, const char *path, struct err *err)
{
	int dir = -1, r = -1;
	size_t n;
	char *text = describe(rec, &n, err);

	if (!text)
		return err_prefix(err, "%s/" ENTRY_JSON " is not written", path);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0)
		r = write_json(dir, (struct str){ .p = text, .n = n });
	if (r < 0) {
		err_errno(err, "cannot write %s/" ENTRY_JSON, path);
		if (errno == ENOSPC || errno == EDQUOT)
			err_hint(err, "free some space, or record into another directory with "
				      "-working-directory or $TMPDIR");
	}
	if (dir >= 0)
		close(dir);
	free(text);
	return r;
}
