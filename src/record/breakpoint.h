/* SPDX-License-Identifier: MIT */
/*
 * breakpoint: hardware breakpoints on an instruction, by perf_event_open(2), which say when a
 * thread comes there and with which arguments; the thread is not stopped.
 *
 * Created disabled, so that the caller can poll before the first hit can be.
 */
#ifndef MT_RECORD_BREAKPOINT_H
#define MT_RECORD_BREAKPOINT_H

#include "base/err.h"
#include "record/hit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct breakpoints;

struct breakpoints *breakpoints_new(void) __attribute__((returns_nonnull));

/*
 * Adds a breakpoint at address in process pid: in its first thread, or, with all_threads, in each
 * of its threads and those that they start later, none missed. A process that executed another
 * program may be added again. -1 with err: the process has ended, no permission (the hint says what
 * gives it), all four debug registers are taken, not supported.
 */
int breakpoints_add(struct breakpoints *bps, pid_t pid, uint64_t address, bool all_threads,
		    struct err *err);

/*
 * Switches them on, for one hit or until breakpoints_disable: with `once` the kernel switches a
 * breakpoint off by itself at its first hit where it can (one thread).
 */
void breakpoints_enable(struct breakpoints *bps, bool once);
void breakpoints_disable(struct breakpoints *bps);

/*
 * To be polled for POLLIN: readable when a hit came, or a target ended or executed another program;
 * sometimes also without. Readable only once, so breakpoints_read has to follow. -1 when there is
 * none.
 */
int breakpoints_fd(const struct breakpoints *bps);

/*
 * Takes the hits that have come, by time, at most max; call until it returns fewer. Their times are
 * of perf's clock. Two breakpoints of one thread at one place count once. What was passed is read
 * as record/passed.h says.
 */
size_t breakpoints_read(struct breakpoints *bps, struct hit *hits, size_t max);

/* How many hits the kernel could not keep because nobody read them in time. */
uint64_t breakpoints_lost(const struct breakpoints *bps);

/* Whether a target executed another program since the last question: its breakpoints are gone. */
bool breakpoints_exec(struct breakpoints *bps, pid_t *pid);

void breakpoints_free(struct breakpoints *bps);

#endif
