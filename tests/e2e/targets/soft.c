/* SPDX-License-Identifier: MIT */
/*
 * Small programs that do one thing each: soft WHAT. Each prints a line that is right only if all
 * went as it should, and returns 0.
 *
 *	fib	recursion		qsort	a callback from the C library
 *	dlopen	cos, from a library	signals	handlers, longjmp, a system call that begins anew
 *	threads	four, with a lock	exec	itself, as fib
 *	fork	a child, vfork too	odd	int3, int 0x80, int1, pushf, its own SIGTRAP
 *	fib15	more of it, for what loses something
 *	nothing	what the child of fork executes
 *	checks	[SECONDS]: "ready", then two threads that do sums again and again, and compare;
 *		so long, or until standard input ends
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

APART static long fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int do_fib(void)
{
	printf("fib %ld\n", fib(10));
	return 0;
}

static int do_fib15(void)
{
	printf("fib %ld\n", fib(15));
	return 0;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int do_qsort(void)
{
	int v[60];

	for (int i = 0; i < 60; i++)
		v[i] = i * 37 % 60;
	qsort(v, 60, sizeof(*v), compare);
	for (int i = 0; i < 60; i++)
		if (v[i] != i)
			return 1;
	puts("qsort");
	return 0;
}

/* a program without shared libraries is better off without it */
#ifdef STATIC
#define dlopen(name, flags) NULL
#endif

static int do_dlopen(void)
{
	for (int i = 0; i < 2; i++) {
		void *library = dlopen("libm.so.6", RTLD_LAZY);
		double (*cosine)(double) =
			library ? (double (*)(double))dlsym(library, "cos") : NULL;

		if (!cosine)
			return 1;
		printf("dlopen %.6f\n", cosine(cosine(2)));
		dlclose(library);
	}
	return 0;
}

static volatile sig_atomic_t usr1s, alarms, traps, children;
static sigjmp_buf behind_fault;

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		usr1s++;
	else if (sig == SIGALRM)
		alarms++;
	else if (sig == SIGTRAP)
		traps++;
	else if (sig == SIGCHLD)
		children++;
	else
		siglongjmp(behind_fault, 1);
}

static void handle(int sig, int flags)
{
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };

	sigaction(sig, &action, NULL);
}

static jmp_buf behind_jump;

APART static void jump(int depth)
{
	if (depth < 0)
		return;
	if (depth == 0)
		longjmp(behind_jump, 7);
	jump(depth - 1);
	usr1s += 100;
}

static int do_signals(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 30000 };
	int *volatile nowhere = NULL;
	int jumped, pipes[2];
	char byte = 0;

	handle(SIGUSR1, 0);
	handle(SIGSEGV, 0);
	handle(SIGALRM, SA_RESTART);
	jumped = setjmp(behind_jump);
	if (!jumped)
		jump(4);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	if (!sigsetjmp(behind_fault, 1))
		*nowhere = 1; /* NOLINT(clang-analyzer-core.NullDereference) */
	if (pipe(pipes) < 0)
		return 1;
	if (fork() == 0) {
		usleep(90000);
		_exit(write(pipes[1], "x", 1) != 1);
	}
	/* interrupted by the alarm, and begun anew */
	setitimer(ITIMER_REAL, &soon, NULL);
	if (read(pipes[0], &byte, 1) != 1)
		return 1;
	wait(NULL);
	/* and by one that is ignored */
	signal(SIGALRM, SIG_IGN);
	setitimer(ITIMER_REAL, &soon, NULL);
	usleep(60000);
	printf("signals %d %d %d %c\n", jumped, (int)usr1s, (int)alarms, byte);
	return 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

APART static long add_up(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		if (i % 3)
			sum += i;
	return sum;
}

