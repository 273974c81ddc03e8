/* SPDX-License-Identifier: MIT */
#include "soft/stepcalm.h"

#include "base/procfs.h"
#include "soft/stepstop.h"

#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Looks without anything to come in a row: what one thread woke before it slept is awake then. */
#define CALM_LOOKS 2

static bool is_vfork(const struct steptask *task)
{
	uint64_t flags = 0;

	if (!task->in_syscall)
		return false;
	switch (task->regs.orig_rax) {
	case SYS_vfork: return true;
	case SYS_clone: return task->regs.rdi & CLONE_VFORK;
	case SYS_clone3:
		steptask_read(task, task->regs.rdi, &flags, sizeof(flags));
		return flags & CLONE_VFORK;
	default: return false;
	}
}

bool stepcalm_is_asleep(const struct stepset *set, const struct steptask *task)
{
	char state = procfs_state(task->tid);

	if (state == 'D' && set->reproducible)
		return set->follow_fork && is_vfork(task);
	if (state == 'Z' || state == 'X')
		return task->tid == task->pid;
	return state != 'R' && state != 't';
}

/* Whether it will stop, or end, without anything else happening. */
static bool is_to_come(const struct stepset *set, const struct steptask *task)
{
	char state;

	if (task->kept)
		return false;
	switch (task->state) {
	case STEPTASK_NEW: return !task->stopped;
	case STEPTASK_RUNNING: return !stepcalm_is_asleep(set, task);
	default:
		/* the others are in a stop, or are being killed: by exit_group(2), say */
		state = procfs_state(task->tid);
		return state && state != 't' && !(state == 'Z' && task->tid == task->pid);
	}
}

static void keep(struct stepset *set, pid_t tid, int status)
{
	struct steptask *task = steptask_find(set, tid);

	if (!task && !WIFSTOPPED(status))
		return;
	if (!task)
		task = steptask_add(set, tid); /* a child, before its parent tells of it */
	task->kept = true;
	task->status = status;
}

bool stepcalm_look(struct stepset *set)
{
	bool news = false;
	int status;
	pid_t r;

	while ((r = waitpid(-1, &status, STEPTASK_WAIT | WNOHANG)) > 0) {
		keep(set, r, status);
		news = true;
	}
	for (size_t i = 0; i < set->n && !news; i++)
		news = is_to_come(set, set->all[i]);
	set->calm = news ? 0 : set->calm + 1;
	return set->calm >= CALM_LOOKS;
}

/* The first one of which a stop, or an end, is kept back. */
static struct steptask *first_kept(const struct stepset *set, bool stop)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->all[i]->kept && WIFSTOPPED(set->all[i]->status) == stop)
			return set->all[i];
	return NULL;
}

void stepcalm_take(struct stepset *set)
{
	struct steptask *task;

	set->calm = 0;
	while ((task = first_kept(set, true)) || (task = first_kept(set, false))) {
		task->kept = false;
		stepstop_take(set, task->tid, task->status);
	}
}
