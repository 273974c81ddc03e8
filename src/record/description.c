/* SPDX-License-Identifier: MIT */
#include "record/description.h"

#include "base/num.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "record/jsontext.h"
#include "record/options.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const modes[] = { "intel_pt", "sampling", NULL };
static const char *const scopes[] = { "u", "k", "uk", NULL };

#define FIELD(name) offsetof(struct recording, name)

const struct description_string description_strings[DESCRIPTION_STRINGS] = {
	{ "magic_trace_version", FIELD(magic_trace_version), NULL },
	{ "perf_version", FIELD(perf_version), NULL },
	{ "kernel", FIELD(kernel), NULL },
	{ "cpu", FIELD(cpu), NULL },
	{ "mode", FIELD(mode), modes },
	{ "engine", FIELD(engine), &record_engines[ENGINE_QEMU] },
	{ "time", FIELD(time), record_times },
	{ "event", FIELD(event), NULL },
	{ "scope", FIELD(scope), scopes },
	{ "callgraph", FIELD(callgraph), recording_callgraphs },
	{ "trigger", FIELD(trigger), NULL },
	{ "executable", FIELD(executable), NULL },
	{ "build_id", FIELD(build_id), NULL },
	{ "reason", FIELD(reason), NULL },
};

char **description_field(const struct recording *rec, const struct description_string *string)
{
	return (char **)((char *)rec + string->offset);
}

int description_check(const struct recording *rec, struct err *err)
{
	const char *id = rec->build_id;
	size_t n = id ? strlen(id) : 0;

	for (size_t i = 0; i < DESCRIPTION_STRINGS; i++) {
		const char *const *word = description_strings[i].words;
		const char *value = *description_field(rec, &description_strings[i]);

		while (word && value && *word && strcmp(*word, value) != 0)
			word++;
		if (word && value && !*word)
			return err_set(err, "\"%s\" is '%s', which is not known",
				       description_strings[i].name, value);
	}
	if (id && (n == 0 || n > RECORDING_BUILD_ID_MAX || n % 2 ||
		   strspn(id, "0123456789abcdefABCDEF") != n))
		return err_set(err, "\"build_id\" is not pairs of hex digits, at most %d of them",
			       RECORDING_BUILD_ID_MAX / 2);
	return 0;
}

/*
 * Each reader of a member leaves *out alone when the object has none of that name, and returns -1
 * with err when it has one of another form.
 */

static int read_string(const json_t *object, const char *name, char **out, struct err *err)
{
	const json_t *value = json_object_get(object, name);

	if (!value)
		return 0;
	if (!json_is_string(value))
		return err_set(err, "\"%s\" is not a string", name);
	free(*out);
	*out = xstrdup(json_string_value(value));
	jsontext_decode(*out);
	return 0;
}

static int read_bool(const json_t *object, const char *name, bool *out, struct err *err)
{
	const json_t *value = json_object_get(object, name);

	if (value && !json_is_boolean(value))
		return err_set(err, "\"%s\" is neither true nor false", name);
	if (value)
		*out = json_is_true(value);
	return 0;
}

static int read_int(const json_t *object, const char *name, int64_t min, int64_t max, int64_t *out,
		    struct err *err)
{
	const json_t *value = json_object_get(object, name);

	if (!value)
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < min ||
	    json_integer_value(value) > max)
		return err_set(err, "\"%s\" is not an integer from %lld to %lld", name,
			       (long long)min, (long long)max);
	*out = json_integer_value(value);
	return 0;
}

static int read_id(const json_t *object, const char *name, int32_t *out, struct err *err)
{
	int64_t id = 0;

	if (read_int(object, name, 1, INT32_MAX, &id, err) < 0)
		return -1;
	if (id == 0)
		return err_set(err, "\"%s\" is missing", name);
	*out = (int32_t)id;
	return 0;
}

