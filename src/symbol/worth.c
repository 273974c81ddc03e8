/* SPDX-License-Identifier: MIT */
#include "symbol/worth.h"

#define UNDERSCORES_MAX 15
#define LENGTH_MAX      0xffff

uint32_t worth_of_name(const char *name, size_t n)
{
	uint32_t underscores = 0;

	while (underscores < n && underscores < UNDERSCORES_MAX && name[underscores] == '_')
		underscores++;
	return (UNDERSCORES_MAX - underscores) << 16 | (uint32_t)(n < LENGTH_MAX ? n : LENGTH_MAX);
}
