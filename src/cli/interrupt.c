/* SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"

#include "trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

/* Signal handlers have no context but globals. */
static _Atomic(struct perf_script *) running;
static atomic_int came;

static void on_signal(int sig)
{
	struct perf_script *perf = running;
	int saved = errno;

	if (came) {
		trace_unlink_temporary();
		_exit(1);
	}
	came = sig;
	if (perf)
		perf_script_stop(perf);
	errno = saved;
}

/* A handler, unlike SIG_IGN, is not inherited by perf. */
static void on_pipe(int sig)
{
	(void)sig;
}

static void catch (int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };
	struct sigaction old;

	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_IGN && sig != SIGPIPE)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

void interrupt_install(void)
{
	catch (SIGINT, on_signal);
	catch (SIGTERM, on_signal);
	catch (SIGHUP, on_signal);
	catch (SIGPIPE, on_pipe);
}

void interrupt_watch(struct perf_script *perf)
{
	running = perf;
	if (came)
		perf_script_stop(perf);
}

void interrupt_unwatch(void)
{
	running = NULL;
}

int interrupt_signal(void)
{
	return came;
}