/* "0x1f": JSON's own integers are signed here. */
static int read_hex(const json_t *object, const char *name, uint64_t *out, struct err *err)
{
	const json_t *value = json_object_get(object, name);
	struct str s;

	if (!value)
		return 0;
	if (json_is_string(value)) {
		s = str_of(json_string_value(value));
		if (str_starts(s, STR("0x"))) {
			s = str_skip(s, 2);
			if (num_hex(&s, out) && s.n == 0)
				return 0;
		}
	}
	return err_set(err, "\"%s\" is not a string of the form \"0x1f\"", name);
}

/* The array of that name; *n is 0 when there is none. */
static int read_array(const json_t *object, const char *name, const json_t **out, size_t *n,
		      struct err *err)
{
	const json_t *value = json_object_get(object, name);

	*out = value;
	*n = 0;
	if (!value)
		return 0;
	if (!json_is_array(value))
		return err_set(err, "\"%s\" is not an array", name);
	*n = json_array_size(value);
	return 0;
}

static int read_hit(const json_t *object, struct recording_hit *hit, struct err *err)
{
	int64_t time = -1;

	if (read_int(object, "time", 0, INT64_MAX, &time, err) < 0 ||
	    read_int(object, "passed", 0, INT64_MAX, &hit->passed, err) < 0 ||
	    read_hex(object, "arg", &hit->arg, err) < 0 ||
	    read_hex(object, "ip", &hit->ip, err) < 0 ||
	    read_id(object, "tid", &hit->tid, err) < 0 ||
	    read_string(object, "symbol", &hit->symbol, err) < 0)
		return -1;
	if (time < 0)
		return err_set(err, "\"time\" is missing");
	hit->time = time;
	if (!hit->symbol)
		return err_set(err, "\"symbol\" is missing");
	return 0;
}

static int read_hits(const json_t *root, struct recording *rec, struct err *err)
{
	const json_t *array;
	size_t n;

	if (read_array(root, "hits", &array, &n, err) < 0)
		return -1;
	rec->hits = xcalloc(n, sizeof(*rec->hits));
	for (size_t i = 0; i < n; i++) {
		/* Counted first: a hit that is half read is freed with the others. */
		rec->n_hits = i + 1;
		if (read_hit(json_array_get(array, i), &rec->hits[i], err) < 0)
			return err_prefix(err, "\"hits\"[%zu]", i);
	}
	return 0;
}

static int read_threads(const json_t *object, int32_t pid, struct recording *rec, struct err *err)
{
	const json_t *array;
	size_t n;

	if (read_array(object, "threads", &array, &n, err) < 0)
		return -1;
	if (!n)
		return 0;
	rec->threads = xreallocarray(rec->threads, rec->n_threads + n, sizeof(*rec->threads));
	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(array, i);
		size_t at = rec->n_threads++;
		struct recording_thread *thread = &rec->threads[at];

		*thread = (struct recording_thread){ .pid = pid, .at = at };
		if (read_id(item, "tid", &thread->tid, err) < 0 ||
		    read_string(item, "comm", &thread->comm, err) < 0)
			return err_prefix(err, "\"threads\"[%zu]", i);
	}
	return 0;
}

static int read_processes(const json_t *root, struct recording *rec, struct err *err)
{
	const json_t *array;
	size_t n;

	if (read_array(root, "processes", &array, &n, err) < 0)
		return -1;
	rec->processes = xcalloc(n, sizeof(*rec->processes));
	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(array, i);
		struct recording_process *process = &rec->processes[i];

		rec->n_processes = i + 1;
		process->at = i;
		if (read_id(item, "pid", &process->pid, err) < 0 ||
		    read_string(item, "command_line", &process->command_line, err) < 0 ||
		    read_threads(item, process->pid, rec, err) < 0)
			return err_prefix(err, "\"processes\"[%zu]", i);
	}
	return 0;
}

