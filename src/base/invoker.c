/* SPDX-License-Identifier: MIT */
#include "base/invoker.h"

#include "base/num.h"
#include "base/str.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* -1 means "no change" to chown(2). */
static bool read_id(const char *name, uint32_t *id)
{
	const char *value = getenv(name);
	struct str s;
	uint64_t v;

	if (!value)
		return false;
	s = str_of(value);
	if (!num_dec(&s, &v) || s.n || v >= UINT32_MAX)
		return false;
	*id = (uint32_t)v;
	return true;
}

bool invoker_find(struct invoker *invoker)
{
	/* who is root only in effect was not started by sudo */
	if (getuid() != 0 || geteuid() != 0)
		return false;
	return read_id("SUDO_UID", &invoker->uid) && read_id("SUDO_GID", &invoker->gid) &&
	       invoker->uid != 0;
}

void invoker_give(int fd)
{
	struct invoker invoker;
	struct stat st;

	if (!invoker_find(&invoker) || fstat(fd, &st) < 0 || st.st_uid != 0)
		return;
	if (fchown(fd, invoker.uid, invoker.gid) < 0)
		return; /* nothing is lost: root has it */
}
