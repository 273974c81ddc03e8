/* SPDX-License-Identifier: MIT */
/*
 * fibs ROUNDS [THREADS]: computes fib(6) that often, in each of so many threads (1), and calls
 * done(0, round) behind each round. Prints "calls N", how often fib was called in all, and exits
 * with 3. SIGTERM: as if all rounds had been.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile sig_atomic_t enough;
static _Atomic long calls;
static long rounds;

static void on_term(int sig)
{
	(void)sig;
	enough = 1;
}

static __attribute__((noinline)) long fib(long n)
{
	calls++;
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) void done(long time, long round)
{
	__asm__ volatile("" ::"r"(time), "r"(round));
}

static __attribute__((noinline)) void *work(void *unused)
{
	for (long i = 0; i < rounds && !enough; i++) {
		fib(6);
		done(0, i);
	}
	return unused;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	pthread_t threads[16];

	rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	signal(SIGTERM, on_term);
	for (long i = 1; i < n && i < 16; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	work(NULL);
	for (long i = 1; i < n && i < 16; i++)
		pthread_join(threads[i], NULL);
	printf("calls %ld\n", calls);
	return 3;
}
