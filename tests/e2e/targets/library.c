/* SPDX-License-Identifier: MIT */
/* The library of caller.c. */
#include <stdint.h>

void in_library(uint64_t start, uint64_t number);

static volatile uint64_t sum;

/* There is another one of this name in caller.c. */
__attribute__((noinline)) static uint64_t twin(uint64_t number)
{
	return sum ^ number;
}

__attribute__((noinline)) void in_library(uint64_t start, uint64_t number)
{
	sum += start ^ twin(number);
}
