/* SPDX-License-Identifier: MIT */
/*
 * Contexts: with exceptions inside, and interrupted by signals.
 *
 * Spans:
 *	throws	4	fails
 *	fails	4	body
 *	sends	4	body
 *	on_usr1	4	*
 *	note	4	on_usr1
 *	pause_here	*	body
 *	resumes	6	main
 */
#include <csignal>
#include <cstdio>
#include <ucontext.h>

#define APART __attribute__((noipa))

namespace
{

ucontext_t back, inside[2];
char stacks[2][65536];
volatile int sum, current;

APART void note(int sig)
{
	sum += sig;
}

APART void on_usr1(int sig)
{
	note(sig);
}

APART void throws(int n)
{
	throw n;
}

APART void fails(int n)
{
	try {
		throws(n);
	} catch (int thrown) {
		sum += thrown;
	}
}

APART void sends()
{
	raise(SIGUSR1);
}

APART void pause_here()
{
	swapcontext(&inside[current], &back);
}

APART void body()
{
	for (int i = 0; i < 2; i++) {
		fails(i);
		sends();
		pause_here();
	}
}

APART void resumes(int i)
{
	current = i;
	swapcontext(&back, &inside[i]);
}

} // namespace

int main()
{
	signal(SIGUSR1, on_usr1);
	for (int i = 0; i < 2; i++) {
		getcontext(&inside[i]);
		inside[i].uc_stack.ss_sp = stacks[i];
		inside[i].uc_stack.ss_size = sizeof(stacks[i]);
		inside[i].uc_link = &back;
		makecontext(&inside[i], body, 0);
	}
	for (int n = 0; n < 3; n++)
		for (int i = 0; i < 2; i++)
			resumes(i);
	std::printf("ctx %d\n", sum);
	return 0;
}
