/* SPDX-License-Identifier: MIT */
/* Real breakpoints, in children of this program that call hit_me(). */
#include "record/breakpoint.h"

#include "record/bpevent.h"
#include "support/suite.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 20000 /* ms; long enough to be a failure */
#define THREADS  100
#define HOT      10000000

/* What child and test share. */
static struct shared {
	volatile int go, ready;
	volatile int64_t bracket[4];
	volatile int worker;  /* a tid */
	volatile int n, done; /* threads: that are there, that are through */
} * shared;

static pid_t child;
static struct breakpoints *bps;
static struct hit hits[5000];
static struct err err;

__attribute__((noinline)) static void hit_me(uint64_t di, uint64_t si)
{
	__asm__ volatile("" : : "r"(di), "r"(si) : "memory");
}

static void other(void)
{
	__asm__ volatile("nop" : : : "memory");
}

static uint64_t here(void)
{
	return (uint64_t)(uintptr_t)hit_me;
}

static int64_t raw_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static void await(const volatile int *flag, int value)
{
	while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < value)
		usleep(2000);
}

static void set(volatile int *flag, int value)
{
	*flag = value;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static pid_t start(void (*body)(void))
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	body();
	_exit(0);
}

static void set_up(void (*body)(void))
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert(shared != MAP_FAILED);
	child = start(body);
	bps = breakpoints_new();
	ck_assert_int_eq(breakpoints_fd(bps), -1);
}

static void add(pid_t pid, bool all_threads)
{
	ck_assert_msg(breakpoints_add(bps, pid, here(), all_threads, &err) == 0, "%s", err.msg);
}

/* Whether there is something to be read within so many ms. */
static bool is_ready(int ms)
{
	struct pollfd pfd = { .fd = breakpoints_fd(bps), .events = POLLIN };

	return poll(&pfd, 1, ms) == 1;
}

/* Reads until n hits are there; more at once is a failure. */
static void read_hits(size_t n)
{
	size_t have = 0;

	while (have < n) {
		ck_assert_msg(is_ready(PATIENCE), "%zu of %zu hits", have, n);
		have += breakpoints_read(bps, hits + have, 5000 - have);
	}
	ck_assert_uint_eq(have, n);
}

static void tear_down(void)
{
	int status;

	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	breakpoints_free(bps);
	munmap(shared, sizeof(*shared));
}

/* The child ends by itself, as it would have without us. */
static void join(void)
{
	int status;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}

static void call_once(void)
{
	uint64_t tsc;

	await(&shared->go, 1);
	shared->bracket[0] = raw_clock();
	tsc = __builtin_ia32_rdtsc();
	shared->bracket[1] = raw_clock();
	usleep(30000);
	shared->bracket[2] = raw_clock();
	hit_me(tsc, 42);
	shared->bracket[3] = raw_clock();
	set(&shared->ready, 1);
	pause();
}

static void once(bool all_threads)
{
	int64_t took;

	set_up(call_once);
	add(child, all_threads);
	breakpoints_enable(bps, true);
	ck_assert(!is_ready(0));
	set(&shared->go, 1);
	read_hits(1);
	ck_assert_int_eq(hits[0].pid, child);
	ck_assert_int_eq(hits[0].tid, child);
	ck_assert_uint_eq(hits[0].ip, here());
	ck_assert_uint_eq(hits[0].arg, 42);
	await(&shared->ready, 1);
	/* What lay between, by another clock; 1 in 1000 and 10 µs for how well ours is measured. */
	took = hits[0].time - hits[0].passed;
	ck_assert_int_gt(hits[0].passed, 0);
	ck_assert_int_ge(took, (shared->bracket[2] - shared->bracket[1]) * 999 / 1000 - 10000);
	ck_assert_int_le(took, (shared->bracket[3] - shared->bracket[0]) * 1001 / 1000 + 10000);
	ck_assert_uint_eq(breakpoints_read(bps, hits, 10), 0);
	ck_assert_uint_eq(breakpoints_lost(bps), 0);
	tear_down();
}

START_TEST(test_first_hit_of_one_thread)
{
	once(false);
}
END_TEST

START_TEST(test_first_hit_of_all_threads)
{
	once(true);
}
END_TEST

static void call_all_the_time(void)
{
	uint64_t i = 0;

	set(&shared->ready, 1);
	while (!shared->go)
		hit_me(0, ++i);
	set(&shared->ready, 2);
	pause();
}

