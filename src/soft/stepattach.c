/* SPDX-License-Identifier: MIT */
#include "soft/stepattach.h"

#include "base/monotonic.h"
#include "base/procfs.h"
#include "soft/recthread.h"
#include "soft/refusal.h"
#include "soft/stepstop.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tries to get a thread to stop, before it is left to itself: 50 us each at first, then 1 ms. */
#define STOP_TRIES  2000
#define QUICK_TRIES 100

/* A thread that waits in the kernel, as in vfork(2), may never stop. */
#define FIRST_STOP_MS 5000

/* One CPU for all, on which each may run; none: they are not pinned. */
static void choose_cpu(struct stepset *set)
{
	cpu_set_t theirs, both;
	/* a program can see which one it is: so the same each time, if that is wanted */
	int cpu = set->reproducible ? -1 : sched_getcpu();

	if (sched_getaffinity(0, sizeof(set->own), &set->own) < 0 ||
	    sched_getaffinity(set->pid, sizeof(theirs), &theirs) < 0)
		return;
	CPU_AND(&both, &set->own, &theirs);
	if (cpu < 0 || !CPU_ISSET(cpu, &both))
		for (cpu = 0; cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &both);)
			cpu++;
	if (cpu == CPU_SETSIZE)
		return;
	CPU_ZERO(&set->cpu);
	CPU_SET(cpu, &set->cpu);
	set->pinned = sched_setaffinity(0, sizeof(set->cpu), &set->cpu) == 0;
}

static bool note_thread(void *ctx, pid_t tid)
{
	struct stepset *set = ctx;
	struct steptask *task;

	if (steptask_find(set, tid) || (tid != set->pid && !set->multi_thread))
		return true;
	if (ptrace(PTRACE_SEIZE, tid, NULL, steptask_options()) < 0)
		return true;
	task = steptask_add(set, tid);
	task->pid = set->pid;
	steptask_interrupt(task);
	return true;
}

/* Seizes the first thread, or finds that we have done so. errno as it was. */
static int seize_first(struct stepset *set)
{
	pid_t pid = set->pid;
	struct steptask *task;
	uint64_t tracer = 0;
	int why = 0;

	if (ptrace(PTRACE_SEIZE, pid, NULL, steptask_options()) < 0) {
		why = errno;
		if (why != EPERM || !procfs_status(pid, "TracerPid:", false, &tracer) ||
		    tracer != (uint64_t)gettid() ||
		    ptrace(PTRACE_SETOPTIONS, pid, NULL, steptask_options()) < 0) {
			errno = why;
			return -1;
		}
	}
	task = steptask_add(set, pid);
	task->pid = pid;
	if (why)
		task->stopped = true;
	else
		steptask_interrupt(task);
	return 0;
}

static void tell_thread(struct stepset *set, struct steptask *task)
{
	char comm[32];

	procfs_comm(task->tid, comm, sizeof(comm));
	task->rec = recorder_thread_new(set->rec, task->pid, task->tid, comm);
	if (task->tid == set->pid)
		stepstop_tell_mappings(task);
}

/* One of which the first stop is to come; NULL: none. */
static struct steptask *one_to_stop(const struct stepset *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->all[i]->state == STEPTASK_NEW && set->all[i]->pid)
			return set->all[i];
	return NULL;
}

/*
 * Waits for the first stop of each. Of any, not one after the other: that the first thread has
 * ended is not told before the others are. The ticker interrupts it. The first one that does not
 * stop; NULL: all have.
 */
static struct steptask *wait_for_first_stops(struct stepset *set)
{
	int status = PTRACE_EVENT_STOP << 16 | SIGTRAP << 8 | 0x7f;
	struct steptask *task = one_to_stop(set);
	int64_t deadline = monotonic_ms() + FIRST_STOP_MS;

	if (task && task->stopped)
		stepstop_take(set, task->tid, status);
	while ((task = one_to_stop(set))) {
		pid_t r = waitpid(-1, &status, STEPTASK_WAIT);

		if (r > 0)
			stepstop_take(set, r, status);
		else if (errno != EINTR)
			steptask_remove(set, task);
		else if (monotonic_ms() >= deadline)
			return task;
	}
	return NULL;
}

