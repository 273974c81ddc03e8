/* SPDX-License-Identifier: MIT */
#include "record/breakpoint.h"

#include "base/xalloc.h"
#include "record/bpset.h"
#include "record/cpus.h"
#include "record/passed.h"
#include "record/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define CPUS_MAX  4096
#define SCANS_MAX 1000      /* of a process that does nothing but start threads */
#define ONE_HIT   100000000 /* ns; two records of one hit are no further apart: some µs */

struct breakpoints {
	struct bpset set;
	struct tsc_clock tsc;
	uint64_t lost;
};

struct breakpoints *breakpoints_new(void)
{
	struct breakpoints *bps = xcalloc(1, sizeof(*bps));

	bpset_init(&bps->set);
	return bps;
}

static int failed(struct err *err, pid_t pid, uint64_t address)
{
	if (errno != ENOMEM)
		return bpevent_failed(err, errno, pid, address);
	err_set(err, "no more memory may be locked for the breakpoints' buffers of process %d",
		pid);
	return err_hint(err,
			"raise kernel.perf_event_mlock_kb by %d for each CPU, or `ulimit -l`; "
			"or run it as root or with CAP_IPC_LOCK",
			(BPSET_RING_PAGES + 1) * 4);
}

static int add_first_thread(struct breakpoints *bps, size_t process, uint64_t address)
{
	struct bpset_source s = { .kind = BPSET_THREAD, .process = process, .address = address };

	s.fd = bpevent_open(bps->set.processes[process].pid, -1, address);
	return bpset_add_source(&bps->set, &s);
}

/* The rings of the CPUs, once. They are ours and not the targets', which may end. */
static int add_cpus(struct breakpoints *bps)
{
	int *cpus;
	size_t i, n;
	int result = 0;

	for (i = 0; i < bps->set.n_sources; i++)
		if (bps->set.sources[i].kind == BPSET_CPU)
			return 0;
	cpus = xcalloc(CPUS_MAX, sizeof(*cpus));
	n = cpus_online(cpus, CPUS_MAX);
	for (i = 0; i < n && result == 0; i++) {
		struct bpset_source s = { .kind = BPSET_CPU, .cpu = cpus[i] };

		s.fd = bpevent_open_dummy(0, s.cpu);
		result = bpset_add_source(&bps->set, &s);
	}
	free(cpus);
	return result;
}

struct arming {
	struct breakpoints *bps;
	size_t process;
	uint64_t address;
	size_t n;    /* threads that have it */
	int scans;   /* before this one */
	bool failed; /* and said so in err */
	struct err *err;
};

static int arm_on_cpu(const struct arming *a, pid_t tid, const struct bpset_source *s)
{
	int fd = bpevent_open(tid, s->cpu, a->address), error;

	if (fd < 0)
		return -1;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, s->fd) < 0) {
		error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	bpset_add_event(&a->bps->set, fd, a->process);
	return 0;
}

/* An event for each CPU, since one for all of them that is inherited cannot have a ring. */
static int arm_thread(void *ctx, pid_t tid)
{
	struct arming *a = ctx;
	struct breakpoints *bps = a->bps;
	size_t i;

	for (i = 0; i < bps->set.n_sources; i++) {
		if (bps->set.sources[i].kind != BPSET_CPU ||
		    arm_on_cpu(a, tid, &bps->set.sources[i]) == 0)
			continue;
		if (errno == ESRCH) /* this thread is about to end */
			return 0;
		/*
		 * Each thread of a chain inherits what its starter has and gets one of its own:
		 * from the fifth on there is no room for that, nor need.
		 */
		if (errno == ENOSPC && a->scans > 0)
			continue;
		a->failed = true;
		return failed(a->err, bps->set.processes[a->process].pid, a->address);
	}
	a->n++;
	return 1;
}

/*
 * A thread that was started before its starter had the breakpoint is found by the next scan, one
 * that was started after it inherits it. So none is missed once a scan has found nothing new; two
 * such, because one scan can pass a thread over.
 */
static int add_all_threads(struct breakpoints *bps, size_t process, uint64_t address,
			   struct err *err)
{
	struct arming a = { .bps = bps, .process = process, .address = address, .err = err };
	pid_t pid = bps->set.processes[process].pid;
	struct threads threads = { .n = 0 };
	int quiet = 0, found;

	if (add_cpus(bps) < 0)
		return failed(err, pid, address);
	for (; a.scans < SCANS_MAX && quiet < 2; a.scans++) {
		found = threads_scan(&threads, pid, arm_thread, &a);
		if (found < 0)
			break;
		quiet = found ? 0 : quiet + 1;
	}
	threads_fini(&threads);
	if (a.failed)
		return -1;
	/* A scan also fails when the process ends under it. */
	return a.n ? 0 : bpevent_failed(err, ESRCH, pid, address);
}

int breakpoints_add(struct breakpoints *bps, pid_t pid, uint64_t address, bool all_threads,
		    struct err *err)
{
	struct bpset *set = &bps->set;
	size_t sources, events, processes, process;
	int result;

	bpset_forget_executed(set, pid);
	sources = set->n_sources;
	events = set->n_events;
	processes = set->n_processes;
	process = bpset_add_process(set, pid);
	if (all_threads) {
		result = add_all_threads(bps, process, address, err);
	} else {
		result = add_first_thread(bps, process, address);
		if (result < 0)
			failed(err, pid, address);
	}
	if (result < 0) {
		bpset_cut(set, sources, events, processes);
		return -1;
	}
	tsc_clock_page(&bps->tsc, set->sources[0].ring.page);
	if (bps->tsc.n_moments == 0)
		tsc_clock_measure(&bps->tsc, 0);
	return 0;
}