/* It calls before, while and after the breakpoint is set, on and off; several times. */
static void in_a_loop(bool all_threads)
{
	int i;

	set_up(call_all_the_time);
	await(&shared->ready, 1);
	add(child, all_threads);
	for (i = 0; i < 5; i++) {
		ck_assert(!is_ready(0));
		breakpoints_enable(bps, true);
		ck_assert(is_ready(PATIENCE));
		breakpoints_disable(bps);
		ck_assert_uint_ge(breakpoints_read(bps, hits, 5000), 1);
		ck_assert_int_eq(hits[0].tid, child);
		if (!all_threads)
			ck_assert_uint_eq(breakpoints_read(bps, hits, 5000), 0);
		while (breakpoints_read(bps, hits, 5000))
			;
	}
	set(&shared->go, 1);
	await(&shared->ready, 2);
	tear_down();
}

START_TEST(test_loop_in_one_thread)
{
	in_a_loop(false);
}
END_TEST

START_TEST(test_loop_in_all_threads)
{
	in_a_loop(true);
}
END_TEST

static void call_ten_million_times(void)
{
	uint64_t i;

	await(&shared->go, 1);
	for (i = 0; i < HOT; i++)
		hit_me(0, i);
}

static void hot(bool all_threads)
{
	set_up(call_ten_million_times);
	add(child, all_threads);
	breakpoints_enable(bps, true);
	set(&shared->go, 1);
	ck_assert(is_ready(PATIENCE));
	ck_assert_uint_ge(breakpoints_read(bps, hits, 1), 1);
	breakpoints_disable(bps);
	ck_assert_uint_eq(hits[0].arg, 0);
	join();
	tear_down();
}

START_TEST(test_hot_function)
{
	hot(false);
}
END_TEST

START_TEST(test_hot_function_all_threads)
{
	hot(true);
}
END_TEST

static void *worker(void *ctx)
{
	shared->worker = gettid();
	hit_me(0, (uintptr_t)ctx);
	return NULL;
}

static void start_worker_later(void)
{
	pthread_t thread;

	await(&shared->go, 1);
	pthread_create(&thread, NULL, worker, (void *)7);
	pthread_join(thread, NULL);
	set(&shared->ready, 1);
	pause();
}

START_TEST(test_worker_that_starts_later)
{
	set_up(start_worker_later);
	add(child, true);
	breakpoints_enable(bps, true);
	set(&shared->go, 1);
	read_hits(1);
	ck_assert_int_eq(hits[0].pid, child);
	ck_assert_int_ne(hits[0].tid, child);
	ck_assert_int_eq(hits[0].tid, shared->worker);
	ck_assert_uint_eq(hits[0].arg, 7);
	await(&shared->ready, 1);
	ck_assert_uint_eq(breakpoints_read(bps, hits, 10), 0);
	tear_down();
}
END_TEST

START_TEST(test_only_first_thread)
{
	set_up(start_worker_later);
	add(child, false);
	breakpoints_enable(bps, false);
	set(&shared->go, 1);
	await(&shared->ready, 1);
	ck_assert_uint_eq(breakpoints_read(bps, hits, 10), 0);
	tear_down();
}
END_TEST

/* Each thread starts another, until there are enough; all are there to call it once. */
static void *chain(void *ctx)
{
	int me = __atomic_fetch_add(&shared->n, 1, __ATOMIC_ACQ_REL);
	pthread_t thread;

	(void)ctx;
	if (me + 3 < THREADS) {
		usleep(500);
		pthread_create(&thread, NULL, chain, NULL);
	}
	await(&shared->go, 1);
	hit_me(0, (uint64_t)me);
	return NULL;
}

static void start_chains(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++)
		pthread_create(&thread, NULL, chain, NULL);
	await(&shared->go, 2);
}

/* Breakpoints are set while threads start threads: each thread's hit is counted, and once. */
START_TEST(test_threads_start_threads)
{
	static int seen[THREADS];
	int i;

	set_up(start_chains);
	await(&shared->n, 5 + 10 * _i);
	add(child, true);
	breakpoints_enable(bps, false);
	await(&shared->n, THREADS);
	set(&shared->go, 1);
	read_hits(THREADS);
	for (i = 0; i < THREADS; i++) {
		ck_assert_uint_lt(hits[i].arg, THREADS);
		seen[hits[i].arg]++;
	}
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(seen[i], 1);
	usleep(20000);
	ck_assert_uint_eq(breakpoints_read(bps, hits, 10), 0);
	tear_down();
}
END_TEST

