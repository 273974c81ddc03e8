/* SPDX-License-Identifier: MIT */
/*
 * Fibers whose stacks, from malloc, are switched by a few instructions.
 *
 * Spans:
 *	run	9	main
 *	first	4	switch_to
 *	second	5	switch_to
 *	body	9	first second
 *	step	*	body
 *	back	*	step body
 *	mark	28	run step back
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noipa))
#define SIZE  ((size_t)16384)

/* Saves the stack pointer, with what a function has to keep below it, and takes another. */
void switch_to(void **save, void *to);
__asm__(".text\n"
	".globl switch_to\n"
	".type switch_to, @function\n"
	"switch_to:\n"
	"push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
	"mov %rsp, (%rdi)\n"
	"mov %rsi, %rsp\n"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
	"ret\n"
	".size switch_to, . - switch_to\n");

static void *main_sp, *fibers[2];
static volatile int sum, done;

APART static void mark(int i)
{
	sum += i;
}

APART static void back(int id)
{
	switch_to(&fibers[id], main_sp);
	mark(1);
}

APART static void step(int id)
{
	mark(2);
	back(id);
	mark(3);
}

APART static void body(int id)
{
	for (int i = 0; i < 3; i++)
		step(id);
	done++;
	for (;;)
		back(id);
}

APART static void first(void)
{
	body(0);
}

APART static void second(void)
{
	body(1);
}

static void make(int id, void (*function)(void))
{
	char *stack = malloc(SIZE);
	void **sp = (void **)(stack + SIZE - (uintptr_t)stack % 16);

	*--sp = NULL; /* where function would return to */
	*--sp = (void *)function;
	fibers[id] = sp - 6;
}

APART static void run(int id)
{
	switch_to(&main_sp, fibers[id]);
	mark(4);
}

int main(void)
{
	make(0, first);
	make(1, second);
	for (int i = 0; i < 9; i++)
		run(i % 2 ? 0 : 1);
	printf("fiber %d %d\n", sum, done);
	return 0;
}
