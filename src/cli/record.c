/* SPDX-License-Identifier: MIT */
#include "cli/record.h"

#include "base/xalloc.h"
#include "cli/backend.h"
#include "cli/decode.h"
#include "cli/functions.h"
#include "cli/interrupt.h"
#include "cli/line.h"
#include "cli/processes.h"
#include "cli/settings.h"
#include "cli/share.h"
#include "cli/shell.h"
#include "cli/status.h"
#include "cli/version.h"
#include "perf/version.h"
#include "record/host.h"
#include "record/leftover.h"
#include "record/plan.h"
#include "record/recording.h"
#include "record/session.h"
#include "record/workdir.h"
#include "symbol/selection.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct record {
	const struct options *options;
	struct console *console;
	struct settings settings;
	char *const *command; /* to run; NULL: none */
	struct record_options what;
	struct plan plan;
	struct workdir *dir;
	struct recording *recording;
	const char *share; /* the command, with -share */
};

/* ---- what is said meanwhile ---- */

static void on_say(void *ctx, const char *text)
{
	struct record *r = ctx;

	console_say(r->console, "%s", text);
}

static void on_warn(void *ctx, const struct err *what)
{
	struct record *r = ctx;

	console_warn_err(r->console, what);
}

static void on_perf_line(void *ctx, struct str text)
{
	struct record *r = ctx;

	console_say(r->console, "%.*s", (int)text.n, text.p);
}

static void on_perf_command(void *ctx, char *const argv[])
{
	struct record *r = ctx;
	struct line line = LINE_INIT;

	if (!r->settings.print_perf_commands)
		return;
	shell_command(&line, argv);
	console_say(r->console, "%s", line.s);
}

static int on_choose(void *ctx, pid_t pid, char **function, struct err *err)
{
	(void)ctx;
	return functions_choose(pid, function, err);
}

/* ---- before ---- */

static const char *scope_of(const struct options *options)
{
	if (options->kernel_only)
		return "k";
	return options->include_kernel ? "uk" : "u";
}

/* A trace that cannot be written is better known before the recording than after it. */
static int check_output(const char *path, struct err *err)
{
	char *copy = xstrdup(path);
	const char *directory = dirname(copy);
	struct stat st;
	int r = 0;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		r = err_set(err, "the trace cannot be written to %s: it is a directory", path);
		err_hint(err, "-output takes the name of a file, as in DIR/trace.fxt.gz");
	} else if (access(path, W_OK) < 0 && (errno == ENAMETOOLONG || errno == ELOOP)) {
		r = err_errno(err, "the trace cannot be written to %.256s", path);
		err_hint(err, "-output FILE writes it to another file");
		/* the directory last: its errno is told */
	} else if (access(path, W_OK) < 0 && access(directory, W_OK | X_OK) < 0) {
		r = err_errno(err, "the trace cannot be written to %s: %s", path, directory);
		err_hint(err, "-output FILE writes it to another directory");
	}
	free(copy);
	return r;
}

/* What can be wrong with the command line alone. */
static int check_usage(struct record *r, struct err *err)
{
	const struct options *options = r->options;
	struct selection selection;

	if (settings_begin(&r->settings, options, err) < 0 || backend_check(options, err) < 0)
		return -1;
	if (options->share && !(r->share = share_command(err)))
		return -1;
	if (!options->trigger)
		return 0;
	if (selection_parse(&selection, options->trigger, err) < 0)
		return err_prefix(err, "-trigger");
	selection_fini(&selection);
	return 0;
}

