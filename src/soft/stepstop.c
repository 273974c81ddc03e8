/* SPDX-License-Identifier: MIT */
#include "soft/stepstop.h"

#include "base/procfs.h"
#include "base/procmaps.h"
#include "soft/recflow.h"
#include "soft/recthread.h"
#include "soft/stephide.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYSCALL_STOP  (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */
#define EVENT(status) ((status) >> 16)

/* A system call that the instruction pointer is behind: syscall, or int 0x80. */
#define SYSCALL_SIZE 2

/* --- mappings --- */

void stepstop_tell_mappings(const struct steptask *task)
{
	struct procmaps maps;

	if (procmaps_read(task->tid, &maps, NULL) < 0)
		return;
	for (size_t i = 0; i < maps.n; i++) {
		const struct mapping *m = &maps.all[i];
		const struct perfdata_mapping told = {
			.start = m->start,
			.size = m->end - m->start,
			.offset = m->offset,
			.major = m->major,
			.minor = m->minor,
			.inode = m->inode,
			.read = m->readable,
			.write = m->writable,
			.execute = true,
			.shared = m->shared,
			.path = m->path[0] ? m->path : "//anon",
		};

		if (m->executable)
			recorder_thread_map(task->rec, &told);
	}
	procmaps_fini(&maps);
}

/* What a system call that has returned has done to the mappings. */
static void take_mapping(const struct steptask *task, uint64_t result)
{
	const struct user_regs_struct *r = &task->regs;
	bool executable = false;
	uint64_t start = r->rdi, size = r->rsi;

	switch (r->orig_rax) {
	case SYS_mmap:
		start = result;
		executable = r->rdx & PROT_EXEC;
		break;
	case SYS_mprotect:
	case SYS_pkey_mprotect: executable = r->rdx & PROT_EXEC; break;
	case SYS_munmap: break;
	case SYS_mremap:
		recorder_thread_unmap(task->rec, result, r->rdx);
		executable = true;
		break;
	case SYS_shmat:
		size = 0;
		executable = r->rdx & SHM_EXEC;
		break;
	default: return;
	}
	if (size)
		recorder_thread_unmap(task->rec, start, size);
	if (executable)
		stepstop_tell_mappings(task);
}

static void take_result(const struct stepset *set, struct steptask *task, uint64_t result)
{
	const struct user_regs_struct *r = &task->regs;
	char comm[32];

	stephide_take(set, task, result);
	if (result >= STEPTASK_FIRST_ERROR)
		return;
	take_mapping(task, result);
	if (r->orig_rax == SYS_prctl && r->rdi == PR_SET_NAME) {
		procfs_comm(task->tid, comm, sizeof(comm));
		recorder_thread_comm(task->rec, comm);
	}
}

/* --- instructions --- */

/* Whether insn at ip can have gone to `to`: memory may have changed before it was executed. */
static bool is_possible(struct insn insn, uint64_t ip, uint64_t to)
{
	uint64_t behind = ip + insn.length;

	switch (insn.kind) {
	case INSN_OTHER: return to - ip <= INSN_MAX; /* itself: a rep that is not done yet */
	case INSN_JCC: return to == behind || to == behind + (uint64_t)(int64_t)insn.rel;
	case INSN_JMP:
	case INSN_CALL: return to == behind + (uint64_t)(int64_t)insn.rel;
	default: return true;
	}
}

/* The instruction at ip was executed, and the next is at `to`. */
static void executed(const struct stepset *set, struct steptask *task, uint64_t to)
{
	uint64_t ip = task->ip;

	task->ip = to;
	task->ran++;
	recorder_run(task->rec); /* it may have taken longer than its turn */
	if (!task->readable || !is_possible(task->insn, ip, to)) {
		/* a decoder could not follow either: it goes on at `to` */
		recorder_interrupted(task->rec, ip);
		return;
	}
	recorder_executed(task->rec, ip, 1, ip, task->insn, to);
	stepdeed_executed(set, task, ip, to);
	if (task->pushes_flags)
		steptask_fix_pushed_flags(task);
}