static int compare_processes(const void *a, const void *b)
{
	const struct recording_process *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static int compare_threads(const void *a, const void *b)
{
	const struct recording_thread *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static void sort(struct recording *rec)
{
	if (rec->n_processes)
		qsort(rec->processes, rec->n_processes, sizeof(*rec->processes), compare_processes);
	if (rec->n_threads)
		qsort(rec->threads, rec->n_threads, sizeof(*rec->threads), compare_threads);
}

static int read_strings(const json_t *root, struct recording *rec, struct err *err)
{
	for (size_t i = 0; i < DESCRIPTION_STRINGS; i++) {
		const struct description_string *string = &description_strings[i];

		if (read_string(root, string->name, description_field(rec, string), err) < 0)
			return -1;
	}
	return description_check(rec, err);
}

static int read_root(const json_t *root, struct recording *rec, struct err *err)
{
	int64_t version = 0;
	bool part = false;

	if (!json_is_object(root))
		return err_set(err, "it is not a JSON object");
	if (read_int(root, "version", 1, INT64_MAX, &version, err) < 0)
		return -1;
	if (version != DESCRIPTION_VERSION)
		return err_set(err, "\"version\" is not %d", DESCRIPTION_VERSION);
	if (read_strings(root, rec, err) < 0 ||
	    read_int(root, "wall_clock", INT64_MIN, INT64_MAX, &rec->wall_clock, err) < 0 ||
	    read_hits(root, rec, err) < 0 || read_processes(root, rec, err) < 0 ||
	    read_bool(root, "part", &part, err) < 0)
		return -1;
	/* last: a file that is ignored as a whole does not make the recording incomplete */
	if (part)
		rec->part = true;
	return 0;
}

/* The whole file, for free(); NULL with err when it cannot be read or is no JSON file's size. */
static char *read_file(int fd, size_t *size, struct err *err)
{
	struct stat st;
	size_t n = 0;
	char *buf;

	if (fstat(fd, &st) < 0) {
		err_errno(err, "reading it failed");
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		err_set(err, "it is not a regular file");
		return NULL;
	}
	if (st.st_size > DESCRIPTION_MAX) {
		err_set(err, "it is larger than %d bytes", DESCRIPTION_MAX);
		return NULL;
	}
	buf = xmalloc((size_t)st.st_size + 1);
	while (n < (size_t)st.st_size) {
		ssize_t r = read(fd, buf + n, (size_t)st.st_size - n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0) {
			err_errno(err, "reading it failed");
			free(buf);
			return NULL;
		}
		if (r == 0)
			break;
		n += (size_t)r;
	}
	*size = n;
	return buf;
}

int description_parse(struct recording *rec, struct str text, struct err *err)
{
	json_error_t where;
	json_t *root = json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES, &where);
	int r;

	if (!root)
		return err_set(err, "line %d, column %d: %s", where.line, where.column, where.text);
	r = read_root(root, rec, err);
	json_decref(root);
	if (r == 0)
		sort(rec);
	return r;
}

static int read_fd(int fd, struct recording *rec, struct err *err)
{
	struct str text;
	char *buf = read_file(fd, &text.n, err);
	int r;

	if (!buf)
		return -1;
	text.p = buf;
	r = description_parse(rec, text, err);
	free(buf);
	return r;
}

void description_read(struct recording *rec, const char *path, struct err *warning)
{
	/* Not to hang on a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		if (errno != ENOENT)
			err_errno(warning, "%s", path);
		return;
	}
	if (read_fd(fd, rec, warning) == 0) {
		rec->has_json = true;
	} else {
		err_prefix(warning, "%s is ignored", path);
		description_free(rec);
	}
	close(fd);
}

void description_free(struct recording *rec)
{
	for (size_t i = 0; i < rec->n_hits; i++)
		free(rec->hits[i].symbol);
	free(rec->hits);
	for (size_t i = 0; i < rec->n_processes; i++)
		free(rec->processes[i].command_line);
	for (size_t i = 0; i < rec->n_threads; i++)
		free(rec->threads[i].comm);
	free(rec->threads);
	free(rec->processes);
	for (size_t i = 0; i < DESCRIPTION_STRINGS; i++)
		recording_set(description_field(rec, &description_strings[i]), NULL);
	rec->hits = NULL;
	rec->n_hits = 0;
	rec->processes = NULL;
	rec->n_processes = 0;
	rec->threads = NULL;
	rec->n_threads = 0;
	rec->wall_clock = 0;
}
