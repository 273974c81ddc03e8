/* SPDX-License-Identifier: MIT */
#include "record/stepchild.h"

#include "base/closefrom.h"
#include "base/monotonic.h"
#include "base/procfs.h"
#include "base/xalloc.h"
#include "record/stepwire.h"
#include "soft/refusal.h"
#include "soft/stepper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <unistd.h>

/* Where the socket comes to be, behind the standard files. */
#define SOCKET 3

/* How long the parent may take to read the last message, while it lives: 10 s. */
#define FAREWELLS   1000
#define FAREWELL_MS 10

struct stepchild {
	const struct stepchild_config *config;
	struct stepwire wire;
	struct stepper *stepper;
	bool armed;
	bool stop;
	bool taking; /* a snapshot was wished for, and is complete when a hook is called again */
	bool by_hit; /* by a hit */
	size_t snapshots;
};

/* Without memory nothing can be done but this; see xalloc_on_fail. */
static struct stepper *to_let_go;

static void let_go(void)
{
	xalloc_on_fail(NULL);
	if (to_let_go)
		stepper_detach(to_let_go);
}

/* ---- becoming a process that has nothing of its parent's ---- */

/* A pipe, the lock on the directory, the guard's socket: each tells others by its end. */
static void keep_files(int socket)
{
	int high = fcntl(socket, F_DUPFD, SOCKET), null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < STDERR_FILENO; fd++)
		if (null != fd && dup2(null, fd) < 0)
			close(fd);
	if (high != SOCKET)
		dup2(high, SOCKET);
	closefrom_fd(SOCKET + 1);
	/* not for whom the target's exec is: there is none here, but it costs nothing */
	fcntl(SOCKET, F_SETFD, FD_CLOEXEC);
}

static void keep_signals(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	/* they stay blocked; but were SIGCHLD ignored, no end of a child would be told */
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		sigaction(sig, &dfl, NULL);
}

static void move_in(const struct stepchild_config *config)
{
	setpgid(0, 0);
	prctl(PR_SET_NAME, "mt-stepping", 0, 0, 0);
	keep_signals();
	keep_files(config->socket);
	xalloc_on_fail(let_go);
}

/* ---- what it is told, and tells ---- */

static void tell(struct stepchild *c, enum stepwire_kind kind, pid_t pid, bool flag)
{
	const struct stepwire_message message = { .kind = kind, .pid = pid, .flag = flag };

	stepwire_send(&c->wire, &message);
}

/* The snapshot that was wished for is complete. */
static void answer(struct stepchild *c)
{
	if (!c->taking)
		return;
	c->taking = false;
	c->snapshots++;
	tell(c, STEPWIRE_TAKEN, 0, c->by_hit);
}

/* Obeys orders up to one for a snapshot, which is true. */
static bool obey(struct stepchild *c)
{
	struct stepwire_message order;
	int r;

	while ((r = stepwire_receive(&c->wire, &order)) > 0) {
		switch (order.kind) {
		case STEPWIRE_STOP: c->stop = true; break;
		case STEPWIRE_SNAPSHOT: return true;
		case STEPWIRE_ARM: c->armed = true; break;
		case STEPWIRE_DISARM: c->armed = false; break;
		case STEPWIRE_ADD:
			stepper_await(c->stepper, order.pid, order.address, order.flag);
			break;
		default: break;
		}
	}
	/* another process may have our parent's end of the socket */
	if (r < 0 || getppid() != c->config->parent)
		c->stop = true;
	return false;
}

static enum stepper_wish on_poll(void *ctx)
{
	struct stepchild *c = ctx;

	answer(c);
	stepwire_flush(&c->wire);
	if (obey(c)) {
		c->taking = true;
		c->by_hit = false;
		return STEPPER_SNAPSHOT;
	}
	return c->stop ? STEPPER_STOP : STEPPER_GO_ON;
}

static enum stepper_wish on_reached(void *ctx, pid_t tid, uint64_t address)
{
	struct stepchild *c = ctx;
	struct stepwire_message hit = {
		.kind = STEPWIRE_HIT,
		.pid = c->config->settings->pid,
		.tid = stepper_thread_id(c->stepper, tid),
		.address = address,
		.time = (int64_t)stepper_time(c->stepper),
		.now = monotonic_ns(),
	};
	struct user_regs_struct regs;
	uint64_t pid;