/* It is in the kernel; ip is behind the instruction that led there. */
static void began(const struct stepset *set, struct steptask *task, uint64_t ip)
{
	const struct insn insn = { .kind = INSN_SYSCALL, .length = SYSCALL_SIZE };
	bool by_int = task->insn.kind == INSN_INT;

	recorder_run(task->rec);
	if (task->may_restart && ip == task->ip)
		recorder_executed(task->rec, ip - SYSCALL_SIZE, 1, ip - SYSCALL_SIZE, insn, ip);
	else
		executed(set, task, ip);
	task->may_restart = false;
	task->in_syscall = true;
	if (!steptask_regs(task, &task->regs) || by_int)
		task->regs.orig_rax = UINT64_MAX; /* int 0x80 has other numbers */
	stepdeed_syscall(set, task);
	recorder_syscall_began(task->rec);
}

/* It is about to leave the kernel. */
static void returned(struct stepset *set, struct steptask *task)
{
	struct user_regs_struct regs;

	task->in_syscall = false;
	recorder_syscall_ended(task->rec);
	if (!steptask_regs(task, &regs))
		return;
	take_result(set, task, regs.rax);
	task->ip = regs.rip;
	task->may_restart = steptask_restarts(&regs);
	if (!steptask_is_64_bit(&regs))
		set->not_64_bit = true;
}

static void at_syscall_stop(struct stepset *set, struct steptask *task)
{
	if (task->in_syscall) {
		returned(set, task);
		return;
	}
	began(set, task, steptask_ip(task));
}

/* --- signals --- */

static void at_signal(const struct stepset *set, struct steptask *task, int sig,
		      const siginfo_t *info)
{
	struct user_regs_struct regs;

	if (!steptask_regs(task, &regs))
		return;
	if (task->readable && task->insn.length && regs.rip == task->ip + task->insn.length &&
	    (task->insn.kind == INSN_INT3 || task->insn.kind == INSN_INT ||
	     task->insn.kind == INSN_SYSCALL))
		executed(set, task, regs.rip); /* it has caused the signal, and is not done again */
	else
		recorder_interrupted(task->rec, task->ip);
	task->ip = regs.rip;
	task->insn = (struct insn){ 0 };
	task->may_restart = steptask_restarts(&regs);
	task->sig = sig;
	if (sig == SIGTRAP && task->trap_blocked && info->si_code <= 0) {
		task->trap_held = true;
		task->sig = 0;
	}
	if (sig == SIGCONT && task->swallow_cont && info->si_pid == getpid()) {
		task->swallow_cont = false;
		task->sig = 0;
	}
}

/* SIGTRAP: of a step, or of something that is not ours. */
static void at_trap(struct stepset *set, struct steptask *task)
{
	siginfo_t info = { 0 };
	uint64_t ip;

	if (ptrace(PTRACE_GETSIGINFO, task->tid, NULL, &info) < 0)
		return;
	ip = steptask_ip(task);
	switch (info.si_code) {
	case TRAP_TRACE: /* one instruction was executed */
		task->may_restart = false;
		executed(set, task, ip);
		return;
	case SIGTRAP: /* ptrace_notify: the begin of a signal handler */
		steptask_unblock_trap(task);
		task->ip = ip;
		task->may_restart = false;
		task->begins = STEPTASK_HANDLER;
		return;
	case TRAP_BRKPT: /* the end of a system call that was stepped; or int1 */
		if (task->in_syscall) {
			returned(set, task);
			return;
		}
		if (task->insn.kind == INSN_INT)
			break;
		if ((task->may_restart && ip == task->ip) || task->insn.kind == INSN_SYSCALL) {
			began(set, task, ip);
			returned(set, task);
		}
		return;
	default: break;
	}
	at_signal(set, task, SIGTRAP, &info);
}

/* --- new and other programs --- */

static void let_go(struct stepset *set, struct steptask *task)
{
	steptask_detach(task);
	steptask_remove(set, task);
}

/* It has stopped for the first time, and who made it is known. Whether it stays. */
static bool welcome(struct stepset *set, struct steptask *task)
{
	struct user_regs_struct regs;

	if (!task->rec) {
		let_go(set, task);
		return false;
	}
	if (!steptask_regs(task, &regs))
		return true;
	task->ip = regs.rip;
	task->may_restart = steptask_restarts(&regs);
	task->state = STEPTASK_READY;
	steptask_pin(set, task);
	if (!task->trap_blocked)
		steptask_unblock_trap(task);
	if (!steptask_is_64_bit(&regs))
		set->not_64_bit = true;
	return true;
}

static bool is_wanted(const struct stepset *set, const struct steptask *parent, pid_t pid)
{
	return parent->pid == pid ? set->multi_thread : set->follow_fork;
}

