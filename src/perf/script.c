/* SPDX-License-Identifier: MIT */
#include "perf/script.h"

#include "base/xalloc.h"
#include "dlfilter/wire.h"
#include "perf/position.h"
#include "perf/process.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define PATIENCE_MS 10000

#define PT_FIELDS       "pid,tid,time,flags,ip,addr,sym,symoff,synth,dso,event,period"
#define SAMPLING_FIELDS "pid,tid,time,ip,sym,symoff,dso,event,period"
#define MAX_ARGV        32
#define NS_PER_S        INT64_C(1000000000)

struct perf_script {
	struct perf_process *process;
	char *perf, *data; /* owned; for messages */
	unsigned int patience_ms;
	bool output_ended;
	bool out_of_patience;
};

/* What makes perf load our filter, and print what the filter has to know of; see dlfilter/. */
static size_t add_filter(char **argv, const struct perf_script_args *args)
{
	size_t n = 0;

	argv[n++] = xasprintf("--dlfilter=%s", args->filter);
	argv[n++] = xstrdup("--dlarg=" WIRE_VERSION);
	argv[n++] = xasprintf("--dlarg=%016" PRIx64, args->cookie);
	if (args->all)
		argv[n++] = xstrdup("--dlarg=" WIRE_ALL);
	if (args->to) {
		argv[n++] = xstrdup("--dlarg=" WIRE_PART);
		argv[n++] = xasprintf("--dlarg=%016" PRIx64, (uint64_t)args->from);
		argv[n++] = xasprintf("--dlarg=%016" PRIx64, (uint64_t)args->to);
	}
	if (args->spool)
		argv[n++] = xstrdup("--dlarg=" WIRE_SPOOL);
	argv[n++] = xstrdup("--show-mmap-events");
	argv[n++] = xstrdup("--show-task-events");
	argv[n++] = xstrdup("--show-bpf-events");
	return n;
}

char **perf_script_argv(const struct perf_script_args *args)
{
	char **argv = xcalloc(MAX_ARGV, sizeof(*argv));
	size_t n = 0;

	argv[n++] = xstrdup(args->perf);
	argv[n++] = xstrdup("script");
	argv[n++] = xstrdup("-i");
	argv[n++] = xstrdup(args->data);
	argv[n++] = xstrdup("--ns");
	if (args->mode == PERF_PT)
		argv[n++] = xstrdup("--itrace=bep");
	argv[n++] = xstrdup("-F");
	argv[n++] = xstrdup(args->mode == PERF_PT ? PT_FIELDS : SAMPLING_FIELDS);
	if (args->mode == PERF_SAMPLING && args->stitch_lbr)
		argv[n++] = xstrdup("--stitch-lbr");
	if (args->raw_names)
		argv[n++] = xstrdup("--no-demangle");
	if (args->to)
		argv[n++] = xasprintf("--time=%" PRId64 ".%09" PRId64 ",%" PRId64 ".%09" PRId64,
				      args->from / NS_PER_S, args->from % NS_PER_S,
				      args->to / NS_PER_S, args->to % NS_PER_S);
	if (args->mode == PERF_PT && args->filter)
		n += add_filter(argv + n, args);
	if (args->symfs)
		argv[n++] = xasprintf("--symfs=%s", args->symfs);
	return argv;
}

void perf_script_argv_free(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

static void script_free(struct perf_script *ps)
{
	perf_process_free(ps->process);
	free(ps->perf);
	free(ps->data);
	free(ps);
}

int perf_script_start(const struct perf_script_args *args, struct perf_script **out,
		      struct err *err)
{
	struct perf_script *ps = xcalloc(1, sizeof(*ps));
	char **argv = perf_script_argv(args);
	struct perf_process_args process = {
		.argv = argv,
		.mode = args->mode,
		.pass = &args->spool,
		.n_pass = args->spool ? 1 : 0,
		.on_stderr = args->on_stderr,
		.ctx = args->ctx,
	};
	int failed;

	ps->perf = xstrdup(args->perf);
	ps->data = xstrdup(args->data);
	ps->patience_ms = args->patience_ms ? args->patience_ms : PATIENCE_MS;
	failed = perf_process_start(&process, &ps->process, err);
	perf_script_argv_free(argv);
	if (failed)
		script_free(ps);
	else
		*out = ps;
	return failed;
}

static ssize_t script_read(void *ctx, void *buf, size_t size, struct err *err)
{
	struct perf_script *ps = ctx;
	ssize_t n = perf_process_read(ps->process, buf, size, err);

	ps->output_ended = ps->output_ended || n == 0;
	if (n < 0 && perf_process_stopped(ps->process))
		return err_set(err, "decoding was stopped");
	return n;
}

struct input perf_script_input(struct perf_script *ps)
{
	return (struct input){ .ctx = ps, .read = script_read };
}

void perf_script_wait_spooled(struct perf_script *ps)
{
	ps->output_ended = perf_process_wait(ps->process, UINT_MAX);
}

void perf_script_wait(struct perf_script *ps)
{
	if (ps->output_ended && !ps->out_of_patience)
		ps->out_of_patience = !perf_process_wait(ps->process, ps->patience_ms);
	perf_process_signal(ps->process, SIGKILL);
}

static int explain(const struct perf_script *ps, int status, struct err *err)
{
	const struct perf_process *p = ps->process;

	if (ps->out_of_patience)
		return perf_process_fail(p, err, "%s had printed all of %s and did not end",
					 ps->perf, ps->data);
	if (!ps->output_ended)
		return perf_process_fail(p, err, "%s was not read to the end of %s", ps->perf,
					 ps->data);
	if (WIFSIGNALED(status))
		return perf_process_fail(p, err, "%s was killed by signal %d (%s) while it read %s",
					 ps->perf, WTERMSIG(status), strsignal(WTERMSIG(status)),
					 ps->data);
	return perf_process_fail(p, err, "%s could not read %s (exit status %d)", ps->perf,
				 ps->data, WEXITSTATUS(status));
}

int perf_script_finish(struct perf_script *ps, struct err *err)
{
	int status, failed = 0;

	perf_script_wait(ps);
	status = perf_process_reap(ps->process);
	if (!perf_process_stopped(ps->process) &&
	    (ps->out_of_patience || !ps->output_ended || status != 0))
		failed = explain(ps, status, err);
	script_free(ps);
	return failed;
}

bool perf_script_position(const struct perf_script *ps, uint64_t *bytes)
{
	return position_of(perf_process_pid(ps->process), ps->data, bytes);
}

void perf_script_stop(struct perf_script *ps)
{
	perf_process_stop(ps->process);
}
