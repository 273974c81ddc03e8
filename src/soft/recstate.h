/* SPDX-License-Identifier: MIT */
/* recstate: what a recorder consists of; for recorder.c, recthread.c and recflow.c only. */
#ifndef MT_SOFT_RECSTATE_H
#define MT_SOFT_RECSTATE_H

#include "soft/perfdata.h"
#include "soft/recorder.h"
#include "soft/told.h"
#include "soft/track.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct recprocess {
	struct recprocess *next;
	pid_t pid;
	int32_t id; /* as written */
	struct told *told;
	unsigned int file; /* the last one that was told of its mappings from the beginning */
};

struct recorder_thread {
	struct recorder *rec;
	struct recprocess *process;
	int32_t id; /* as written */
	char comm[16];
	struct track *track;
	struct track own;
	bool ended;
	bool started;           /* per_cpu: perf takes it for the one that runs then */
	uint64_t syscall_clock; /* ticks: when it last went to the kernel */
	uint64_t syscall_real;  /* the same, ns of CLOCK_MONOTONIC */
	/* ticks: when its mappings last changed; 0: before everything. Others may want to know. */
	_Atomic(uint64_t) map_clock;
	uint64_t ready; /* ticks: when it comes back from the kernel */
};

struct recorder {
	enum recorder_time time;
	size_t ring;
	bool per_cpu, split;
	unsigned int image;
	char *path, *comm, **command_line; /* what the settings of each file need */
	uint64_t syscall_overhead;
	struct perfdata_config file;
	atomic_uint snapshots; /* asked for */
	/* the engines with one thread of execution: */
	struct recorder_thread *running;
	uint64_t clock; /* of what has run before */
	struct track cpu;
	/* what follows is guarded: */
	pthread_mutex_t lock;
	struct perfdata *pd;
	unsigned int n_file; /* of pd, from 0 on */
	bool full;           /* pd is complete, and the last */
	FILE *log;
	struct recprocess *processes;
	struct recorder_thread **threads;
	size_t n_threads, room;
	unsigned int n_buffers;
	size_t oldest; /* of threads: those before have no stream any more */
	size_t ended_bytes;
	int32_t last_id;
	struct recorder_stats stats; /* of streams that are freed */
	uint64_t began;              /* ns of CLOCK_MONOTONIC */
};

/* CLOCK_MONOTONIC, ns. */
uint64_t recstate_now(void);

/* perf's time of a clock. */
uint64_t recstate_time(const struct recorder *rec, uint64_t clock);

/* A thread's clock, or that of the CPU. */
uint64_t recstate_clock(const struct recorder_thread *thread);

/* A new track; with the lock held, or nobody else there. */
void recstate_track(struct recorder *rec, struct track *track, int32_t id, uint64_t clock);

/* Frees it; what it has counted counts still. With the lock held. */
void recstate_drop(struct recorder *rec, struct track *track);

/* Writes what a track has, its thread's or the CPU's. With the lock held. */
void recstate_write(struct recorder_thread *thread, bool truncated);

/* A thread's events are on. With the lock held. */
void recstate_start(struct recorder_thread *thread, uint64_t clock);

/* Tells a new file, the n_file-th, of all that there is now. With the lock held. */
void recstate_tell(struct recorder *rec);

/*
 * Writes what a thread that has ended has in its ring, as the last that is wanted of it. With the
 * lock held.
 */
void recstate_settle_ended(struct recorder_thread *thread);

#endif
