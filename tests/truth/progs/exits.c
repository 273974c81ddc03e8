/* SPDX-License-Identifier: MIT */
/*
 * Threads that exit, or are cancelled, deep in a recursion of which each frame cleans up.
 *
 * Spans:
 *	exits	5	work exits
 *	waits	4	work waits
 *	clean	9	exits waits
 *	gone	2	*
 *	mark	12	main clean gone
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define APART __attribute__((noipa))

static volatile int sum;

APART static void mark(int i)
{
	sum += i;
}

APART static void clean(void *value)
{
	mark(*(int *)value);
}

APART static void gone(void *value)
{
	(void)value;
	mark(7);
}

APART static void exits(int n)
{
	int value = n;

	if (n < 0)
		return;
	pthread_cleanup_push(clean, &value);
	if (!n)
		pthread_exit(NULL);
	exits(n - 1);
	pthread_cleanup_pop(0);
}

APART static void waits(int n)
{
	int value = n;

	pthread_cleanup_push(clean, &value);
	if (n)
		waits(n - 1);
	if (!n) {
		for (;;)
			pause();
	}
	pthread_cleanup_pop(0);
}

static pthread_key_t key;

APART static void *work(void *cancelled)
{
	pthread_setspecific(key, &key);
	if (cancelled)
		waits(3);
	exits(4);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_key_create(&key, gone);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, work, &key);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	mark(1);
	printf("exits %d\n", sum);
	return 0;
}
