/* SPDX-License-Identifier: MIT */
/*
 * stepper: the engine that lets a process execute one instruction at a time, by ptrace(2), and
 * tells the recorder of each. For programs that run already, and those that QEMU cannot run.
 *
 * Its threads run one at a time, on one CPU, on which we are too: that is twice as fast as on two,
 * and always in the same order. Their CPU affinity looks to them as it was, and is so again when
 * they are let go.
 *
 * Not seen: two instructions at once behind a load of ss (the CPU does not trap there); what the
 * kernel does for the vsyscall page; transactions, which always abort when stepped. pushf, the one
 * instruction that would store the trap flag, is seen to; a program that uses that flag itself
 * loses it. Some system calls that wait fail with EINTR when a process is attached to or let go of,
 * as with stop signals (signal(7), "Interruption of system calls ... by stop signals").
 *
 * A program that has restricted itself by seccomp(2) is stepped as others are, strict mode or
 * filters: we have it execute nothing but its own system calls. One that is setuid has no more than
 * its user's privileges when it is executed while another tracer holds it (execve(2)).
 *
 * Should we be killed (SIGKILL), the kernel lets go of the process, but leaves the trap flag of the
 * thread that is being stepped set, and the SIGTRAP of its next instruction kills the process: 50
 * times of 50 with Linux 6.18. Only when all its threads waited in the kernel it goes on. Who may
 * be killed should therefore have the stepping done by a process of its own, which sees that in
 * `poll`.
 */
#ifndef MT_SOFT_STEPPER_H
#define MT_SOFT_STEPPER_H

#include "base/err.h"
#include "soft/recorder.h"
#include "soft/stepdeed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum stepper_wish {
	STEPPER_GO_ON,
	STEPPER_SNAPSHOT, /* is taken before the next call of a hook; and go on */
	STEPPER_STOP,
};

struct stepper_hooks {
	/* every 10 ms, and when a signal has come for us */
	enum stepper_wish (*poll)(void *ctx);
	/* what is waited for is the next instruction of a thread; may be NULL */
	enum stepper_wish (*reached)(void *ctx, pid_t tid, uint64_t address);
	/*
	 * A process executes another program, in which the addresses that were waited for in it
	 * mean nothing: they are not any more. Not called when there were none; may be NULL.
	 */
	void (*executed)(void *ctx, pid_t pid);
	void *ctx;
};

struct stepper_config {
	pid_t pid;
	/*
	 * Another tracer holds it at its exec, or where it has no other thread yet, and lets go of
	 * it when stepper_attach has returned. Else it runs; or our own thread has seized it
	 * (PTRACE_SEIZE), and it is in a stop of ptrace(2).
	 */
	bool held;
	bool multi_thread;  /* all its threads; else the first only, the others run by themselves */
	bool follow_fork;   /* its children too; else they run by themselves */
	unsigned int turn;  /* instructions before it is another thread's; 0: 2000 */
	uint64_t poll_each; /* poll is called each so many instructions too; 0: not */
	const uint64_t *addresses; /* that are waited for in pid: see stepper_await */
	size_t n_addresses;
	struct stepper_hooks hooks;
	const struct recorder_config *recorder; /* pid and comm are filled in */
	const struct stepdeed_watcher *watcher; /* tests: who is told of stacks; NULL: nobody */
};

struct stepper;

/*
 * Attaches to it. Until stepper_free, our thread must have no other children, and a signal,
 * SIGRTMAX, is used. -1 with err: no such process, not permitted, traced by another, not 64-bit, it
 * does not stop; then it is unharmed, and in the last case let go of when our thread ends.
 */
int stepper_attach(const struct stepper_config *config, struct stepper **stepper, struct err *err);

enum stepper_end {
	STEPPER_ENDED,      /* the process has */
	STEPPER_STOPPED,    /* as a hook wished, or it failed: stepper_close says why */
	STEPPER_NOT_64_BIT, /* it executes another program, for a machine that we cannot follow */
};

/* Steps it until then. */
enum stepper_end stepper_run(struct stepper *stepper);

/*
 * Waits for an instruction of a process that is stepped, or of its first thread only: hooks.reached
 * is called. The children that it makes from then on are waited for there as well. May be called by
 * hooks.
 */
void stepper_await(struct stepper *stepper, pid_t pid, uint64_t address, bool first);

/* Lets go of the process, which runs on by itself if it has not ended. */
void stepper_detach(struct stepper *stepper);

/* The recorder, until stepper_close. */
struct recorder *stepper_recorder(const struct stepper *stepper);

/* The number by which the file knows a thread that is recorded: its own, but with counted time. */
int32_t stepper_thread_id(const struct stepper *stepper, pid_t tid);

/* How far the thread has come that was stepped last: ns of perf's clock; 0: there is none. */
uint64_t stepper_time(const struct stepper *stepper);

/* How the process ended, as waitpid(2) says; only when it has. */
int stepper_status(const struct stepper *stepper);

/*
 * Detaches if that is not done yet, closes the recorder (recorder_close), frees it. -1 with err
 * also when it could not go on: a snapshot could not be written (recorder_next_file), or the
 * process that was held could not be traced.
 */
int stepper_close(struct stepper *stepper, bool rest, struct recorder_stats *stats,
		  struct err *err);

#endif