/* Some threads both inherit a breakpoint and get one. No more hits than the rings hold. */
static void *call_three_times(void *ctx)
{
	uint64_t i;

	await(&shared->go, 1);
	for (i = 1; i <= 3; i++)
		hit_me(0, i);
	__atomic_fetch_add(&shared->done, 1, __ATOMIC_ACQ_REL);
	return ctx;
}

static void start_sixty(void)
{
	pthread_t thread;

	while (shared->n < 60) {
		usleep(100);
		pthread_create(&thread, NULL, call_three_times, NULL);
		__atomic_fetch_add(&shared->n, 1, __ATOMIC_ACQ_REL);
	}
	set(&shared->ready, 1);
	pause();
}

START_TEST(test_rows_of_hits_count_once)
{
	size_t n = 0, i;
	uint64_t sum = 0;

	set_up(start_sixty);
	await(&shared->n, 5);
	add(child, true);
	await(&shared->n, 30);
	add(child, true);
	breakpoints_enable(bps, false);
	await(&shared->ready, 1);
	set(&shared->go, 1);
	do {
		is_ready(10);
		n += breakpoints_read(bps, hits + n, 5000 - n);
	} while (shared->done < shared->n);
	n += breakpoints_read(bps, hits + n, 5000 - n);
	for (i = 0; i < n; i++)
		sum += hits[i].arg;
	ck_assert_uint_eq(breakpoints_lost(bps), 0);
	ck_assert_uint_eq(n, 3 * (size_t)shared->n);
	ck_assert_uint_eq(sum, 6 * (uint64_t)shared->n);
	tear_down();
}
END_TEST

static void call_and_wait(void)
{
	int turn;

	for (turn = 1;; turn++) {
		await(&shared->go, turn);
		hit_me(0, (uint64_t)getpid());
		set(&shared->ready, turn);
	}
}

START_TEST(test_two_processes)
{
	pid_t first, second;

	set_up(call_and_wait);
	first = child;
	add(first, _i);
	second = start(call_and_wait);
	add(second, _i);
	breakpoints_enable(bps, true);
	set(&shared->go, 1);
	read_hits(2);
	ck_assert_uint_eq(hits[0].arg, (uint64_t)hits[0].pid);
	ck_assert_uint_eq(hits[1].arg, (uint64_t)hits[1].pid);
	ck_assert_int_ne(hits[0].pid, hits[1].pid);
	ck_assert_int_le(hits[0].time, hits[1].time);
	kill(second, SIGKILL);
	waitpid(second, NULL, 0);
	tear_down();
}
END_TEST

/* One hit each time it is switched on, however often. */
START_TEST(test_armed_again)
{
	int i;

	set_up(call_and_wait);
	add(child, false);
	for (i = 0; i < 6; i += 2) {
		breakpoints_enable(bps, true);
		set(&shared->go, i + 1);
		read_hits(1);
		await(&shared->ready, i + 1);
		if (i != 2)
			breakpoints_disable(bps);
		set(&shared->go, i + 2);
		await(&shared->ready, i + 2);
		ck_assert_uint_eq(breakpoints_read(bps, hits, 10), 0);
	}
	/* switched on for one, which does not come; then for all */
	breakpoints_enable(bps, true);
	breakpoints_disable(bps);
	breakpoints_enable(bps, false);
	for (; i < 10; i++) {
		set(&shared->go, i + 1);
		read_hits(1);
	}
	tear_down();
}
END_TEST

static void call_in_child_process(void)
{
	pid_t pid;

	await(&shared->go, 1);
	pid = fork();
	hit_me(0, pid == 0);
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	set(&shared->ready, 1);
	pause();
}

START_TEST(test_processes_that_it_starts_do_not_count)
{
	set_up(call_in_child_process);
	add(child, _i);
	breakpoints_enable(bps, false);
	set(&shared->go, 1);
	await(&shared->ready, 1);
	read_hits(1);
	ck_assert_uint_eq(hits[0].arg, 0);
	ck_assert_int_eq(hits[0].pid, child);
	tear_down();
}
END_TEST