	if (!c->armed)
		return STEPPER_GO_ON;
	answer(c);
	/* with a snapshot for each, the next one counts as well */
	c->armed = c->config->settings->multi_snapshot;
	if (procfs_status(tid, "Tgid:", false, &pid))
		hit.pid = (pid_t)pid;
	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) == 0) {
		hit.di = regs.rdi;
		hit.si = regs.rsi;
	}
	stepwire_send(&c->wire, &hit);
	c->taking = c->by_hit = c->config->settings->multi_snapshot;
	c->stop = !c->taking;
	return c->taking ? STEPPER_SNAPSHOT : STEPPER_STOP;
}

static void on_executed(void *ctx, pid_t pid)
{
	tell(ctx, STEPWIRE_EXECUTED, pid, false);
}

/* ---- its life ---- */

static int attach(struct stepchild *c, const struct recorder_config *recorder, struct err *err)
{
	const struct stepchild_config *config = c->config;
	const struct stepping_settings *s = config->settings;
	const struct stepper_config stepper = {
		.pid = s->pid,
		.held = s->held,
		.multi_thread = s->multi_thread,
		.follow_fork = s->follow_fork,
		.hooks = { .poll = on_poll,
			   .reached = on_reached,
			   .executed = on_executed,
			   .ctx = c },
		.recorder = recorder,
	};

	if (stepper_attach(&stepper, &c->stepper, err) < 0)
		return -1;
	to_let_go = c->stepper;
	for (size_t i = 0; i < config->aims->n; i++) {
		const struct stepaim *aim = &config->aims->all[i];

		stepper_await(c->stepper, aim->pid, aim->address, aim->first);
	}
	return 0;
}

/* Ends the recording. Fills *ended. */
static void conclude(struct stepchild *c, enum stepper_end end, struct stepwire_message *ended)
{
	bool asked;

	stepper_detach(c->stepper);
	to_let_go = NULL;
	/* a snapshot that is asked for now is of what the rings hold at the end */
	asked = obey(c);
	ended->flag = true;
	if (stepper_close(c->stepper, asked || c->snapshots + c->taking == 0, &ended->stats,
			  &ended->err) < 0)
		return;
	answer(c);
	if (end == STEPPER_NOT_64_BIT)
		refusal_machine(c->config->settings->pid, &ended->err);
}

/* The parent reads it as soon as it can; nobody waits for us but it. */
static void farewell(struct stepchild *c, const struct stepwire_message *ended)
{
	struct pollfd writable = { .fd = c->wire.fd, .events = POLLOUT };

	stepwire_send(&c->wire, ended);
	for (int i = 0; i < FAREWELLS && !stepwire_flush(&c->wire); i++) {
		poll(&writable, 1, FAREWELL_MS);
		if (getppid() != c->config->parent)
			return;
	}
}

static void __attribute__((noreturn)) run(const struct stepchild_config *config)
{
	const struct stepping_settings *s = config->settings;
	const struct recorder_config recorder = {
		.path = s->data,
		.time = s->time,
		.ring = s->ring,
		.split = s->multi_snapshot,
		.command_line = s->command_line,
	};
	struct stepchild c = {
		.config = config,
		.wire = { .fd = SOCKET },
		.armed = config->armed,
	};
	struct stepwire_message ended = { .kind = STEPWIRE_ENDED };

	move_in(config);
	if (attach(&c, &recorder, &ended.err) == 0) {
		tell(&c, STEPWIRE_ATTACHED, 0, false);
		conclude(&c, stepper_run(c.stepper), &ended);
	}
	farewell(&c, &ended);
	_exit(0);
}

/* ---- its parent's side ---- */

pid_t stepchild_start(const struct stepchild_config *config)
{
	sigset_t all, old;
	pid_t pid;
	int why;

	/* blocked before it is there: no handler of ours may run in it */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0)
		run(config);
	why = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	/* as it does itself: whoever is first */
	if (pid > 0)
		setpgid(pid, pid);
	errno = why;
	return pid;
}