static void set_what(struct record *r)
{
	const struct options *options = r->options;

	r->what = (struct record_options){
		.perf = r->settings.perf,
		.command = r->command,
		.pids = options->pids.pids,
		.n_pids = options->pids.n,
		.directory = options->working_directory,
		.trigger = options->trigger,
		.callgraph = options->callgraph_mode,
		.scope = scope_of(options),
		.resolution = options->resolution,
		.snapshot_size = options->snapshot_size,
		.duration = options->duration,
		.ready_fd = options->ready_fd,
		.backend = backend_of(options),
		.engine = record_word(record_engines, options->software_engine),
		.time = record_word(record_times, options->software_time),
		.follow_fork = options->follow_fork,
		.branch_misses = options->events.branch_misses,
		.cache_misses = options->events.cache_misses,
		.multi_thread = options->multi_thread,
		.full_execution = options->full_execution,
		.multi_snapshot = options->multi_snapshot,
		.perf_is_privileged = settings_variable("MAGIC_TRACE_PERF_IS_PRIVILEGED"),
		.no_kcore = settings_variable("MAGIC_TRACE_PERF_NO_KCORE"),
	};
	if (options->ready_fd > STDERR_FILENO)
		fcntl(options->ready_fd, F_SETFD, FD_CLOEXEC);
}

/* Several at once are said shortly: they come with each recording on a machine like this. */
static void say_notes(struct record *r)
{
	bool brief = r->plan.n_notes > 1 && r->plan.perf.mode == PERF_SAMPLING;

	for (size_t i = 0; i < r->plan.n_notes; i++) {
		if (brief)
			console_warn(r->console, "%s", r->plan.notes[i].msg);
		else
			console_warn_err(r->console, &r->plan.notes[i]);
	}
	if (brief)
		console_say(r->console, "  magic-trace check tells what would allow more");
}

/* What perf, the kernel and the machine make of it. STATUS_WHOLE, or another with err. */
static enum status make_plan(struct record *r, struct err *err)
{
	struct perf_version perf;
	struct host host;

	if (perf_version_get(r->what.perf, &perf, err) < 0)
		return STATUS_NONE;
	host_read(&host, "");
	switch (plan_make(&r->plan, &r->what, &host, &perf, err)) {
	case PLAN_MADE: break;
	case PLAN_MISUSE: return STATUS_USAGE;
	case PLAN_IMPOSSIBLE: return STATUS_NONE;
	}
	say_notes(r);
	r->recording = recording_new();
	recording_set(&r->recording->kernel, host.kernel);
	recording_set(&r->recording->cpu, host.cpu);
	recording_set(&r->recording->magic_trace_version, version());
	return STATUS_WHOLE;
}

/* ---- behind ---- */

/* How the program that was run ended; its exit status as a shell has it. */
static int report_program(struct record *r, const struct session_result *result, bool ended)
{
	const char *name;
	int pid, status;

	if (!result->program)
		return 0;
	name = r->what.command[0];
	pid = (int)target_pid(result->program);
	if (!ended) {
		console_say(r->console, "%s (process %d) runs on.", name, pid);
		return 0;
	}
	status = target_status(result->program);
	if (WIFSIGNALED(status)) {
		console_say(r->console, "%s (process %d) was killed by signal %d (%s).", name, pid,
			    WTERMSIG(status), strsignal(WTERMSIG(status)));
		return 128 + WTERMSIG(status);
	}
	console_say(r->console, "%s (process %d) exited with status %d.", name, pid,
		    WEXITSTATUS(status));
	return WEXITSTATUS(status);
}

static enum status share_trace(struct record *r, enum status status)
{
	struct err err = ERR_INIT;

	if (!r->share || (status != STATUS_WHOLE && status != STATUS_PART) ||
	    share(r->share, r->options->output, &err) == 0)
		return status;
	console_error(r->console, &err);
	return STATUS_PART;
}

/* Records and decodes; the plan and the directory are there. */
static int record_and_decode(struct record *r)
{
	struct session_config config = {
		.options = &r->what,
		.plan = &r->plan,
		.dir = r->dir,
		.listener = { .ctx = r,
			      .say = on_say,
			      .warn = on_warn,
			      .perf_line = on_perf_line,
			      .perf_command = on_perf_command },
		.choose = on_choose,
		.recording = r->recording,
	};
	struct session_result result;
	struct err err = ERR_INIT;
	enum status status = STATUS_NONE;
	int program, ended;

	if (session_record(&config, &result, &err) < 0) {
		console_error(r->console, &err);
	} else {
		r->settings.input = workdir_path(r->dir);
		status = decode_recording(r->options, &r->settings, r->console);
		status = share_trace(r, status);
	}
	ended = session_wait(&config.listener, &result);
	program = report_program(r, &result, ended);
	session_result_fini(&result);
	if (status == STATUS_WHOLE && r->options->program_status)
		return program;
	return status;
}

