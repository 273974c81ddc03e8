/* SPDX-License-Identifier: MIT */
#include "record/guard.h"

#include "base/closefrom.h"
#include "base/xalloc.h"
#include "record/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Who records may be in the middle of making a file when it is killed, or ends: 5 s in all. */
#define SWEEPS      250
#define SWEEP_PAUSE 20000000 /* ns */

struct guard {
	pid_t pid;
	int to; /* where it is told what to do */
};

/* What it is told: a process group, 0, or that all is well. */
#define GOODBYE (-1)

/* The guard's own side. */
struct duty {
	int from, parent, dir;
	const char *temporary;
	pid_t pgid;
	pid_t parent_pid;
	bool goodbye;
};

/*
 * What is below runs between fork(2) and _exit(2) in a process that may have had other threads:
 * only what signal-safety(7) allows.
 */

/* Where the guard's files come to be, behind the standard ones. */
enum { FROM = 3, PARENT, DIRECTORY, FIRST_FREE };

/* Keeps its three files and nothing else. */
static void move_in(struct duty *duty)
{
	/* above all the places they go to first, since each may lie in another's place */
	int from = fcntl(duty->from, F_DUPFD, FIRST_FREE);
	int parent = fcntl(duty->parent, F_DUPFD, FIRST_FREE);
	int dir = fcntl(duty->dir, F_DUPFD, FIRST_FREE);
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < FROM; fd++) {
		if (null != fd && dup2(null, fd) < 0)
			close(fd);
	}
	duty->from = dup2(from, FROM);
	duty->dir = dup2(dir, DIRECTORY);
	close(PARENT);
	duty->parent = dup2(parent, PARENT);
	closefrom_fd(FIRST_FREE);
	/* deaf, it would wait for our end, and we for its own */
	if (duty->from < 0)
		_exit(1);
}

/* Takes all messages that are there. false: there will be no more. */
static bool listen_to_parent(struct duty *duty)
{
	pid_t message;
	ssize_t n;

	for (;;) {
		n = recv(duty->from, &message, sizeof(message), MSG_DONTWAIT);
		if (n == (ssize_t)sizeof(message) && message == GOODBYE)
			duty->goodbye = true;
		else if (n == (ssize_t)sizeof(message))
			duty->pgid = message;
		else
			break;
	}
	return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/* Returns when our process has ended, or said goodbye. */
static void wait_for_parent(struct duty *duty)
{
	struct pollfd fds[2] = {
		{ .fd = duty->from, .events = POLLIN },
		{ .fd = duty->parent, .events = POLLIN },
	};
	bool ended = false;

	/* that comes as end-of-file, and by the pidfd should another hold the other end open */
	while (!duty->goodbye && !ended) {
		poll(fds, 2, duty->parent < 0 ? 1000 : -1);
		ended = fds[1].revents != 0 || (duty->parent < 0 && getppid() != duty->parent_pid);
		if (!listen_to_parent(duty))
			ended = true;
	}
}

/* rmdir(2), if the path still names our directory. */
static bool remove_directory(const struct duty *duty)
{
	struct stat ours, named;

	if (fstat(duty->dir, &ours) < 0 || lstat(duty->temporary, &named) < 0 ||
	    ours.st_dev != named.st_dev || ours.st_ino != named.st_ino)
		return true;
	return rmdir(duty->temporary) == 0 || (errno != ENOTEMPTY && errno != EEXIST);
}

static void tidy_up(struct duty *duty)
{
	const struct timespec pause = { .tv_nsec = SWEEP_PAUSE };
	bool group = duty->pgid > 1, gone = false;

	if (group)
		kill(-duty->pgid, SIGKILL);
	/* without a group, another process of ours may still be about to end by itself */
	for (int i = 0; duty->temporary && i < SWEEPS; i++) {
		gone = gone || (group && kill(-duty->pgid, 0) < 0 && errno == ESRCH);
		sweep_directory(duty->dir);
		if (remove_directory(duty) || gone)
			return;
		nanosleep(&pause, NULL);
	}
}

static void __attribute__((noreturn)) be_guard(struct duty *duty)
{
	setsid();
	prctl(PR_SET_NAME, "mt-guard", 0, 0, 0);
	move_in(duty);
	if (chdir("/") < 0)
		_exit(1);
	wait_for_parent(duty);
	if (!duty->goodbye)
		tidy_up(duty);
	_exit(0);
}

/* ---- our side ---- */

static int launch(struct guard *guard, struct duty *duty, struct err *err)
{
	sigset_t all, old;
	pid_t pid;

	/* blocked before there is a guard: no handler of ours may run in it */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0)
		be_guard(duty);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (pid < 0)
		return err_errno(err, "cannot start the process that tidies up after us");
	guard->pid = pid;
	return 0;
}

int guard_start(int fd, const char *temporary, struct guard **out, struct err *err)
{
	struct guard *guard;
	int ends[2], r;
	struct duty duty = {
		.parent_pid = getpid(),
		.dir = fd,
		.temporary = temporary,
	};

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_errno(err, "cannot make a socket");
	guard = xcalloc(1, sizeof(*guard));
	guard->to = ends[0];
	duty.from = ends[1];
	duty.parent = (int)syscall(SYS_pidfd_open, getpid(), 0);
	r = launch(guard, &duty, err);
	close(duty.from);
	if (duty.parent >= 0)
		close(duty.parent);
	if (r < 0) {
		close(guard->to);
		free(guard);
		return -1;
	}
	*out = guard;
	return 0;
}

static void tell(const struct guard *guard, pid_t message)
{
	/* nothing can be done about a guard that somebody has killed: no SIGPIPE */
	while (send(guard->to, &message, sizeof(message), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

void guard_watch(struct guard *guard, pid_t pgid)
{
	tell(guard, pgid > 1 ? pgid : 0);
}

pid_t guard_pid(const struct guard *guard)
{
	return guard->pid;
}

void guard_end(struct guard *guard)
{
	if (!guard)
		return;
	tell(guard, GOODBYE);
	close(guard->to);
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(guard);
}
