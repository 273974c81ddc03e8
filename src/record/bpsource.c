/* SPDX-License-Identifier: MIT */
#include "record/bpsource.h"

#include "record/breakpoint.h"

static int hits_add(void *self, pid_t pid, uint64_t address, bool all_threads, struct err *err)
{
	return breakpoints_add(self, pid, address, all_threads, err);
}

static void hits_arm(void *self)
{
	breakpoints_enable(self, true);
}

static void hits_disarm(void *self)
{
	breakpoints_disable(self);
}

static int hits_fd(const void *self)
{
	return breakpoints_fd(self);
}

static size_t hits_read(void *self, struct hit *hits, size_t max)
{
	return breakpoints_read(self, hits, max);
}

static bool hits_executed(void *self, pid_t *pid)
{
	return breakpoints_exec(self, pid);
}

static void hits_free(void *self)
{
	breakpoints_free(self);
}

struct hit_source bpsource_new(void)
{
	static const struct hit_source_ops ops = {
		.add = hits_add,
		.arm = hits_arm,
		.disarm = hits_disarm,
		.fd = hits_fd,
		.read = hits_read,
		.executed = hits_executed,
		.free = hits_free,
	};

	return (struct hit_source){ .ops = &ops, .self = breakpoints_new() };
}