/*
 * A breakpoint that the kernel has switched off after its one hit stays off in Linux 6.16 to at
 * least 6.18, whatever it is told (it is left in a state "stopped" that scheduling it in does not
 * end), and how many hits it is still good for cannot be taken back. A new one in its place.
 */
static void open_anew(struct bpset *set, struct bpset_source *s)
{
	int fd = bpevent_open(set->processes[s->process].pid, -1, s->address);

	if (bpset_replace_source(set, s, fd) == 0)
		s->limited = s->fired = false;
}

static void enable_thread(struct bpset *set, struct bpset_source *s, bool once)
{
	if (s->limited && (s->fired || !once))
		open_anew(set, s);
	if (once && !s->limited && ioctl(s->fd, PERF_EVENT_IOC_REFRESH, 1) == 0) {
		s->limited = true;
		return;
	}
	ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0);
}

void breakpoints_enable(struct breakpoints *bps, bool once)
{
	struct timespec ms = { .tv_nsec = 1000000 };
	struct bpset *set = &bps->set;
	size_t i;

	bpset_control(set, PERF_EVENT_IOC_ENABLE, false);
	for (i = 0; i < set->n_sources; i++) {
		struct bpset_source *s = &set->sources[i];

		if (s->kind == BPSET_THREAD && !set->processes[s->process].executed)
			enable_thread(set, s, once);
	}
	if (set->n_events == 0)
		return;
	/*
	 * A thread that was being started may have inherited a breakpoint while it was off, and
	 * been listed as an heir after we switched it on.
	 */
	nanosleep(&ms, NULL);
	bpset_control(set, PERF_EVENT_IOC_ENABLE, false);
}

void breakpoints_disable(struct breakpoints *bps)
{
	bpset_control(&bps->set, PERF_EVENT_IOC_DISABLE, true);
}

int breakpoints_fd(const struct breakpoints *bps)
{
	return bps->set.n_processes ? bps->set.epoll : -1;
}

/*
 * A thread that has inherited the breakpoint and got one of its own makes two records of a hit, of
 * two events, one directly after the other in its CPU's ring (both within one exception). The first
 * event that a row of hits of one thread has shown is the one that counts: it is there at each hit.
 */
static bool is_second_of_hit(const struct bpset_source *s, const struct bpevent_record *r)
{
	return s->has_last && s->last.tid == r->tid && s->last.ip == r->ip && s->last.id != r->id &&
	       r->time - s->last.time < ONE_HIT;
}

static bool take_hit(struct breakpoints *bps, struct bpset_source *s, struct hit *hit)
{
	const struct bpevent_record *r = &s->next;
	const struct bpset_process *p = NULL;
	size_t i = bpset_find(&bps->set, r->pid);
	struct passed passed;

	if (i < bps->set.n_processes)
		p = &bps->set.processes[i];
	if (!p && r->pid > 0) /* a child's, from a kernel before 5.13 */
		return false;
	if (p && p->executed && r->time >= p->exec_time)
		return false;
	if (is_second_of_hit(s, r))
		return false;
	s->last = *r;
	s->has_last = s->fired = true;
	if (r->di > 1)
		tsc_clock_measure(&bps->tsc, r->time);
	passed = passed_read(&bps->tsc, r->time, r->di, r->si);
	*hit = (struct hit){
		.time = r->time,
		.passed = passed.time,
		.arg = passed.arg,
		.ip = r->ip,
		.pid = r->pid,
		.tid = r->tid,
	};
	return true;
}

/* The breakpoints are still there, at addresses that mean nothing in the new program. */
static void take_exec(struct bpset *set, const struct bpevent_record *r)
{
	size_t process = bpset_find(set, r->pid), i;

	if (process == set->n_processes || set->processes[process].executed)
		return;
	for (i = 0; i < set->n_events; i++)
		if (set->events[i].process == process)
			ioctl(set->events[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	for (i = 0; i < set->n_sources; i++)
		if (set->sources[i].kind == BPSET_THREAD && set->sources[i].process == process)
			ioctl(set->sources[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	set->processes[process].executed = true;
	set->processes[process].exec_time = r->time;
}

size_t breakpoints_read(struct breakpoints *bps, struct hit *hits, size_t max)
{
	struct bpset *set = &bps->set;
	struct bpset_source *s;
	size_t n = 0, i;

	bpset_forget_ended(set);
	/* Only what is there now: a function that is hit all the time must not keep us here. */
	for (i = 0; i < set->n_sources; i++)
		ring_sync(&set->sources[i].ring);
	while (n < max && (s = bpset_earliest(set))) {
		if (s->next.kind == BPEVENT_HIT)
			n += take_hit(bps, s, &hits[n]);
		else if (s->next.kind == BPEVENT_EXEC)
			take_exec(set, &s->next);
		else if (s->next.kind == BPEVENT_LOST)
			bps->lost += s->next.lost;
		s->has_next = false;
		ring_pop(&s->ring);
	}
	return n;
}

uint64_t breakpoints_lost(const struct breakpoints *bps)
{
	return bps->lost;
}

bool breakpoints_exec(struct breakpoints *bps, pid_t *pid)
{
	size_t i;

	for (i = 0; i < bps->set.n_processes; i++) {
		struct bpset_process *p = &bps->set.processes[i];

		if (!p->executed || p->told)
			continue;
		p->told = true;
		*pid = p->pid;
		return true;
	}
	return false;
}

void breakpoints_free(struct breakpoints *bps)
{
	if (!bps)
		return;
	bpset_fini(&bps->set);
	free(bps);
}
