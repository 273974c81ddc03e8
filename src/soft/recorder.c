/* SPDX-License-Identifier: MIT */
#include "soft/recorder.h"

#include "base/human.h"
#include "base/monotonic.h"
#include "base/xalloc.h"
#include "soft/highfd.h"
#include "soft/recflow.h"
#include "soft/recstate.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

/* A tick is 1 ns. */
#define TSC_HZ NS_PER_S

uint64_t recstate_now(void)
{
	return (uint64_t)monotonic_ns();
}

uint64_t recstate_time(const struct recorder *rec, uint64_t clock)
{
	return perfdata_time(&rec->file, clock);
}

uint64_t recstate_clock(const struct recorder_thread *thread)
{
	return stream_clock(thread->track->stream);
}

static void log_branch(void *ctx, int32_t tid, const char *flags, uint64_t from, uint64_t to,
		       uint64_t clock)
{
	fprintf(ctx, "%" PRId32 " %s %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", tid, flags, from, to,
		clock);
}

void recstate_track(struct recorder *rec, struct track *track, int32_t id, uint64_t clock)
{
	const struct stream_log log = { .branch = log_branch, .ctx = rec->log };

	track_init(track, &rec->file.pt, id, clock, rec->log ? &log : NULL);
	track->snapshots = atomic_load(&rec->snapshots);
	track->buf.index = rec->n_buffers++;
	track->buf.ring = rec->ring;
}

static void add_stats(const struct track *track, struct recorder_stats *sum)
{
	const struct stream_stats *stats;

	if (!track->stream)
		return;
	stats = stream_stats(track->stream);
	sum->instructions += stats->instructions;
	sum->branches += stats->branches;
	sum->syscalls += stats->syscalls;
	sum->bytes += packet_total(track->buf.packets);
}

void recstate_drop(struct recorder *rec, struct track *track)
{
	add_stats(track, &rec->stats);
	track_fini(track);
}

void recstate_write(struct recorder_thread *t, bool truncated)
{
	struct track *track = t->track;
	const struct perfdata_aux aux = {
		.pid = t->process->id,
		.tid = t->id,
		.cpu = t->rec->per_cpu ? 0 : -1,
		.truncated = truncated,
		.clock = stream_clock(track->stream),
		.time = recstate_time(t->rec, stream_clock(track->stream)),
	};

	auxbuf_write(&track->buf, t->rec->pd, &aux);
}

void recstate_start(struct recorder_thread *t, uint64_t clock)
{
	t->started = true;
	perfdata_itrace_start(t->rec->pd, t->process->id, t->id, t->rec->per_cpu ? 0 : -1,
			      recstate_time(t->rec, clock));
}

char *recorder_file_name(const char *path, unsigned int image, unsigned int n)
{
	return image || n ? xasprintf("%s.%06u%06u", path, image, n) : xasprintf("%s", path);
}

static char **copy_words(char *const *words)
{
	size_t n = 0;
	char **copy;

	while (words && words[n])
		n++;
	copy = xcalloc(n + 1, sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = xstrdup(words[i]);
	return copy;
}

static void configure(struct recorder *rec, const struct recorder_config *config)
{
	bool numbered = config->time == RECORDER_INSTRUCTIONS;

	rec->time = config->time;
	rec->ring = config->ring;
	rec->split = config->split && config->ring;
	rec->per_cpu = config->per_cpu;
	rec->path = xstrdup(config->path);
	rec->comm = xstrdup(config->comm);
	rec->command_line = copy_words(config->command_line);
	rec->image = config->image;
	rec->syscall_overhead = config->syscall_overhead;
	rec->clock = numbered ? NS_PER_S : recstate_now();
	rec->file = (struct perfdata_config){
		.pt = config->pt ? *config->pt : RECORDER_PACKETS,
		.tsc_hz = TSC_HZ,
		.per_cpu = config->per_cpu,
		.snapshot = config->ring != 0,
		.reproducible = numbered,
		.n_cpus = 1,
		.command_line = rec->command_line,
		.pid = numbered ? 1 : config->pid,
		.comm = rec->comm,
	};
	rec->began = recstate_now();
	pthread_mutex_init(&rec->lock, NULL);
}

static int open_log(struct recorder *rec, const char *name, struct err *err)
{
	char *path = recorder_file_name(name, rec->image, 0);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0)
		rec->log = fdopen(highfd_move(fd), "w");
	if (!rec->log)
		err_errno(err, "cannot create %s", path);
	free(path);
	return rec->log ? 0 : -1;
}

static int open_data(struct recorder *rec, unsigned int n, struct perfdata **pd, struct err *err)
{
	char *path = recorder_file_name(rec->path, rec->image, n);
	int result = perfdata_open(path, &rec->file, pd, err);

	free(path);
	return result;
}

static bool is_within(int fd, unsigned int first, unsigned int last)
{
	return fd >= 0 && (unsigned int)fd >= first && (unsigned int)fd <= last;
}

bool recorder_has_fd(struct recorder *rec, unsigned int first, unsigned int last)
{
	bool has;

	pthread_mutex_lock(&rec->lock);
	has = is_within(perfdata_fd(rec->pd), first, last) ||
	      (rec->log && is_within(fileno(rec->log), first, last));
	pthread_mutex_unlock(&rec->lock);
	return has;
}

