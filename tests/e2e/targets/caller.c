/* SPDX-License-Identifier: MIT */
/*
 * A program that calls a function again and again, and says when: caller FUNCTION COUNT US WORD...
 *
 * It prints where the functions are,
 *	address FUNCTION ADDRESS
 * then "ready", and after each call of the chosen one
 *	call TID NUMBER STARTED STARTED_TOO BEFORE AFTER
 * all in ns since 1970. The call lay between the last two; it passed a time that was taken
 * (magic_trace_mark_start) between the first two, and the number. Before each call it is busy for
 * so many microseconds.
 *
 * FUNCTION is one of
 *	handle
 *	stop	that of magic_trace.h
 *	library	that of library.c
 *	request	asks for a snapshot by a signal
 *	leave	calls handle and ends at once
 *	hot	COUNT calls without a pause, then "sum" and their sum
 *	exec	executes the words behind it
 * and WORD of
 *	wait	for a line on standard input before all calls
 *	ask	for one before each
 *	thread	calls in a thread that is started then
 */
#include "magic_trace.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

typedef void called(uint64_t start, uint64_t number);

called in_library;

static volatile uint64_t sum;
static called *function;
static uint64_t count;
static int64_t busy_ns;
static bool is_hot, asks;

APART void handle(uint64_t start, uint64_t number)
{
	sum += start & 1;
	sum += number; /* the line */
}

APART void handle_never(uint64_t start, uint64_t number)
{
	sum += start + 2 * number;
}

APART void hot(uint64_t start, uint64_t number)
{
	(void)start;
	sum += number;
}

/* There is another one of this name in library.c. */
APART static uint64_t twin(uint64_t number)
{
	return sum + number;
}

static void stop(uint64_t start, uint64_t number)
{
	magic_trace_take_snapshot_with_time_and_arg(start, number);
}

static void request(uint64_t start, uint64_t number)
{
	(void)start;
	(void)number;
	printf("requested %d\n", magic_trace_request_snapshot());
}

/* The call is the last that the program does, so it prints before. */
static void leave(uint64_t start, uint64_t number)
{
	printf("leaves %ld\n", syscall(SYS_gettid));
	fflush(stdout);
	handle(start, number);
	_exit(0);
}

/* That of library.c, which is linked with, or opened. */
static called *library(void)
{
#ifdef OPENED
	void *opened = dlopen(OPENED, RTLD_NOW);

	return opened ? (called *)(uintptr_t)dlsym(opened, "in_library") : NULL;
#else
	return in_library;
#endif
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

APART void be_busy(int64_t ns)
{
	int64_t end = now() + ns;

	while (now() < end)
		sum++;
}

static void wait_for_line(void)
{
	char line[8];

	if (!fgets(line, sizeof(line), stdin))
		exit(3);
}

static void call(uint64_t number)
{
	int64_t times[4];
	uint64_t start;

	times[0] = now();
	start = magic_trace_mark_start();
	times[1] = now();
	if (asks)
		wait_for_line();
	be_busy(busy_ns);
	times[2] = now();
	function(start, number);
	times[3] = now();
	printf("call %ld %llu %lld %lld %lld %lld\n", syscall(SYS_gettid),
	       (unsigned long long)number, (long long)times[0], (long long)times[1],
	       (long long)times[2], (long long)times[3]);
	fflush(stdout);
}

static void *calls(void *arg)
{
	for (uint64_t i = 1; i <= count && !is_hot; i++)
		call(i);
	for (uint64_t i = 1; i <= count && is_hot; i++)
		hot(0, i);
	if (is_hot)
		printf("sum %llu\n", (unsigned long long)sum);
	return arg;
}

static bool has_word(int argc, char **argv, const char *word)
{
	for (int i = 4; i < argc; i++) {
		if (!strcmp(argv[i], word))
			return true;
	}
	return false;
}

static void choose_function(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "handle";

	function = handle;
	if (!strcmp(name, "stop"))
		function = stop;
	else if (!strcmp(name, "request"))
		function = request;
	else if (!strcmp(name, "leave"))
		function = leave;
	else if (!strcmp(name, "library"))
		function = library();
	is_hot = !strcmp(name, "hot");
	count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	busy_ns = argc > 3 ? 1000 * strtol(argv[3], NULL, 10) : 0;
	asks = has_word(argc, argv, "ask");
}

static void print_address(const char *name, uintptr_t address)
{
	printf("address %s 0x%llx\n", name, (unsigned long long)address);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 2 && !strcmp(argv[1], "exec"))
		execv(argv[2], argv + 2);
	choose_function(argc, argv);
	if (!function || twin(count) != count)
		return 2;
	print_address("handle", (uintptr_t)handle);
	print_address("magic_trace_stop_indicator", (uintptr_t)magic_trace_stop_indicator);
	print_address("in_library", (uintptr_t)function);
	printf("ready\n");
	fflush(stdout);
	if (has_word(argc, argv, "wait"))
		wait_for_line();
	if (!has_word(argc, argv, "thread"))
		calls(NULL);
	else if (pthread_create(&thread, NULL, calls, NULL) == 0)
		pthread_join(thread, NULL);
	return 0;
}
