/* SPDX-License-Identifier: MIT */
#include "record/launch.h"

#include "base/procmaps.h"
#include "record/perftracer.h"

#include <errno.h>

static int launch_perf(struct loop *l, struct err *err)
{
	const struct listener *listener = &l->config->listener;
	char **argv;

	if (listener->perf_command) {
		argv = perf_record_argv(&l->settings, 3, 4);
		listener->perf_command(listener->ctx, argv);
		perf_record_argv_free(argv);
	}
	return perftracer_start(&l->settings, listener->perf_line, listener->ctx, &l->tracer, err);
}

int launch_tracer(struct loop *l, struct err *err)
{
	const struct tracer *tracer = &l->tracer;
	int r;

	if (l->software)
		r = software_start(l->software, l->settings.ids[0], l->program != NULL, &l->tracer,
				   err);
	else
		r = launch_perf(l, err);
	if (r == 0)
		workdir_guard(l->config->dir, tracer->ops->group(tracer->self));
	return r;
}

int launch_finish(struct loop *l, struct err *err)
{
	struct tracer tracer = l->tracer;
	int r = tracer.ops->finish(tracer.self, err);

	l->tracer.ops = NULL;
	workdir_guard(l->config->dir, 0);
	return r;
}

/* Perf ends without a word when it may not read what a process has mapped: so that is said here. */
static void explain_silence(const struct loop *l, struct err *err)
{
	struct procmaps maps;
	struct err why;

	if (err->hint[0])
		return;
	for (size_t i = 0; i < l->settings.n_ids; i++) {
		if (procmaps_read(l->settings.ids[i], &maps, NULL) == 0) {
			procmaps_fini(&maps);
		} else if (errno == EACCES || errno == EPERM) {
			why = *err;
			err_set(err, "%.900s: no permission to look at what process %d has mapped",
				why.msg, (int)l->settings.ids[i]);
			err_hint(err, "run it as the process's user, or as root (CAP_SYS_PTRACE)");
			return;
		}
	}
}

int launch_again(struct loop *l, struct err *err)
{
	const char *name = l->tracer.name;
	struct err why = ERR_INIT;

	if (launch_finish(l, err) == 0)
		err_set(err, "%s ended before it recorded anything: what it was to trace has ended",
			name);
	else if (!l->software)
		explain_silence(l, err);
	if (!l->settings.kcore || l->end != LOOP_END_NOT_YET)
		return -1;
	l->settings.kcore = false;
	err_set(&why, "without --kcore, which perf refuses (%.900s)", err->msg);
	err_hint(&why, "what the kernel patched into its own code at run time is then decoded from "
		       "the code as it was built: branches there may be wrong or missing; "
		       "MAGIC_TRACE_PERF_NO_KCORE=1 saves this try");
	listener_warn(&l->config->listener, &why);
	return launch_tracer(l, err);
}
