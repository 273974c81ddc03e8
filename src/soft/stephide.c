/* SPDX-License-Identifier: MIT */
#include "soft/stephide.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* The CPUs that it may run on are those that it had. */
static void show_affinity(const struct stepset *set, const struct steptask *task, uint64_t n)
{
	const struct user_regs_struct *r = &task->regs;
	const struct steptask *of = r->rdi ? steptask_find(set, (pid_t)r->rdi) : task;
	struct iovec local, remote;

	if (!of || !CPU_COUNT(&of->affinity) || n > sizeof(of->affinity))
		return;
	local = (struct iovec){ .iov_base = (void *)&of->affinity, .iov_len = n };
	remote = (struct iovec){ .iov_base = steptask_pointer(r->rdx), .iov_len = n };
	process_vm_writev(task->tid, &local, 1, &remote, 1, 0);
}

/* It has chosen other ones: they count when we let go of it. */
static void keep_affinity(const struct stepset *set, struct steptask *task)
{
	struct steptask *of = task->regs.rdi ? steptask_find(set, (pid_t)task->regs.rdi) : task;

	if (!of || !CPU_COUNT(&of->affinity))
		return;
	CPU_ZERO(&of->affinity);
	steptask_pin(set, of);
}

/* The signals that it has blocked have SIGTRAP among them, if it thinks so. */
static void show_blocked(const struct steptask *task)
{
	uint64_t address = task->regs.rdx, blocked;
	struct iovec local = { .iov_base = &blocked, .iov_len = sizeof(blocked) };
	struct iovec remote = { .iov_base = steptask_pointer(address), .iov_len = sizeof(blocked) };

	if (!address || steptask_read(task, address, &blocked, sizeof(blocked)) != sizeof(blocked))
		return;
	blocked |= UINT64_C(1) << (SIGTRAP - 1);
	process_vm_writev(task->tid, &local, 1, &remote, 1, 0);
}

static void take_blocked(struct steptask *task)
{
	bool changes = task->regs.orig_rax == SYS_rt_sigreturn;

	if (task->regs.orig_rax == SYS_rt_sigprocmask) {
		if (task->trap_blocked)
			show_blocked(task);
		changes = task->regs.rsi != 0;
	}
	if (changes)
		steptask_unblock_trap(task);
}

void stephide_take(const struct stepset *set, struct steptask *task, uint64_t result)
{
	bool failed = result >= STEPTASK_FIRST_ERROR;

	take_blocked(task);
	if (task->regs.orig_rax == SYS_sched_getaffinity && !failed)
		show_affinity(set, task, result);
	if (task->regs.orig_rax == SYS_sched_setaffinity && !failed)
		keep_affinity(set, task);
}
