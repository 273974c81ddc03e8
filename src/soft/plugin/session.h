/* SPDX-License-Identifier: MIT */
/*
 * session: the recording of one program under QEMU, from its first instruction to its end, or
 * until it is stopped: the recorder, the threads, who controls it.
 *
 * What begins with session_ is called by any thread of the program that is not inside the gate.
 */
#ifndef MT_SOFT_PLUGIN_SESSION_H
#define MT_SOFT_PLUGIN_SESSION_H

#include "base/err.h"
#include "soft/plugin/gate.h"
#include "soft/plugin/mapped.h"
#include "soft/plugin/sigframe.h"
#include "soft/plugin/vcpu.h"
#include "soft/qemuargs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct session {
	struct qemuargs args;
	struct recorder *rec; /* until it is over */
	atomic_int link;      /* to who controls it; -1: nobody */
	bool unwanted;        /* who would control it has gone */
	struct gate gate;
	struct sigframe_handlers handlers;
	_Atomic(uint64_t) base; /* QEMU's address of the program's address 0 */
	atomic_bool hit;        /* the trigger */
	bool taken;             /* a snapshot: guarded by the gate, as rec is */
	struct recorder_thread *first;
	bool forked;          /* this is a child of the program */
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	struct vcpu *vcpus;
	struct mapped mapped;
};

/* texts: the plugin's arguments. -1 with err, which has been told to who controls it as well. */
int session_begin(struct session *s, char *const texts[], size_t n, struct err *err);

/*
 * When session_begin has failed: whether the program runs all the same, unrecorded. One that has
 * executed another does, and one of which nobody wants to know any more.
 */
bool session_runs_on(const struct session *s);

/*
 * The thread that calls, new in the program; without a recorder's thread if it is not to be
 * recorded. NULL: the recording is over.
 */
struct vcpu *session_this_thread(struct session *s);

/* A thread that is recorded has made another. v is inside. */
void session_new_thread(struct session *s, struct vcpu *v, pid_t tid);

/* What somebody executes lies at this address; the trigger, if it lies near, else 0. v is inside.
 */
uint64_t session_code_at(struct session *s, struct vcpu *v, uint64_t address);

/* Something else lies there from now on. v is inside. */
void session_forget(struct session *s, struct vcpu *v, uint64_t start, uint64_t size);

/*
 * Writes what the rings hold now, into a file of its own if there are to be several. When that
 * fails, the recording is over, and who controls it is told.
 */
void session_snapshot(struct session *s);

/*
 * v, inside and recorded, has reached the trigger, at this address. It need not be inside
 * afterwards: the recording may be over.
 */
void session_hit(struct session *s, struct vcpu *v, uint64_t ip);

/* Ends the recording: the file is complete then. Whether this call did it. */
bool session_end(struct session *s);

/* Whether a file descriptor from first to last is one of ours. Who calls is inside. */
bool session_has_fd(const struct session *s, unsigned int first, unsigned int last);

/*
 * The program is about to close one of them: ends the recording, tells that to who controls it, and
 * closes all of them, so that the program finds none there.
 */
void session_lose_files(struct session *s);

/* Around fork(2): the child gives it up. */
void session_before_fork(struct session *s);
void session_after_fork(struct session *s, bool child);

#endif
