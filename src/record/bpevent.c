/* SPDX-License-Identifier: MIT */
#include "record/bpevent.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bits of sample_regs_user: the kernel's arch/x86/include/uapi/asm/perf_regs.h. */
#define REG_SI (1u << 4)
#define REG_DI (1u << 5)

#define SAMPLE_TYPE                                                             \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_REGS_USER)

/* A sample of SAMPLE_TYPE; the registers stand in the order of their numbers. */
struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, id;
	uint64_t abi; /* PERF_SAMPLE_REGS_ABI_NONE: no registers follow */
	uint64_t si, di;
};

/* What sample_id_all puts at the end of all other records. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time, id;
};

struct comm {
	struct perf_event_header header;
	uint32_t pid, tid;
};

struct lost {
	struct perf_event_header header;
	uint64_t id, lost;
};

static int open_once(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* One open file descriptor for each thread on each CPU soon is more than the usual 1024. */
static bool raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static int open_event(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	int fd = open_once(attr, tid, cpu);

	if (fd < 0 && errno == EMFILE && raise_limit())
		fd = open_once(attr, tid, cpu);
	return fd;
}

int bpevent_open(pid_t tid, int cpu, uint64_t address)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = address,
		.bp_len = sizeof(long),
		.sample_period = 1,
		.wakeup_events = 1,
		.precise_ip = 2,
		.sample_type = SAMPLE_TYPE,
		.sample_regs_user = REG_SI | REG_DI,
		.sample_id_all = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.comm = cpu >= 0,
		.comm_exec = cpu >= 0,
		.inherit = cpu >= 0,
		.inherit_thread = cpu >= 0, /* from Linux 5.13 */
	};
	int fd = open_event(&attr, tid, cpu);

	while (fd < 0 && (errno == EINVAL || errno == EOPNOTSUPP) && attr.precise_ip > 0) {
		attr.precise_ip--;
		fd = open_event(&attr, tid, cpu);
	}
	if (fd < 0 && errno == EINVAL && attr.inherit_thread) {
		attr.inherit_thread = 0;
		fd = open_event(&attr, tid, cpu);
	}
	return fd;
}

int bpevent_open_dummy(pid_t tid, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = SAMPLE_TYPE,
		.sample_regs_user = REG_SI | REG_DI,
		.sample_id_all = 1,
		/*
		 * A record that is no sample wakes nobody before there are so many bytes. A CPU's
		 * ring also gets one for each thread that starts or ends: these can wait.
		 */
		.watermark = cpu < 0,
		.wakeup_watermark = cpu < 0,
		.disabled = cpu >= 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.comm = cpu < 0,
		.comm_exec = cpu < 0,
	};

	return open_event(&attr, tid, cpu);
}

static void read_sample(const struct sample *sample, struct bpevent_record *record)
{
	if (sample->header.size < offsetof(struct sample, si))
		return;
	record->kind = BPEVENT_HIT;
	record->pid = (int32_t)sample->pid;
	record->tid = (int32_t)sample->tid;
	record->time = (int64_t)sample->time;
	record->id = sample->id;
	record->ip = sample->ip;
	if (sample->abi == PERF_SAMPLE_REGS_ABI_NONE || sample->header.size < sizeof(*sample))
		return;
	record->si = sample->si;
	record->di = sample->di;
}

void bpevent_read(const struct perf_event_header *header, struct bpevent_record *record)
{
	const struct comm *comm = (const struct comm *)header;
	const struct lost *lost = (const struct lost *)header;
	const char *end = (const char *)header + header->size;
	struct trailer trailer;

	*record = (struct bpevent_record){ .kind = BPEVENT_OTHER };
	if (header->type == PERF_RECORD_SAMPLE) {
		read_sample((const struct sample *)header, record);
		return;
	}
	if (header->size < sizeof(*header) + 2 * sizeof(uint64_t) + sizeof(trailer))
		return;
	memcpy(&trailer, end - sizeof(trailer), sizeof(trailer));
	record->time = (int64_t)trailer.time;
	if (header->type == PERF_RECORD_COMM && header->misc & PERF_RECORD_MISC_COMM_EXEC) {
		record->kind = BPEVENT_EXEC;
		record->pid = (int32_t)comm->pid;
		record->tid = (int32_t)comm->tid;
	} else if (header->type == PERF_RECORD_LOST) {
		record->kind = BPEVENT_LOST;
		record->lost = lost->lost;
	}
}

int bpevent_failed(struct err *err, int error, pid_t pid, uint64_t address)
{
	switch (error) {
	case ESRCH: return err_set(err, "there is no process %d any more: it has ended", pid);
	case EACCES:
	case EPERM:
		err_set(err, "no permission to set a breakpoint in process %d: %s", pid,
			strerror(error));
		return err_hint(err, "run it as root or with CAP_PERFMON and CAP_SYS_PTRACE; or, "
				     "for a process of your own, `sysctl "
				     "kernel.perf_event_paranoid=2` or less, and "
				     "kernel.yama.ptrace_scope 0 where there is one");
	case ENOSPC:
		err_set(err,
			"no breakpoint is left for process %d: a CPU has four, and all are taken",
			pid);
		return err_hint(err, "end the debuggers and tracers that have set some in it "
				     "(gdb's hbreak and watch, `perf record -e mem:...`)");
	case EMFILE:
	case ENFILE:
		err_set(err,
			"too many open files: a breakpoint in each thread of process %d "
			"takes one for each thread and CPU",
			pid);
		return err_hint(err,
				"`ulimit -Hn` is the limit: raise it, or trace one thread only");
	case ENODEV:
	case ENOSYS:
	case ENOENT:
	case EOPNOTSUPP:
		err_set(err, "this machine or its kernel has no hardware breakpoints: %s",
			strerror(error));
		return err_hint(err, "leave out -trigger and press Ctrl+C, or send SIGUSR2, at the "
				     "right moment");
	case EINVAL:
		return err_set(err, "the kernel takes no breakpoint at 0x%llx in process %d",
			       (unsigned long long)address, pid);
	default:
		return err_set(err, "cannot set a breakpoint at 0x%llx in process %d: %s",
			       (unsigned long long)address, pid, strerror(error));
	}
}
