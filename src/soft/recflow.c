/* SPDX-License-Identifier: MIT */
#include "soft/recflow.h"

#include "soft/recstate.h"

/* ns that things take when nobody has measured them. */
#define SYSCALL_TIME     300 /* RECORDER_INSTRUCTIONS */
#define SYSCALL_LEAST    150
#define INTERRUPTED_TIME 1000
#define SWITCH_TIME      1000

static void settle(struct recorder_thread *t)
{
	struct track *track = t->track;

	track->snapshots = atomic_load(&t->rec->snapshots);
	if (!t->rec->ring || !track->stream)
		return;
	if (t->ended && track == &t->own) {
		pthread_mutex_lock(&t->rec->lock);
		recstate_settle_ended(t);
		pthread_mutex_unlock(&t->rec->lock);
		return;
	}
	track_halt(track);
	pthread_mutex_lock(&t->rec->lock);
	recstate_write(t, false);
	pthread_mutex_unlock(&t->rec->lock);
	track->restart = true;
	track->odd = true;
}

static bool is_due(const struct recorder_thread *t)
{
	return atomic_load_explicit(&t->rec->snapshots, memory_order_relaxed) !=
	       t->track->snapshots;
}

void recorder_settle(struct recorder_thread *thread)
{
	if (is_due(thread))
		settle(thread);
}

static void make_room(struct recorder_thread *t)
{
	if (t->rec->ring) {
		auxbuf_keep(&t->track->buf);
		return;
	}
	pthread_mutex_lock(&t->rec->lock);
	recstate_write(t, false);
	pthread_mutex_unlock(&t->rec->lock);
}

static void write_truncated(struct recorder_thread *thread)
{
	pthread_mutex_lock(&thread->rec->lock);
	recstate_write(thread, true);
	pthread_mutex_unlock(&thread->rec->lock);
}

void recorder_executed(struct recorder_thread *thread, uint64_t start, uint64_t n, uint64_t ip,
		       struct insn insn, uint64_t to)
{
	struct track *track = thread->track;

	if (is_due(thread))
		settle(thread);
	if (thread->rec->time == RECORDER_REAL)
		stream_clock_to(track->stream, recstate_now());
	if (track->odd)
		track_begin(track, start);
	stream_executed(track->stream, start, n, ip, insn, to);
	if (track->odd && track_end(track, insn, to))
		write_truncated(thread);
	if (auxbuf_is_full(&track->buf))
		make_room(thread);
}

/* --- time --- */

/* The time of all goes on to that of one. */
static void share_clock(struct recorder *rec, uint64_t clock)
{
	struct stream *stream = rec->running->track->stream;

	if (clock > rec->clock)
		rec->clock = clock;
	if (clock <= stream_clock(stream))
		return;
	/* what has been executed was executed before */
	packet_flush(stream_packets(stream), stream_clock(stream));
	stream_clock_to(stream, clock);
}

static void wait_till(struct recorder_thread *thread, uint64_t clock)
{
	thread->ready = clock;
	if (thread->rec->running)
		share_clock(thread->rec, clock);
	else
		stream_clock_to(thread->track->stream, clock);
}

void recorder_interrupted(struct recorder_thread *thread, uint64_t next)
{
	if (stream_is_outside(thread->track->stream))
		return;
	stream_interrupted(thread->track->stream, next);
	wait_till(thread, recstate_clock(thread) + INTERRUPTED_TIME);
}

bool recorder_is_outside(const struct recorder_thread *thread)
{
	return stream_is_outside(thread->track->stream);
}

void recorder_syscall_began(struct recorder_thread *thread)
{
	thread->syscall_clock = recstate_clock(thread);
	if (thread->rec->time != RECORDER_INSTRUCTIONS)
		thread->syscall_real = recstate_now();
}

static uint64_t syscall_time(const struct recorder_thread *thread)
{
	const struct recorder *rec = thread->rec;
	uint64_t real;

	if (rec->time == RECORDER_INSTRUCTIONS)
		return SYSCALL_TIME;
	real = recstate_now() - thread->syscall_real;
	if (rec->time == RECORDER_VIRTUAL)
		real -= real > rec->syscall_overhead ? rec->syscall_overhead : real;
	return real > SYSCALL_LEAST ? real : SYSCALL_LEAST;
}

void recorder_syscall_ended(struct recorder_thread *thread)
{
	uint64_t took = syscall_time(thread);

	thread->map_clock = thread->syscall_clock + took / 2;
	wait_till(thread, thread->syscall_clock + took);
}

static void tell_switch(struct recorder *rec, const struct recorder_thread *from,
			struct recorder_thread *to)
{
	struct stream *stream = rec->cpu.stream;
	int32_t pid = from && !from->ended ? from->process->id : 0;
	int32_t tid = from && !from->ended ? from->id : 0;
	uint64_t time;

	stream_clock_to(stream, stream_clock(stream) + SWITCH_TIME);
	time = recstate_time(rec, stream_clock(stream));
	pthread_mutex_lock(&rec->lock);
	perfdata_switch(rec->pd, true, pid, tid, to->process->id, to->id, 0, time);
	perfdata_switch(rec->pd, false, to->process->id, to->id, pid, tid, 0, time);
	if (!to->started)
		recstate_start(to, stream_clock(stream));
	pthread_mutex_unlock(&rec->lock);
	stream_clock_to(stream, stream_clock(stream) + SWITCH_TIME);
	stream_set_tid(stream, to->id);
}

void recorder_run(struct recorder_thread *thread)
{
	struct recorder *rec = thread->rec;
	struct recorder_thread *from = rec->running;

	if (from == thread)
		return;
	if (from && from->track->stream) {
		track_halt(from->track);
		if (recstate_clock(from) > rec->clock)
			rec->clock = recstate_clock(from);
	}
	if (rec->per_cpu)
		tell_switch(rec, from, thread);
	rec->running = thread;
	share_clock(rec, thread->ready);
	share_clock(rec, rec->clock);
}
