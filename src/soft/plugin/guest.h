/* SPDX-License-Identifier: MIT */
/*
 * guest: the memory of the program that QEMU runs, which is QEMU's own, at an offset. What the
 * program says of it (pointers) may be wrong: reading fails then.
 */
#ifndef MT_SOFT_PLUGIN_GUEST_H
#define MT_SOFT_PLUGIN_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies n bytes from an address of the program; base: QEMU's address of its address 0. */
bool guest_read(uint64_t base, uint64_t address, void *to, size_t n);

/* The text there, at most `limit` bytes; NULL: there is none. Free with free(). */
char *guest_text(uint64_t base, uint64_t address, size_t limit);

/* The array of texts there (as of execve(2)), ending in NULL; NULL: there is none. */
char **guest_texts(uint64_t base, uint64_t address);
void guest_free_texts(char **texts);

#endif
