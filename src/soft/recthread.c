/* SPDX-License-Identifier: MIT */
#include "soft/recthread.h"

#include "base/xalloc.h"
#include "soft/recstate.h"

#include <string.h>

/* What threads that have ended have in their rings is kept up to so many rings. */
#define ENDED_RINGS 16

static struct recprocess *find_process(struct recorder *rec, pid_t pid)
{
	struct recprocess *p = rec->processes;

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

/* The number to be written for a new process or thread. */
static int32_t new_id(struct recorder *rec, pid_t real)
{
	return rec->time == RECORDER_INSTRUCTIONS ? ++rec->last_id : real;
}

static struct recprocess *new_process(struct recorder *rec, pid_t pid,
				      const struct recprocess *parent)
{
	struct recprocess *p = xcalloc(1, sizeof(*p));

	/* what had this number has ended */
	for (struct recprocess *old = find_process(rec, pid); old; old = find_process(rec, pid))
		old->pid = 0;
	p->pid = pid;
	p->id = new_id(rec, pid);
	p->told = parent ? told_copy(parent->told) : told_new();
	p->file = rec->n_file;
	p->next = rec->processes;
	rec->processes = p;
	return p;
}

static struct recorder_thread *new_thread(struct recorder *rec, struct recprocess *process,
					  pid_t tid, const char *comm, uint64_t clock)
{
	struct recorder_thread *t = xcalloc(1, sizeof(*t));

	t->rec = rec;
	t->process = process;
	t->id = tid == process->pid ? process->id : new_id(rec, tid);
	strncpy(t->comm, comm, sizeof(t->comm) - 1);
	t->track = rec->per_cpu ? &rec->cpu : &t->own;
	if (!rec->per_cpu)
		recstate_track(rec, &t->own, t->id, clock);
	if (!rec->per_cpu && rec->n_threads == 0)
		track_set_fault(&t->own, &rec->cpu.fault);
	t->ready = clock;
	if (rec->n_threads == rec->room) {
		rec->room = rec->room ? 2 * rec->room : 16;
		rec->threads = xreallocarray(rec->threads, rec->room, sizeof(*rec->threads));
	}
	rec->threads[rec->n_threads++] = t;
	return t;
}

static void tell_comm(struct recorder_thread *t, bool exec, uint64_t time)
{
	perfdata_comm(t->rec->pd, t->process->id, t->id, t->comm, exec, time);
}

static void tell_mappings(struct recorder_thread *t)
{
	const struct told *told = t->process->told;
	const struct perfdata_mapping *mapping;

	for (size_t i = 0; (mapping = told_get(told, i)); i++)
		perfdata_mmap(t->rec->pd, t->process->id, t->id, mapping, 0);
}

void recstate_tell(struct recorder *rec)
{
	for (size_t i = 0; i < rec->n_threads; i++) {
		struct recorder_thread *t = rec->threads[i];

		if (t->ended)
			continue;
		tell_comm(t, false, 0);
		if (t->process->file != rec->n_file)
			tell_mappings(t);
		t->process->file = rec->n_file;
		if (!rec->per_cpu || t == rec->running)
			recstate_start(t, recstate_clock(t));
	}
}

struct recorder_thread *recorder_thread_new(struct recorder *rec, pid_t pid, pid_t tid,
					    const char *comm)
{
	struct recorder_thread *t;
	struct recprocess *process;

	pthread_mutex_lock(&rec->lock);
	process = find_process(rec, pid);
	if (!process)
		process = new_process(rec, pid, NULL);
	t = new_thread(rec, process, tid, comm, rec->clock);
	tell_comm(t, false, 0);
	if (!rec->per_cpu)
		recstate_start(t, rec->clock);
	pthread_mutex_unlock(&rec->lock);
	return t;
}

struct recorder_thread *recorder_thread_clone(struct recorder_thread *parent, pid_t pid, pid_t tid)
{
	struct recorder *rec = parent->rec;
	struct recprocess *process = parent->process;
	uint64_t clock = recstate_clock(parent), time = recstate_time(rec, clock);
	struct recorder_thread *t;

