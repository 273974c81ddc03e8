/* SPDX-License-Identifier: MIT */
/*
 * qemuctl: the end of the socket from which the plugin in QEMU is controlled. It connects to us,
 * once for each program that its process executes, and is told "snapshot" or "stop", each answered
 * with "done". By itself it sends lines
 *
 *   hello PID IMAGE           IMAGE counts the programs that the process has executed before
 *   hit TIME_NS TID IP DI SI  thread TID (of the file) has come to the trigger; the first two
 *                             numbers are decimal, the others hex. DI and SI are 0: the API of
 *                             plugins does not tell registers (QEMU 7.2). With `multi` (struct
 *                             qemuargs) and a ring, what it held has been written; without
 *                             `multi` it was the end of the recording, and bye follows.
 *   bye INSTRUCTIONS BRANCHES SYSCALLS THREADS BYTES SECONDS
 *                             the file of this image is complete
 *   exec IMAGE                the next program follows, with another connection
 *   untraced WHY              the process runs on, as the next program or the same one, but is not
 *                             recorded any more
 *   failed WHY                the file of this image is no use
 */
#ifndef MT_SOFT_QEMUCTL_H
#define MT_SOFT_QEMUCTL_H

#include "base/err.h"
#include "soft/recorder.h"

#include <stdint.h>
#include <sys/types.h>

/* The name of the socket in its directory. */
#define QEMUCTL_SOCKET "qemu.socket"

struct qemuctl;

/*
 * Listens at a socket in the directory, which should be private: who connects is believed to be
 * the plugin. -1 with err.
 */
int qemuctl_open(const char *directory, struct qemuctl **ctl, struct err *err);

/* Closes and removes the socket. NULL is fine. */
void qemuctl_close(struct qemuctl *ctl);

/* The path of the socket: for struct qemuargs. */
const char *qemuctl_path(const struct qemuctl *ctl);

/* Readable when qemuctl_next has something to do (poll(2)). */
int qemuctl_fd(const struct qemuctl *ctl);

enum qemuctl_kind {
	QEMUCTL_NOTHING, /* not now */
	QEMUCTL_HELLO,
	QEMUCTL_HIT,
	QEMUCTL_BYE,
	QEMUCTL_EXEC,
	QEMUCTL_UNTRACED,
	QEMUCTL_FAILED,
	QEMUCTL_DONE,
	/* it has gone; without BYE before, it was killed, and its file is no use */
	QEMUCTL_GONE,
};

struct qemuctl_message {
	enum qemuctl_kind kind;
	unsigned int image;          /* HELLO, EXEC */
	pid_t pid;                   /* HELLO; of HIT the thread */
	uint64_t time, ip, di, si;   /* HIT */
	struct recorder_stats stats; /* BYE */
	char why[512];               /* UNTRACED, FAILED; printable */
};

/* The next message; lines that are none of the above are passed over. Does not wait. */
void qemuctl_next(struct qemuctl *ctl, struct qemuctl_message *message);

/*
 * Asks for a snapshot, or for the end of the recording (the program runs on); DONE comes when it
 * is written. -1 with err: nobody is connected.
 */
int qemuctl_snapshot(struct qemuctl *ctl, struct err *err);
int qemuctl_stop(struct qemuctl *ctl, struct err *err);

#endif
