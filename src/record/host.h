/* SPDX-License-Identifier: MIT */
/* host: what this machine, its kernel and our permissions let us record. */
#ifndef MT_RECORD_HOST_H
#define MT_RECORD_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether something may be done. */
enum host_answer {
	HOST_NOT_ASKED,
	HOST_ALLOWED,
	HOST_REFUSED,
};

struct host {
	char kernel[128]; /* release, as uname -r */
	char cpu[128];    /* "model name" of /proc/cpuinfo, "" when not there */
	char vendor[32];  /* "vendor_id" of /proc/cpuinfo: "GenuineIntel"; "" when not there */
	unsigned int n_cpus;
	uint32_t page_size; /* bytes; 0 counts as 4096 */
	bool x86_64;
	bool vm;           /* flag hypervisor of /proc/cpuinfo: this is a virtual machine */
	bool cpu_pt;       /* the CPU has PT: flag intel_pt of /proc/cpuinfo */
	bool pt;           /* the kernel offers it: /sys/bus/event_source/devices/intel_pt */
	bool pt_psb_cyc;   /* .../caps/psb_cyc is 1: cyc and psb_period may be chosen */
	bool pt_ip_filter; /* .../caps/ip_filtering */
	bool pdcm;         /* every CPU has the flag pdcm: LBR may be there */
	bool core_pmu;     /* .../devices/cpu or cpu_core is there: hardware counters */
	bool hybrid;       /* .../devices/cpu_core is there: CPUs of two kinds */
	bool cycles;       /* perf_event_open(2) takes the event cycles */
	bool breakpoints;  /* perf_event_open(2) takes a breakpoint on an instruction */
	enum host_answer user_events; /* perf_event_open(2) on our own user code */
	int paranoid;                 /* /proc/sys/kernel/perf_event_paranoid; HOST_UNKNOWN */
	int yama;          /* /proc/sys/kernel/yama/ptrace_scope; HOST_UNKNOWN: no YAMA */
	uint64_t mlock_kb; /* /proc/sys/kernel/perf_event_mlock_kb, for each CPU; 0: not known */
	uint64_t memlock;  /* our RLIMIT_MEMLOCK, bytes; UINT64_MAX: none */
	uint32_t max_sample_rate; /* /proc/sys/kernel/perf_event_max_sample_rate; 0: not known */
	/*
	 * Our effective ones, a bit each (capabilities(7)). None in a user namespace: the kernel
	 * asks for those of the first one.
	 */
	uint64_t capabilities;
	bool kcore; /* /proc/kcore can be read */
};

#define HOST_UNKNOWN (-1000)

/*
 * Reads all of it. root is put before the paths of files, "" for this machine. What cannot be read
 * is as not there. With another root the kernel is not asked what it takes, since it is not the
 * kernel of those files: cycles is as core_pmu, breakpoints as x86_64, user_events HOST_NOT_ASKED.
 */
void host_read(struct host *host, const char *root);

/* CAP_PERFMON or CAP_SYS_ADMIN: perf_event_paranoid does not hold us (perf_event_open(2)). */
bool host_is_privileged(const struct host *host);

/* CAP_SYS_PTRACE: YAMA's ptrace_scope 1 and 2 do not hold us. */
bool host_may_ptrace(const struct host *host);

/*
 * CAP_IPC_LOCK, or paranoid -1, or no RLIMIT_MEMLOCK: buffers of any size (perf_mmap in the
 * kernel's kernel/events/core.c).
 */
bool host_locks_freely(const struct host *host);

/*
 * What else we may lock for perf's buffers, bytes: perf_event_mlock_kb for each CPU, shared by all
 * processes of a user, and RLIMIT_MEMLOCK (perf_event_open(2)). UINT64_MAX when we lock freely or
 * perf_event_mlock_kb is not known.
 */
uint64_t host_lockable(const struct host *host);

#endif
