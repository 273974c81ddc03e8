/* SPDX-License-Identifier: MIT */
#include "soft/plugin/session.h"

#include "base/xalloc.h"
#include "soft/plugin/link.h"
#include "soft/recflow.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CMDLINE_MAX ((size_t)1 << 16)

/* --- the beginning --- */

/* /proc/self/cmdline as an array in one piece; what is too long is left out. */
static char **command_line(bool reproducible)
{
	static const char always[] = "magic-trace";
	char *text = xmalloc(CMDLINE_MAX), **line = xcalloc(1, sizeof(*line));
	FILE *f = reproducible ? NULL : fopen("/proc/self/cmdline", "re");
	size_t n = 0, count = 0;

	if (f) {
		n = fread(text, 1, CMDLINE_MAX - 1, f);
		fclose(f);
	}
	if (n == 0) {
		n = sizeof(always);
		memcpy(text, always, n);
	}
	text[n] = '\0';
	for (size_t i = 0; i < n; i += strlen(text + i) + 1) {
		line = xreallocarray(line, count + 2, sizeof(*line));
		line[count++] = text + i;
		line[count] = NULL;
	}
	return line;
}

static void free_command_line(char **line)
{
	free(line[0]);
	free(line);
}

static int set_trigger(struct session *s, struct err *err)
{
	if (!s->args.trigger)
		return 0;
	return mapped_set_trigger(&s->mapped, s->args.trigger_file, s->args.trigger_at, err);
}

static int open_recorder(struct session *s, struct err *err)
{
	char **line = command_line(s->args.time == RECORDER_INSTRUCTIONS);
	const struct recorder_config config = {
		.path = s->args.out,
		.log = s->args.log,
		.time = s->args.time,
		.ring = s->args.ring,
		.split = s->args.multi,
		.image = s->args.image,
		.command_line = line,
		.pid = getpid(),
		.comm = s->args.comm ? s->args.comm : "guest",
	};
	int result = recorder_open(&config, &s->rec, err);

	free_command_line(line);
	return result;
}

static void *obey(void *ctx)
{
	struct session *s = ctx;
	char line[64];

	while (link_listen(s->link, line, sizeof(line)) == 0) {
		if (strcmp(line, "snapshot") == 0)
			session_snapshot(s);
		else if (strcmp(line, "stop") == 0)
			session_end(s);
		else
			continue;
		link_say(s->link, "done");
	}
	/* who controlled it has gone: nobody will come for what would be recorded */
	session_end(s);
	return NULL;
}

/* The thread that obeys gets none of the program's signals. */
static int start_obeying(struct session *s, struct err *err)
{
	sigset_t all, before;
	pthread_t thread;
	int error;

	if (s->link < 0)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, NULL, obey, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		errno = error;
		return err_errno(err, "cannot make a thread");
	}
	pthread_detach(thread);
	return 0;
}

int session_begin(struct session *s, char *const texts[], size_t n, struct err *err)
{
	*s = (struct session){ .link = -1 };
	gate_init(&s->gate);
	sigframe_init(&s->handlers);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	if (qemuargs_read(&s->args, texts, n, err) < 0)
		return -1;
	s->taken = s->args.taken;
	if (s->args.control) {
		s->link = link_connect(s->args.control, err);
		s->unwanted = s->link < 0;
		if (s->unwanted)
			return -1;
	}
	link_say(s->link, "hello %d %u", (int)getpid(), s->args.image);
	if (set_trigger(s, err) < 0 || open_recorder(s, err) < 0 || start_obeying(s, err) < 0) {
		link_say(s->link, "failed %s", err->msg);
		if (s->link >= 0)
			close(s->link);
		s->link = -1;
		return -1;
	}
	return 0;
}

bool session_runs_on(const struct session *s)
{
	return s->args.image > 0 || s->unwanted;
}

/* --- threads --- */

static struct vcpu *add_vcpu(struct session *s, pid_t tid, struct recorder_thread *thread)
{
	struct vcpu *v = xcalloc(1, sizeof(*v));

	v->tid = tid;
	v->thread = thread;
	v->handlers = &s->handlers;
	v->next = s->vcpus;
	s->vcpus = v;
	return v;
}

static struct vcpu *find_vcpu(struct session *s, pid_t tid)
{
	struct vcpu *v = s->vcpus;

	while (v && (v->tid != tid || v->ended))
		v = v->next;
	return v;
}

static struct vcpu *add_first(struct session *s, pid_t tid)
{
	const char *comm = s->args.comm ? s->args.comm : "guest";

	s->first = recorder_thread_new(s->rec, getpid(), tid, comm);
	return add_vcpu(s, tid, s->first);
}

struct vcpu *session_this_thread(struct session *s)
{
	pid_t tid = gettid();
	struct vcpu *v;

	pthread_mutex_lock(&s->lock);
	v = find_vcpu(s, tid);
	if (!v && !s->vcpus)
		v = add_first(s, tid);
	else if (!v && !s->args.multi_thread)
		v = add_vcpu(s, tid, NULL);
	/* its parent tells of it when its system call has ended, which may be a little later */
	while (!v && atomic_load(&s->gate.state) != GATE_OVER) {
		pthread_cond_wait(&s->changed, &s->lock);
		v = find_vcpu(s, tid);
	}
	pthread_mutex_unlock(&s->lock);
	return v;
}