/* Far more than a ring holds, in steps that it does hold. */
static void call_in_steps(void)
{
	uint64_t i;

	for (i = 0; i < 4000; i++) {
		if (i % 100 == 0)
			await(&shared->go, (int)(i / 100) + 1);
		hit_me(0, i);
	}
	pause();
}

START_TEST(test_many_hits_in_order)
{
	uint64_t i = 0;
	int64_t last = 0;
	size_t j;

	set_up(call_in_steps);
	add(child, _i);
	breakpoints_enable(bps, false);
	while (i < 4000) {
		set(&shared->go, (int)(i / 100) + 1);
		read_hits(100);
		for (j = 0; j < 100; j++) {
			ck_assert_uint_eq(hits[j].arg, i++);
			ck_assert_int_gt(hits[j].time, last);
			last = hits[j].time;
		}
	}
	ck_assert_uint_eq(breakpoints_lost(bps), 0);
	tear_down();
}
END_TEST

static void call_too_often(void)
{
	int i;

	await(&shared->go, 1);
	for (i = 0; i < 3000; i++)
		hit_me(0, (uint64_t)i);
	set(&shared->ready, 1);
	await(&shared->go, 2);
	hit_me(0, 3000);
	pause();
}

/* Nobody reads: the first ones are kept, the others are counted (at the next one that fits). */
START_TEST(test_lost_hits_are_counted)
{
	size_t n = 0, got, i;

	set_up(call_too_often);
	add(child, false);
	breakpoints_enable(bps, false);
	set(&shared->go, 1);
	await(&shared->ready, 1);
	while ((got = breakpoints_read(bps, hits + n, 7)) > 0)
		n += got;
	for (i = 0; i < n; i++)
		ck_assert_uint_eq(hits[i].arg, i);
	set(&shared->go, 2);
	ck_assert(is_ready(PATIENCE));
	ck_assert_uint_eq(breakpoints_read(bps, hits, 7), 1);
	ck_assert_uint_eq(hits[0].arg, 3000);
	ck_assert_uint_gt(breakpoints_lost(bps), 0);
	ck_assert_uint_eq(n + breakpoints_lost(bps), 3000);
	tear_down();
}
END_TEST

static void execute(void)
{
	await(&shared->go, 1);
	execlp("sleep", "sleep", "60", (char *)NULL);
	_exit(1);
}

/* In one thread and all; before it is switched on, and after. */
START_TEST(test_exec_is_noticed)
{
	pid_t pid = 0;

	set_up(execute);
	add(child, _i & 1);
	if (_i & 2)
		breakpoints_enable(bps, true);
	ck_assert(!breakpoints_exec(bps, &pid));
	set(&shared->go, 1);
	ck_assert(is_ready(PATIENCE));
	ck_assert_uint_eq(breakpoints_read(bps, hits, 10), 0);
	ck_assert(breakpoints_exec(bps, &pid));
	ck_assert_int_eq(pid, child);
	ck_assert(!breakpoints_exec(bps, &pid));
	breakpoints_enable(bps, true);
	breakpoints_disable(bps);
	tear_down();
}
END_TEST

/* A hit, then its end: both are told, and then there is nothing to poll for any more. */
static void call_and_end(void)
{
	await(&shared->go, 1);
	hit_me(0, 1);
}

START_TEST(test_exit_is_noticed)
{
	int i;

	set_up(call_and_end);
	add(child, _i);
	breakpoints_enable(bps, true);
	set(&shared->go, 1);
	join();
	ck_assert(is_ready(PATIENCE));
	ck_assert_uint_eq(breakpoints_read(bps, hits, 10), 1);
	for (i = 0; i < 10 && is_ready(0); i++)
		ck_assert_uint_eq(breakpoints_read(bps, hits, 10), 0);
	ck_assert(!is_ready(0));
	breakpoints_enable(bps, true);
	tear_down();
}
END_TEST

static void wait_for_ever(void)
{
	pause();
}

START_TEST(test_no_such_process)
{
	set_up(wait_for_ever);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ck_assert_int_eq(breakpoints_add(bps, child, here(), _i, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "has ended"));
	ck_assert_int_eq(breakpoints_fd(bps), -1);
	breakpoints_enable(bps, true);
	ck_assert_uint_eq(breakpoints_read(bps, hits, 10), 0);
	breakpoints_free(bps);
	breakpoints_free(NULL);
}
END_TEST

