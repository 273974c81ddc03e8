/* SPDX-License-Identifier: MIT */
/*
 * Fibers of two kinds that are switched by hand, each waiting in the same function however deep it
 * is; they end at different times, and are never gone back to.
 *
 * Spans:
 *	plain	*	swap
 *	nested	*	swap
 *	down	*	plain nested down
 *	wait	*	plain nested down
 *	goes_on	69	main
 *	mark	*	*
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define APART  __attribute__((noipa))
#define FIBERS 6

/* Saves where it is left in *from, and goes on where `to` was left. */
void swap(void **from, void *to);

__asm__(".text\n"
	".globl swap\n"
	".type swap, @function\n"
	"swap:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n"
	".size swap, .-swap\n");

static _Alignas(16) char stacks[FIBERS][16384];
static void *scheduler, *left[FIBERS];
static int current, ended[FIBERS];
static volatile int sum;

APART static void mark(int i)
{
	sum += i;
}

APART static void wait(void)
{
	swap(&left[current], scheduler);
}

APART static void down(int n)
{
	mark(n);
	if (n)
		down(n - 1);
	wait();
	mark(1);
}

APART static void plain(void)
{
	down(current % 4);
	ended[current] = 1;
	wait();
	abort();
}

APART static void nested(void)
{
	mark(8);
	down(1);
	wait();
	ended[current] = 1;
	wait();
	abort();
}

/* As if it had been left at the beginning of its function. */
APART static void begin(int i)
{
	void (*run)(void) = i % 2 ? plain : nested;
	uintptr_t *top = (uintptr_t *)(stacks[i] + sizeof(stacks[i])) - 2;

	*--top = (uintptr_t)run;
	left[i] = top - 2;
	ended[i] = 0;
}

APART static void goes_on(int i)
{
	current = i;
	swap(&scheduler, left[i]);
	mark(4);
}

APART static int running(void)
{
	int n = 0;

	for (int i = 0; i < FIBERS; i++)
		n += !ended[i];
	return n;
}

int main(void)
{
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < FIBERS; i++)
			begin(i);
		while (running())
			for (int i = 0; i < FIBERS; i++)
				if (!ended[i])
					goes_on(i);
	}
	printf("fibers %d\n", sum);
	return 0;
}
