/* SPDX-License-Identifier: MIT */
#include "dlfilter/addrs.h"

#define PAGE_SHIFT 12

uint32_t addrs_claim(struct addrs *a, int32_t pid, uint64_t addr, uint32_t but)
{
	uint32_t set = addrs_set(pid, addr), slot;

	for (uint32_t i = set; i < set + ADDRS_WAYS; i++)
		if (a->slots[i].checked && addr_is(&a->slots[i], pid, addr))
			return i;
	for (uint32_t i = set; i < set + ADDRS_WAYS; i++) {
		if (a->slots[i].checked == 0) {
			a->slots[i].addr = addr;
			a->slots[i].pid = pid;
			return i;
		}
	}
	slot = set + a->turn++ % ADDRS_WAYS;
	if (slot == but)
		slot = set + a->turn++ % ADDRS_WAYS;
	a->slots[slot] = (struct addr){ .addr = addr, .pid = pid };
	return slot;
}

static size_t page_index(int32_t pid, uint64_t page)
{
	return hash_mix(page ^ (uint64_t)(uint32_t)pid << 40, 0x9e3779b97f4a7c15u) % ADDRS_PAGES;
}

bool addrs_page_known(const struct addrs *a, int32_t pid, uint64_t addr, uint64_t *mapping)
{
	const struct addrs_page *p = &a->pages[page_index(pid, addr >> PAGE_SHIFT)];

	if (p->page != addr >> PAGE_SHIFT || p->pid != pid || p->checked != a->generation)
		return false;
	*mapping = p->mapping;
	return true;
}

void addrs_page_is(struct addrs *a, int32_t pid, uint64_t addr, uint64_t mapping)
{
	a->pages[page_index(pid, addr >> PAGE_SHIFT)] = (struct addrs_page){
		.page = addr >> PAGE_SHIFT,
		.mapping = mapping,
		.pid = pid,
		.checked = a->generation,
	};
}
