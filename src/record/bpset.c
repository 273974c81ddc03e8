/* SPDX-License-Identifier: MIT */
#include "record/bpset.h"

#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define IS_PIDFD (UINT64_C(1) << 32)

/* One more element at the end of an array of n; amortised by powers of two. */
#define APPEND(array, n)                                                                       \
	(((n) & ((n)-1)) == 0                                                                  \
		 ? (void)((array) = xreallocarray(array, (n) ? 2 * (n) : 1, sizeof(*(array)))) \
		 : (void)0,                                                                    \
	 &(array)[(n)++])

void bpset_init(struct bpset *set)
{
	*set = (struct bpset){ .epoll = epoll_create1(EPOLL_CLOEXEC) };
}

void bpset_fini(struct bpset *set)
{
	bpset_cut(set, 0, 0, 0);
	free(set->sources);
	free(set->events);
	free(set->processes);
	close(set->epoll);
}

static void watch_fd(const struct bpset *set, int fd, uint64_t flags)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = (uint32_t)fd | flags };

	if (fd >= 0)
		epoll_ctl(set->epoll, EPOLL_CTL_ADD, fd, &ev);
}

/* Its mapping keeps the file open behind our back, so epoll has to be told. */
static void close_source(const struct bpset *set, struct bpset_source *s)
{
	epoll_ctl(set->epoll, EPOLL_CTL_DEL, s->fd, NULL);
	ring_unmap(&s->ring);
	close(s->fd);
}

int bpset_add_source(struct bpset *set, const struct bpset_source *like)
{
	struct bpset_source source = *like, *s;
	int error;

	if (source.fd < 0)
		return -1;
	if (ring_map(&source.ring, source.fd, source.kind == BPSET_EXEC ? 1 : BPSET_RING_PAGES) <
	    0) {
		error = errno;
		close(source.fd);
		errno = error == EPERM ? ENOMEM : error; /* EPERM is no permission to trace */
		return -1;
	}
	s = APPEND(set->sources, set->n_sources);
	*s = source;
	watch_fd(set, s->fd, 0);
	return 0;
}

int bpset_replace_source(struct bpset *set, struct bpset_source *s, int fd)
{
	struct ring ring;

	if (fd < 0)
		return -1;
	if (ring_map(&ring, fd, BPSET_RING_PAGES) < 0) {
		close(fd);
		return -1;
	}
	close_source(set, s);
	s->fd = fd;
	s->ring = ring;
	s->has_next = s->has_last = false;
	watch_fd(set, fd, 0);
	return 0;
}

void bpset_add_event(struct bpset *set, int fd, size_t process)
{
	*APPEND(set->events, set->n_events) = (struct bpset_event){ .fd = fd, .process = process };
}

size_t bpset_find(const struct bpset *set, pid_t pid)
{
	size_t i;

	for (i = 0; i < set->n_processes; i++)
		if (set->processes[i].pid == pid)
			break;
	return i;
}

size_t bpset_add_process(struct bpset *set, pid_t pid)
{
	size_t i = bpset_find(set, pid);
	struct bpset_process *p;
	struct bpset_source exec;

	if (i < set->n_processes)
		return i;
	p = APPEND(set->processes, set->n_processes);
	*p = (struct bpset_process){ .pid = pid };
	p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0); /* closed on exec; from Linux 5.3 */
	watch_fd(set, p->pidfd, IS_PIDFD);
	/* Without it (the first thread has ended, ...) there is only less to be told. */
	exec = (struct bpset_source){ .kind = BPSET_EXEC,
				      .fd = bpevent_open_dummy(pid, -1),
				      .process = i };
	bpset_add_source(set, &exec);
	return i;
}

void bpset_forget_executed(struct bpset *set, pid_t pid)
{
	size_t process = bpset_find(set, pid), i, kept = 0;
	struct bpset_process *p = &set->processes[process];

	if (process == set->n_processes || !p->executed)
		return;
	for (i = 0; i < set->n_events; i++) {
		if (set->events[i].process == process)
			close(set->events[i].fd);
		else
			set->events[kept++] = set->events[i];
	}
	set->n_events = kept;
	for (i = kept = 0; i < set->n_sources; i++) {
		if (set->sources[i].kind != BPSET_CPU && set->sources[i].process == process)
			close_source(set, &set->sources[i]);
		else
			set->sources[kept++] = set->sources[i];
	}
	set->n_sources = kept;
	if (p->pidfd >= 0)
		close(p->pidfd);
	*p = (struct bpset_process){ .pid = -1, .pidfd = -1, .executed = true, .told = true };
}

void bpset_cut(struct bpset *set, size_t sources, size_t events, size_t processes)
{
	while (set->n_events > events)
		close(set->events[--set->n_events].fd);
	while (set->n_sources > sources)
		close_source(set, &set->sources[--set->n_sources]);
	while (set->n_processes > processes)
		if (set->processes[--set->n_processes].pidfd >= 0)
			close(set->processes[set->n_processes].pidfd);
}

void bpset_control(const struct bpset *set, unsigned long request, bool threads)
{
	size_t i;

	for (i = 0; i < set->n_events; i++)
		if (!set->processes[set->events[i].process].executed)
			ioctl(set->events[i].fd, request, 0);
	for (i = 0; threads && i < set->n_sources; i++) {
		const struct bpset_source *s = &set->sources[i];

		if (s->kind == BPSET_THREAD && !set->processes[s->process].executed)
			ioctl(s->fd, request, 0);
	}
}

void bpset_forget_ended(const struct bpset *set)
{
	struct epoll_event ready[64];
	int n = epoll_wait(set->epoll, ready, 64, 0), i;

	for (i = 0; i < n; i++)
		if (ready[i].events & (EPOLLHUP | EPOLLERR) || ready[i].data.u64 & IS_PIDFD)
			epoll_ctl(set->epoll, EPOLL_CTL_DEL, (int)(uint32_t)ready[i].data.u64,
				  NULL);
}

struct bpset_source *bpset_earliest(struct bpset *set)
{
	struct bpset_source *best = NULL;
	size_t i;

	for (i = 0; i < set->n_sources; i++) {
		struct bpset_source *s = &set->sources[i];
		const struct perf_event_header *header = s->has_next ? NULL : ring_peek(&s->ring);

		if (header) {
			bpevent_read(header, &s->next);
			s->has_next = true;
		}
		if (s->has_next && (!best || s->next.time < best->next.time))
			best = s;
	}
	return best;
}
