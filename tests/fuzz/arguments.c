/* SPDX-License-Identifier: MIT */
/*
 * arguments [CASES [SEED]]: any bytes as the arguments of a command, parted by newlines; and each
 * of them as a selection, a filter, a size, a time. What is refused has a message without newlines.
 */
#include "cli/commands.h"
#include "cli/filter_arg.h"
#include "cli/flags.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/values.h"
#include "record/resolution.h"
#include "support/fuzz.h"
#include "symbol/notation.h"
#include "symbol/selection.h"

#define ARGUMENTS_MAX 32

static void refused(const struct err *err)
{
	MUST(err->msg[0] != '\0' && strlen(err->msg) < sizeof(err->msg));
	MUST(strlen(err->hint) < sizeof(err->hint));
}

static void check_options(const struct options *options, int argc)
{
	int rest = 0;

	MUST(options->output && options->jobs <= 1024 && options->max_depth <= 1000000);
	MUST(!options->filter.start == !options->filter.stop);
	for (size_t i = 0; i < options->pids.n; i++)
		MUST(options->pids.pids[i] > 0);
	for (char *const *arg = options->rest; arg && *arg; arg++)
		rest++;
	MUST(rest <= argc);
	MUST(strlen(options->resolution.terms) < sizeof(options->resolution.terms));
}

static void check_command(enum command_id command, int argc, char **argv)
{
	struct options options = OPTIONS_INIT;
	struct err err = ERR_INIT;

	if (parse(command, argc, argv, &options, &err) == 0)
		check_options(&options, argc);
	else
		refused(&err);
	options_fini(&options);
}

static void check_selection(const char *text)
{
	struct selection selection;
	struct notation_line line;
	struct err err = ERR_INIT;
	struct str library;
	const char *symbol;
	uint64_t address;

	if (selection_parse(&selection, text, &err) == 0) {
		MUST(selection.text &&
		     strlen(selection.text) <= strlen(text) + sizeof(STOP_INDICATOR));
		MUST(selection.kind != SELECTION_ADDRESS ||
		     notation_address(selection.text, &address));
		MUST(selection.kind != SELECTION_LINE || notation_line(selection.text, &line));
		selection_fini(&selection);
	} else {
		refused(&err);
	}
	if (notation_library(text, &library, &symbol))
		MUST(library.n > 0 && symbol[0] && library.n + strlen(symbol) < strlen(text));
	if (notation_line(text, &line))
		MUST(line.file.n > 0 && line.line > 0);
}

static void check_filter(const char *text)
{
	struct filter_arg arg = { 0 };
	struct err err = ERR_INIT;

	if (filter_arg_parse(&arg, text, &err) == 0) {
		MUST(arg.start[0] && arg.stop[0] && strcmp(arg.start, arg.stop) != 0);
		MUST(strlen(arg.start) + strlen(arg.stop) < strlen(text));
	} else {
		refused(&err);
		MUST(!arg.start && !arg.stop);
	}
	filter_arg_fini(&arg);
}

static void check_values(const char *text)
{
	struct resolution resolution;
	struct extra_events events;
	struct err err = ERR_INIT;
	struct when when;
	uint64_t v;
	uint32_t n;

	if (value_size(text, &v, &err) == 0)
		MUST(v > 0);
	if (value_seconds(text, &v, &err) == 0)
		MUST(v > 0 && v <= INT64_MAX);
	if (value_when(text, &when, &err) == 0 && when.kind == WHEN_PERCENT)
		MUST(when.value <= WHEN_WHOLE);
	if (value_length(text, &when, &err) == 0)
		MUST(when.value > 0 && when.kind != WHEN_CLOCK);
	if (value_jobs(text, &n, &err) == 0)
		MUST(n >= 1 && n <= 1024);
	value_depth(text, &n, &err);
	if (value_events(text, &events, &err) == 0)
		MUST(events.branch_misses || events.cache_misses);
	if (resolution_parse(&resolution, text, &err) == 0)
		MUST(strlen(resolution.terms) < sizeof(resolution.terms));
	else
		refused(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	enum command_id command = (enum command_id)(fuzz_take(&bytes, 1) % COMMANDS);
	char *text = fuzz_text(bytes.p, bytes.n), *next = text;
	char *argv[ARGUMENTS_MAX + 1] = { NULL };
	int argc = 0;

	while (next && argc < ARGUMENTS_MAX)
		argv[argc++] = strsep(&next, "\n");
	for (int i = 0; i < argc; i++) {
		check_selection(argv[i]);
		check_filter(argv[i]);
		check_values(argv[i]);
	}
	check_command(command, argc, argv);
	free(text);
	return 0;
}

FUZZ_MAIN("arguments", 10000)
