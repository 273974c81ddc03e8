/* SPDX-License-Identifier: MIT */
#include "soft/stepper.h"

#include "base/procfs.h"
#include "base/xalloc.h"
#include "soft/recflow.h"
#include "soft/recthread.h"
#include "soft/stepattach.h"
#include "soft/stepcalm.h"
#include "soft/stepstop.h"
#include "soft/steptask.h"
#include "soft/ticker.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define TURN 2000

/* What waitpid(2) says of a step that has ended. */
#define STEPPED (SIGTRAP << 8 | 0x7f)

/* What two stops take, ns: a system call seems that much longer. */
#define SYSCALL_OVERHEAD 18000

struct stepper {
	struct stepper_config config;
	struct stepset set;
	bool detached;
	struct ticker ticker;
	struct steptask *current;
	uint64_t turn_began; /* what current had executed then */
	uint64_t steps;
	bool stirred; /* something has happened that may have woken threads that wait */
	bool stop;
	bool failed; /* and why: */
	struct err failure;
};

static void stepper_free(struct stepper *s)
{
	stepper_detach(s);
	stepaims_fini(&s->set.aims);
	free(s->set.all);
	free(s);
}

static int begin_recorder(struct stepper *s, struct err *err)
{
	struct recorder_config config = *s->config.recorder;
	char comm[32];

	procfs_comm(s->config.pid, comm, sizeof(comm));
	config.pid = s->config.pid;
	config.comm = comm;
	config.syscall_overhead = SYSCALL_OVERHEAD;
	return recorder_open(&config, &s->set.rec, err);
}

int stepper_attach(const struct stepper_config *config, struct stepper **stepper, struct err *err)
{
	struct stepper *s = xcalloc(1, sizeof(*s));

	s->config = *config;
	if (s->config.turn == 0)
		s->config.turn = TURN;
	s->set.pid = config->pid;
	s->set.multi_thread = config->multi_thread;
	s->set.follow_fork = config->follow_fork;
	s->set.reproducible = config->recorder->time == RECORDER_INSTRUCTIONS;
	s->set.executed = config->hooks.executed;
	s->set.ctx = config->hooks.ctx;
	for (size_t i = 0; i < config->n_addresses; i++)
		stepper_await(s, config->pid, config->addresses[i], false);
	s->set.watcher = config->watcher;
	ticker_start(&s->ticker);
	if (begin_recorder(s, err) == 0 && stepattach_begin(&s->set, config->held, err) == 0) {
		*stepper = s;
		return 0;
	}
	if (s->set.rec)
		stepper_close(s, false, NULL, NULL);
	else
		stepper_free(s);
	return -1;
}

void stepper_await(struct stepper *s, pid_t pid, uint64_t address, bool first)
{
	const struct stepaim aim = { .pid = pid, .address = address, .first = first };

	stepaims_add(&s->set.aims, &aim);
}

static void take_snapshot(struct stepper *s)
{
	recorder_snapshot(s->set.rec);
	for (size_t i = 0; i < s->set.n; i++)
		if (s->set.all[i]->rec)
			recorder_settle(s->set.all[i]->rec);
	if (s->config.recorder->split && recorder_next_file(s->set.rec, &s->failure) < 0)
		s->failed = s->stop = true;
}

static void grant(struct stepper *s, enum stepper_wish wish)
{
	if (wish == STEPPER_STOP)
		s->stop = true;
	else if (wish == STEPPER_SNAPSHOT)
		take_snapshot(s);
}

static void take_ticks(struct stepper *s)
{
	if (!ticker_take(&s->ticker))
		return;
	grant(s, s->config.hooks.poll(s->config.hooks.ctx));
}

/* Waits for something to happen to a thread, -1: to any. Whether it has. */
static bool wait_for(struct stepper *s, pid_t tid, int flags)
{
	pid_t current = s->current ? s->current->tid : 0;
	int status;
	pid_t r = waitpid(tid, &status, STEPTASK_WAIT | flags);

	if (r > 0) {
		stepstop_take(&s->set, r, status);
		s->current = steptask_find(&s->set, current);
		/* a step wakes nobody, but what ends with something else may */
		s->stirred = s->stirred || tid < 0 || status != STEPPED;
		return true;
	}
	if (r < 0 && errno == EINTR)
		ticker_tick(&s->ticker);
	/* no thread is left of which anybody would tell */
	if (r < 0 && errno == ECHILD)
		s->set.ended = s->set.ended || tid < 0;
	return false;
}

static bool is_ready(const struct steptask *task)
{
	return task->state == STEPTASK_READY && task->rec;
}

/* The next one that is ready, behind current, which is the last to be looked at. */
static struct steptask *next_ready(const struct stepper *s)
{
	size_t n = s->set.n, first = 0;

	while (s->current && first < n && s->set.all[first++] != s->current)
		;
	for (size_t i = 0; i < n; i++) {
		struct steptask *task = s->set.all[(first + i) % n];

		if (is_ready(task))
			return task;
	}
	return NULL;
}

/*
 * Which threads are ready must not hang on how fast the kernel is: those that others have just
 * woken, made or killed are waited for.
 */
