/* SPDX-License-Identifier: MIT */
/*
 * swapcontext: a generator that main resumes, then two contexts that resume one another.
 *
 * Spans:
 *	next	5	main
 *	generate	5	__swapcontext swapcontext
 *	two	*	generate
 *	yield	*	two
 *	players	1	main
 *	ping	*	__swapcontext swapcontext
 *	pong	*	__swapcontext swapcontext
 *	to_ping	*	pong
 *	to_pong	*	ping
 *	mark	18	next generate two yield players ping pong to_ping to_pong
 */
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

#define APART __attribute__((noipa))
#define SIZE  65536

static ucontext_t main_context, generator, a, b;
static volatile int value, sum;

APART static void mark(int i)
{
	sum += i;
}

APART static void yield(int v)
{
	value = v;
	swapcontext(&generator, &main_context);
	mark(1);
}

APART static void two(int v)
{
	yield(v);
	yield(v + 1);
}

APART static void generate(void)
{
	two(10);
	two(20);
	mark(2);
}

APART static int next(void)
{
	swapcontext(&main_context, &generator);
	mark(3);
	return value;
}

APART static void to_pong(void)
{
	swapcontext(&a, &b);
	mark(4);
}

APART static void to_ping(void)
{
	swapcontext(&b, &a);
	mark(5);
}

APART static void ping(void)
{
	for (int i = 0; i < 3; i++)
		to_pong();
	mark(6);
}

APART static void pong(void)
{
	for (;;) {
		to_ping();
		mark(7);
	}
}

APART static void players(void)
{
	swapcontext(&main_context, &a);
}

static void make(ucontext_t *context, void (*function)(void), char *stack)
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = SIZE;
	context->uc_link = &main_context;
	makecontext(context, function, 0);
}

int main(void)
{
	/* neighbours in one mapping */
	char *stacks = mmap(NULL, (size_t)3 * SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int got = 0;

	make(&generator, generate, stacks);
	make(&a, ping, stacks + SIZE);
	make(&b, pong, stacks + (size_t)2 * SIZE);
	for (int i = 0; i < 5; i++)
		got += next();
	players();
	printf("coro %d %d\n", got, sum);
	return 0;
}