static void *worker(void *arg)
{
	for (int i = 0; i < 5; i++) {
		long sum = add_up(50 + *(const long *)arg);

		pthread_mutex_lock(&lock);
		total += sum;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static int do_threads(void)
{
	static const long more[] = { 0, 1, 2, 3 };
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, (void *)&more[i]);
	worker((void *)&more[3]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("threads %ld\n", total);
	return 0;
}

static int do_exec(void)
{
	execl("/proc/self/exe", "soft", "fib", NULL);
	return 1;
}

static int do_fork(void)
{
	int status = 0, status2 = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(fib(5) == 5 ? 3 : 1);
	waitpid(pid, &status, 0);
	pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (pid == 0) {
		execl("/proc/self/exe", "soft", "nothing", NULL);
		_exit(1);
	}
	waitpid(pid, &status2, 0);
	printf("fork %d %d\n", WEXITSTATUS(status), WEXITSTATUS(status2));
	return 0;
}

static int do_odd(void)
{
	unsigned long flags;
	cpu_set_t cpus;
	long pid, pid2;

	handle(SIGTRAP, 0);
	__asm__ volatile("int3");
	raise(SIGTRAP);
	__asm__ volatile("int $0x80" : "=a"(pid) : "0"(20L) : "memory");
	__asm__ volatile(".byte 0xf1"); /* int1 */
	/* a prefix that is of no use */
	__asm__ volatile(".byte 0x48, 0x0f, 0x05"
			 : "=a"(pid2)
			 : "0"((long)SYS_getpid)
			 : "rcx", "r11", "memory");
	/* below the red zone: flags pushed, looked at, and popped */
	__asm__ volatile("sub $128, %%rsp; pushf; pop %0; push %0; popf; add $128, %%rsp"
			 : "=r"(flags)
			 :
			 : "memory", "cc");
	sched_getaffinity(0, sizeof(cpus), &cpus);
	prctl(PR_SET_NAME, "renamed");
	printf("odd %d %lu %d %d %d\n", (int)traps, flags >> 8 & 1, CPU_COUNT(&cpus),
	       pid == getpid(), pid2 == getpid());
	return 0;
}

static atomic_bool over;
static atomic_long sleeps;

APART static unsigned long mix(unsigned long x)
{
	for (unsigned long i = 0; i < 10; i++)
		x = (x & 1 ? x * 3 + 1 : x >> 1) ^ i;
	return x;
}

/* Ends the program when it is not what it was. */
static void check(unsigned long *known, unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++)
		sum += mix(i);
	if (*known && *known != sum)
		abort();
	*known = sum;
}

static void *sleeper(void *arg)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	unsigned long known = 0;

	(void)arg;
	while (!over) {
		if (nanosleep(&ms, NULL) < 0)
			abort(); /* no signal is handled */
		check(&known, 100);
		sleeps++;
	}
	return NULL;
}

/* Whether it was so long ago; NULL: whether standard input has ended, or something came. */
static bool is_enough(const char *seconds, const struct timespec *began)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	struct timespec now;

	if (!seconds)
		return poll(&in, 1, 0) != 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - began->tv_sec) +
		       (double)(now.tv_nsec - began->tv_nsec) * 1e-9 >=
	       strtod(seconds, NULL);
}

static int do_checks(const char *seconds)
{
	struct timespec began;
	unsigned long known = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, sleeper, NULL);
	clock_gettime(CLOCK_MONOTONIC, &began);
	puts("ready");
	fflush(stdout);
	do
		check(&known, 1000);
	while (!sleeps || !is_enough(seconds, &began));
	over = true;
	pthread_join(thread, NULL);
	puts("checked");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} all[] = {
		{ "fib", do_fib },         { "qsort", do_qsort }, { "dlopen", do_dlopen },
		{ "signals", do_signals }, { "exec", do_exec },   { "threads", do_threads },
		{ "fork", do_fork },       { "odd", do_odd },     { "fib15", do_fib15 },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(argv[1], all[i].name) == 0)
			return all[i].run();
	if (argc > 1 && strcmp(argv[1], "checks") == 0)
		return do_checks(argv[2]);
	return argc > 1 && strcmp(argv[1], "nothing") == 0 ? 0 : 2;
}