static void wait_for_calm(struct stepper *s)
{
	pid_t current = s->current ? s->current->tid : 0;

	while (!s->stop && !stepcalm_look(&s->set)) {
		sched_yield();
		take_ticks(s);
	}
	stepcalm_take(&s->set);
	s->current = steptask_find(&s->set, current);
	s->stirred = false;
}

static bool is_turn_over(const struct stepper *s)
{
	return s->current->ran - s->turn_began >= s->config.turn;
}

/* The one to step: current until its turn is over. NULL: all are in the kernel, or stopped. */
static struct steptask *choose(struct stepper *s)
{
	struct steptask *next;

	if (s->stirred && s->set.reproducible && s->set.n > 1)
		wait_for_calm(s);
	if (s->current && is_ready(s->current) && !is_turn_over(s))
		return s->current;
	while (s->set.n > 1 && wait_for(s, -1, WNOHANG))
		;
	next = next_ready(s);
	if (next && (next != s->current || is_turn_over(s)))
		s->turn_began = next->ran;
	if (next)
		s->current = next;
	return next;
}

static void tell_reached(struct stepper *s, const struct steptask *task)
{
	const struct stepper_hooks *hooks = &s->config.hooks;

	/* with a signal to be delivered, it is its handler's turn */
	if (task->in_syscall || task->sig)
		return;
	if (stepaims_has(&s->set.aims, task->pid, task->tid, task->ip))
		grant(s, hooks->reached(hooks->ctx, task->tid, task->ip));
}

/* Lets a system call begin or end. When it waits for something, others have their turn. */
static void go_through_kernel(struct stepper *s, struct steptask *task)
{
	pid_t tid = task->tid;

	s->stirred = true;
	/* more than this one may come: see wait_for_calm */
	if (s->set.reproducible && s->set.n > 1)
		return;
	while (!s->stop && !s->set.ended) {
		bool others = next_ready(s) != NULL;

		if (!others) {
			wait_for(s, s->set.n > 1 ? -1 : tid, 0);
			return;
		}
		sched_yield();
		if (!wait_for(s, tid, WNOHANG) && !stepcalm_is_asleep(&s->set, task)) {
			take_ticks(s);
			continue;
		}
		return;
	}
}

/* A step ends at once, but for one into a page that somebody else has to bring (userfaultfd(2)). */
static void finish_step(struct stepper *s, const struct steptask *task)
{
	pid_t tid = task->tid;

	while (!wait_for(s, tid, 0) && steptask_find(&s->set, tid) &&
	       !stepcalm_is_asleep(&s->set, task)) {
		take_ticks(s);
		if (s->stop)
			return;
	}
	/* asleep, or killed */
	if (!steptask_find(&s->set, tid) || task->state == STEPTASK_RUNNING)
		s->stirred = true;
}

static void step(struct stepper *s, struct steptask *task)
{
	bool in_kernel;

	if (s->config.hooks.reached)
		tell_reached(s, task);
	if (s->stop)
		return;
	recorder_run(task->rec);
	stepdeed_resumes(&s->set, task);
	steptask_resume(task);
	in_kernel = task->in_syscall;
	s->steps++;
	if (s->config.poll_each && s->steps % s->config.poll_each == 0)
		ticker_tick(&s->ticker);
	if (in_kernel)
		go_through_kernel(s, task);
	else
		finish_step(s, task);
}

/* For another tracer to let go of it. */
static void wait_for_tracer(struct stepper *s)
{
	while (s->set.waiting && !s->stop && !s->set.ended) {
		int r = stepattach_try(&s->set, &s->failure);

		s->failed = s->stop = r < 0;
		if (r == 0)
			usleep(1000);
		take_ticks(s);
	}
}

enum stepper_end stepper_run(struct stepper *s)
{
	wait_for_tracer(s);
	while (!s->stop && !s->set.ended && !s->set.not_64_bit) {
		struct steptask *task = choose(s);

		if (task)
			step(s, task);
		else
			wait_for(s, -1, 0);
		take_ticks(s);
	}
	if (s->set.ended)
		return STEPPER_ENDED;
	return s->stop ? STEPPER_STOPPED : STEPPER_NOT_64_BIT;
}

void stepper_detach(struct stepper *s)
{
	if (s->detached)
		return;
	s->detached = true;
	stepattach_end(&s->set);
	ticker_stop(&s->ticker);
}

struct recorder *stepper_recorder(const struct stepper *s)
{
	return s->set.rec;
}

int32_t stepper_thread_id(const struct stepper *s, pid_t tid)
{
	const struct steptask *task = steptask_find(&s->set, tid);

	return task && task->rec ? recorder_thread_id(task->rec) : tid;
}

uint64_t stepper_time(const struct stepper *s)
{
	return s->current ? recorder_thread_time(s->current->rec) : 0;
}

int stepper_status(const struct stepper *s)
{
	return s->set.status;
}

int stepper_close(struct stepper *s, bool rest, struct recorder_stats *stats, struct err *err)
{
	int r;

	stepper_detach(s);
	r = recorder_close(s->set.rec, rest, stats, s->failed ? NULL : err);
	if (s->failed && err)
		*err = s->failure;
	if (s->failed)
		r = -1;
	stepper_free(s);
	return r;
}
