/* SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"

#include "trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

/* Signal handlers have no context but globals. */
static _Atomic(void *) running;
static void (*_Atomic stop_running)(void *ctx);
static atomic_int came;

static void on_signal(int sig)
{
	void *ctx = running;
	int saved = errno;

	if (came) {
		trace_unlink_temporary();
		_exit(1);
	}
	came = sig;
	if (ctx)
		stop_running(ctx);
	errno = saved;
}

/* A handler, unlike SIG_IGN, is not inherited by the program that is traced: write(2) fails. */
static void on_write(int sig)
{
	(void)sig;
}

static void catch (int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };
	struct sigaction old;

	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

void interrupt_install(void)
{
	catch (SIGINT, on_signal);
	catch (SIGTERM, on_signal);
	catch (SIGHUP, on_signal);
	catch (SIGPIPE, on_write);
	catch (SIGXFSZ, on_write);
}

void interrupt_watch(void (*stop)(void *ctx), void *ctx)
{
	stop_running = stop;
	running = ctx;
	if (came)
		stop(ctx);
}

void interrupt_unwatch(void)
{
	running = NULL;
}

int interrupt_signal(void)
{
	return came;
}
