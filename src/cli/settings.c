/* SPDX-License-Identifier: MIT */
#include "cli/settings.h"

#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *settings_variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* perf, which is to read it, has another standard input, and no file that is open here. */
static bool is_open_file(const char *path)
{
	return !strcmp(path, "-") || !strcmp(path, "/dev/stdin") ||
	       !strncmp(path, "/dev/fd/", strlen("/dev/fd/"));
}

/* A path that is not there passes: opening it says why. */
static int check_input(const char *path, struct err *err)
{
	struct stat st;

	if (!is_open_file(path) &&
	    (stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return 0;
	return err_set(err, "a recording must be a file or a directory, and %s is neither", path);
}

int settings_input(struct settings *settings, const struct options *options, struct err *err)
{
	if (options->arg && options->working_directory)
		return err_set(err, "decode takes one recording, not both '%s' and '%s'",
			       options->working_directory, options->arg);
	if (!options->arg && !options->working_directory) {
		err_set(err, "decode needs a recording");
		return err_hint(err, "name perf's data file, or its directory with "
				     "-working-directory DIR");
	}
	settings->input = options->arg ? options->arg : options->working_directory;
	return check_input(settings->input, err);
}

int settings_begin(struct settings *settings, const struct options *options, struct err *err)
{
	const char *perf = settings_variable("MAGIC_TRACE_PERF_PATH");
	bool debug = settings_variable("MAGIC_TRACE_DEBUG");

	if (options->include_kernel && options->kernel_only)
		return err_set(err, "-trace-include-kernel and -trace-kernel-only exclude each "
				    "other");
	if (options->last.kind && (options->after.kind || options->before.kind))
		return err_set(err, "-last goes neither with -after nor with -before");
	*settings = (struct settings){
		.perf = perf ? perf : "perf",
		.executable = options->executable,
		.skip_tx = settings_variable("MAGIC_TRACE_SKIP_TX_HANDLING"),
		.skip_traps = settings_variable("MAGIC_TRACE_NO_OCAML_EXCEPTION_DEBUG_INFO"),
		.no_filter = settings_variable("MAGIC_TRACE_NO_DLFILTER"),
		.mark_inferred = debug,
		.print_events = options->print_events || debug,
		.print_perf_commands = options->print_perf_commands || debug,
	};
	return trace_check_path(options->output, err);
}

static enum trace_scope pick_scope(const struct options *options, const struct recording *recording)
{
	if (options->include_kernel)
		return SCOPE_USER_AND_KERNEL;
	if (options->kernel_only)
		return SCOPE_KERNEL;
	if (!recording->scope)
		return SCOPE_USER;
	if (!strcmp(recording->scope, "uk"))
		return SCOPE_USER_AND_KERNEL;
	return !strcmp(recording->scope, "k") ? SCOPE_KERNEL : SCOPE_USER;
}

static bool is_reference(const char *rule)
{
	return rule && !strcmp(rule, "reference");
}

/* Of sampled stacks perf has inlined functions as frames. The OCaml magic-trace has none. */
static bool draws_inlined(const struct settings *settings, const struct options *options)
{
	if (settings->mode != PERF_PT)
		return false;
	return options->inlined ? !strcmp(options->inlined, "on") : !settings->reference;
}

int settings_recording(struct settings *settings, const struct options *options,
		       const struct recording *recording, struct err *err)
{
	bool sampling = recording->mode && !strcmp(recording->mode, "sampling");
	const char *callgraph = options->callgraph_mode;

	settings->mode = options->sampling || sampling ? PERF_SAMPLING : PERF_PT;
	settings->scope = pick_scope(options, recording);
	settings->reference = is_reference(options->stacks);
	settings->reference_times = is_reference(options->time_spread);
	settings->inlined = draws_inlined(settings, options);
	if (!settings->executable)
		settings->executable = recording->executable;
	if (callgraph && settings->mode != PERF_SAMPLING) {
		err_set(err, "-callgraph-mode is for sampled stacks, and this is Intel PT");
		return err_hint(err, "add -sampling if the recording holds sampled stacks");
	}
	if (!callgraph)
		callgraph = recording->callgraph;
	settings->stitch_lbr =
		settings->mode == PERF_SAMPLING && callgraph && !strcmp(callgraph, "lbr");
	return 0;
}
