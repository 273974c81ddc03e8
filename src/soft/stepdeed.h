/* SPDX-License-Identifier: MIT */
/*
 * stepdeed: what stepped threads do that may change their stacks, and their stack pointers: for
 * tests that want to know what the stacks really were (stepper_config.watcher). Nothing is read of
 * a thread, and nothing told, when nobody watches.
 */
#ifndef MT_SOFT_STEPDEED_H
#define MT_SOFT_STEPDEED_H

#include "soft/insn.h"

#include <stdint.h>
#include <sys/types.h>

enum stepdeed_kind {
	/*
	 * It is about to execute what is at `to`, and has executed nothing since it was in the
	 * kernel, or since another thread had its turn. May be told again without anything between.
	 */
	STEPDEED_RESUMES,
	STEPDEED_HANDLER,  /* the same, and the kernel has set up a signal's handler there */
	STEPDEED_EXECUTED, /* a branch: insn at from was executed, `to` is next, with this sp */
	STEPDEED_SYSCALL,  /* a system call has begun, from is behind it; regs; sp is 0 */
	STEPDEED_EXEC,     /* it is another program, and about to resume; sp is 0 */
	STEPDEED_END,      /* it is none any more; sp is 0, and time may be later */
};

struct user_regs_struct;

struct stepdeed {
	enum stepdeed_kind kind;
	pid_t tid, pid; /* tid is gone with STEPDEED_END; in all others it is stopped */
	int32_t id;     /* its number in the file: recorder_thread_id */
	struct insn insn;
	uint64_t from, to, sp;
	uint64_t time; /* ns of perf's clock */
	const struct user_regs_struct *regs;
};

struct stepdeed_watcher {
	void (*did)(void *ctx, const struct stepdeed *deed);
	void *ctx;
};

struct stepset;
struct steptask;

/* These tell the set's watcher, if it has one. All are called when the recorder knows the deed. */

/* Before it is resumed: task->begins says what has brought it there, and is used up. */
void stepdeed_resumes(const struct stepset *set, struct steptask *task);

/* insn, that of the task, was executed at from; it need not be a branch. */
void stepdeed_executed(const struct stepset *set, const struct steptask *task, uint64_t from,
		       uint64_t to);
void stepdeed_syscall(const struct stepset *set, const struct steptask *task);
void stepdeed_end(const struct stepset *set, const struct steptask *task);

#endif
