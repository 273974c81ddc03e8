/* SPDX-License-Identifier: MIT */
/*
 * addrs: what perf said of addresses, so that it is asked once for each.
 *
 * What lies at an address changes when a library is unloaded and another one loaded in its place.
 * When anything may have changed, all entries are doubted (addrs_doubt). A doubted entry is good
 * again when its page still holds the same part of the same file: perf is asked once for each page
 * rather than for each address.
 */
#ifndef MT_DLFILTER_ADDRS_H
#define MT_DLFILTER_ADDRS_H

#include "base/hash.h"
#include "dlfilter/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDRS_WAYS 4u
#define ADDRS_NONE UINT32_MAX

struct addr {
	uint64_t addr;
	uint64_t start;   /* of its function; not to be looked at without a name */
	uint64_t name;    /* a hash of the names of symbol and DSO; 0: no symbol */
	uint64_t mapping; /* a hash of what decides what lies there; see addrs_page */
	int32_t pid;
	uint32_t checked; /* good while it is the generation; 0: never was */
};

struct addrs_page {
	uint64_t page;
	uint64_t mapping;
	int32_t pid;
	uint32_t checked;
};

#define ADDRS_PAGES 4096u

struct addrs {
	uint32_t generation; /* counts doubts, from 1 */
	uint32_t turn;
	struct addrs_page pages[ADDRS_PAGES];
	struct addr slots[WIRE_SLOTS];
};

/* Of zeroed memory. */
static inline void addrs_init(struct addrs *a)
{
	a->generation = 1;
}

/* All that is known may be wrong from now on. */
static inline void addrs_doubt(struct addrs *a)
{
	a->generation++;
}

/* The first of the slots in which an address may be. */
static inline uint32_t addrs_set(int32_t pid, uint64_t addr)
{
	uint64_t h = hash_mix(addr ^ (uint64_t)(uint32_t)pid << 40, 0x9e3779b97f4a7c15u);

	return (uint32_t)(h % (WIRE_SLOTS / ADDRS_WAYS)) * ADDRS_WAYS;
}

static inline bool addr_is(const struct addr *e, int32_t pid, uint64_t addr)
{
	return e->addr == addr && e->pid == pid;
}

/* The slot of an address about which there is no doubt, or ADDRS_NONE. */
static inline uint32_t addrs_find(const struct addrs *a, int32_t pid, uint64_t addr)
{
	uint32_t set = addrs_set(pid, addr);

	for (uint32_t i = set; i < set + ADDRS_WAYS; i++)
		if (addr_is(&a->slots[i], pid, addr) && a->slots[i].checked == a->generation)
			return i;
	return ADDRS_NONE;
}

/*
 * The slot of an address that addrs_find did not find: its own, doubted, or else another one that
 * it takes over (checked is 0 then), but not the slot `but`. The caller sets what is not set.
 */
uint32_t addrs_claim(struct addrs *a, int32_t pid, uint64_t addr, uint32_t but);

/* The mapping of the address's page if perf was asked for it in this generation: true. */
bool addrs_page_known(const struct addrs *a, int32_t pid, uint64_t addr, uint64_t *mapping);

/* To be told what perf has said. */
void addrs_page_is(struct addrs *a, int32_t pid, uint64_t addr, uint64_t mapping);

#endif
