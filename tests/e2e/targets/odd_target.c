/* SPDX-License-Identifier: MIT */
/*
 * A program that counts, checks that it has counted right, and does odd things meanwhile.
 *
 *   count [ROUNDS]    counts; without ROUNDS until SIGTERM
 *   name COMM         calls itself COMM, then counts until SIGTERM
 *   fork N            N children count 20 rounds each, and the parent until they end
 *   exec PROGRAM ARG  counts 20 rounds, then executes another program
 *   session ROUNDS    becomes the leader of a session of its own, then counts
 *   daemon FILE       its first process ends after 20 rounds, and leaves behind one that
 *                     counts until SIGTERM and writes to FILE
 *   crash             counts 20 rounds, then writes to address 0
 *   thread            a second thread; prints its id, then counts until SIGTERM
 *   zombie            a child that has ended and is not waited for
 *
 * SIGUSR1 makes it call marked() once.
 *
 * "ready PID" is printed before anything is counted (with "thread" and "zombie", the id of these),
 * "counted N" at the end when all is right, with exit status 0; otherwise the status is 1.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEAF      __attribute__((noinline, noclone))
#define PER_ROUND 100000u

static volatile sig_atomic_t over, asked;
static volatile uint64_t sum;
static volatile int *nowhere;

static void on_term(int sig)
{
	(void)sig;
	over = 1;
}

static void on_usr1(int sig)
{
	(void)sig;
	asked = 1;
}

LEAF static void marked(void)
{
	asked = 0;
}

LEAF static void count_round(void)
{
	for (uint32_t i = 1; i <= PER_ROUND; i++)
		sum += i;
}

/* Rounds: 0: until SIGTERM. What they must have added up to is known without counting. */
LEAF static int count(uint64_t rounds)
{
	uint64_t n = 0;

	sum = 0;
	while (rounds ? n < rounds : !over) {
		count_round();
		n++;
		if (asked)
			marked();
		/* others run meanwhile */
		if (!rounds)
			usleep(500);
	}
	if (sum != n * ((uint64_t)PER_ROUND * (PER_ROUND + 1) / 2)) {
		printf("counted wrong\n");
		return 1;
	}
	printf("counted %llu\n", (unsigned long long)n);
	return 0;
}

LEAF static void ready(long id)
{
	printf("ready %ld\n", id);
	fflush(stdout);
}

LEAF static int child_work(void)
{
	int status = count(20);

	fflush(stdout);
	return status;
}

LEAF static int parent_work(unsigned int n)
{
	int status, bad = 0;

	while (n) {
		count_round();
		if (waitpid(-1, &status, WNOHANG) <= 0)
			continue;
		n--;
		bad |= status;
	}
	return bad || count(1);
}

static int do_fork(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		if (fork() == 0)
			_exit(child_work());
	}
	return parent_work(n);
}

LEAF static int before_exec(char **argv)
{
	count(20);
	fflush(stdout);
	execv(argv[0], argv);
	return 1;
}

LEAF static int daemon_work(const char *path)
{
	int status;

	setsid();
	if (!freopen(path, "w", stdout))
		return 1;
	ready(getpid());
	status = count(0);
	fflush(stdout);
	return status;
}

static int do_daemon(const char *path)
{
	if (fork() == 0)
		_exit(daemon_work(path));
	return count(20);
}

LEAF static int crash(void)
{
	count(20);
	fflush(stdout);
	*nowhere = 1;
	return 1;
}

static void *second(void *arg)
{
	ready(syscall(SYS_gettid));
	for (;;)
		pause();
	return arg;
}

static int do_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, second, NULL))
		return 1;
	return count(0);
}

static void do_zombie(void)
{
	siginfo_t info;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	ready(pid);
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "count", *arg = argc > 2 ? argv[2] : "0";
	struct sigaction term = { .sa_handler = on_term }, usr1 = { .sa_handler = on_usr1 };

	sigaction(SIGTERM, &term, NULL);
	sigaction(SIGUSR1, &usr1, NULL);
	if (!strcmp(what, "name"))
		prctl(PR_SET_NAME, arg, 0, 0, 0);
	if (!strcmp(what, "session") && setsid() != getpid())
		return 1;
	if (!strcmp(what, "zombie"))
		do_zombie();
	else if (strcmp(what, "thread") != 0)
		ready(getpid());
	if (!strcmp(what, "fork"))
		return do_fork((unsigned int)number(arg));
	if (!strcmp(what, "exec"))
		return before_exec(argv + 2);
	if (!strcmp(what, "daemon"))
		return do_daemon(arg);
	if (!strcmp(what, "crash"))
		return crash();
	if (!strcmp(what, "thread"))
		return do_thread();
	return count(!strcmp(what, "count") || !strcmp(what, "session") ? number(arg) : 0);
}
