/* SPDX-License-Identifier: MIT */
/*
 * magic_trace.h: a program says when magic-trace is to take a snapshot of it.
 *
 *	magic-trace run -trigger . ./prog
 *	magic-trace attach -trigger . -pid PID
 *
 * wait until the program calls one of the functions below. Without magic-trace a call costs two
 * nanoseconds or so and does nothing: it may stay in a program that is shipped.
 *
 * For C (C99 and later) and C++ (C++98 and later), gcc and clang, Linux. Nothing to link with: each
 * object file that includes this has the function weakly, and the linker keeps one.
 *
 * A library that is opened by dlopen(3) has a function of its own, for which -trigger
 * LIBRARY:magic_trace_stop_indicator waits; unless the program exports its own one (link it with
 * -Wl,--export-dynamic-symbol=magic_trace_stop_indicator, or -rdynamic).
 */
#ifndef MAGIC_TRACE_H
#define MAGIC_TRACE_H

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#elif defined(__STRICT_ANSI__)
int kill(pid_t pid, int sig); /* -std=c99 hides it */
#endif

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define MAGIC_TRACE_AS_WRITTEN __attribute__((noinline, noclone, noipa))
#elif defined(__GNUC__) && !defined(__clang__)
#define MAGIC_TRACE_AS_WRITTEN __attribute__((noinline, noclone))
#else
#define MAGIC_TRACE_AS_WRITTEN __attribute__((noinline))
#endif

/*
 * The function that magic-trace waits for: one that is always called, and with both arguments in
 * their registers, whatever the compiler and the linker know about it. tsc: when what is to be seen
 * began, from magic_trace_mark_start, 0 for "not said"; arg: anything; both are in the trace.
 */
MAGIC_TRACE_AS_WRITTEN __attribute__((weak, used, visibility("default"))) void
magic_trace_stop_indicator(uint64_t tsc, uint64_t arg);

void magic_trace_stop_indicator(uint64_t tsc, uint64_t arg)
{
#ifdef __x86_64__
	/*
	 * nopl 0x6973746d(%rax), which does nothing: it makes the function unlike any other, or a
	 * linker that folds equal functions into one (--icf=all) would give it callers that it has
	 * not.
	 */
	__asm__ __volatile__(".byte 0x0f, 0x1f, 0x80, 0x6d, 0x74, 0x73, 0x69"
			     :
			     : "r"(tsc), "r"(arg)
			     : "memory");
#else
	__asm__ __volatile__("" : : "r"(tsc), "r"(arg) : "memory");
#endif
}

/* Takes a snapshot: what is recorded up to here is kept. */
static inline void magic_trace_take_snapshot(void)
{
	magic_trace_stop_indicator(0, 0);
}

/* The same; arg is shown with the snapshot. */
static inline void magic_trace_take_snapshot_with_arg(uint64_t arg)
{
	magic_trace_stop_indicator(0, arg);
}

/*
 * The time now, to be handed to a snapshot that is taken later: the CPU's time stamp counter. It
 * can be used in any thread of this computer, and means nothing elsewhere. 0, "not known", on other
 * CPUs than x86-64.
 */
static inline uint64_t magic_trace_mark_start(void)
{
#ifdef __x86_64__
	uint32_t low, high;

	__asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
#else
	return 0;
#endif
}

/* Takes a snapshot; the trace shows the time from start (magic_trace_mark_start) to here. */
static inline void magic_trace_take_snapshot_with_time(uint64_t start)
{
	magic_trace_stop_indicator(start, 0);
}

static inline void magic_trace_take_snapshot_with_time_and_arg(uint64_t start, uint64_t arg)
{
	magic_trace_stop_indicator(start, arg);
}

/*
 * Asks the magic-trace that runs this program (`magic-trace run`) for a snapshot, by a signal:
 * needs no -trigger, but is later, by the time that the signal takes. 0, or -1 when this program
 * was not started by magic-trace itself (a program that it has started was not) or is not any more.
 */
static inline int magic_trace_request_snapshot(void)
{
	const char *s = getenv("MAGIC_TRACE_PID");
	long pid = 0;

	if (!s)
		return -1;
	for (; *s >= '0' && *s <= '9' && pid < 100000000; s++)
		pid = pid * 10 + (*s - '0');
	if (*s != '\0' || pid <= 1 || pid != (long)getppid())
		return -1;
	return kill((pid_t)pid, SIGUSR2);
}

#undef MAGIC_TRACE_AS_WRITTEN

#ifdef __cplusplus
}
#endif

#endif
