/* SPDX-License-Identifier: MIT */
#include "record/describe.h"

#include "base/str.h"
#include "base/xalloc.h"
#include "record/description.h"
#include "record/jsontext.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	size_t cut;  /* the longest name in bytes */
	bool failed; /* jansson had no memory for something */
};

/* Takes value; NULL is one that could not be made. */
static void put(struct writer *w, json_t *object, const char *name, json_t *value)
{
	if (json_object_set_new(object, name, value) < 0)
		w->failed = true;
}

static void put_in_array(struct writer *w, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) < 0)
		w->failed = true;
}

static void put_bytes(struct writer *w, json_t *object, const char *name, struct str s)
{
	char *text = jsontext_encode(s);

	put(w, object, name, json_string(text));
	free(text);
}

/* Nothing when it is not known. */
static void put_string(struct writer *w, json_t *object, const char *name, const char *s)
{
	if (s)
		put_bytes(w, object, name, str_of(s));
}

/* A name of which there may be many. */
static void put_name(struct writer *w, json_t *object, const char *name, const char *s)
{
	if (s)
		put_bytes(w, object, name, (struct str){ .p = s, .n = strnlen(s, w->cut) });
}

static void put_int(struct writer *w, json_t *object, const char *name, int64_t value)
{
	put(w, object, name, json_integer(value));
}

static void put_hex(struct writer *w, json_t *object, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	put(w, object, name, json_string(text));
}

static json_t *make_hit(struct writer *w, const struct recording_hit *hit)
{
	json_t *object = json_object();

	put_int(w, object, "time", hit->time);
	if (hit->passed)
		put_int(w, object, "passed", hit->passed);
	put_hex(w, object, "arg", hit->arg);
	put_hex(w, object, "ip", hit->ip);
	put_int(w, object, "tid", hit->tid);
	put_name(w, object, "symbol", hit->symbol);
	return object;
}

static json_t *make_hits(struct writer *w, const struct recording *rec)
{
	json_t *array = json_array();

	for (size_t i = 0; i < rec->n_hits; i++)
		put_in_array(w, array, make_hit(w, &rec->hits[i]));
	return array;
}

static json_t *make_thread(struct writer *w, const struct recording_thread *thread)
{
	json_t *object = json_object();

	put_int(w, object, "tid", thread->tid);
	put_name(w, object, "comm", thread->comm);
	return object;
}

/* The threads of pid, which begin at *at or later; *at is moved behind them. */
static json_t *make_threads(struct writer *w, const struct recording *rec, int32_t pid, size_t *at)
{
	json_t *array = json_array();

	while (*at < rec->n_threads && rec->threads[*at].pid < pid)
		++*at;
	for (; *at < rec->n_threads && rec->threads[*at].pid == pid; ++*at)
		put_in_array(w, array, make_thread(w, &rec->threads[*at]));
	return array;
}

static json_t *make_processes(struct writer *w, const struct recording *rec)
{
	json_t *array = json_array();
	size_t at = 0;

	for (size_t i = 0; i < rec->n_processes; i++) {
		const struct recording_process *process = &rec->processes[i];
		json_t *object = json_object();

		put_int(w, object, "pid", process->pid);
		put_name(w, object, "command_line", process->command_line);
		put(w, object, "threads", make_threads(w, rec, process->pid, &at));
		put_in_array(w, array, object);
	}
	return array;
}

static json_t *make_root(struct writer *w, const struct recording *rec)
{
	json_t *root = json_object();

	put_int(w, root, "version", DESCRIPTION_VERSION);
	for (size_t i = 0; i < DESCRIPTION_STRINGS; i++) {
		const struct description_string *string = &description_strings[i];

		put_string(w, root, string->name, *description_field(rec, string));
	}
	put_int(w, root, "wall_clock", rec->wall_clock);
	put(w, root, "part", json_boolean(rec->part));
	put(w, root, "hits", make_hits(w, rec));
	put(w, root, "processes", make_processes(w, rec));
	return root;
}

static char *make_text(const struct recording *rec, size_t cut)
{
	struct writer w = { .cut = cut };
	json_t *root = make_root(&w, rec);
	char *text = w.failed ? NULL : json_dumps(root, JSON_INDENT(1));

	json_decref(root);
	if (!text)
		return NULL;
	text = xreallocarray(text, strlen(text) + 2, 1);
	stpcpy(text + strlen(text), "\n");
	return text;
}

char *describe(const struct recording *rec, size_t *n, struct err *err)
{
	static const size_t cuts[] = { SIZE_MAX, 1024, 64 };

	if (description_check(rec, err) < 0)
		return NULL;
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		char *text = make_text(rec, cuts[i]);

		if (!text) {
			err_set(err, "out of memory");
			return NULL;
		}
		*n = strlen(text);
		if (*n <= DESCRIPTION_MAX)
			return text;
		free(text);
	}
	err_set(err, "it would be longer than %d bytes", DESCRIPTION_MAX);
	return NULL;
}
