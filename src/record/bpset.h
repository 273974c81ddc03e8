/* SPDX-License-Identifier: MIT */
/*
 * bpset: the events and rings that the breakpoints of several processes are made of. For
 * breakpoint.c.
 */
#ifndef MT_RECORD_BPSET_H
#define MT_RECORD_BPSET_H

#include "record/bpevent.h"
#include "record/ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BPSET_RING_PAGES 16 /* 1024 hits; locked memory, of which perf needs some as well */

/* A ring, and the event that owns it. */
struct bpset_source {
	enum {
		BPSET_THREAD, /* the breakpoint of one thread */
		BPSET_CPU,    /* an event of ours: breakpoints of many threads write into it */
		BPSET_EXEC,   /* says when a process executes another program */
	} kind;
	int fd, cpu;
	size_t process; /* not BPSET_CPU */
	struct ring ring;
	struct bpevent_record next; /* the oldest in the ring, if has_next */
	bool has_next;
	struct bpevent_record last; /* the hit that was taken last from here, if has_last */
	bool has_last;
	/* BPSET_THREAD: where it is; armed for one hit; which has come. */
	uint64_t address;
	bool limited, fired;
};

/* The breakpoint of one thread, and of those that it starts, on one CPU. */
struct bpset_event {
	int fd;
	size_t process;
};

struct bpset_process {
	pid_t pid;
	int pidfd; /* -1: none */
	bool executed, told;
	int64_t exec_time; /* ns of perf's clock */
};

struct bpset {
	int epoll;
	struct bpset_source *sources;
	struct bpset_event *events;
	struct bpset_process *processes;
	size_t n_sources, n_events, n_processes;
};

void bpset_init(struct bpset *set);
void bpset_fini(struct bpset *set);

/*
 * Takes the event source->fd over, and maps its ring. 0, or -1 with errno (ENOMEM when no more
 * memory may be locked); then it is closed. A negative fd is an error that has already happened.
 */
int bpset_add_source(struct bpset *set, const struct bpset_source *source);

/* As bpset_add_source, but in the place of one that is there, which stays when it fails. */
int bpset_replace_source(struct bpset *set, struct bpset_source *source, int fd);

/* Takes over an event that writes into the ring of another. */
void bpset_add_event(struct bpset *set, int fd, size_t process);

/* The index of process pid; n_processes when it is not there. */
size_t bpset_find(const struct bpset *set, pid_t pid);

/* Adds a process, with what says that it has ended or executes another program. Its index. */
size_t bpset_add_process(struct bpset *set, pid_t pid);

/*
 * Closes what process pid had before it executed another program, if it has: it is of no use any
 * more, and takes debug registers. The process may be added again then, at another index.
 */
void bpset_forget_executed(struct bpset *set, pid_t pid);

/* Takes back what has been added since there were so many of each. */
void bpset_cut(struct bpset *set, size_t sources, size_t events, size_t processes);

/*
 * Does an ioctl(2) on the events of the processes that have not executed another program; on the
 * sources of kind BPSET_THREAD too, if threads.
 */
void bpset_control(const struct bpset *set, unsigned long request, bool threads);

/* Polls no longer what would be ready for ever: events of threads that ended, ended processes. */
void bpset_forget_ended(const struct bpset *set);

/* The source whose oldest record (next) is the oldest of all as of ring_sync; NULL: no record. */
struct bpset_source *bpset_earliest(struct bpset *set);

#endif
