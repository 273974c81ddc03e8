/* SPDX-License-Identifier: MIT */
#include "cli/check.h"

#include "base/xalloc.h"
#include "cli/version.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The widest name and the widest state, and what parts columns. */
#define NAME_WIDTH  22
#define STATE_WIDTH 9

static void print_text(FILE *to, const char *text)
{
	char shown[2 * sizeof(((struct err *)NULL)->msg)];

	console_escape(shown, sizeof(shown), str_of(text));
	fprintf(to, "%s\n", shown);
}

void check_print_table(FILE *to, const struct checkup *checkup)
{
	for (size_t i = 0; i < checkup->n_items; i++) {
		const struct checkup_item *item = &checkup->items[i];

		fprintf(to, "%-*s%-*s", NAME_WIDTH, item->name, STATE_WIDTH,
			checkup_state_name(item->state));
		print_text(to, item->what.msg);
		if (!item->what.hint[0])
			continue;
		fprintf(to, "%*s", NAME_WIDTH + STATE_WIDTH, "");
		print_text(to, item->what.hint);
	}
	fputc('\n', to);
	/* the result is the last line */
	if (checkup->result.hint[0])
		print_text(to, checkup->result.hint);
	print_text(to, checkup->result.msg);
}

/* A string, or null for an empty one. Paths and variables need not be UTF-8, JSON must be. */
static json_t *text(const char *s)
{
	char shown[4 * sizeof(((struct err *)NULL)->msg)];

	if (!s || !*s)
		return json_null();
	console_escape(shown, sizeof(shown), str_of(s));
	return json_string(shown);
}

static json_t *item_object(const struct checkup_item *item)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", text(item->name));
	json_object_set_new(object, "state", text(checkup_state_name(item->state)));
	json_object_set_new(object, "what", text(item->what.msg));
	json_object_set_new(object, "remedy", text(item->what.hint));
	return object;
}

void check_print_json(FILE *to, const struct checkup *checkup)
{
	json_t *object = json_object(), *items = json_array();

	for (size_t i = 0; i < checkup->n_items; i++)
		json_array_append_new(items, item_object(&checkup->items[i]));
	json_object_set_new(object, "version", text(version()));
	json_object_set_new(object, "records", text(checkup->mode));
	json_object_set_new(object, "event", text(checkup->event));
	json_object_set_new(object, "result", text(checkup->result.msg));
	json_object_set_new(object, "remedy", text(checkup->result.hint));
	json_object_set_new(object, "items", items);
	json_dumpf(object, to, JSON_INDENT(2));
	fputc('\n', to);
	json_decref(object);
}

/* A variable that is empty counts as one that is not set. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

enum status check_command(const struct options *options, struct console *console)
{
	const char *perf = variable("MAGIC_TRACE_PERF_PATH");
	struct checkup *checkup = xcalloc(1, sizeof(*checkup));
	struct checkup_facts facts;
	struct err err = ERR_INIT;
	enum status status;

	checkup_look(&facts, perf ? perf : "perf");
	facts.perf_is_privileged = variable("MAGIC_TRACE_PERF_IS_PRIVILEGED");
	facts.no_kcore = variable("MAGIC_TRACE_PERF_NO_KCORE");
	checkup_make(checkup, &facts);
	if (options->json)
		check_print_json(stdout, checkup);
	else
		check_print_table(stdout, checkup);
	status = checkup->mode || checkup->software ? STATUS_WHOLE : STATUS_NONE;
	if (fflush(stdout) != 0 || ferror(stdout)) {
		err_errno(&err, "standard output");
		console_error(console, &err);
		status = STATUS_NONE;
	}
	checkup_facts_free(&facts);
	free(checkup);
	return status;
}