START_TEST(test_address_in_the_kernel)
{
	set_up(wait_for_ever);
	ck_assert_int_eq(breakpoints_add(bps, child, 0xffffffff81000000, _i, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "0xffffffff81000000"));
	tear_down();
}
END_TEST

/* A CPU has four. The fifth is refused, and the four stay. */
START_TEST(test_no_register_left)
{
	int i;

	set_up(call_and_wait);
	for (i = 0; i < 3; i++)
		ck_assert_int_eq(breakpoints_add(bps, child, (uint64_t)(uintptr_t)other, _i, &err),
				 0);
	add(child, _i);
	ck_assert_int_eq(breakpoints_add(bps, child, here() + 1, _i, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "four"));
	ck_assert_str_ne(err.hint, "");
	breakpoints_enable(bps, true);
	set(&shared->go, 1);
	read_hits(1);
	ck_assert_uint_eq(hits[0].ip, here());
	tear_down();
}
END_TEST

START_TEST(test_not_our_process)
{
	pid_t pid = 1;

	set_up(wait_for_ever);
	if (geteuid() == 0) {
		pid = child;
		ck_assert_int_eq(setresuid(65534, 65534, 0), 0);
	}
	ck_assert_int_eq(breakpoints_add(bps, pid, here(), _i, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "permission"));
	ck_assert_ptr_nonnull(strstr(err.hint, "CAP_PERFMON"));
	if (pid == child)
		ck_assert_int_eq(setresuid(0, 0, 0), 0);
	tear_down();
}
END_TEST

static void *wait_thread(void *ctx)
{
	shared->n++;
	pause();
	return ctx;
}

static void start_fifty(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 50; i++)
		pthread_create(&thread, NULL, wait_thread, NULL);
	set(&shared->ready, 1);
	call_and_wait();
}

/* The soft limit is raised when it has to be; the hard one is one. */
START_TEST(test_open_files)
{
	struct rlimit limit = { .rlim_cur = 20, .rlim_max = 20 + (rlim_t)_i * 100000 };

	if (_i && getuid() == 0) {
		getrlimit(RLIMIT_NOFILE, &limit);
		limit.rlim_cur = 20;
	}
	set_up(start_fifty);
	await(&shared->ready, 1);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	if (_i) {
		add(child, true);
	} else {
		ck_assert_int_eq(breakpoints_add(bps, child, here(), true, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.msg, "open files"));
		ck_assert_ptr_nonnull(strstr(err.hint, "ulimit -Hn"));
		ck_assert_int_eq(breakpoints_fd(bps), -1);
	}
	tear_down();
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("breakpoint");
	Suite *suite = suite_create("breakpoint");
	int fd = bpevent_open(0, -1, here()), failures;
	SRunner *runner;

	if (fd < 0) {
		printf("SKIP breakpoint: perf_event_open: %s\n", strerror(errno));
		return EXIT_SUCCESS;
	}
	close(fd);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_first_hit_of_one_thread);
	tcase_add_test(tcase, test_first_hit_of_all_threads);
	tcase_add_test(tcase, test_loop_in_one_thread);
	tcase_add_test(tcase, test_loop_in_all_threads);
	tcase_add_test(tcase, test_hot_function);
	tcase_add_test(tcase, test_hot_function_all_threads);
	tcase_add_test(tcase, test_worker_that_starts_later);
	tcase_add_test(tcase, test_only_first_thread);
	tcase_add_loop_test(tcase, test_threads_start_threads, 0, 5);
	tcase_add_test(tcase, test_rows_of_hits_count_once);
	tcase_add_loop_test(tcase, test_two_processes, 0, 2);
	tcase_add_test(tcase, test_armed_again);
	tcase_add_loop_test(tcase, test_processes_that_it_starts_do_not_count, 0, 2);
	tcase_add_loop_test(tcase, test_many_hits_in_order, 0, 2);
	tcase_add_test(tcase, test_lost_hits_are_counted);
	tcase_add_loop_test(tcase, test_exec_is_noticed, 0, 4);
	tcase_add_loop_test(tcase, test_exit_is_noticed, 0, 2);
	tcase_add_loop_test(tcase, test_no_such_process, 0, 2);
	tcase_add_loop_test(tcase, test_address_in_the_kernel, 0, 2);
	tcase_add_loop_test(tcase, test_no_register_left, 0, 2);
	tcase_add_loop_test(tcase, test_not_our_process, 0, 2);
	tcase_add_loop_test(tcase, test_open_files, 0, 2);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failures = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