void session_new_thread(struct session *s, struct vcpu *v, pid_t tid)
{
	struct recorder_thread *thread = recorder_thread_clone(v->thread, getpid(), tid);

	pthread_mutex_lock(&s->lock);
	add_vcpu(s, tid, thread);
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

/* --- mappings --- */

uint64_t session_code_at(struct session *s, struct vcpu *v, uint64_t address)
{
	struct perfdata_mapping mapping = { .path = NULL };
	const struct mapped_range *range;
	uint64_t trigger;

	pthread_mutex_lock(&s->lock);
	range = mapped_find(&s->mapped, address);
	if (!range)
		range = mapped_look_up(&s->mapped, address, s->base, &mapping);
	if (mapping.path)
		recorder_thread_map(v->thread ? v->thread : s->first, &mapping);
	trigger = range ? range->trigger : 0;
	pthread_mutex_unlock(&s->lock);
	free((char *)mapping.path);
	return trigger;
}

void session_forget(struct session *s, struct vcpu *v, uint64_t start, uint64_t size)
{
	pthread_mutex_lock(&s->lock);
	mapped_forget(&s->mapped, start, size);
	recorder_thread_unmap(v->thread ? v->thread : s->first, start, size);
	pthread_mutex_unlock(&s->lock);
}

/* --- snapshots, and the end --- */

/* false: it is over. */
static bool close_gate(struct session *s)
{
	const struct vcpu *v;

	if (!gate_close(&s->gate))
		return false;
	/* who is inside may want the lock; those that come now do not get in */
	pthread_mutex_lock(&s->lock);
	v = s->vcpus;
	pthread_mutex_unlock(&s->lock);
	for (; v; v = v->next)
		gate_await(&v->inside);
	return true;
}

static bool is_recorded(const struct vcpu *v)
{
	return v->thread && !v->ended;
}

/* The gate is closed. */
static void conclude(struct session *s)
{
	struct recorder_stats stats;
	struct err err = ERR_INIT;
	int result;

	for (struct vcpu *v = s->vcpus; v; v = v->next)
		if (is_recorded(v))
			vcpu_stop(v);
	result = recorder_close(s->rec, !s->taken, &stats, &err);
	s->rec = NULL;
	if (result < 0)
		link_say(s->link, "failed %s", err.msg);
	link_say(s->link, "bye %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.3f",
		 stats.instructions, stats.branches, stats.syscalls, stats.threads, stats.bytes,
		 stats.seconds);
	gate_end(&s->gate);
	pthread_mutex_lock(&s->lock);
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

void session_snapshot(struct session *s)
{
	struct err err = ERR_INIT;

	if (!close_gate(s))
		return;
	s->taken = true;
	recorder_snapshot(s->rec);
	for (struct vcpu *v = s->vcpus; v; v = v->next)
		if (v->thread)
			recorder_settle(v->thread);
	if (recorder_next_file(s->rec, &err) < 0) {
		link_say(s->link, "failed %s", err.msg);
		conclude(s);
		return;
	}
	gate_open(&s->gate);
}

void session_hit(struct session *s, struct vcpu *v, uint64_t ip)
{
	uint64_t time = recorder_thread_time(v->thread);
	int tid = recorder_thread_id(v->thread);

	if (atomic_exchange(&s->hit, true) && !s->args.multi)
		return;
	if (!s->args.multi)
		v->block = NULL; /* what comes now has not been executed, and is not wanted */
	gate_leave(&v->inside);
	if (s->args.multi && s->args.ring)
		session_snapshot(s);
	link_say(s->link, "hit %" PRIu64 " %d %" PRIx64 " 0 0", time, tid, ip);
	if (!s->args.multi)
		session_end(s);
	gate_enter(&s->gate, &v->inside);
}

bool session_end(struct session *s)
{
	if (!close_gate(s))
		return false;
	conclude(s);
	return true;
}

bool session_has_fd(const struct session *s, unsigned int first, unsigned int last)
{
	int link = atomic_load(&s->link);

	return (link >= 0 && (unsigned int)link >= first && (unsigned int)link <= last) ||
	       recorder_has_fd(s->rec, first, last);
}

void session_lose_files(struct session *s)
{
	int link;

	link_say(s->link,
		 "untraced the program closes all its files, and the recording's with them");
	session_end(s);
	link = atomic_exchange(&s->link, -1);
	if (link < 0)
		return;
	/* the thread that listens would do so for ever: the kernel keeps the socket for it */
	shutdown(link, SHUT_RDWR);
	close(link);
}

void session_before_fork(struct session *s)
{
	close_gate(s);
}

void session_after_fork(struct session *s, bool child)
{
	if (child)
		s->forked = true;
	if (atomic_load(&s->gate.state) == GATE_OVER)
		return;
	if (!child) {
		gate_open(&s->gate);
		return;
	}
	atomic_store(&s->gate.state, GATE_OVER);
	recorder_abandon(s->rec);
	s->rec = NULL;
	if (s->link >= 0)
		close(s->link);
	s->link = -1;
}
