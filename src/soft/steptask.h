/* SPDX-License-Identifier: MIT */
/*
 * steptask: the threads that are stepped, and what ptrace(2) does to one.
 *
 * A thread can be killed at any time: then these functions do nothing, and waitpid(2) tells.
 */
#ifndef MT_SOFT_STEPTASK_H
#define MT_SOFT_STEPTASK_H

#include "base/err.h"
#include "soft/insn.h"
#include "soft/recorder.h"
#include "soft/stepaim.h"
#include "soft/stepdeed.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>

enum steptask_state {
	STEPTASK_NEW,       /* not stopped yet for the first time, or pid is not known yet */
	STEPTASK_READY,     /* stopped: it can be resumed */
	STEPTASK_RUNNING,   /* resumed: a stop is to come, at once or when its system call ends */
	STEPTASK_LISTENING, /* stopped by a stop signal (^Z), until SIGCONT */
};

/* What the kernel has set up that has executed nothing yet. */
enum steptask_begin {
	STEPTASK_NOTHING,
	STEPTASK_HANDLER, /* a signal's */
	STEPTASK_PROGRAM, /* by execve(2) */
};

struct steptask {
	pid_t tid;
	pid_t pid; /* 0: who has made it is not known yet */
	enum steptask_state state;
	bool stopped; /* NEW: it has stopped */
	bool kept;    /* what waitpid(2) said of it is not taken yet (stepcalm.h): */
	int status;
	uint64_t ran;     /* instructions that it has executed, without system calls restarted */
	bool in_syscall;  /* between the stops at its begin and at its end */
	bool may_restart; /* the kernel is about to begin the system call before ip again */
	bool swallow_cont;
	bool trap_blocked; /* it believes that SIGTRAP is blocked: see steptask_unblock_trap */
	bool trap_held;    /* and SIGTRAP was sent to it meanwhile */
	enum steptask_begin begins; /* at ip: for stepdeed_resumes */
	int sig;                    /* to be delivered when it goes on */
	uint64_t ip;                /* the next instruction */
	struct insn insn;           /* the one that it was resumed to execute */
	bool readable;              /* insn is known */
	bool pushes_flags;
	struct user_regs_struct regs; /* at the begin of the system call */
	cpu_set_t affinity;           /* its own; CPU_COUNT 0: it was not changed */
	struct recorder_thread *rec;  /* NULL: it is to be let go */
};

struct stepset {
	struct steptask **all; /* in order of appearance; owned */
	size_t n, room;
	struct recorder *rec;
	const struct stepdeed_watcher *watcher; /* NULL: nobody watches */
	pid_t pid;
	bool multi_thread, follow_fork;
	bool reproducible; /* the order of all must not hang on how fast the kernel is */
	unsigned int calm; /* looks at which nothing was on its way */
	bool waiting;      /* for another tracer to let go of it */
	bool ending;       /* all are about to be let go of */
	bool pinned;
	cpu_set_t cpu; /* to which all are pinned */
	cpu_set_t own; /* the CPUs that our own thread may run on */
	bool ended;    /* the process has: */
	int status;    /* as waitpid(2) says */
	bool not_64_bit;
	struct stepaims aims;
	void (*executed)(void *ctx, pid_t pid); /* as of struct stepper_hooks; may be NULL */
	void *ctx;
};

/* The first error that a system call can return, as an unsigned number. */
#define STEPTASK_FIRST_ERROR (-4095ul)

/* For waitpid(2): children and tracees of this thread, of whatever kind. */
#define STEPTASK_WAIT (__WALL | __WNOTHREAD)

/* ptrace(2) and readv(2) take addresses of another process as pointers. */
static inline void *steptask_pointer(uint64_t address)
{
	return (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

struct steptask *steptask_find(const struct stepset *set, pid_t tid);
struct steptask *steptask_add(struct stepset *set, pid_t tid) __attribute__((returns_nonnull));
void steptask_remove(struct stepset *set, struct steptask *task);

/* What PTRACE_SEIZE is to be told for the set's wishes. */
long steptask_options(void);

/* The registers; false: it is gone. Where it stands, and its stack. */
bool steptask_regs(const struct steptask *task, struct user_regs_struct *regs);
uint64_t steptask_ip(const struct steptask *task);
uint64_t steptask_sp(const struct steptask *task);

/* Whether registers are those of 64-bit code: Linux's __USER_CS. */
bool steptask_is_64_bit(const struct user_regs_struct *regs);

/* Whether they show a system call that begins again when the thread goes on. */
bool steptask_restarts(const struct user_regs_struct *regs);

/* Reads up to n bytes of its memory, even if they may not be read; how many were. */
size_t steptask_read(const struct steptask *task, uint64_t address, void *bytes, size_t n);

/* Looks at the instruction at ip, and lets it go on: to the next stop, by a step or a system call.
 */
void steptask_resume(struct steptask *task);

/* Takes the trap flag, which is ours, out of what pushf has just pushed. */
void steptask_fix_pushed_flags(const struct steptask *task);

/*
 * Looks at the signals that it blocks. The kernel cannot step a thread that blocks SIGTRAP, and
 * sets the handler of that signal to the default then (force_sig_info_to_task, kernel/signal.c): so
 * it is unblocked, but kept back from the program. To be called whenever they may have changed.
 */
void steptask_unblock_trap(struct steptask *task);

/* All on one CPU; and as they were. A new one has what its maker has. */
void steptask_pin(const struct stepset *set, struct steptask *task);
void steptask_unpin(struct steptask *task);

/* Makes it stop. */
void steptask_interrupt(const struct steptask *task);

/*
 * Lets it go on by itself, from a stop, as if nothing had been. The SIGTRAP of a step that is
 * queued, which would kill it, is taken away first.
 */
void steptask_detach(struct steptask *task);

#endif
