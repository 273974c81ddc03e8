/* SPDX-License-Identifier: MIT */
#include "soft/steptask.h"

#include "base/procfs.h"
#include "base/xalloc.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE      4096u
#define TRAP_FLAG 0x100ull

/* arch/x86/include/asm/segment.h. */
#define USER_CS 0x33

/* include/linux/errno.h of the kernel: seen by tracers only. */
#define ERESTARTSYS           512
#define ERESTARTNOINTR        513
#define ERESTARTNOHAND        514
#define ERESTART_RESTARTBLOCK 516

struct steptask *steptask_find(const struct stepset *set, pid_t tid)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->all[i]->tid == tid)
			return set->all[i];
	return NULL;
}

struct steptask *steptask_add(struct stepset *set, pid_t tid)
{
	struct steptask *task = xcalloc(1, sizeof(*task));

	task->tid = tid;
	if (set->n == set->room) {
		set->room = set->room ? 2 * set->room : 16;
		set->all = xreallocarray(set->all, set->room, sizeof(struct steptask *));
	}
	set->all[set->n++] = task;
	return task;
}

void steptask_remove(struct stepset *set, struct steptask *task)
{
	size_t i = 0;

	while (set->all[i] != task)
		i++;
	memmove(set->all + i, set->all + i + 1, (set->n - i - 1) * sizeof(struct steptask *));
	set->n--;
	free(task);
}

/* Children are stopped even if nobody wants to trace them: to be unpinned. */
long steptask_options(void)
{
	return PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE |
	       PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
}

bool steptask_regs(const struct steptask *task, struct user_regs_struct *regs)
{
	return ptrace(PTRACE_GETREGS, task->tid, NULL, regs) == 0;
}

static uint64_t peek_register(const struct steptask *task, size_t at)
{
	return (uint64_t)ptrace(PTRACE_PEEKUSER, task->tid, steptask_pointer(at), NULL);
}

uint64_t steptask_ip(const struct steptask *task)
{
	return peek_register(task, offsetof(struct user_regs_struct, rip));
}

uint64_t steptask_sp(const struct steptask *task)
{
	return peek_register(task, offsetof(struct user_regs_struct, rsp));
}

bool steptask_is_64_bit(const struct user_regs_struct *regs)
{
	return regs->cs == USER_CS;
}

bool steptask_restarts(const struct user_regs_struct *regs)
{
	long result = -(long)regs->rax;

	return (long)regs->orig_rax >= 0 &&
	       (result == ERESTARTSYS || result == ERESTARTNOINTR || result == ERESTARTNOHAND ||
		result == ERESTART_RESTARTBLOCK);
}

/* By words, which works for pages that may not be read too. */
static size_t peek(const struct steptask *task, uint64_t address, uint8_t *bytes, size_t n)
{
	size_t done = 0;

	while (done < n) {
		/* never over the end of a page */
		uint64_t at = address + done, word_at = at & ~7ull;
		size_t skip = (size_t)(at - word_at), some = 8 - skip;
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKTEXT, task->tid, steptask_pointer(word_at), NULL);
		if (errno)
			break;
		some = some < n - done ? some : n - done;
		memcpy(bytes + done, (const uint8_t *)&word + skip, some);
		done += some;
	}
	return done;
}

size_t steptask_read(const struct steptask *task, uint64_t address, void *bytes, size_t n)
{
	size_t first = PAGE - address % PAGE;
	struct iovec local = { .iov_base = bytes, .iov_len = n };
	struct iovec remote[2] = { { .iov_base = steptask_pointer(address), .iov_len = n } };
	ssize_t got;

	/* of each part, all or nothing is read: process_vm_readv(2) */
	if (first < n) {
		remote[0].iov_len = first;
		remote[1].iov_base = steptask_pointer(address + first);
		remote[1].iov_len = n - first;
	}
	got = process_vm_readv(task->tid, &local, 1, remote, first < n ? 2 : 1, 0);
	return got > 0 ? (size_t)got : peek(task, address, bytes, n);
}

/* Whether an instruction is pushf: its flags would show that it is stepped. */
static bool is_pushf(const uint8_t *code, size_t n)
{
	size_t i = 0;

	while (i < n && (code[i] == 0x66 || (code[i] & 0xf0) == 0x40))
		i++;
	return i < n && code[i] == 0x9c;
}

void steptask_fix_pushed_flags(const struct steptask *task)
{
	uint64_t sp = steptask_sp(task);
	long flags;

	errno = 0;
	flags = ptrace(PTRACE_PEEKDATA, task->tid, steptask_pointer(sp), NULL);
	if (errno == 0)
		ptrace(PTRACE_POKEDATA, task->tid, steptask_pointer(sp), flags & ~(long)TRAP_FLAG);
}

/*
 * A system call is not stepped: the stops before and after it say more. With a signal to deliver,
 * only a step stops at the begin of its handler.
 */
