/* SPDX-License-Identifier: MIT */
/*
 * The kernel's records are those of include/uapi/linux/perf_event.h; perf's own are in
 * tools/lib/perf/include/perf/event.h of the kernel's source.
 */
#include "soft/perfdata.h"

#include "base/xalloc.h"
#include "soft/outfile.h"
#include "soft/perfhead.h"

#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* perf's own types: enum perf_user_event_type. */
#define RECORD_FINISHED_ROUND 68
#define RECORD_ID_INDEX       69
#define RECORD_AUXTRACE_INFO  70
#define RECORD_AUXTRACE       71
#define RECORD_THREAD_MAP     73
#define RECORD_TIME_CONV      79

#define AUXTRACE_INTEL_PT 1 /* enum auxtrace_type, tools/perf/util/auxtrace.h */

/* Switches are PERF_RECORD_SWITCH_CPU_WIDE: intel_pt_context_switch, tools/perf/util/intel-pt.c. */
#define SWITCHES_CPU_WIDE 3

/* ns = ticks * mult >> shift, as with the kernel's perf_event_mmap_page. */
#define TIME_SHIFT 20

#define COMM_SIZE   16 /* TASK_COMM_LEN */
#define RECORD_SIZE UINT16_MAX
#define ID_SIZE     (4 * sizeof(uint64_t)) /* of an entry in RECORD_ID_INDEX */

struct perfdata {
	bool per_cpu, snapshot, has_aux;
	struct outfile *file; /* NULL: finished */
	struct perfhead *head;
	size_t n;
	uint8_t record[RECORD_SIZE]; /* being built */
};

static uint64_t time_mult(const struct perfdata_config *config)
{
	return (UINT64_C(1000000000) << TIME_SHIFT) / config->tsc_hz;
}

uint64_t perfdata_time(const struct perfdata_config *config, uint64_t clock)
{
	uint64_t mult = time_mult(config), rest = clock & ((1u << TIME_SHIFT) - 1);

	/* in two parts, so that nothing overflows: tsc_to_perf_time, tools/perf/util/tsc.c */
	return (clock >> TIME_SHIFT) * mult + (rest * mult >> TIME_SHIFT);
}

static void put(struct perfdata *pd, const void *bytes, size_t n)
{
	memcpy(pd->record + pd->n, bytes, n);
	pd->n += n;
}

static void put_u32(struct perfdata *pd, uint32_t v)
{
	put(pd, &v, sizeof(v));
}

static void put_u64(struct perfdata *pd, uint64_t v)
{
	put(pd, &v, sizeof(v));
}

static void put_ids(struct perfdata *pd, pid_t pid, pid_t tid)
{
	put_u32(pd, (uint32_t)pid);
	put_u32(pd, (uint32_t)tid);
}

/* At most `most` bytes of it, and NULs up to a multiple of eight bytes: one at least. */
static void put_string(struct perfdata *pd, const char *s, size_t most)
{
	static const char zeros[8];
	size_t n = strnlen(s, most);

	put(pd, s, n);
	put(pd, zeros, 8 - n % 8);
}

static void begin(struct perfdata *pd, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	pd->n = 0;
	put(pd, &header, sizeof(header));
}

static void end(struct perfdata *pd)
{
	uint16_t size = (uint16_t)pd->n;

	memcpy(pd->record + offsetof(struct perf_event_header, size), &size, sizeof(size));
	if (pd->file)
		outfile_put(pd->file, pd->record, pd->n);
}

/* The end of one of the kernel's records: whose it is, when, of which event (sample_id_all). */
static void end_with(struct perfdata *pd, pid_t pid, pid_t tid, uint64_t time, int cpu,
		     enum perfhead_event event)
{
	unsigned int index = cpu < 0 ? 0 : (unsigned int)cpu;

	put_ids(pd, pid, tid);
	put_u64(pd, time);
	if (pd->per_cpu)
		put_u64(pd, index);
	put_u64(pd, perfhead_id(pd->head, event, index));
	end(pd);
	if (time)
		perfhead_add_time(pd->head, time);
}

/* What is not about a CPU. */
static void end_dummy(struct perfdata *pd, pid_t pid, pid_t tid, uint64_t time)
{
	end_with(pd, pid, tid, time, -1, PERFHEAD_DUMMY);
}

/* Which id belongs to which buffer, CPU and thread. */
static void add_id_index(struct perfdata *pd, enum perfhead_event event, pid_t pid)
{
	const unsigned int most = (RECORD_SIZE - 16) / ID_SIZE, n = perfhead_ids(pd->head);

	for (unsigned int i = 0, stop; i < n; i = stop) {
		stop = n - i < most ? n : i + most;
		begin(pd, RECORD_ID_INDEX, 0);
		put_u64(pd, stop - i);
		for (unsigned int k = i; k < stop; k++) {
			put_u64(pd, perfhead_id(pd->head, event, k));
			put_u64(pd, k);
			put_u64(pd, pd->per_cpu ? k : UINT64_MAX);
			put_u64(pd, pd->per_cpu ? UINT64_MAX : (uint64_t)pid);
		}
		end(pd);
	}
}

