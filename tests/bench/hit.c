/* SPDX-License-Identifier: MIT */
/*
 * What a breakpoint costs the program that runs into it, by a loop that times itself; and how long
 * it takes from a hit until we know of it.
 */
#include "magic_trace.h"
#include "record/breakpoint.h"
#include "record/clock.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#define CALLS 200000
#define HITS  200

static struct shared {
	volatile int turn, done;
	volatile int calls;
	volatile int64_t ns; /* that the calls took */
} * shared;

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static void nap(void)
{
	struct timespec ts = { .tv_nsec = 100000 };

	nanosleep(&ts, NULL);
}

/* In the child: so many calls, each time that it is told to. */
static void run_target(void)
{
	int turn, i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (turn = 1;; turn++) {
		int64_t began;

		while (shared->turn < turn)
			nap();
		began = now();
		for (i = 0; i < shared->calls; i++)
			magic_trace_stop_indicator(0, (uint64_t)i);
		shared->ns = now() - began;
		shared->done = turn;
	}
}

static void tell(int calls)
{
	shared->calls = calls;
	shared->turn = shared->turn + 1;
}

static double ns_per_call(int calls)
{
	tell(calls);
	while (shared->done < shared->turn)
		nap();
	return (double)shared->ns / calls;
}

static struct breakpoints *set_breakpoint(pid_t pid, bool all_threads)
{
	struct breakpoints *bps = breakpoints_new();
	struct err err = ERR_INIT;

	if (breakpoints_add(bps, pid, (uint64_t)(uintptr_t)magic_trace_stop_indicator, all_threads,
			    &err) == 0)
		return bps;
	printf("%s\n", err.msg);
	breakpoints_free(bps);
	return NULL;
}

/* The time from a hit to our having it, on perf's clock, with the wall clock to tell ours. */
static void measure_reading(struct breakpoints *bps)
{
	struct pollfd pfd = { .fd = breakpoints_fd(bps), .events = POLLIN };
	int64_t offset, worst = 0, sum = 0, took;
	struct hit hit;
	struct timespec ts;
	int i;

	if (perf_clock_wall_offset(&offset) < 0)
		return;
	for (i = 0; i < HITS; i++) {
		breakpoints_enable(bps, true);
		tell(1);
		if (poll(&pfd, 1, 1000) != 1)
			break;
		clock_gettime(CLOCK_REALTIME, &ts);
		breakpoints_read(bps, &hit, 1);
		breakpoints_disable(bps);
		took = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec - offset - hit.time;
		worst = took > worst ? took : worst;
		sum += took;
		while (shared->done < shared->turn)
			nap();
	}
	printf("from a hit to knowing of it: %.1f us on average, %.1f us at worst, of %d\n",
	       (double)sum / (i ? i : 1) / 1000, (double)worst / 1000, i);
}

static void measure(pid_t pid, bool all_threads)
{
	const char *who = all_threads ? "all threads" : "one thread";
	struct breakpoints *bps = set_breakpoint(pid, all_threads);

	if (!bps)
		return;
	printf("%-11s  off:          %8.1f ns a call\n", who, ns_per_call(CALLS));
	breakpoints_enable(bps, false);
	printf("%-11s  each one hit: %8.1f ns a call\n", who, ns_per_call(CALLS));
	breakpoints_disable(bps);
	printf("%-11s  off again:    %8.1f ns a call\n", who, ns_per_call(CALLS));
	breakpoints_free(bps);
}

int main(void)
{
	struct breakpoints *bps;
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return 1;
	pid = fork();
	if (pid < 0)
		return 1;
	if (pid == 0)
		run_target();
	printf("no breakpoint:             %8.1f ns a call\n", ns_per_call(CALLS * 100));
	measure(pid, false);
	measure(pid, true);
	bps = set_breakpoint(pid, false);
	if (bps)
		measure_reading(bps);
	breakpoints_free(bps);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
