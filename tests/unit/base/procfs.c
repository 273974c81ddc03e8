/* SPDX-License-Identifier: MIT */
#include "base/procfs.h"

#include "support/suite.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

START_TEST(test_status)
{
	char comm[16];
	uint64_t v = 9;

	ck_assert(procfs_status(gettid(), "Tgid:", false, &v));
	ck_assert_int_eq((pid_t)v, getpid());
	ck_assert(procfs_status(gettid(), "TracerPid:", false, &v));
	ck_assert(!procfs_status(gettid(), "NoSuchField:", false, &v));
	ck_assert(!procfs_status(0x7fffffff, "Tgid:", false, &v));
	ck_assert_int_eq(procfs_state(gettid()), 'R');
	ck_assert_int_eq(procfs_state(0x7fffffff), 0);
	/* a name cannot pretend to be a field, or a state */
	prctl(PR_SET_NAME, "x\nTgid:\t7\n) Z 1");
	ck_assert(procfs_status(gettid(), "Tgid:", false, &v));
	ck_assert_int_eq((pid_t)v, getpid());
	ck_assert_int_eq(procfs_state(gettid()), 'R');
	prctl(PR_SET_NAME, "name");
	procfs_comm(gettid(), comm, sizeof(comm));
	ck_assert_str_eq(comm, "name");
	procfs_comm(0x7fffffff, comm, sizeof(comm));
	ck_assert_str_eq(comm, "");
}
END_TEST

START_TEST(test_pending)
{
	sigset_t mask;
	uint64_t v;

	sigemptyset(&mask);
	sigaddset(&mask, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	ck_assert(procfs_status(gettid(), "SigPnd:", true, &v));
	ck_assert_uint_eq(v, 0);
	raise(SIGTRAP);
	ck_assert(procfs_status(gettid(), "SigPnd:", true, &v));
	ck_assert_uint_eq(v, 1u << (SIGTRAP - 1));
}
END_TEST

static bool count(void *ctx, pid_t tid)
{
	unsigned int *n = ctx;

	*n += tid == getpid() ? 1 : 100;
	return true;
}

static void *wait_in_thread(void *barrier)
{
	pthread_barrier_wait(barrier);
	return NULL;
}

START_TEST(test_threads)
{
	pthread_barrier_t barrier;
	pthread_t thread;
	unsigned int n = 0;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait_in_thread, &barrier);
	ck_assert_int_eq(procfs_threads(getpid(), count, &n), 0);
	ck_assert_uint_eq(n, 101);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	ck_assert_int_eq(procfs_threads(0x7fffffff, count, &n), -1);
}
END_TEST

SUITE_MAIN("base/procfs", test_status, test_pending, test_threads)
