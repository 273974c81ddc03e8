/* SPDX-License-Identifier: MIT */
/* told: which mappings of a process a recording has been told of, so that each is told once. */
#ifndef MT_SOFT_TOLD_H
#define MT_SOFT_TOLD_H

#include "soft/perfdata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct told;

struct told *told_new(void) __attribute__((returns_nonnull));
void told_free(struct told *told);

/* What the child of a fork(2) has from its parent. */
struct told *told_copy(const struct told *told) __attribute__((returns_nonnull));

/* Whether it is new; then it is remembered, and those that it covers are forgotten. */
bool told_add(struct told *told, const struct perfdata_mapping *mapping);

/* The i-th of what is remembered, in no order; NULL: there are fewer. Until the next change. */
const struct perfdata_mapping *told_get(const struct told *told, size_t i);

/* Forgets those that have a byte of [start, start + size). */
void told_remove(struct told *told, uint64_t start, uint64_t size);

/* Forgets all. */
void told_clear(struct told *told);

#endif