static enum __ptrace_request how_to_resume(const struct steptask *task)
{
	if (task->in_syscall)
		return PTRACE_SYSCALL;
	if (task->sig)
		return PTRACE_SINGLESTEP;
	if (task->may_restart || task->insn.kind == INSN_SYSCALL || task->insn.kind == INSN_INT)
		return PTRACE_SYSCALL;
	return PTRACE_SINGLESTEP;
}

void steptask_resume(struct steptask *task)
{
	uint8_t code[INSN_MAX];
	enum __ptrace_request how;
	size_t n;

	if (!task->in_syscall) {
		n = steptask_read(task, task->ip, code, sizeof(code));
		task->readable = n > 0;
		task->insn = insn_of(code, n);
		task->pushes_flags = is_pushf(code, n);
	}
	how = how_to_resume(task);
	task->state = STEPTASK_RUNNING;
	ptrace(how, task->tid, NULL, steptask_pointer((uint64_t)task->sig));
	task->sig = 0;
}

/* The kernel's sigset_t has 64 signals: its size is what ptrace(2) wants in addr. */
#define TRAP_MASK (UINT64_C(1) << (SIGTRAP - 1))

static bool get_blocked(const struct steptask *task, uint64_t *blocked)
{
	return ptrace(PTRACE_GETSIGMASK, task->tid, steptask_pointer(sizeof(*blocked)), blocked) ==
	       0;
}

static void set_blocked(const struct steptask *task, uint64_t blocked)
{
	ptrace(PTRACE_SETSIGMASK, task->tid, steptask_pointer(sizeof(blocked)), &blocked);
}

void steptask_unblock_trap(struct steptask *task)
{
	uint64_t blocked;

	if (!get_blocked(task, &blocked))
		return;
	task->trap_blocked = blocked & TRAP_MASK;
	if (task->trap_blocked)
		set_blocked(task, blocked & ~TRAP_MASK);
	if (task->trap_blocked || !task->trap_held)
		return;
	task->sig = SIGTRAP;
	task->trap_held = false;
}

/* What steptask_unblock_trap has done is undone. */
static void block_trap(struct steptask *task)
{
	uint64_t blocked;

	if (task->trap_blocked && get_blocked(task, &blocked))
		set_blocked(task, blocked | TRAP_MASK);
	if (task->trap_held)
		syscall(SYS_tgkill, task->pid, task->tid, SIGTRAP);
}

void steptask_pin(const struct stepset *set, struct steptask *task)
{
	if (!set->pinned)
		return;
	if (CPU_COUNT(&task->affinity) == 0 &&
	    sched_getaffinity(task->tid, sizeof(task->affinity), &task->affinity) < 0)
		return;
	if (sched_setaffinity(task->tid, sizeof(set->cpu), &set->cpu) < 0)
		CPU_ZERO(&task->affinity);
}

void steptask_unpin(struct steptask *task)
{
	if (CPU_COUNT(&task->affinity))
		sched_setaffinity(task->tid, sizeof(task->affinity), &task->affinity);
	CPU_ZERO(&task->affinity);
}

void steptask_interrupt(const struct steptask *task)
{
	ptrace(PTRACE_INTERRUPT, task->tid, NULL, NULL);
}

static bool has_trap_pending(const struct steptask *task)
{
	uint64_t signals;

	return procfs_status(task->tid, "SigPnd:", true, &signals) && signals >> (SIGTRAP - 1) & 1;
}

/* Going on from a stop that is not a signal's, a thread takes the queued signal at once. */
static void swallow_trap(struct steptask *task)
{
	int status;
	pid_t r;

	if (task->sig || !has_trap_pending(task) || ptrace(PTRACE_CONT, task->tid, NULL, NULL) < 0)
		return;
	do
		r = waitpid(task->tid, &status, __WALL);
	while (r < 0 && errno == EINTR);
	if (r == task->tid && WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP &&
	    status >> 16 == 0)
		task->sig = WSTOPSIG(status);
}

/* popf, not executed because of a signal, makes the kernel believe that the flag is not ours. */
static void clear_trap_flag(const struct steptask *task)
{
	void *at = steptask_pointer(offsetof(struct user_regs_struct, eflags));
	long flags;

	errno = 0;
	flags = ptrace(PTRACE_PEEKUSER, task->tid, at, NULL);
	if (errno == 0 && (flags & (long)TRAP_FLAG))
		ptrace(PTRACE_POKEUSER, task->tid, at, flags & ~(long)TRAP_FLAG);
}

void steptask_detach(struct steptask *task)
{
	swallow_trap(task);
	clear_trap_flag(task);
	block_trap(task);
	steptask_unpin(task);
	ptrace(PTRACE_DETACH, task->tid, NULL, steptask_pointer((uint64_t)task->sig));
}
