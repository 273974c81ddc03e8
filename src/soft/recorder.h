/* SPDX-License-Identifier: MIT */
/*
 * recorder: what the engines share. An engine tells which threads there are, and what is mapped
 * (recthread.h), and what each executes (recflow.h); the recorder has the perf.data file, the
 * packets of each thread, and time.
 *
 * Time is what recorder_time says. An engine that runs one thread at a time says which
 * (recorder_run): then there is one time for all. Else each thread has its own.
 *
 * Threads: a struct recorder_thread is used by one thread of execution at a time; different ones
 * may be used at the same time, and new ones made. recorder_snapshot may be called by anybody, a
 * signal handler too, while the recorder is open. recorder_run, per_cpu and recorder_stats are for
 * engines that have one thread of execution; recorder_close and recorder_abandon are called when
 * nobody else uses it any more.
 */
#ifndef MT_SOFT_RECORDER_H
#define MT_SOFT_RECORDER_H

#include "base/err.h"
#include "soft/packet.h"
#include "soft/perfdata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum recorder_time {
	RECORDER_VIRTUAL, /* an instruction takes 1 ns, a system call what it took */
	RECORDER_REAL,    /* CLOCK_MONOTONIC */
	/*
	 * An instruction takes 1 ns, a system call always the same; time begins at 1 s, and
	 * processes and threads are numbered from 1 on as they appear: when a program does the same
	 * again, the file is the same again.
	 */
	RECORDER_INSTRUCTIONS,
};

/* Faults that hardware has, for tests: in the first stream only. */
enum recorder_fault_kind {
	RECORDER_NO_FAULT,
	RECORDER_OVERFLOW,  /* the CPU loses packets: "Overflow packet" */
	RECORDER_TRUNCATED, /* the kernel loses data: "Lost trace data" */
	RECORDER_CUT,       /* bytes are missing in the file, without a word */
};

struct recorder_fault {
	enum recorder_fault_kind kind;
	uint64_t at, length; /* instructions; of RECORDER_CUT: bytes */
};

struct recorder_config {
	const char *path; /* of the perf.data file: see recorder_file_name */
	const char *log;  /* tests: a file of "TID FLAGS FROM TO CLOCK" lines; NULL: none */
	enum recorder_time time;
	size_t ring;        /* bytes for each thread, or CPU; 0: all is kept */
	bool split;         /* each snapshot of a ring is a file of its own: recorder_next_file */
	unsigned int image; /* for the names of the files, of which the log is one */
	bool per_cpu;       /* as if all threads were on one CPU, with switches */
	const struct packet_config *pt; /* NULL: RECORDER_PACKETS */
	struct recorder_fault fault;
	char *const *command_line; /* as perfdata_config */
	pid_t pid;
	const char *comm;
	/* ns that a system call seems to take longer because the engine looks at it */
	uint64_t syscall_overhead;
};

/* A PSB every 16 KiB: only from one on can a ring be decoded, which must be larger than that. */
#define RECORDER_PACKETS                                  \
	((struct packet_config){ .cyc = true,             \
				 .ret_compression = true, \
				 .mtc_period = 3,         \
				 .psb_period = 3,         \
				 .ctc_ratio = 40,         \
				 .cbr = 10,               \
				 .tnt_max = 6 })

/* As many snapshots of one program are files of their own: nobody looks at more. */
#define RECORDER_FILES 1000u

struct recorder;

/* -1 with err: the file, or the log, cannot be created. */
int recorder_open(const struct recorder_config *config, struct recorder **rec, struct err *err);

struct recorder_stats {
	uint64_t instructions, branches, syscalls;
	uint64_t bytes; /* of packets, those that a ring has dropped too */
	uint64_t threads;
	double seconds; /* since recorder_open */
};

/* Up to now. */
void recorder_stats(const struct recorder *rec, struct recorder_stats *stats);

/* "123,456 instructions, 23,456 branches, ... of 2 threads in 1.200 s: 102,880 instructions ..." */
void recorder_summary(const struct recorder_stats *stats, char *text, size_t size);

/*
 * Asks for what the rings hold now. It is written by recorder_settle for a thread that executes
 * nothing, by recorder_executed for the others, or by recorder_close.
 */
void recorder_snapshot(struct recorder *rec);

/*
 * When each snapshot is a file of its own: settles it for all threads, completes the file, and goes
 * on in the next, which begins with all that there is of processes, threads and mappings. When
 * RECORDER_FILES are complete there is no next one: what is recorded from then on is dropped, and
 * further calls do nothing, which is no error. When snapshots have no files of their own: does
 * nothing. For engines that have stopped all threads meanwhile. -1 with err: the file is not
 * complete, or the next cannot be made; nothing more is written then.
 */
int recorder_next_file(struct recorder *rec, struct err *err);

/*
 * The name of the n-th file of the image-th program that a process has executed, both from 0 on:
 * `path` for the first of the first, else with a suffix of twelve digits, so that names sort as
 * files do (up to a million images, and files of one). Free with free().
 */
char *recorder_file_name(const char *path, unsigned int image, unsigned int n)
	__attribute__((returns_nonnull));

/* Whether a file descriptor from first to last is that of the file, or of the log. */
bool recorder_has_fd(struct recorder *rec, unsigned int first, unsigned int last);

/*
 * Ends all threads, completes the file and frees it all. With a ring, what it holds now is written
 * only if `rest`; a split recording's last file is removed when nothing was recorded into it.
 * *stats (may be NULL): all that was recorded. -1 with err: the file is not complete, or cannot be
 * removed.
 */
int recorder_close(struct recorder *rec, bool rest, struct recorder_stats *stats, struct err *err);

/* For a process that has it by fork(2): gives it up and writes nothing. */
void recorder_abandon(struct recorder *rec);

#endif
