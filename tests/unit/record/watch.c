/* SPDX-License-Identifier: MIT */
#include "record/watch.h"

#include "support/suite.h"

#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct err err;

/* A process that waits to be killed. */
static pid_t start(void)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		for (;;)
			pause();
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static struct watch *watch(const pid_t *pids, size_t n)
{
	struct watch *w = NULL;

	ck_assert_msg(watch_new(pids, n, false, &w, &err) == 0, "%s", err.msg);
	return w;
}

static void refuses(pid_t pid, bool kernel_scope, const char *message)
{
	pid_t pids[] = { getpid(), pid };
	struct watch *w;

	ck_assert_int_eq(watch_new(pids, 2, kernel_scope, &w, &err), -1);
	ck_assert_msg(strstr(err.msg, message) != NULL, "%s", err.msg);
}

START_TEST(test_each_end_is_noticed)
{
	pid_t pids[] = { start(), start(), 0 };
	struct pollfd fds[2];
	struct watch *w;
	size_t n;

	/* given twice, watched once */
	pids[2] = pids[0];
	w = watch(pids, 3);
	ck_assert_ptr_nonnull(watch_pids(w, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_int_eq(watch_pids(w, &n)[1], pids[1]);
	watch_poll(w, fds);
	ck_assert_int_eq(poll(fds, 2, 0), 0);
	ck_assert(watch_any_left(w));
	end(pids[0]);
	ck_assert_int_eq(poll(fds, 2, -1), 1);
	ck_assert(fds[0].revents & POLLIN);
	ck_assert(watch_any_left(w));
	watch_poll(w, fds);
	ck_assert_int_eq(fds[0].fd, -1);
	end(pids[1]);
	ck_assert_int_eq(poll(fds, 2, -1), 1);
	ck_assert(!watch_any_left(w));
	ck_assert(!watch_any_left(w));
	watch_free(w);
}
END_TEST

/* A process of that number; -1: not permitted. */
static pid_t start_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&pid,
		.set_tid_size = 1,
	};
	pid_t got = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (got == 0) {
		for (;;)
			pause();
	}
	return got;
}

/* What has its number now is not what was to be recorded. */
START_TEST(test_number_is_given_away)
{
	pid_t pids[] = { start(), start() };
	struct watch *w = watch(pids, 2);
	siginfo_t info;

	ck_assert_int_eq(watch_reused(w), 0);
	kill(pids[1], SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)pids[1], &info, WEXITED | WNOWAIT), 0);
	/* a zombie keeps it */
	ck_assert_int_eq(watch_reused(w), 0);
	ck_assert_int_eq(waitpid(pids[1], NULL, 0), pids[1]);
	ck_assert_int_eq(watch_reused(w), 0);
	if (start_as(pids[1]) == pids[1]) {
		ck_assert_int_eq(watch_reused(w), pids[1]);
		end(pids[1]);
		ck_assert_int_eq(watch_reused(w), 0);
	} else {
		puts("SKIP watch/number: a process cannot be given a number: not root, or in a container");
	}
	end(pids[0]);
	ck_assert(!watch_any_left(w));
	watch_free(w);
}
END_TEST

/* It ends when it dies, not when its parent asks how. */
START_TEST(test_a_zombie_has_ended)
{
	pid_t pid = start();
	struct watch *w = watch(&pid, 1);
	struct pollfd p;

	kill(pid, SIGKILL);
	watch_poll(w, &p);
	ck_assert_int_eq(poll(&p, 1, -1), 1);
	ck_assert(!watch_any_left(w));
	watch_free(w);
	refuses(pid, false, "has ended");
	end(pid);
	refuses(pid, false, "there is no process");
}
END_TEST

START_TEST(test_stopped_ones)
{
	pid_t pids[] = { start(), start() };
	struct watch *w = watch(pids, 2);

	ck_assert_int_eq(watch_stopped(w), 0);
	kill(pids[1], SIGSTOP);
	ck_assert_int_eq(waitpid(pids[1], NULL, WUNTRACED), pids[1]);
	ck_assert_int_eq(watch_stopped(w), pids[1]);
	kill(pids[1], SIGCONT);
	ck_assert_int_eq(waitpid(pids[1], NULL, WCONTINUED), pids[1]);
	ck_assert_int_eq(watch_stopped(w), 0);
	end(pids[0]);
	end(pids[1]);
	ck_assert_int_eq(watch_stopped(w), 0);
	watch_free(w);
}
END_TEST

static void *be_thread(void *fd)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);

	if (write(*(int *)fd, &tid, sizeof(tid)) < 0)
		return NULL;
	for (;;)
		pause();
}

START_TEST(test_a_thread_is_no_process)
{
	pthread_t thread;
	char hint[64];
	int ends[2];
	pid_t tid;

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, be_thread, &ends[1]), 0);
	ck_assert_int_eq(read(ends[0], &tid, sizeof(tid)), sizeof(tid));
	refuses(tid, false, "is a thread of process");
	snprintf(hint, sizeof(hint), "-pid %d -multi-thread", (int)getpid());
	ck_assert_ptr_nonnull(strstr(err.hint, hint));
}
END_TEST

/* kthreadd has pid 2 where the kernel's threads are to be seen: its parent is 0, see proc(5). */
START_TEST(test_kernel_thread)
{
	struct watch *w;
	pid_t pid = 2;
	char name[16] = "";
	FILE *file = fopen("/proc/2/comm", "r");

	if (!file || !fgets(name, sizeof(name), file) || strcmp(name, "kthreadd\n") != 0) {
		printf("SKIP watch/kernel thread: no thread of the kernel is to be seen\n");
		return;
	}
	fclose(file);
	refuses(pid, false, "is a thread of the kernel");
	ck_assert_ptr_nonnull(strstr(err.hint, "-trace-kernel-only"));
	ck_assert_int_eq(watch_new(&pid, 1, true, &w, &err), 0);
	ck_assert(watch_any_left(w));
	watch_free(w);
}
END_TEST

SUITE_MAIN("watch", test_each_end_is_noticed, test_number_is_given_away, test_a_zombie_has_ended,
	   test_stopped_ones, test_a_thread_is_no_process, test_kernel_thread)
