/* SPDX-License-Identifier: MIT */
#include "record/target.h"

#include "base/child.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Debug register 7: breakpoint 0 on, on execution, of one byte (Intel SDM, volume 3, 18.2.4). */
#define DR7_BREAKPOINT_0 1ul
#define DR6_BREAKPOINT_0 1ul

/* What waitpid(2) adds to SIGTRAP, or to the stopping signal, at the stops of ptrace(2). */
#define EVENT(status) ((status) >> 16)

struct target {
	pid_t pid;
	int fd; /* a pidfd */
	enum target_state state;
	bool traced;
	int status;
	char *name; /* what messages call it */
	char *path; /* what is executed */
};

/* Why the new process has not become the program. */
struct failure {
	int why;          /* errno */
	bool personality; /* address randomisation cannot be switched off */
};

static bool set_environment(const struct target_options *options)
{
	char parent[16];

	snprintf(parent, sizeof(parent), "%d", (int)getppid());
	if (options->no_aslr ? unsetenv("MAGIC_TRACE_PID") : setenv("MAGIC_TRACE_PID", parent, 1))
		return false;
	for (const char *const *env = options->env; env && *env; env++)
		if (putenv((char *)*env))
			return false;
	return true;
}

static bool be_quiet(int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	return null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
	       dup2(out > 0 ? out : null, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0;
}

static bool randomize_no_addresses(void)
{
	int now = personality(0xffffffff);

	return now >= 0 && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0;
}

/*
 * The new process, waiting to be traced. Single-threaded so far: any function may be called. Not
 * execvp(3), which hands what the kernel does not take, as a program for another machine, to sh.
 */
static void __attribute__((noreturn))
become(const char *path, char *const argv[], const struct target_options *options, int go,
       int failed)
{
	struct failure failure = { 0 };
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(126); /* whoever would have traced it has ended */
	/* where there is no YAMA, this fails, and nobody asks */
	if (options->steppable)
		prctl(PR_SET_PTRACER, getppid());
	failure.personality = options->no_aslr && !randomize_no_addresses();
	if (!failure.personality && set_environment(options) &&
	    (!options->quiet || be_quiet(options->out)) &&
	    sigprocmask(SIG_SETMASK, options->mask, NULL) == 0)
		execv(path, argv);
	failure.why = errno;
	if (write(failed, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

/* Waits for a change of it, EINTR aside. -1 when there is no such child any more. */
static pid_t wait_for(pid_t pid, int *status, int flags)
{
	pid_t r;

	do
		r = waitpid(pid, status, flags | __WALL);
	while (r < 0 && errno == EINTR);
	return r;
}

static void ended(struct target *target, int status)
{
	target->state = TARGET_ENDED;
	target->status = status;
}

int target_cannot_run(const char *name, const char *path, int why, struct err *err)
{
	errno = why;
	err_errno(err, "cannot run %s", name);
	if (why == ENOENT && path)
		return err_hint(err, "the interpreter that its first line (#!) or its ELF header "
				     "names is missing");
	if (why == ENOENT && *name && !strchr(name, '/'))
		return err_hint(err,
				"there is no such program in PATH; a program of this directory "
				"is named ./%s",
				name);
	if (why == EACCES)
		return err_hint(err, "a program is a file that may be executed (chmod +x), on a "
				     "file system that is not mounted noexec");
	if (why == ENOEXEC)
		return err_hint(err, "it is no program for this machine; a script needs a first "
				     "line as #!/bin/sh");
	if (why == EPERM)
		return err_hint(err, "it has to be traced until it starts: ptrace(2) must be "
				     "permitted (a container needs --cap-add SYS_PTRACE)");
	return -1;
}

static int cannot_run(const struct target *target, int why, struct err *err)
{
	return target_cannot_run(target->name, target->path, why, err);
}

static int cannot_become(const struct target *target, const struct failure *failure,
			 struct err *err)
{
	if (!failure->personality)
		return cannot_run(target, failure->why, err);
	errno = failure->why;
	err_errno(err, "cannot run %s without address randomisation (personality)", target->name);
	return err_hint(err, "a container that forbids it needs --security-opt "
			     "seccomp=unconfined");
}

/* Goes on after a stop that is not ours: hands the signal over, or leaves it stopped. */
static void pass_stop(const struct target *target, int status)
{
	int sig = WSTOPSIG(status);

	if (EVENT(status) == PTRACE_EVENT_STOP && sig != SIGTRAP)
		ptrace(PTRACE_LISTEN, target->pid, NULL, NULL);
	else
		ptrace(PTRACE_CONT, target->pid, NULL, (long)(EVENT(status) ? 0 : sig));
}

/* 0 when it has stopped after exec; else -1 with err, and it is gone. */
static int wait_for_exec(struct target *target, int failed, struct err *err)
{
	struct failure failure;
	int status = 0;
	ssize_t n = 0;

	while (wait_for(target->pid, &status, 0) == target->pid && WIFSTOPPED(status)) {
		if (EVENT(status) == PTRACE_EVENT_EXEC)
			return 0;
		pass_stop(target, status);
	}
	do
		n = read(failed, &failure, sizeof(failure));
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(failure))
		return cannot_become(target, &failure, err);
	return err_set(err, "%s was killed before it began", target->name);
}

static int seize(struct target *target, bool quiet, int go, struct err *err)
{
	long options = PTRACE_O_TRACEEXEC | (quiet ? PTRACE_O_EXITKILL : 0);

	if (ptrace(PTRACE_SEIZE, target->pid, NULL, options) < 0 || write(go, "", 1) != 1) {
		int why = errno;

		kill(target->pid, SIGKILL);
		wait_for(target->pid, &(int){ 0 }, 0);
		return cannot_run(target, why, err);
	}
	target->traced = true;
	return 0;
}

static void close_pair(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

static int launch(struct target *target, char *const argv[], const struct target_options *options,
		  int go[2], int failed[2], struct err *err)
{
	target->path = child_find(argv[0]);
	if (!target->path)
		return cannot_run(target, errno, err);
	target->pid = fork();
	if (target->pid < 0)
		return err_errno(err, "cannot start %s", target->name);
	if (target->pid == 0) {
		close(go[1]);
		become(target->path, argv, options, go[0], failed[1]);
	}
	close(failed[1]);
	failed[1] = -1;
	if (seize(target, options->quiet, go[1], err) < 0)
		return -1;
	if (wait_for_exec(target, failed[0], err) < 0) {
		target->traced = false;
		return -1;
	}
	target->fd = (int)syscall(SYS_pidfd_open, target->pid, 0); /* close-on-exec as it is */
	if (target->fd < 0)
		return err_errno(err, "cannot watch %s (pidfd_open)", target->name);
	return 0;
}

int target_start(char *const argv[], const struct target_options *options, struct target **out,
		 struct err *err)
{
	struct target *target;
	int go[2], failed[2], r;

	if (pipe2(go, O_CLOEXEC))
		return err_errno(err, "cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC)) {
		err_errno(err, "cannot make a pipe");
		close_pair(go);
		return -1;
	}
	target = xcalloc(1, sizeof(*target));
	target->fd = -1;
	target->name = xstrdup(options->name ? options->name : argv[0]);
	r = launch(target, argv, options, go, failed, err);
	close_pair(go);
	close(failed[0]);
	if (failed[1] >= 0)
		close(failed[1]);
	if (r < 0)
		target_free(target);
	else
		*out = target;
	return r;
}

pid_t target_pid(const struct target *target)
{
	return target->pid;
}

static int poke_debug(const struct target *target, int reg, unsigned long value)
{
	size_t at = offsetof(struct user, u_debugreg) + (size_t)reg * sizeof(long);

	/* NOLINTNEXTLINE(performance-no-int-to-ptr): ptrace(2) takes numbers as pointers */
	return (int)ptrace(PTRACE_POKEUSER, target->pid, (void *)at, (void *)value);
}

static bool is_at_breakpoint(const struct target *target)
{
	size_t at = offsetof(struct user, u_debugreg) + 6 * sizeof(long);

	errno = 0;
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	return (ptrace(PTRACE_PEEKUSER, target->pid, (void *)at, NULL) & (long)DR6_BREAKPOINT_0) &&
	       errno == 0;
}

/* Its next stop. -1 with err: it has ended, which `gone` says, or cannot be waited for. */
static int next_stop(struct target *target, int *status, const char *gone, struct err *err)
{
	if (wait_for(target->pid, status, 0) < 0)
		return err_errno(err, "cannot wait for %s", target->name);
	if (WIFSTOPPED(*status))
		return 0;
	ended(target, *status);
	return err_set(err, "%s %s", target->name, gone);
}

static bool stopped_at_breakpoint(const struct target *target, int status)
{
	return WSTOPSIG(status) == SIGTRAP && !EVENT(status) && is_at_breakpoint(target);
}

int target_run_to(struct target *target, uint64_t address, struct err *err)
{
	int status;

	if (poke_debug(target, 0, address) < 0 || poke_debug(target, 7, DR7_BREAKPOINT_0) < 0)
		return err_errno(err, "cannot set a breakpoint in %s", target->name);
	if (ptrace(PTRACE_CONT, target->pid, NULL, NULL) < 0)
		return err_errno(err, "cannot continue %s", target->name);
	for (;;) {
		if (next_stop(target, &status, "ended before its libraries were loaded", err) < 0)
			return -1;
		if (stopped_at_breakpoint(target, status))
			break;
		/* it may have been stopped (^Z): then it is waited for */
		pass_stop(target, status);
	}
	poke_debug(target, 7, 0);
	poke_debug(target, 6, 0);
	return 0;
}

/* What it has stopped for is not what it should come to; or not 0. */
static int judge_stop(const struct target *target, int status, struct err *err)
{
	if (EVENT(status) == PTRACE_EVENT_EXEC)
		return err_set(err, "%s executed another program", target->name);
	if (stopped_at_breakpoint(target, status))
		return err_set(err, "%s was about to run", target->name);
	return 0;
}

int target_run_to_exit(struct target *target, uint64_t limit, struct err *err)
{
	long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL;
	unsigned long code = 0;
	int status;

	if (ptrace(PTRACE_SETOPTIONS, target->pid, NULL, options) < 0)
		return err_errno(err, "cannot trace %s", target->name);
	if (poke_debug(target, 0, limit) == 0)
		poke_debug(target, 7, DR7_BREAKPOINT_0);
	if (ptrace(PTRACE_CONT, target->pid, NULL, NULL) < 0)
		return err_errno(err, "cannot continue %s", target->name);
	for (;;) {
		if (next_stop(target, &status, "was killed", err) < 0)
			return -1;
		if (EVENT(status) == PTRACE_EVENT_EXIT)
			break;
		if (judge_stop(target, status, err) < 0)
			return -1;
		pass_stop(target, status);
	}
	if (ptrace(PTRACE_GETEVENTMSG, target->pid, NULL, &code) == 0 && WIFSIGNALED((int)code))
		return err_set(err, "%s was ended by signal %d", target->name, WTERMSIG((int)code));
	return 0;
}

int target_resume(struct target *target, struct err *err)
{
	if (ptrace(PTRACE_DETACH, target->pid, NULL, NULL) < 0 && errno != ESRCH)
		return err_errno(err, "cannot let %s run", target->name);
	target->state = TARGET_RUNNING;
	return 0;
}

int target_fd(const struct target *target)
{
	return target->fd;
}

enum target_state target_step(struct target *target)
{
	int status;
	pid_t r;

	if (target->state != TARGET_RUNNING)
		return target->state;
	r = wait_for(target->pid, &status, WNOHANG);
	if (r < 0)
		ended(target, 0); /* reaped by somebody else: how it ended is not known */
	else if (r > 0 && !WIFSTOPPED(status))
		ended(target, status);
	return target->state;
}

void target_signal(struct target *target, int sig)
{
	if (target->state != TARGET_ENDED)
		kill(target->pid, sig);
}

int target_status(const struct target *target)
{
	return target->status;
}

void target_free(struct target *target)
{
	int status;

	if (target->traced && target->state == TARGET_STOPPED) {
		kill(target->pid, SIGKILL);
		/* what is stopped at its exit, or stops there now, goes on only when it is let */
		do
			ptrace(PTRACE_CONT, target->pid, NULL, NULL);
		while (wait_for(target->pid, &status, 0) == target->pid && WIFSTOPPED(status));
	}
	if (target->fd >= 0)
		close(target->fd);
	free(target->name);
	free(target->path);
	free(target);
}