static void recorder_free(struct recorder *rec)
{
	for (size_t i = 0; i < rec->n_threads; i++) {
		stream_free(rec->threads[i]->own.stream);
		free(rec->threads[i]);
	}
	while (rec->processes) {
		struct recprocess *p = rec->processes;

		rec->processes = p->next;
		told_free(p->told);
		free(p);
	}
	for (size_t i = 0; rec->command_line[i]; i++)
		free(rec->command_line[i]);
	free(rec->command_line);
	free(rec->comm);
	free(rec->path);
	stream_free(rec->cpu.stream);
	pthread_mutex_destroy(&rec->lock);
	free(rec->threads);
	free(rec);
}

int recorder_open(const struct recorder_config *config, struct recorder **out, struct err *err)
{
	struct recorder *rec = xcalloc(1, sizeof(*rec));

	configure(rec, config);
	if ((config->log && open_log(rec, config->log, err) < 0) ||
	    open_data(rec, 0, &rec->pd, err) < 0) {
		if (rec->log)
			fclose(rec->log);
		recorder_free(rec);
		return -1;
	}
	recstate_track(rec, &rec->cpu, 0, rec->clock);
	rec->n_buffers = rec->per_cpu;
	if (rec->per_cpu)
		track_set_fault(&rec->cpu, &config->fault);
	else
		rec->cpu.fault = config->fault; /* until there is a thread */
	*out = rec;
	return 0;
}

void recorder_snapshot(struct recorder *rec)
{
	atomic_fetch_add(&rec->snapshots, 1);
}

void recorder_stats(const struct recorder *rec, struct recorder_stats *stats)
{
	*stats = rec->stats;
	add_stats(&rec->cpu, stats);
	for (size_t i = 0; i < rec->n_threads; i++)
		add_stats(&rec->threads[i]->own, stats);
	stats->threads = rec->n_threads;
	stats->seconds = (double)(recstate_now() - rec->began) / 1e9;
}

void recorder_summary(const struct recorder_stats *stats, char *text, size_t size)
{
	double s = stats->seconds > 0 ? stats->seconds : 1e-9;

	snprintf(text, size,
		 "%s instructions, %s branches, %s system calls of %s thread%s in %s: %s "
		 "instructions and %s branches a second; %s of packets",
		 human_count(stats->instructions).s, human_count(stats->branches).s,
		 human_count(stats->syscalls).s, human_count(stats->threads).s,
		 stats->threads == 1 ? "" : "s", human_time((int64_t)(s * 1e9)).s,
		 human_count((uint64_t)((double)stats->instructions / s)).s,
		 human_count((uint64_t)((double)stats->branches / s)).s,
		 human_bytes(stats->bytes).s);
}

/* Writes what a track still has. */
static void finish_track(struct recorder_thread *t, bool rest)
{
	struct track *track = t->track;

	recorder_settle(t);
	if (!track->stream || (t->rec->ring && !rest))
		return;
	track_halt(track);
	pthread_mutex_lock(&t->rec->lock);
	recstate_write(t, false);
	pthread_mutex_unlock(&t->rec->lock);
}

/* The one file is followed by another; rec->pd stays what it is if that fails. */
static int change_file(struct recorder *rec, struct err *err)
{
	struct perfdata *next;

	if (open_data(rec, rec->n_file + 1, &next, err) < 0)
		return -1;
	perfdata_abandon(rec->pd);
	rec->pd = next;
	rec->n_file++;
	recstate_tell(rec);
	return 0;
}

int recorder_next_file(struct recorder *rec, struct err *err)
{
	int result;

	if (!rec->split || rec->full)
		return 0;
	for (size_t i = 0; i < rec->n_threads; i++)
		recorder_settle(rec->per_cpu && rec->running ? rec->running : rec->threads[i]);
	pthread_mutex_lock(&rec->lock);
	perfdata_finished_round(rec->pd);
	result = perfdata_finish(rec->pd, err);
	rec->full = rec->n_file + 1 == RECORDER_FILES;
	if (result == 0 && !rec->full)
		result = change_file(rec, err);
	pthread_mutex_unlock(&rec->lock);
	return result;
}

static int close_data(struct recorder *rec, struct err *err)
{
	char *path;
	int result;

	if (!rec->split || rec->full || perfdata_has_aux(rec->pd)) {
		perfdata_finished_round(rec->pd);
		return perfdata_close(rec->pd, err);
	}
	perfdata_abandon(rec->pd);
	path = recorder_file_name(rec->path, rec->image, rec->n_file);
	result = unlink(path);
	if (result < 0)
		err_errno(err, "cannot remove %s", path);
	free(path);
	return result;
}

int recorder_close(struct recorder *rec, bool rest, struct recorder_stats *stats, struct err *err)
{
	bool log_failed = false;
	int r;

	for (size_t i = 0; i < rec->n_threads; i++)
		finish_track(rec->per_cpu && rec->running ? rec->running : rec->threads[i], rest);
	if (stats)
		recorder_stats(rec, stats);
	r = close_data(rec, err);
	if (rec->log)
		log_failed = ferror(rec->log) != 0;
	if (rec->log && fclose(rec->log) != 0)
		log_failed = true;
	if (r == 0 && log_failed)
		r = err_errno(err, "the log of branches cannot be written");
	recorder_free(rec);
	return r;
}

void recorder_abandon(struct recorder *rec)
{
	perfdata_abandon(rec->pd);
	if (rec->log) {
		__fpurge(rec->log);
		fclose(rec->log);
	}
	recorder_free(rec);
}
