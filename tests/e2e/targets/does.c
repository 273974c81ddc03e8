/* SPDX-License-Identifier: MIT */
/*
 * does WHAT: does one thing, says what it has done, and exits with 5; killed by a signal where that
 * is the thing. What it calls is called no other time:
 *
 *	line	says which of its files are terminals, and the line that it reads
 *	segv	writes to address 0, three calls deep	abort	the same, but abort(3)
 *	jumps	3 signals handled, a longjmp out of 5 calls and of a handler, then level()
 *	threads	4 threads, each calls work() 3 times
 *	exec PROGRAM ARG...		executes another, or says that it cannot
 *	fork	a child calls in_child()		vfork	executes `true`
 *	system	`exit 4` by system(3), `echo` by popen(3)
 *	hits N	calls before() and handle(i), N times, then after()
 *	thread-hits N	the same in a second thread
 *	library	calls before(), then in_library() of library.c
 *	paced	for each byte of its input: tick(), and "tick N"
 *	leaps N	calls leap() and its like by pointers, N times in all
 *	ids	says its user and its effective user
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART  __attribute__((noinline, noclone))
#define STATUS 5

static volatile long sum;
static volatile int *nowhere;

/* Only one of the programs is linked with it. */
__attribute__((weak)) void in_library(long time, long n);

static int line(void)
{
	char text[80] = "";

	printf("terminals %d %d %d\n", isatty(0), isatty(1), isatty(2));
	fflush(stdout);
	if (!fgets(text, sizeof(text), stdin))
		return 1;
	printf("line %s", text);
	fprintf(stderr, "said %zu\n", strlen(text));
	return STATUS;
}

/* ---- deaths ---- */

APART static void third(int by_abort)
{
	if (by_abort)
		abort();
	*nowhere = 1;
	sum++;
}

APART static void second(int by_abort)
{
	third(by_abort);
	sum++;
}

APART static void first(int by_abort)
{
	second(by_abort);
	sum++;
}

/* ---- jumps ---- */

static jmp_buf behind;
static sigjmp_buf behind_handler;

APART static void handler(int sig)
{
	sum++;
	if (sig == SIGUSR2)
		siglongjmp(behind_handler, 1);
}

APART static void deeper(int n)
{
	if (n == 1)
		longjmp(behind, 1);
	if (n > 1)
		deeper(n - 1);
	sum++;
}

APART static void level(void)
{
	sum++;
}

APART static void raises(int sig)
{
	raise(sig);
	sum++;
}

static int jumps(void)
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	for (int i = 0; i < 3; i++)
		raises(SIGUSR1);
	level();
	if (!setjmp(behind))
		deeper(5);
	level();
	if (!sigsetjmp(behind_handler, 1))
		raises(SIGUSR2);
	level();
	printf("jumps %ld\n", sum);
	return STATUS;
}

/* ---- threads and processes ---- */

APART static void work(void)
{
	for (int i = 0; i < 20; i++)
		sum += i;
}

APART static void *worker(void *unused)
{
	for (int i = 0; i < 3; i++)
		work();
	return unused;
}

static int threads(void)
{
	pthread_t others[3];

	for (int i = 0; i < 3; i++)
		if (pthread_create(&others[i], NULL, worker, NULL))
			return 1;
	worker(NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(others[i], NULL);
	puts("threads");
	return STATUS;
}

APART static int executes(char **argv)
{
	execv(argv[0], argv);
	printf("cannot: %s\n", strerror(errno));
	return STATUS;
}

APART static int in_child(void)
{
	sum++;
	return 3;
}

/* How a child ended. */
APART static int waited(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int forks(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(in_child());
	printf("child %d\n", waited(pid));
	return STATUS;
}

static int vforks(void)
{
	pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */

	if (pid == 0) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	printf("child %d\n", waited(pid));
	return STATUS;
}

static int shells(void)
{
	int status = system("exit 4");
	FILE *f = popen("echo told", "r");
	char text[20] = "";

	if (!f || !fgets(text, sizeof(text), f))
		return 1;
	printf("system %d, popen %d %s", WEXITSTATUS(status), pclose(f), text);
	return STATUS;
}

/* ---- hits ---- */

APART void before(void)
{
	sum++;
}

APART void after(void)
{
	sum++;
}

APART void handle(long time, long n)
{
	__asm__ volatile("" ::"r"(time), "r"(n));
}

static void *hit(void *n)
{
	for (long i = 1; i <= *(const long *)n; i++) {
		before();
		handle(0, i);
	}
	after();
	return NULL;
}

static int hits(long n, int in_thread)
{
	pthread_t thread;

	if (!in_thread)
		hit(&n);
	else if (pthread_create(&thread, NULL, hit, &n) || pthread_join(thread, NULL))
		return 1;
	printf("hits %ld\n", n);
	return STATUS;
}

static int library(void)
{
	if (!in_library)
		return 1;
	before();
	in_library(0, 1);
	after();
	puts("library");
	return STATUS;
}

/* ---- in step with who runs it ---- */

APART static void tick(long n)
{
	sum += n;
}

static void on_int(int sig)
{
	static const char text[] = "interrupted\n";

	(void)sig;
	if (write(1, text, sizeof(text) - 1) < 0)
		_exit(1);
}

static int paced(void)
{
	struct sigaction action = { .sa_handler = on_int, .sa_flags = SA_RESTART };
	char byte;

	sigaction(SIGINT, &action, NULL);
	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	for (long n = 1; read(0, &byte, 1) == 1; n++) {
		tick(n);
		printf("tick %ld\n", n);
		fflush(stdout);
	}
	return STATUS;
}

APART void leap(void)
{
	sum++;
}

APART void vault(void)
{
	sum--;
}

static int leaps(long n)
{
	static void (*const volatile all[])(void) = { leap, vault };

	for (long i = 0; i < n; i++)
		all[i % 2]();
	printf("leaps %ld\n", n);
	return STATUS;
}

static int ids(void)
{
	printf("ids %d %d\n", (int)getuid(), (int)geteuid());
	return STATUS;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	static const struct {
		const char *name;
		int (*run)(void);
	} simple[] = {
		{ "line", line },       { "jumps", jumps },  { "threads", threads },
		{ "fork", forks },      { "vfork", vforks }, { "system", shells },
		{ "library", library }, { "paced", paced },  { "ids", ids },
	};

	for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++)
		if (!strcmp(what, simple[i].name))
			return simple[i].run();
	if (!strcmp(what, "segv") || !strcmp(what, "abort"))
		first(!strcmp(what, "abort"));
	if (!strcmp(what, "exec") && argc > 2)
		return executes(argv + 2);
	if (!strcmp(what, "hits") || !strcmp(what, "thread-hits"))
		return hits(n, *what == 't');
	if (!strcmp(what, "leaps"))
		return leaps(n);
	return 2;
}