/*
 * How to read the packets. After the type come the members of the enum in
 * tools/perf/util/intel-pt.h, then what newer perfs read (intel_pt_process_auxtrace_info).
 */
static void add_auxtrace_info(struct perfdata *pd, const struct perfdata_config *config)
{
	const uint64_t members[] = {
		PERFHEAD_PMU_TYPE,
		TIME_SHIFT,
		time_mult(config),
		0, /* time_zero */
		1, /* cap_user_time_zero: without it, no times */
		PERFHEAD_TSC,
		PERFHEAD_NORETCOMP,
		config->per_cpu ? SWITCHES_CPU_WIDE : 0,
		config->snapshot,
		config->per_cpu, /* per_cpu_mmaps */
		PERFHEAD_MTC,
		UINT64_C(0xf) << PERFHEAD_MTC_PERIOD,
		config->pt.mtc ? config->pt.ctc_ratio : 0, /* ticks of the TSC ... */
		1,                                         /* ... in so many of the crystal */
		PERFHEAD_CYC,
		config->pt.cbr, /* max_nonturbo_ratio: packets say that it runs at this one */
		0,              /* length of a filter */
		0,              /* cap_event_trace */
	};

	begin(pd, RECORD_AUXTRACE_INFO, 0);
	put_u32(pd, AUXTRACE_INTEL_PT);
	put_u32(pd, 0);
	put(pd, members, sizeof(members));
	end(pd);
}

static void add_time_conversion(struct perfdata *pd, const struct perfdata_config *config)
{
	begin(pd, RECORD_TIME_CONV, 0);
	put_u64(pd, TIME_SHIFT);
	put_u64(pd, time_mult(config));
	put_u64(pd, 0);
	put_u64(pd, 0); /* time_cycles */
	put_u64(pd, 0); /* time_mask */
	put_u64(pd, 1); /* cap_user_time_zero, then cap_user_time_short */
	end(pd);
}

/* What was asked to be traced. */
static void add_thread_map(struct perfdata *pd, const struct perfdata_config *config)
{
	char comm[COMM_SIZE] = "";

	memcpy(comm, config->comm, strnlen(config->comm, sizeof(comm) - 1));
	begin(pd, RECORD_THREAD_MAP, 0);
	put_u64(pd, 1);
	put_u64(pd, (uint64_t)config->pid);
	put(pd, comm, sizeof(comm));
	end(pd);
}

int perfdata_open(const char *path, const struct perfdata_config *config, struct perfdata **pd,
		  struct err *err)
{
	struct outfile *file;

	if (config->tsc_hz < 1000000 || config->tsc_hz > UINT64_C(1000000000000))
		return err_set(err, "%s: a clock of %" PRIu64 " Hz is out of range", path,
			       config->tsc_hz);
	if (config->per_cpu && (config->n_cpus < 1 || config->n_cpus > PERFDATA_CPUS))
		return err_set(err, "%s: %u CPUs are out of range", path, config->n_cpus);
	if (outfile_open(path, &file, err) < 0)
		return -1;
	*pd = xcalloc(1, sizeof(**pd));
	(*pd)->per_cpu = config->per_cpu;
	(*pd)->snapshot = config->snapshot;
	(*pd)->file = file;
	(*pd)->head = perfhead_begin(config, file);
	add_id_index(*pd, PERFHEAD_INTEL_PT, config->pid);
	add_id_index(*pd, PERFHEAD_DUMMY, config->pid);
	add_auxtrace_info(*pd, config);
	add_time_conversion(*pd, config);
	add_thread_map(*pd, config);
	return 0;
}

