/* SPDX-License-Identifier: MIT */
#include "soft/qemuargs.h"

#include "base/num.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const times[] = {
	[RECORDER_VIRTUAL] = "virtual",
	[RECORDER_REAL] = "real",
	[RECORDER_INSTRUCTIONS] = "instructions",
};

#define N_TIMES (sizeof(times) / sizeof(times[0]))

/* --- writing --- */

static void put_value(FILE *f, const char *value)
{
	for (; *value; value++) {
		if (*value == ',')
			fputc(',', f);
		fputc(*value, f);
	}
}

static void put_text(FILE *f, const char *name, const char *value)
{
	if (!value)
		return;
	fprintf(f, ",%s=", name);
	put_value(f, value);
}

static char *plugin_value(const struct qemuargs *args, const char *plugin)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return xstrdup("");
	put_value(f, plugin);
	put_text(f, "out", args->out);
	put_text(f, "log", args->log);
	put_text(f, "control", args->control);
	put_text(f, "comm", args->comm);
	put_text(f, "time", times[args->time]);
	if (args->ring)
		fprintf(f, ",ring=%zu", args->ring);
	if (args->trigger)
		fprintf(f, ",trigger=%" PRIx64, args->trigger_at);
	if (args->trigger)
		put_text(f, "trigger-file", args->trigger_file);
	put_text(f, "multi-thread", args->multi_thread ? "on" : NULL);
	put_text(f, "multi", args->multi ? "on" : NULL);
	put_text(f, "taken", args->taken ? "on" : NULL);
	if (args->image)
		fprintf(f, ",image=%u", args->image);
	fclose(f);
	return text;
}

char **qemuargs_command(const struct qemuargs *args, const char *qemu, const char *plugin,
			const char *program, char *const argv[])
{
	size_t n = 0, more = 0;
	char **command;

	while (argv[more])
		more++;
	command = xcalloc(more + 9, sizeof(*command));
	command[n++] = xstrdup(qemu);
	/* what the program gets as AT_RANDOM is else another each time */
	if (args->time == RECORDER_INSTRUCTIONS) {
		command[n++] = xstrdup("-seed");
		command[n++] = xstrdup("1");
	}
	command[n++] = xstrdup("-plugin");
	command[n++] = plugin_value(args, plugin);
	command[n++] = xstrdup("-0");
	command[n++] = xstrdup(more ? argv[0] : program);
	/* what begins with a dash is an option */
	command[n++] = xasprintf("%s%s", program[0] == '-' ? "./" : "", program);
	for (size_t i = 1; i < more; i++)
		command[n++] = xstrdup(argv[i]);
	return command;
}

void qemuargs_free(char **command)
{
	for (size_t i = 0; command && command[i]; i++)
		free(command[i]);
	free(command);
}

/* --- reading --- */

static bool read_time(const char *value, enum recorder_time *time)
{
	for (size_t i = 0; i < N_TIMES; i++)
		if (strcmp(value, times[i]) == 0) {
			*time = (enum recorder_time)i;
			return true;
		}
	return false;
}

static bool read_number(const char *value, bool hex, uint64_t *n)
{
	struct str s = str_of(value);

	if (hex && str_starts(s, STR("0x")))
		s = str_skip(s, 2);
	return (hex ? num_hex(&s, n) : num_dec(&s, n)) && s.n == 0;
}

static bool read_switch(const char *value, bool *on)
{
	*on = strcmp(value, "on") == 0;
	return *on || strcmp(value, "off") == 0;
}

/* Whether name is known and value is such a one. */
static bool read_one(struct qemuargs *args, struct str name, const char *value)
{
	const struct {
		const char *name;
		const char **value;
	} texts[] = { { "out", &args->out },
		      { "log", &args->log },
		      { "control", &args->control },
		      { "comm", &args->comm },
		      { "trigger-file", &args->trigger_file } };
	const struct {
		const char *name;
		bool *on;
	} switches[] = { { "multi-thread", &args->multi_thread },
			 { "multi", &args->multi },
			 { "taken", &args->taken } };
	uint64_t v = 0;
	bool good;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (str_eq(name, str_of(texts[i].name))) {
			*texts[i].value = value;
			return value[0] != '\0';
		}
	if (str_eq(name, STR("time")))
		return read_time(value, &args->time);
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if (str_eq(name, str_of(switches[i].name)))
			return read_switch(value, switches[i].on);
	if (str_eq(name, STR("trigger"))) {
		args->trigger = true;
		return read_number(value, true, &args->trigger_at);
	}
	good = read_number(value, false, &v);
	if (str_eq(name, STR("ring"))) {
		args->ring = (size_t)v;
		return good && v <= SIZE_MAX / 4;
	}
	args->image = (unsigned int)v;
	return str_eq(name, STR("image")) && good && v < UINT32_MAX;
}

int qemuargs_read(struct qemuargs *args, char *const texts[], size_t n, struct err *err)
{
	*args = (struct qemuargs){ .time = RECORDER_VIRTUAL };
	for (size_t i = 0; i < n; i++) {
		const char *value = strchr(texts[i], '=');
		struct str name = { .p = texts[i],
				    .n = value ? (size_t)(value - texts[i]) : strlen(texts[i]) };

		if (!value || !read_one(args, name, value + 1))
			return err_set(err, "%s: no argument of the plugin", texts[i]);
	}
	if (!args->out)
		return err_set(err, "out=FILE is missing in the arguments of the plugin");
	return 0;
}
