/* SPDX-License-Identifier: MIT */
/*
 * A program that knows where it spent its time: shares ROUNDS THREADS [kernel]
 *
 * Each thread takes turns in a few functions, all below other ones; with "kernel" also in one that
 * does nothing but calls of the kernel. At the end it prints, for each thread,
 *	thread TID COMM
 * and each of its turns:
 *	turn TID FUNCTION BEGIN END CPU
 * (ns since 1970, and ns of the thread's own CPU time). ROUNDS 0: until something can be read from
 * standard input; "ready" is printed before the turns begin.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TURNS 40000
#define LEAF  static __attribute__((noinline, noclone))

struct turn {
	const char *function;
	int64_t begin, end, cpu;
};

struct worker {
	pthread_t thread;
	struct turn turns[TURNS];
	int n, tid;
	char comm[16];
};

static int rounds, zeros = -1;
static volatile bool over;
static volatile unsigned int sink;

static int64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* Until the thread has used the CPU for so long, without a call. */
#define SPEND(us)                                            \
	do {                                                 \
		for (unsigned int i = 0; i < (us)*400u; i++) \
			sink += i;                           \
	} while (0)

LEAF void long_turn(void)
{
	SPEND(3000);
	sink++;
}

LEAF void medium_turn(void)
{
	SPEND(2000);
	sink++;
}

LEAF void short_turn(void)
{
	SPEND(1000);
	sink++;
}

/* Zeros, which the kernel writes. */
LEAF void read_zeros(void)
{
	static __thread char buf[1 << 20];

	for (int i = 0; i < 60; i++)
		sink += read(zeros, buf, sizeof(buf)) > 0;
}

/*
 * read(2) of the C library has no frame of its own, so unwinding by frame pointers leaves its
 * caller out; this one stays.
 */
LEAF void kernel_turn(void)
{
	read_zeros();
	sink++;
}

/* The calls below are none in the tail: something is left to do. */
LEAF void below(void (*leaf)(void))
{
	leaf();
	sink++;
}

LEAF void recurse(unsigned int depth, void (*leaf)(void))
{
	if (depth)
		recurse(depth - 1, leaf);
	else
		below(leaf);
	sink++;
}

LEAF void take_turn(struct worker *worker, const char *function, void (*leaf)(void))
{
	struct turn *turn = &worker->turns[worker->n];
	int64_t cpu = now(CLOCK_THREAD_CPUTIME_ID);

	if (worker->n == TURNS)
		return;
	turn->function = function;
	turn->begin = now(CLOCK_REALTIME);
	if (leaf == medium_turn)
		recurse(3, leaf);
	else
		below(leaf);
	turn->end = now(CLOCK_REALTIME);
	turn->cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	worker->n++;
}

LEAF void turns(struct worker *worker)
{
	for (int i = 0; rounds ? i < rounds : !over; i++) {
		take_turn(worker, "long_turn", long_turn);
		take_turn(worker, "medium_turn", medium_turn);
		take_turn(worker, "short_turn", short_turn);
		if (zeros >= 0)
			take_turn(worker, "kernel_turn", kernel_turn);
	}
	sink++;
}

static void *work(void *arg)
{
	struct worker *worker = arg;

	worker->tid = (int)syscall(SYS_gettid);
	prctl(PR_SET_NAME, worker->comm);
	turns(worker);
	return NULL;
}

/* Ends the turns when there is something to read, or nothing more will come. */
static void *wait_for_line(void *arg)
{
	char byte;

	if (read(STDIN_FILENO, &byte, 1) >= 0)
		over = true;
	return arg;
}

static void print(const struct worker *worker)
{
	for (int i = 0; i < worker->n; i++) {
		const struct turn *turn = &worker->turns[i];

		printf("turn %d %s %lld %lld %lld\n", worker->tid, turn->function,
		       (long long)turn->begin, (long long)turn->end, (long long)turn->cpu);
	}
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1;
	struct worker *workers = calloc((size_t)threads, sizeof(*workers));
	pthread_t reader;

	rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
	if (argc > 3)
		zeros = open("/dev/zero", O_RDONLY);
	if (!rounds)
		pthread_create(&reader, NULL, wait_for_line, NULL);
	printf("ready\n");
	fflush(stdout);
	for (int i = 1; i < threads; i++) {
		snprintf(workers[i].comm, sizeof(workers[i].comm), "worker %d", i % 100);
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	prctl(PR_GET_NAME, workers[0].comm);
	work(&workers[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	for (int i = 0; i < threads; i++) {
		printf("thread %d %s\n", workers[i].tid, workers[i].comm);
		print(&workers[i]);
	}
	return 0;
}
