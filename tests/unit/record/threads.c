/* SPDX-License-Identifier: MIT */
#include "record/threads.h"

#include "support/suite.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 300

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t got[2 * N];
static int n_got, answer;

static void *wait_for_lock(void *ctx)
{
	*(volatile pid_t *)ctx = gettid();
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int collect(void *ctx, pid_t tid)
{
	ck_assert_ptr_eq(ctx, got);
	ck_assert_int_lt(n_got, 2 * N);
	got[n_got++] = tid;
	return answer;
}

static int scan(struct threads *threads)
{
	n_got = 0;
	return threads_scan(threads, getpid(), collect, got);
}

static int count(pid_t tid)
{
	int i, n = 0;

	for (i = 0; i < n_got; i++)
		n += got[i] == tid;
	return n;
}

START_TEST(test_each_once)
{
	struct threads threads = { .n = 0 };
	static volatile pid_t tids[N];
	pthread_t ids[N];
	int i;

	answer = 1;
	ck_assert_int_eq(scan(&threads), 1);
	ck_assert_int_eq(got[0], getpid());
	pthread_mutex_lock(&lock);
	for (i = 0; i < N; i++)
		ck_assert_int_eq(pthread_create(&ids[i], NULL, wait_for_lock, (void *)&tids[i]), 0);
	for (i = 0; i < N; i++)
		while (!tids[i])
			usleep(100);
	ck_assert_int_eq(scan(&threads), N);
	for (i = 0; i < N; i++)
		ck_assert_int_eq(count(tids[i]), 1);
	ck_assert_int_eq(count(getpid()), 0);
	ck_assert_int_eq(scan(&threads), 0);
	ck_assert_int_eq(n_got, 0);
	pthread_mutex_unlock(&lock);
	for (i = 0; i < N; i++)
		pthread_join(ids[i], NULL);
	threads_fini(&threads);
}
END_TEST

START_TEST(test_answers)
{
	struct threads threads = { .n = 0 };

	answer = 0;
	ck_assert_int_eq(scan(&threads), 0);
	ck_assert_int_eq(n_got, 1);
	answer = -7;
	ck_assert_int_eq(scan(&threads), -7);
	ck_assert_int_eq(n_got, 1);
	threads_fini(&threads);
}
END_TEST

START_TEST(test_no_process)
{
	struct threads threads = { .n = 0 };
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(threads_scan(&threads, pid, collect, got), -1);
	ck_assert_int_eq(errno, ENOENT);
	threads_fini(&threads);
}
END_TEST

SUITE_MAIN("threads", test_each_once, test_answers, test_no_process)
