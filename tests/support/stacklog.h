/* SPDX-License-Identifier: MIT */
/*
 * stacklog: writes down what threads do that changes their stacks: lines "ID WHAT FROM TO SP TIME",
 * the numbers hex but for ID and TIME (ns of perf's clock), 0 where there is none. WHAT is
 *
 *   call, icall      direct, and through a register or memory; SP is where the return address lies
 *   next             a call of what is behind it: a way to have its address
 *   jmp, ijmp, jcc   taken ones
 *   return, iret
 *   resume           the kernel has given back; handler: at the begin of a signal's handler
 *   syscall          TO is its number
 *   altstack         [FROM, TO) is to be its stack for signals
 *   stack            SP has come to lie in another mapping, which is [FROM, TO)
 *   exec, end        its stack is gone
 *
 * tests/truth/truth.py builds the true stacks from it.
 */
#ifndef MT_TESTS_SUPPORT_STACKLOG_H
#define MT_TESTS_SUPPORT_STACKLOG_H

#include "base/procmaps.h"
#include "base/xalloc.h"
#include "soft/stepdeed.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

/* The mapping in which a thread's SP was last. */
struct stacklog_stack {
	int32_t id;
	uint64_t start, end;
};

struct stacklog {
	FILE *file;
	struct stacklog_stack *stacks; /* of threads that have not ended */
	size_t n, room;
};

static inline void stacklog_line(const struct stacklog *log, const struct stepdeed *deed,
				 const char *what, uint64_t from, uint64_t to, uint64_t sp)
{
	fprintf(log->file, "%" PRId32 " %s %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu64 "\n",
		deed->id, what, from, to, sp, deed->time);
}

static inline struct stacklog_stack *stacklog_of(struct stacklog *log, int32_t id)
{
	for (size_t i = 0; i < log->n; i++)
		if (log->stacks[i].id == id)
			return &log->stacks[i];
	if (log->n == log->room) {
		log->room = log->room ? 2 * log->room : 16;
		log->stacks = xreallocarray(log->stacks, log->room, sizeof(*log->stacks));
	}
	log->stacks[log->n] = (struct stacklog_stack){ .id = id };
	return &log->stacks[log->n++];
}

static inline void stacklog_forget(struct stacklog *log, int32_t id)
{
	*stacklog_of(log, id) = log->stacks[log->n - 1];
	log->n--;
}

/* The mapping that holds sp; the main thread's stack reaches down as far as it has to. */
static inline struct stacklog_stack stacklog_mapping(const struct procmaps *maps, uint64_t sp)
{
	for (size_t i = 0; i < maps->n; i++) {
		const struct mapping *m = &maps->all[i];

		if (sp >= m->end)
			continue;
		if (sp >= m->start || strcmp(m->path, "[stack]") == 0)
			return (struct stacklog_stack){ .start = sp < m->start ? sp : m->start,
							.end = m->end };
		break;
	}
	return (struct stacklog_stack){ 0 };
}

/* A line "stack" when it has changed. */
static inline void stacklog_stack(struct stacklog *log, const struct stepdeed *deed)
{
	struct stacklog_stack *stack = stacklog_of(log, deed->id), found;
	struct procmaps maps;

	if (deed->sp >= stack->start && deed->sp < stack->end)
		return;
	if (procmaps_read(deed->pid, &maps, NULL) < 0)
		return;
	found = stacklog_mapping(&maps, deed->sp);
	procmaps_fini(&maps);
	if (found.end == 0)
		return;
	stack->start = found.start;
	stack->end = found.end;
	stacklog_line(log, deed, "stack", stack->start, stack->end, deed->sp);
}

static inline const char *stacklog_word(struct insn insn)
{
	switch ((enum insn_kind)insn.kind) {
	case INSN_CALL: return insn.rel ? "call" : "next";
	case INSN_CALL_IND: return "icall";
	case INSN_JMP: return "jmp";
	case INSN_JMP_IND: return "ijmp";
	case INSN_JCC: return "jcc";
	case INSN_IRET: return "iret";
	default: return "return";
	}
}

static inline void stacklog_syscall(struct stacklog *log, const struct stepdeed *deed)
{
	const struct user_regs_struct *regs = deed->regs;
	stack_t stack;
	struct iovec local = { .iov_base = &stack, .iov_len = sizeof(stack) };
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the process */
	struct iovec remote = { .iov_base = (void *)regs->rdi, .iov_len = sizeof(stack) };

	stacklog_line(log, deed, "syscall", deed->from, regs->orig_rax, 0);
	if (regs->orig_rax != SYS_sigaltstack || regs->rdi == 0)
		return;
	if (process_vm_readv(deed->tid, &local, 1, &remote, 1, 0) != sizeof(stack))
		return;
	if (!(stack.ss_flags & SS_DISABLE))
		stacklog_line(log, deed, "altstack", (uintptr_t)stack.ss_sp,
			      (uintptr_t)stack.ss_sp + stack.ss_size, 0);
}

/* A stepdeed_watcher's did; ctx is the log. */
static inline void stacklog_did(void *ctx, const struct stepdeed *deed)
{
	struct stacklog *log = ctx;

	if (deed->sp)
		stacklog_stack(log, deed);
	switch (deed->kind) {
	case STEPDEED_RESUMES: stacklog_line(log, deed, "resume", 0, deed->to, deed->sp); return;
	case STEPDEED_HANDLER: stacklog_line(log, deed, "handler", 0, deed->to, deed->sp); return;
	case STEPDEED_EXECUTED:
		stacklog_line(log, deed, stacklog_word(deed->insn), deed->from, deed->to, deed->sp);
		return;
	case STEPDEED_SYSCALL: stacklog_syscall(log, deed); return;
	case STEPDEED_EXEC:
		stacklog_forget(log, deed->id);
		stacklog_line(log, deed, "exec", 0, 0, 0);
		return;
	case STEPDEED_END:
		stacklog_forget(log, deed->id);
		stacklog_line(log, deed, "end", 0, 0, 0);
		return;
	}
}

static inline bool stacklog_open(struct stacklog *log, const char *path)
{
	log->file = fopen(path, "we");
	return log->file != NULL;
}

/* Whether all of it was written. */
static inline bool stacklog_close(struct stacklog *log)
{
	bool good = !ferror(log->file);

	free(log->stacks);
	return fclose(log->file) == 0 && good;
}

#endif