/* What a SIGKILL of us and of the guard has left has nobody else to say so. */
static void report_leftovers(const struct record *r)
{
	struct err warning = ERR_INIT;
	char *first, more[48] = "";
	size_t n;

	if (!workdir_is_temporary(r->dir))
		return;
	n = leftover_find(workdir_path(r->dir), &first);
	if (!n)
		return;
	if (n > 1)
		snprintf(more, sizeof(more), " (and %zu more beside it)", n - 1);
	err_set(&warning, "%s%s was left by a recording that was killed", first, more);
	err_hint(&warning,
		 "magic-trace decode -working-directory %s shows what is in it; rm -r removes it",
		 first);
	console_warn_err(r->console, &warning);
	free(first);
}

/* All that can fail before anything is recorded. STATUS_WHOLE, or another with err. */
static enum status prepare(struct record *r, struct err *err)
{
	enum status status;

	if (check_usage(r, err) < 0)
		return STATUS_USAGE;
	set_what(r);
	xalloc_on_fail(trace_unlink_temporary);
	interrupt_install();
	status = make_plan(r, err);
	if (status != STATUS_WHOLE)
		return status;
	if (check_output(r->options->output, err) < 0 ||
	    workdir_open(r->what.directory, &r->dir, err) < 0)
		return STATUS_NONE;
	report_leftovers(r);
	return STATUS_WHOLE;
}

static int record(struct record *r)
{
	struct err err = ERR_INIT;
	int status = prepare(r, &err);

	if (status == STATUS_WHOLE)
		status = record_and_decode(r);
	else
		console_error(r->console, &err);
	if (r->dir)
		workdir_close(r->dir);
	recording_free(r->recording);
	return status;
}

static int usage(struct console *console, const char *what, const char *hint)
{
	struct err err = ERR_INIT;

	err_set(&err, "%s", what);
	err_hint(&err, "%s", hint);
	console_error(console, &err);
	return STATUS_USAGE;
}

/* COMMAND [-- ARGUMENTS] or -- COMMAND ARGUMENTS, as one array; free it, not its strings. */
static char **join(const char *first, char *const *rest)
{
	size_t n = 0, at = 0;
	char **argv;

	while (rest && rest[n])
		n++;
	argv = xcalloc(n + 2, sizeof(*argv));
	if (first)
		argv[at++] = (char *)first;
	for (size_t i = 0; i < n; i++)
		argv[at++] = rest[i];
	return argv;
}

int run_command(const struct options *options, struct console *console)
{
	struct record r = { .options = options, .console = console };
	char **argv;
	int status;

	if (!options->arg && !options->rest)
		return usage(console, "run needs a program",
			     "magic-trace run ./prog -- ARGUMENTS, or magic-trace run -- ./prog "
			     "ARGUMENTS");
	argv = join(options->arg, options->rest);
	r.command = argv;
	status = record(&r);
	free(argv);
	return status;
}

int attach_command(const struct options *options, struct console *console)
{
	struct record r = { .options = options, .console = console, .command = options->rest };
	struct options chosen = *options;
	struct err err = ERR_INIT;
	pid_t pid;

	if (!options->pids.n) {
		if (processes_choose(options->kernel_only || options->include_kernel, &pid, &err) <
		    0) {
			console_error(console, &err);
			return STATUS_NONE;
		}
		console_say(console, "[ Process %d; -pid %d names it without being asked. ]",
			    (int)pid, (int)pid);
		chosen.pids = (struct pid_list){ .pids = &pid, .n = 1 };
		r.options = &chosen;
	}
	return record(&r);
}
