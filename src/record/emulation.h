/* SPDX-License-Identifier: MIT */
/*
 * emulation: records a program that is run under QEMU (soft/qemu.h), whose plugin records from the
 * first instruction on and is told what to do by a socket.
 */
#ifndef MT_RECORD_EMULATION_H
#define MT_RECORD_EMULATION_H

#include "base/err.h"
#include "record/hit.h"
#include "record/listener.h"
#include "record/tracer.h"
#include "soft/qemu.h"
#include "soft/recorder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct emulation;

struct emulation_settings {
	const char *data; /* the data file; see recorder_file_name */
	enum recorder_time time;
	size_t ring; /* bytes for each thread; 0: all is kept */
	bool multi_thread;
	bool multi_snapshot;      /* as of struct stepping_settings */
	const char *trigger_file; /* NULL: no trigger */
	uint64_t trigger_at;      /* offset in it */
};

/*
 * Makes the socket, in a private directory. listener (borrowed): is warned when a program that was
 * executed is not recorded, or what was recorded of one has no end. -1 with err.
 */
int emulation_new(const char *directory, const struct listener *listener,
		  struct emulation **emulation, struct err *err);

/*
 * The command that runs argv (argv[0] is looked up in PATH) under QEMU. NULL with err: there is no
 * such program, or QEMU cannot run it. Free with qemuargs_free.
 */
char **emulation_command(struct emulation *emulation, const struct qemu *qemu,
			 const struct emulation_settings *settings, char *const argv[],
			 struct err *err);

/*
 * The plugin's hits; it knows its trigger by itself, so that what is added is not looked at. With
 * multi_snapshot and a ring each has its snapshot already, so that to ask the tracer for one when
 * hits were read takes no other. Times are those of the file; pid is the process, tid the thread as
 * the file has it. passed and arg are 0: QEMU's plugin API tells no registers.
 */
struct hit_source emulation_hits(struct emulation *emulation);

/*
 * The tracer of process pid, which runs that command, or is held before it does: it counts as
 * recording at once. The emulation's own. One run of it; it ends
 *
 * - when the process has ended,
 * - when it was told to and that is answered: where QEMU is about to come up, as soon as it has,
 * - behind the first hit, or snapshot, when these are not files of their own,
 * - when the process executes a program that is not recorded.
 *
 * Of a program that was killed there is no end, and so no file; then finish fails, and removes what
 * is no use, unless there are other files: of programs that were executed before, or snapshots.
 */
struct tracer emulation_tracer(struct emulation *emulation, pid_t pid);

/*
 * What has been recorded, of all programs that were executed; known when the tracer has ended.
 * false: it is not.
 */
bool emulation_stats(const struct emulation *emulation, struct recorder_stats *stats);

/* Closes the socket; the program runs on, unrecorded. NULL is fine. */
void emulation_free(struct emulation *emulation);

#endif
