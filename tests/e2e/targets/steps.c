/* SPDX-License-Identifier: MIT */
/*
 * A program to be single-stepped, which checks that nothing of that can be felt: steps FILE WHAT.
 *
 *	count	does sums until SIGTERM; SIGUSR1: calls marked() once; SIGUSR2: writes to address 0
 *	threads	the same, and a second thread, which alone calls only_second()
 *	spawn	the same, and a new thread each round, which calls in_thread()
 *	fork	the same, and a child each round, which calls in_child()
 *	exec	the same, and SIGUSR1: executes itself, as count
 *	timers	the same, with handlers of two timers
 *	read, futex, sleep, epoll
 *		waits so, woken again and again by another thread, or by the time
 *	trace PID
 *		traces another process
 *
 * "ready PID" is printed first, "counted N" at the end when all was right, with exit status 0; else
 * what was not, and the status is 1. FILE has numbers that grow: see enum number.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

#define PER_ROUND 32u
#define N_NUMBERS 16

enum number {
	ROUNDS,     /* of the first thread */
	SECOND,     /* of another */
	EINTRS,     /* waits that ended with EINTR */
	HANDLED,    /* signals of timers */
	MARKED,     /* calls of marked() */
	AT_MARKED,  /* its address */
	SECOND_TID, /* its id */
	EXECUTED,   /* exec has been done */
	CRASHING,   /* is about to */
};

static _Atomic uint64_t *numbers;
static volatile sig_atomic_t over, asked, crashing;
static char *const *arguments;

static void on_signal(int sig)
{
	if (sig == SIGTERM)
		over = 1;
	else if (sig == SIGUSR1)
		asked = 1;
	else if (sig == SIGUSR2)
		crashing = 1;
	else
		numbers[HANDLED]++;
}

static void fail(const char *what)
{
	printf("wrong: %s (%s)\n", what, strerror(errno));
	fflush(stdout);
	_exit(1);
}

APART static uint64_t add(uint64_t a, uint64_t b)
{
	return a + b;
}

/* A round of either thread. */
APART static void do_sum(enum number number)
{
	uint64_t sum = 0;
	double halves = 0;

	for (uint32_t i = 1; i <= PER_ROUND; i++) {
		sum = add(sum, i);
		halves += i * 0.5;
	}
	if (sum != PER_ROUND * (PER_ROUND + 1) / 2 || halves * 2 != (double)sum)
		fail("sum");
	numbers[number]++;
}

APART static void marked(void)
{
	asked = 0;
	numbers[MARKED]++;
}

APART static void only_second(void)
{
	do_sum(SECOND);
}

APART static void in_thread(void)
{
	do_sum(SECOND);
}

APART static void in_child(void)
{
	do_sum(SECOND);
}

APART static void crash(void)
{
	numbers[CRASHING]++;
	*(volatile int *)0 = 1; /* NOLINT(clang-analyzer-core.NullDereference): it is to die */
}

static void pause_us(long us)
{
	struct timespec left = { .tv_nsec = us * 1000 };

	while (nanosleep(&left, &left) < 0)
		if (errno != EINTR)
			fail("nanosleep");
}

static void *second(void *unused)
{
	numbers[SECOND_TID] = (uint64_t)syscall(SYS_gettid);
	while (!over) {
		only_second();
		pause_us(200);
	}
	return unused;
}

static void *spawned(void *unused)
{
	in_thread();
	return unused;
}

/* ---- what is done in each round, besides the sum ---- */

static void spawn_one(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, spawned, NULL))
		fail("pthread_create");
	pthread_join(thread, NULL);
}

static void fork_one(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		in_child();
		_exit(7);
	}
	if (pid < 0)
		fail("fork");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail("waitpid");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
		fail("child");
}

static void exec_if_asked(void)
{
	if (!asked)
		return;
	execv("/proc/self/exe",
	      (char *[]){ arguments[0], arguments[1], (char[]){ "executed" }, NULL });
	fail("execv");
}

static void nothing(void)
{
}

/* ---- waiting ---- */

static int pipe_ends[2], epoll_fd;
static _Atomic uint32_t word;

static void *waker(void *unused)
{
	for (;;) {
		pause_us(30000);
		word++;
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		if (write(pipe_ends[1], "x", 1) != 1)
			fail("write");
	}
	return unused;
}