/* All threads that there are, those too that others make meanwhile; and they stop, or -1. */
static int take_threads(struct stepset *set, struct err *err)
{
	struct steptask *task;
	size_t n;

	/* not before the first is ours: another's stepper has it pinned, and we come to its CPU */
	choose_cpu(set);
	do {
		n = set->n;
		procfs_threads(set->pid, note_thread, set);
	} while (set->n != n);
	for (size_t i = 0; i < set->n; i++)
		if (!set->all[i]->rec)
			tell_thread(set, set->all[i]);
	task = wait_for_first_stops(set);
	return task ? refusal_stop(set->pid, task->tid, err) : 0;
}

/*
 * Whether it could be traced if nobody did: reading another's memory asks for the same permission
 * (PTRACE_MODE_ATTACH_REALCREDS, process_vm_readv(2)), and is not asked who traces it.
 */
static bool is_permitted(pid_t pid)
{
	char byte;
	struct iovec local = { .iov_base = &byte, .iov_len = 1 };
	struct iovec remote = { .iov_base = NULL, .iov_len = 1 };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) >= 0 || errno != EPERM;
}

/* Has it stop as soon as the other tracer lets go of it, so that no instruction is missed. */
static int hold(struct stepset *set, struct err *err)
{
	if (!is_permitted(set->pid))
		return refusal_permission(set->pid, err);
	if (kill(set->pid, SIGSTOP) < 0)
		return refusal(set->pid, errno, err);
	set->waiting = true;
	return 0;
}

static int refuse(struct stepset *set, int why, struct err *err)
{
	if (why)
		refusal(set->pid, why, err);
	else
		refusal_machine(set->pid, err);
	return -1;
}

int stepattach_begin(struct stepset *set, bool held, struct err *err)
{
	uint64_t tracer = 0;
	int why;

	if (kill(set->pid, 0) < 0 && errno == ESRCH)
		return refuse(set, ESRCH, err);
	if (seize_first(set) < 0) {
		why = errno;
		procfs_status(set->pid, "TracerPid:", false, &tracer);
		if (why == EPERM && tracer && held)
			return hold(set, err);
		return refuse(set, why, err);
	}
	if (take_threads(set, err) < 0)
		return -1;
	if (set->not_64_bit)
		return refuse(set, 0, err);
	if (set->n == 0)
		return refuse(set, ESRCH, err);
	return 0;
}

/* Has it stop, if it does not; false: it is gone, or does not. */
static bool bring_to_stop(struct stepset *set, struct steptask *task)
{
	pid_t tid = task->tid;

	if (task->state == STEPTASK_READY)
		return true;
	if (task->state != STEPTASK_NEW)
		steptask_interrupt(task);
	for (int i = 0; i < STOP_TRIES; i++) {
		int status;
		pid_t r = waitpid(tid, &status, STEPTASK_WAIT | WNOHANG);

		if (r < 0 && errno != EINTR)
			return false;
		if (r == tid) {
			stepstop_take(set, tid, status);
			task = steptask_find(set, tid);
			return task && task->state != STEPTASK_RUNNING;
		}
		if (procfs_state(tid) == 'Z')
			return false;
		usleep(i < QUICK_TRIES ? 50 : 1000);
	}
	return false;
}

static bool has_ended(pid_t pid)
{
	char state = procfs_state(pid);

	return state == 0 || state == 'Z' || state == 'X';
}

int stepattach_try(struct stepset *set, struct err *err)
{
	uint64_t tracer = 0;

	if (seize_first(set) < 0) {
		int why = errno;

		set->ended = why == ESRCH || has_ended(set->pid);
		if (set->ended)
			return 1;
		if (why != EPERM)
			return refusal(set->pid, why, err);
		procfs_status(set->pid, "TracerPid:", false, &tracer);
		/* that it was let go of meanwhile is no refusal */
		if (tracer || is_permitted(set->pid))
			return 0;
		return refusal_permission(set->pid, err);
	}
	set->waiting = false;
	set->all[0]->swallow_cont = true;
	kill(set->pid, SIGCONT);
	return take_threads(set, err) < 0 ? -1 : 1;
}

void stepattach_end(struct stepset *set)
{
	set->ending = true;
	if (set->waiting)
		kill(set->pid, SIGCONT);
	while (set->n) {
		struct steptask *task = set->all[set->n - 1];
		pid_t tid = task->tid;
		bool stopped = bring_to_stop(set, task);

		task = steptask_find(set, tid);
		if (!task)
			continue;
		if (stopped)
			steptask_detach(task);
		else
			steptask_unpin(task);
		steptask_remove(set, task);
	}
	if (set->pinned)
		sched_setaffinity(0, sizeof(set->own), &set->own);
	set->pinned = false;
}
