/* SPDX-License-Identifier: MIT */
#include "soft/stepaim.h"

#include "base/xalloc.h"

#include <stdlib.h>

static bool is_there(const struct stepaims *aims, const struct stepaim *aim)
{
	for (size_t i = 0; i < aims->n; i++) {
		const struct stepaim *a = &aims->all[i];

		if (a->pid == aim->pid && a->address == aim->address && a->first == aim->first)
			return true;
	}
	return false;
}

void stepaims_add(struct stepaims *aims, const struct stepaim *aim)
{
	if (is_there(aims, aim))
		return;
	if (aims->n == aims->room) {
		aims->room = aims->room ? 2 * aims->room : 16;
		aims->all = xreallocarray(aims->all, aims->room, sizeof(*aims->all));
	}
	aims->all[aims->n++] = *aim;
}

bool stepaims_has(const struct stepaims *aims, pid_t pid, pid_t tid, uint64_t address)
{
	for (size_t i = 0; i < aims->n; i++) {
		const struct stepaim *a = &aims->all[i];

		if (a->address == address && a->pid == pid && (tid == pid || !a->first))
			return true;
	}
	return false;
}

void stepaims_fork(struct stepaims *aims, pid_t parent, pid_t child)
{
	for (size_t i = 0, n = aims->n; i < n; i++) {
		struct stepaim aim = aims->all[i];

		if (aim.pid != parent)
			continue;
		aim.pid = child;
		stepaims_add(aims, &aim);
	}
}

bool stepaims_drop(struct stepaims *aims, pid_t pid)
{
	size_t before = aims->n, left = 0;

	for (size_t i = 0; i < before; i++)
		if (aims->all[i].pid != pid)
			aims->all[left++] = aims->all[i];
	aims->n = left;
	return left < before;
}

void stepaims_fini(struct stepaims *aims)
{
	free(aims->all);
	*aims = (struct stepaims){ .n = 0 };
}