static void take_byte(void)
{
	char byte;

	/* with a handler of ours EINTR is as it should be */
	if (read(pipe_ends[0], &byte, 1) != 1 && !over)
		fail("read");
}

static void wait_futex(void)
{
	uint32_t seen = word;

	if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0) < 0 &&
	    errno != EAGAIN && !over)
		fail("futex");
}

static void wait_sleep(void)
{
	const struct timespec time = { .tv_nsec = 30000000 };

	if (nanosleep(&time, NULL) < 0 && !over)
		fail("nanosleep");
}

/* epoll_wait(2) fails with EINTR behind a stop: signal(7). */
static void wait_epoll(void)
{
	struct epoll_event event;
	int n = epoll_wait(epoll_fd, &event, 1, -1);

	if (n == 1)
		take_byte();
	else if (errno == EINTR)
		numbers[EINTRS]++;
	else
		fail("epoll_wait");
}

static void begin_waiting(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	pthread_t thread;

	epoll_fd = epoll_create1(0);
	if (pipe(pipe_ends) || epoll_fd < 0 ||
	    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, pipe_ends[0], &event) ||
	    pthread_create(&thread, NULL, waker, NULL))
		fail("preparation");
}

/* ---- preparations ---- */

static void begin_second(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, second, NULL))
		fail("pthread_create");
}

static void begin_timers(void)
{
	const struct itimerval each = { { 0, 2000 }, { 0, 2000 } };
	const struct itimerspec too = { { 0, 3000000 }, { 0, 3000000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	timer_t timer;

	if (setitimer(ITIMER_REAL, &each, NULL) || timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &too, NULL))
		fail("timers");
}

static void begin_executed(void)
{
	numbers[EXECUTED]++;
}

static void map_numbers(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0666);
	void *at;

	if (fd < 0 || ftruncate(fd, N_NUMBERS * sizeof(*numbers)))
		fail(path);
	at = mmap(NULL, N_NUMBERS * sizeof(*numbers), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		fail(path);
	numbers = at;
	numbers[AT_MARKED] = (uint64_t)(uintptr_t)marked;
}

static void handle_signals(void)
{
	const int all[] = { SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGRTMIN };
	struct sigaction action = { .sa_handler = on_signal };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		sigaction(all[i], &action, NULL);
}

APART static int count(void (*also)(void))
{
	uint64_t n = 0, before = numbers[ROUNDS];

	while (!over) {
		do_sum(ROUNDS);
		n++;
		also();
		if (asked)
			marked();
		if (crashing)
			crash();
		/* others run meanwhile */
		pause_us(200);
	}
	if (numbers[ROUNDS] - before != n)
		fail("rounds");
	printf("counted %llu\n", (unsigned long long)n);
	return 0;
}

static int trace(const char *pid)
{
	if (ptrace(PTRACE_SEIZE, (pid_t)strtol(pid, NULL, 10), NULL, NULL))
		fail("ptrace");
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	pause();
	printf("counted 0\n");
	return 0;
}

static const struct {
	const char *name;
	void (*begin)(void);
	void (*also)(void);
} whats[] = {
	{ "count", nothing, nothing },           { "threads", begin_second, nothing },
	{ "spawn", nothing, spawn_one },         { "fork", nothing, fork_one },
	{ "exec", nothing, exec_if_asked },      { "timers", begin_timers, nothing },
	{ "read", begin_waiting, take_byte },    { "futex", begin_waiting, wait_futex },
	{ "sleep", nothing, wait_sleep },        { "epoll", begin_waiting, wait_epoll },
	{ "executed", begin_executed, nothing },
};

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	arguments = argv;
	handle_signals();
	map_numbers(argv[1]);
	if (argc > 3 && !strcmp(argv[2], "trace"))
		return trace(argv[3]);
	for (size_t i = 0; i < sizeof(whats) / sizeof(*whats); i++) {
		if (strcmp(whats[i].name, argv[2]) != 0)
			continue;
		whats[i].begin();
		if (strcmp(argv[2], "executed") != 0)
			printf("ready %d\n", (int)getpid());
		fflush(stdout);
		return count(whats[i].also);
	}
	return 2;
}
