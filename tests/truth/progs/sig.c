/* SPDX-License-Identifier: MIT */
/*
 * Signals: raised, nested, on another stack, of a fault, left by siglongjmp, and of a timer.
 *
 * Spans:
 *	sends	10	main guarded
 *	guarded	4	main
 *	faulty	2	main
 *	fault	2	faulty
 *	on_usr1	2	*
 *	on_usr2	8	*
 *	on_hup	2	*
 *	on_int	2	*
 *	on_quit	2	*
 *	on_segv	2	fault
 *	on_alrm	1	spin mark main
 *	leave	6	on_int on_quit on_segv
 *	note	23	on_usr1 on_usr2 on_hup on_int on_quit on_segv on_alrm
 *	mark	*	sends guarded faulty spin
 *	spin	*	main
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define APART __attribute__((noipa))

static sigjmp_buf place;
static volatile int sum;
static volatile sig_atomic_t ticked;

APART static void mark(int i)
{
	sum += i;
}

APART static void note(int sig)
{
	sum += sig;
}

APART static void on_usr2(int sig)
{
	note(sig);
}

/* as on_hup does on the other stack: */
APART static void on_usr1(int sig)
{
	note(sig);
	raise(SIGUSR2);
	note(sig);
}

APART static void on_hup(int sig)
{
	note(sig);
	raise(SIGUSR2);
	note(sig);
}

APART static void leave(void)
{
	siglongjmp(place, 1);
}

APART static void on_int(int sig)
{
	note(sig);
	leave();
}

APART static void on_quit(int sig)
{
	note(sig);
	leave();
}

APART static void on_segv(int sig)
{
	note(sig);
	leave();
}

APART static void on_alrm(int sig)
{
	note(sig);
	ticked = 1;
}

APART static void sends(int sig)
{
	raise(sig);
	mark(1);
}

APART static void guarded(int sig)
{
	if (sigsetjmp(place, 1) == 0)
		sends(sig);
	else
		mark(2);
}

APART static void fault(void)
{
	volatile int *volatile nowhere = NULL;

	*nowhere = 1; /* NOLINT(clang-analyzer-core.NullDereference): that is the test */
	mark(3);
}

APART static void faulty(void)
{
	if (sigsetjmp(place, 1) == 0)
		fault();
	else
		mark(4);
}

APART static void spin(void)
{
	for (int i = 0; i < 20; i++)
		if (i % 4 == 0)
			mark(0);
}

static void handle(int sig, void (*handler)(int), int flags)
{
	const struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(sig, &action, NULL);
}

int main(void)
{
	const stack_t other = { .ss_sp = malloc(65536), .ss_size = 65536 };
	const struct itimerval soon = { .it_value.tv_usec = 1000 };

	sigaltstack(&other, NULL);
	handle(SIGUSR1, on_usr1, 0);
	handle(SIGUSR2, on_usr2, 0);
	handle(SIGHUP, on_hup, SA_ONSTACK);
	handle(SIGINT, on_int, 0);
	handle(SIGQUIT, on_quit, SA_ONSTACK);
	handle(SIGSEGV, on_segv, SA_ONSTACK);
	handle(SIGALRM, on_alrm, 0);
	for (int i = 0; i < 2; i++) {
		sends(SIGUSR2);
		guarded(SIGINT);
		guarded(SIGQUIT);
		faulty();
		sends(i ? SIGUSR1 : SIGHUP);
		sends(SIGUSR2);
		if (i == 0)
			raise(SIGUSR1);
		else
			raise(SIGHUP);
	}
	printf("sig %d\n", sum);
	setitimer(ITIMER_REAL, &soon, NULL);
	while (!ticked)
		spin();
	return 0;
}
