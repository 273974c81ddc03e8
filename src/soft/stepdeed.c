/* SPDX-License-Identifier: MIT */
#include "soft/stepdeed.h"

#include "soft/recflow.h"
#include "soft/recthread.h"
#include "soft/steptask.h"

#include <stdbool.h>

static struct stepdeed deed_of(const struct steptask *task, enum stepdeed_kind kind)
{
	return (struct stepdeed){
		.kind = kind,
		.tid = task->tid,
		.pid = task->pid,
		.id = recorder_thread_id(task->rec),
		.time = recorder_thread_time(task->rec),
	};
}

static void tell(const struct stepset *set, const struct stepdeed *deed)
{
	set->watcher->did(set->watcher->ctx, deed);
}

void stepdeed_resumes(const struct stepset *set, struct steptask *task)
{
	struct stepdeed deed;

	if (!set->watcher || task->in_syscall || !recorder_is_outside(task->rec))
		return;
	if (task->begins == STEPTASK_PROGRAM) {
		deed = deed_of(task, STEPDEED_EXEC);
		tell(set, &deed);
	}
	deed = deed_of(task,
		       task->begins == STEPTASK_HANDLER ? STEPDEED_HANDLER : STEPDEED_RESUMES);
	deed.to = task->ip;
	deed.sp = steptask_sp(task);
	task->begins = STEPTASK_NOTHING;
	tell(set, &deed);
}

/* Of a branch that is not taken there is nothing to say. */
static bool is_branch(struct insn insn, uint64_t from, uint64_t to)
{
	switch ((enum insn_kind)insn.kind) {
	case INSN_JCC: return to != from + insn.length;
	case INSN_JMP:
	case INSN_CALL:
	case INSN_JMP_IND:
	case INSN_CALL_IND:
	case INSN_RET:
	case INSN_IRET: return true;
	default: return false;
	}
}

void stepdeed_executed(const struct stepset *set, const struct steptask *task, uint64_t from,
		       uint64_t to)
{
	struct stepdeed deed;

	if (!set->watcher || !is_branch(task->insn, from, to))
		return;
	deed = deed_of(task, STEPDEED_EXECUTED);
	deed.insn = task->insn;
	deed.from = from;
	deed.to = to;
	deed.sp = steptask_sp(task);
	tell(set, &deed);
}

void stepdeed_syscall(const struct stepset *set, const struct steptask *task)
{
	struct stepdeed deed;

	if (!set->watcher)
		return;
	deed = deed_of(task, STEPDEED_SYSCALL);
	deed.from = task->ip;
	deed.regs = &task->regs;
	tell(set, &deed);
}

void stepdeed_end(const struct stepset *set, const struct steptask *task)
{
	struct stepdeed deed;

	if (!set->watcher)
		return;
	deed = deed_of(task, STEPDEED_END);
	tell(set, &deed);
}
