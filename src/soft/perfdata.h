/* SPDX-License-Identifier: MIT */
/*
 * perfdata: writes a perf.data file with an intel_pt event and a dummy event for what goes with it
 * (mappings, names, threads), as `perf record -e intel_pt//u` does (the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt; include/uapi/linux/perf_event.h).
 *
 * Times are ns of perf's clock; 0: before everything.
 */
#ifndef MT_SOFT_PERFDATA_H
#define MT_SOFT_PERFDATA_H

#include "base/err.h"
#include "soft/packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* More CPUs than Linux can have. */
#define PERFDATA_CPUS 65536

/* The strings are needed until perfdata_open returns. */
struct perfdata_config {
	struct packet_config pt;
	uint64_t tsc_hz;   /* ticks of the TSC a second, 1 MHz to 1 THz; 1 GHz: a tick is 1 ns */
	bool per_cpu;      /* a buffer for each CPU, with context switches, else for each thread */
	bool snapshot;     /* the AUX data comes from rings that were overwritten */
	bool reproducible; /* nothing of this machine is in the file */
	unsigned int n_cpus;       /* of per_cpu: 1 to PERFDATA_CPUS */
	char *const *command_line; /* that of the recorder; ends in NULL */
	pid_t pid;                 /* of the main thread */
	const char *comm;          /* of it */
};

struct perfdata_mapping {
	uint64_t start, size, offset;
	unsigned int major, minor; /* of the device */
	uint64_t inode;
	bool read, write, execute, shared;
	const char *path; /* a file (cut at PATH_MAX), "[vdso]" or "//anon" */
};

struct perfdata;

/* Creates the file (0600), replacing an older one. -1 with err. */
int perfdata_open(const char *path, const struct perfdata_config *config, struct perfdata **pd,
		  struct err *err);

/* A name; exec: that of a new program, all that was mapped is gone. */
void perfdata_comm(struct perfdata *pd, pid_t pid, pid_t tid, const char *comm, bool exec,
		   uint64_t time);
/* Before the first instruction in it is executed: perf looks at the code at once. */
void perfdata_mmap(struct perfdata *pd, pid_t pid, pid_t tid,
		   const struct perfdata_mapping *mapping, uint64_t time);

/* A new thread (pid is ppid) or process. perf decodes a thread only if it was told of it. */
void perfdata_fork(struct perfdata *pd, pid_t pid, pid_t ppid, pid_t tid, pid_t ptid,
		   uint64_t time);
void perfdata_exit(struct perfdata *pd, pid_t pid, pid_t tid, uint64_t time);

/* A thread's events are on; cpu -1: in a buffer of its own. */
void perfdata_itrace_start(struct perfdata *pd, pid_t pid, pid_t tid, int cpu, uint64_t time);

/* Thread tid comes to cpu, or (out) leaves it; the other is who leaves, or who comes. */
void perfdata_switch(struct perfdata *pd, bool out, pid_t pid, pid_t tid, pid_t other_pid,
		     pid_t other_tid, int cpu, uint64_t time);

/* All up to now has been told: perf can sort it, and need not keep it. */
void perfdata_finished_round(struct perfdata *pd);

struct perfdata_aux {
	unsigned int index; /* of the buffer: counts threads, or CPUs */
	pid_t pid, tid;     /* whose it is; per_cpu: who ran last */
	int cpu;            /* -1: a thread's own */
	uint64_t offset; /* how many bytes of this buffer came before these, lost ones included */
	const uint8_t *bytes;
	size_t n;       /* whole packets */
	bool truncated; /* data was lost behind these: perf says so at `time` */
	uint64_t clock; /* ticks, now */
	uint64_t time;
};

/* The bytes that a buffer got since the last time; n may be 0, if truncated. */
void perfdata_aux(struct perfdata *pd, const struct perfdata_aux *aux);

/* What perf makes of a tick count. */
uint64_t perfdata_time(const struct perfdata_config *config, uint64_t clock);

/* Whether any bytes have come to perfdata_aux. */
bool perfdata_has_aux(const struct perfdata *pd);

/* The descriptor of the file; -1: it is finished. */
int perfdata_fd(const struct perfdata *pd);

/*
 * Completes the file; what is told afterwards is dropped. -1 with err: it could not be written,
 * now or before.
 */
int perfdata_finish(struct perfdata *pd, struct err *err);

/* The same, unless it is finished, and frees pd. */
int perfdata_close(struct perfdata *pd, struct err *err);

/* Gives it up without completing it: for a process that has it by fork(2). */
void perfdata_abandon(struct perfdata *pd);

#endif
