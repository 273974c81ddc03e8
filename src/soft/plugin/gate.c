/* SPDX-License-Identifier: MIT */
#include "soft/plugin/gate.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0) == 0;
}

static void nap(long ns)
{
	const struct timespec t = { .tv_nsec = ns };

	nanosleep(&t, NULL);
}

void gate_init(struct gate *gate)
{
	*gate = (struct gate){ .state = GATE_OPEN };
	pthread_mutex_init(&gate->closing, NULL);
	gate->barrier = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

bool gate_wait(struct gate *gate, atomic_bool *inside)
{
	for (;;) {
		gate_leave(inside);
		if (atomic_load(&gate->state) == GATE_OVER)
			return false;
		pthread_mutex_lock(&gate->closing);
		pthread_mutex_unlock(&gate->closing);
		atomic_store(inside, true);
		if (atomic_load(&gate->state) == GATE_OPEN)
			return true;
	}
}

bool gate_close(struct gate *gate)
{
	int open = GATE_OPEN;

	if (atomic_load(&gate->state) == GATE_OVER)
		return false;
	pthread_mutex_lock(&gate->closing);
	if (!atomic_compare_exchange_strong(&gate->state, &open, GATE_CLOSED)) {
		pthread_mutex_unlock(&gate->closing);
		return false;
	}
	/* without it: long enough for any CPU to have made its stores visible */
	if (!gate->barrier || !membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
		nap(10000000);
	return true;
}

void gate_await(const atomic_bool *inside)
{
	while (atomic_load(inside))
		nap(50000);
}

void gate_open(struct gate *gate)
{
	atomic_store(&gate->state, GATE_OPEN);
	pthread_mutex_unlock(&gate->closing);
}

void gate_end(struct gate *gate)
{
	atomic_store(&gate->state, GATE_OVER);
	pthread_mutex_unlock(&gate->closing);
}