static void has_made(struct stepset *set, struct steptask *parent)
{
	unsigned long tid = 0;
	struct steptask *task;
	uint64_t pid = 0;

	if (ptrace(PTRACE_GETEVENTMSG, parent->tid, NULL, &tid) < 0)
		return;
	task = steptask_find(set, (pid_t)tid);
	if (!task)
		task = steptask_add(set, (pid_t)tid);
	if (!procfs_status((pid_t)tid, "Tgid:", false, &pid))
		pid = tid;
	task->pid = (pid_t)pid;
	task->affinity = parent->affinity;
	task->trap_blocked = parent->trap_blocked;
	if (is_wanted(set, parent, task->pid))
		task->rec = recorder_thread_clone(parent->rec, task->pid, task->tid);
	if (task->rec && task->pid != parent->pid)
		stepaims_fork(&set->aims, parent->pid, task->pid);
	if (task->stopped)
		welcome(set, task);
}

static void has_ended(struct stepset *set, struct steptask *task)
{
	if (task->rec) {
		stepdeed_end(set, task);
		recorder_thread_end(task->rec);
	}
	/* that the first thread has ended is told when it is the last */
	if (task->tid == task->pid)
		stepaims_drop(&set->aims, task->pid);
	steptask_remove(set, task);
}

/* Another program: the thread that did it is the first one now, and the only one. */
static void has_executed(struct stepset *set, struct steptask *task)
{
	unsigned long former = 0;
	char comm[32];

	ptrace(PTRACE_GETEVENTMSG, task->tid, NULL, &former);
	if (!task->in_syscall || former != (unsigned long)task->tid) {
		recorder_interrupted(task->rec, task->ip);
		recorder_syscall_began(task->rec);
		task->in_syscall = true;
	}
	for (size_t i = set->n; i-- > 0;)
		if (set->all[i]->pid == task->pid && set->all[i] != task)
			has_ended(set, set->all[i]);
	if (stepaims_drop(&set->aims, task->pid) && set->executed)
		set->executed(set->ctx, task->pid);
	recorder_syscall_ended(task->rec);
	procfs_comm(task->tid, comm, sizeof(comm));
	recorder_thread_exec(task->rec, comm);
	task->begins = STEPTASK_PROGRAM;
	stepstop_tell_mappings(task);
	task->regs = (struct user_regs_struct){ .orig_rax = SYS_execve };
	recorder_syscall_began(task->rec);
}

static void at_event(struct stepset *set, struct steptask *task, int event, int sig)
{
	switch (event) {
	case PTRACE_EVENT_STOP:
		/* one that listens cannot be let go of: ptrace(2), PTRACE_LISTEN */
		if (sig == SIGTRAP || set->ending)
			return;
		/* stopped by a signal: it stays so until SIGCONT */
		task->state = STEPTASK_LISTENING;
		ptrace(PTRACE_LISTEN, task->tid, NULL, NULL);
		return;
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		/* a system call that was stepped has no stop at its begin */
		if (!task->in_syscall)
			began(set, task, steptask_ip(task));
		has_made(set, task);
		return;
	case PTRACE_EVENT_EXEC: has_executed(set, task); return;
	default: return;
	}
}

static void at_stop(struct stepset *set, struct steptask *task, int status)
{
	siginfo_t info = { 0 };
	int sig = WSTOPSIG(status);

	task->state = STEPTASK_READY;
	if (EVENT(status))
		at_event(set, task, EVENT(status), sig);
	else if (sig == SYSCALL_STOP)
		at_syscall_stop(set, task);
	else if (sig == SIGTRAP)
		at_trap(set, task);
	else if (ptrace(PTRACE_GETSIGINFO, task->tid, NULL, &info) == 0)
		at_signal(set, task, sig, &info);
}

void stepstop_take(struct stepset *set, pid_t tid, int status)
{
	struct steptask *task = steptask_find(set, tid);

	if (!task && !WIFSTOPPED(status))
		return;
	if (!task)
		task = steptask_add(set, tid); /* a child, before its parent tells of it */
	if (!WIFSTOPPED(status)) {
		if (tid == set->pid) {
			set->ended = true;
			set->status = status;
		}
		has_ended(set, task);
		return;
	}
	if (task->state == STEPTASK_NEW) {
		task->stopped = true;
		if (!task->pid || !welcome(set, task))
			return;
	}
	at_stop(set, task, status);
}
