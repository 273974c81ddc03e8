/* SPDX-License-Identifier: MIT */
/*
 * Threads that share a counter, and a lock.
 *
 * Spans:
 *	work	3	start_thread
 *	job	90	work
 *	square	90	job
 *	add	90	job
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define APART   __attribute__((noipa))
#define THREADS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

APART static int square(int i)
{
	return i * i % 7;
}

APART static void add(int n)
{
	pthread_mutex_lock(&lock);
	total += n;
	pthread_mutex_unlock(&lock);
}

APART static void job(int i)
{
	add(square(i));
}

static void *work(void *arg)
{
	for (int i = 0; i < 30; i++)
		job(i + *(const int *)arg);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int numbers[THREADS] = { 1, 2, 3 };

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("thr %d\n", total);
	return 0;
}
