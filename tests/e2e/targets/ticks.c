/* SPDX-License-Identifier: MIT */
/*
 * A program that measures its own progress: ticks FILE. Every 2 ms, by the clock and not by how
 * long it took, it does a sum, until SIGTERM. FILE has the number of ticks, and the longest that
 * one came late, in ns.
 *
 * "ready PID" is printed first. At the end "counted N", with exit status 0, when the sums are
 * right, time never went back, and there was a tick for each 2 ms that have passed: who is held
 * comes late, and makes up for it. Else what is not so, and the status is 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS INT64_C(2000000)
#define PER_TICK  100u

enum number { TICKS, LATEST, N_NUMBERS };

static _Atomic uint64_t *numbers;
static volatile sig_atomic_t over;

static void on_term(int sig)
{
	(void)sig;
	over = 1;
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void sleep_until(int64_t at)
{
	const struct timespec t = { .tv_sec = at / 1000000000, .tv_nsec = at % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR && !over)
		;
}

static __attribute__((noinline)) uint64_t do_sum(void)
{
	volatile uint64_t sum = 0;

	for (uint32_t i = 1; i <= PER_TICK; i++)
		sum += i;
	return sum;
}

static int map_numbers(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0666);
	void *at;

	if (fd < 0 || ftruncate(fd, 4096))
		return -1;
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	numbers = at;
	return at == MAP_FAILED ? -1 : 0;
}

static int wrong(const char *what)
{
	printf("wrong: %s\n", what);
	return 1;
}

static int tick(void)
{
	int64_t begin = now(), at = begin, last = begin, t;

	while (!over) {
		at += PERIOD_NS;
		sleep_until(at);
		t = now();
		if (t < last)
			return wrong("time went back");
		last = t;
		if (over)
			break;
		if (t < at)
			return wrong("a tick came early");
		if ((uint64_t)(t - at) > numbers[LATEST])
			numbers[LATEST] = (uint64_t)(t - at);
		if (do_sum() != PER_TICK * (PER_TICK + 1) / 2)
			return wrong("the sum");
		numbers[TICKS]++;
	}
	/* the one that SIGTERM came in is missing, and those that it was still behind by then */
	if ((int64_t)numbers[TICKS] != (at - begin) / PERIOD_NS - 1)
		return wrong("ticks are missing");
	printf("counted %llu\n", (unsigned long long)numbers[TICKS]);
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_term };

	sigaction(SIGTERM, &action, NULL);
	if (argc < 2 || map_numbers(argv[1]))
		return wrong("FILE");
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	return tick();
}