void perfdata_comm(struct perfdata *pd, pid_t pid, pid_t tid, const char *comm, bool exec,
		   uint64_t time)
{
	begin(pd, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put_ids(pd, pid, tid);
	put_string(pd, comm, COMM_SIZE - 1);
	end_dummy(pd, pid, tid, time);
}

void perfdata_mmap(struct perfdata *pd, pid_t pid, pid_t tid,
		   const struct perfdata_mapping *mapping, uint64_t time)
{
	uint16_t misc = PERF_RECORD_MISC_USER;

	if (!mapping->execute)
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	begin(pd, PERF_RECORD_MMAP2, misc);
	put_ids(pd, pid, tid);
	put_u64(pd, mapping->start);
	put_u64(pd, mapping->size);
	put_u64(pd, mapping->offset);
	put_u32(pd, mapping->major);
	put_u32(pd, mapping->minor);
	put_u64(pd, mapping->inode);
	put_u64(pd, 0); /* ino_generation */
	put_u32(pd, (mapping->read ? PROT_READ : 0u) | (mapping->write ? PROT_WRITE : 0u) |
			    (mapping->execute ? PROT_EXEC : 0u));
	put_u32(pd, mapping->shared ? MAP_SHARED : MAP_PRIVATE);
	put_string(pd, mapping->path, PATH_MAX - 1);
	end_dummy(pd, pid, tid, time);
}

static void add_task(struct perfdata *pd, uint32_t type, pid_t pid, pid_t ppid, pid_t tid,
		     pid_t ptid, uint64_t time)
{
	begin(pd, type, 0);
	put_ids(pd, pid, ppid);
	put_ids(pd, tid, ptid);
	put_u64(pd, time);
}

void perfdata_fork(struct perfdata *pd, pid_t pid, pid_t ppid, pid_t tid, pid_t ptid, uint64_t time)
{
	add_task(pd, PERF_RECORD_FORK, pid, ppid, tid, ptid, time);
	end_dummy(pd, ppid, ptid, time);
}

void perfdata_exit(struct perfdata *pd, pid_t pid, pid_t tid, uint64_t time)
{
	/* the parent is of no interest: older kernels name the thread itself */
	add_task(pd, PERF_RECORD_EXIT, pid, pid, tid, tid, time);
	end_dummy(pd, pid, tid, time);
}

void perfdata_itrace_start(struct perfdata *pd, pid_t pid, pid_t tid, int cpu, uint64_t time)
{
	begin(pd, PERF_RECORD_ITRACE_START, 0);
	put_ids(pd, pid, tid);
	end_with(pd, pid, tid, time, cpu, PERFHEAD_INTEL_PT);
}

void perfdata_switch(struct perfdata *pd, bool out, pid_t pid, pid_t tid, pid_t other_pid,
		     pid_t other_tid, int cpu, uint64_t time)
{
	begin(pd, PERF_RECORD_SWITCH_CPU_WIDE, out ? PERF_RECORD_MISC_SWITCH_OUT : 0);
	put_ids(pd, other_pid, other_tid);
	end_with(pd, pid, tid, time, cpu, PERFHEAD_DUMMY);
}

void perfdata_finished_round(struct perfdata *pd)
{
	begin(pd, RECORD_FINISHED_ROUND, 0);
	end(pd);
}

/* The data, filled up with PAD packets (zeros) to a multiple of eight bytes. */
static void add_auxtrace(struct perfdata *pd, const struct perfdata_aux *aux)
{
	static const uint8_t pad[8];
	size_t fill = -aux->n % sizeof(pad);

	pd->has_aux = true;
	perfhead_add_aux(pd->head, outfile_size(pd->file));
	begin(pd, RECORD_AUXTRACE, 0);
	put_u64(pd, aux->n + fill);
	put_u64(pd, aux->offset);
	put_u64(pd, aux->clock);
	put_u32(pd, aux->index);
	put_u32(pd, pd->per_cpu ? UINT32_MAX : (uint32_t)aux->tid);
	put_u32(pd, pd->per_cpu ? (uint32_t)aux->cpu : UINT32_MAX);
	put_u32(pd, 0);
	end(pd);
	outfile_put(pd->file, aux->bytes, aux->n);
	outfile_put(pd->file, pad, fill);
}

void perfdata_aux(struct perfdata *pd, const struct perfdata_aux *aux)
{
	uint64_t flags = 0;

	if (!pd->file)
		return;
	if (pd->snapshot)
		flags |= PERF_AUX_FLAG_OVERWRITE;
	if (aux->truncated)
		flags |= PERF_AUX_FLAG_TRUNCATED;
	begin(pd, PERF_RECORD_AUX, 0);
	put_u64(pd, aux->offset);
	put_u64(pd, aux->n);
	put_u64(pd, flags);
	end_with(pd, aux->pid, aux->tid, aux->time, aux->cpu, PERFHEAD_INTEL_PT);
	if (aux->n)
		add_auxtrace(pd, aux);
}

bool perfdata_has_aux(const struct perfdata *pd)
{
	return pd->has_aux;
}

int perfdata_fd(const struct perfdata *pd)
{
	return pd->file ? outfile_fd(pd->file) : -1;
}

int perfdata_finish(struct perfdata *pd, struct err *err)
{
	struct outfile *file = pd->file;

	perfhead_end(pd->head, file);
	pd->file = NULL;
	return outfile_close(file, err);
}

int perfdata_close(struct perfdata *pd, struct err *err)
{
	int result = pd->file ? perfdata_finish(pd, err) : 0;

	perfdata_abandon(pd);
	return result;
}

void perfdata_abandon(struct perfdata *pd)
{
	if (!pd)
		return;
	outfile_abandon(pd->file);
	perfhead_free(pd->head);
	free(pd);
}