	pthread_mutex_lock(&rec->lock);
	if (pid != process->pid)
		process = new_process(rec, pid, process);
	t = new_thread(rec, process, tid, parent->comm, clock);
	t->map_clock = clock;
	perfdata_fork(rec->pd, process->id, parent->process->id, t->id, parent->id, time);
	tell_comm(t, false, time);
	if (!rec->per_cpu)
		recstate_start(t, clock);
	pthread_mutex_unlock(&rec->lock);
	return t;
}

int32_t recorder_thread_id(const struct recorder_thread *thread)
{
	return thread->id;
}

uint64_t recorder_thread_time(const struct recorder_thread *thread)
{
	return recstate_time(thread->rec, recstate_clock(thread));
}

static void name(struct recorder_thread *thread, const char *comm, bool exec, uint64_t clock)
{
	struct recorder *rec = thread->rec;

	pthread_mutex_lock(&rec->lock);
	memset(thread->comm, 0, sizeof(thread->comm));
	strncpy(thread->comm, comm, sizeof(thread->comm) - 1);
	if (exec)
		told_clear(thread->process->told);
	tell_comm(thread, exec, recstate_time(rec, clock));
	pthread_mutex_unlock(&rec->lock);
}

void recorder_thread_exec(struct recorder_thread *thread, const char *comm)
{
	name(thread, comm, true, thread->map_clock);
}

void recorder_thread_comm(struct recorder_thread *thread, const char *comm)
{
	if (strncmp(thread->comm, comm, sizeof(thread->comm) - 1) != 0)
		name(thread, comm, false, recstate_clock(thread));
}

void recorder_thread_map(struct recorder_thread *thread, const struct perfdata_mapping *mapping)
{
	uint64_t clock = atomic_load(&thread->map_clock);
	struct recorder *rec = thread->rec;

	pthread_mutex_lock(&rec->lock);
	if (told_add(thread->process->told, mapping))
		perfdata_mmap(rec->pd, thread->process->id, thread->id, mapping,
			      clock ? recstate_time(rec, clock) : 0);
	pthread_mutex_unlock(&rec->lock);
}

void recorder_thread_unmap(struct recorder_thread *thread, uint64_t start, uint64_t size)
{
	pthread_mutex_lock(&thread->rec->lock);
	told_remove(thread->process->told, start, size);
	pthread_mutex_unlock(&thread->rec->lock);
}

/* Threads that have ended keep a part of what they had; the oldest lose theirs first. */
static void limit_ended(struct recorder *rec)
{
	size_t n;

	while (rec->oldest < rec->n_threads && !rec->threads[rec->oldest]->own.stream)
		rec->oldest++;
	for (size_t i = rec->oldest; i < rec->n_threads; i++) {
		struct recorder_thread *t = rec->threads[i];

		if (rec->ended_bytes <= ENDED_RINGS * rec->ring)
			return;
		if (!t->ended || !t->own.stream)
			continue;
		packet_bytes(t->own.buf.packets, &n);
		rec->ended_bytes -= n;
		recstate_drop(rec, &t->own);
	}
}

void recstate_settle_ended(struct recorder_thread *t)
{
	struct recorder *rec = t->rec;
	size_t n;

	packet_bytes(t->own.buf.packets, &n);
	rec->ended_bytes -= n;
	recstate_write(t, false);
	recstate_drop(rec, &t->own);
}

static void end_own_track(struct recorder_thread *t)
{
	struct recorder *rec = t->rec;
	size_t n;

	if (!rec->ring) {
		recstate_write(t, false);
		recstate_drop(rec, &t->own);
		return;
	}
	auxbuf_keep(&t->own.buf);
	packet_bytes(t->own.buf.packets, &n);
	rec->ended_bytes += n;
	limit_ended(rec);
}

void recorder_thread_end(struct recorder_thread *thread)
{
	struct recorder *rec = thread->rec;
	uint64_t clock = recstate_clock(thread);
	bool runs = rec->running == thread;

	if (runs || !rec->per_cpu)
		track_halt(thread->track);
	if (clock > rec->clock && runs)
		rec->clock = clock;
	pthread_mutex_lock(&rec->lock);
	thread->ended = true;
	perfdata_exit(rec->pd, thread->process->id, thread->id, recstate_time(rec, clock));
	if (!rec->per_cpu)
		end_own_track(thread);
	pthread_mutex_unlock(&rec->lock);
	if (runs && !rec->per_cpu)
		rec->running = NULL;
}
