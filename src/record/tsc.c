/* SPDX-License-Identifier: MIT */
#include "record/tsc.h"

#include "record/clock.h"

#define MEASURE_AGAIN 100000000 /* ns */

void tsc_clock_page(struct tsc_clock *clock, const struct perf_event_mmap_page *page)
{
	uint32_t lock;
	int tries = 1000;

	/* linux/perf_event.h: lock is odd, or changes, while the kernel writes. */
	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		clock->exact = page->cap_user_time_zero && page->time_mult && page->time_shift < 64;
		clock->zero = page->time_zero;
		clock->mult = page->time_mult;
		clock->shift = page->time_shift;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while ((lock & 1 || lock != __atomic_load_n(&page->lock, __ATOMIC_RELAXED)) && --tries);
	if (tries == 0)
		clock->exact = false;
}

void tsc_clock_moment(struct tsc_clock *clock, const struct tsc_moment *moment)
{
	if (clock->n_moments == 0) {
		clock->first = *moment;
		clock->n_moments = 1;
	} else if (moment->tsc > clock->first.tsc && moment->time > clock->first.time) {
		clock->last = *moment;
		clock->n_moments = 2;
	}
}

void tsc_clock_measure(struct tsc_clock *clock, int64_t time)
{
	struct tsc_moment moment;

	if (clock->exact)
		return;
	if (clock->n_moments == 2 && time < clock->last.time + MEASURE_AGAIN)
		return;
	if (perf_clock_tsc(&moment.tsc, &moment.time, &moment.error) == 0)
		tsc_clock_moment(clock, &moment);
}

static bool fits(__int128 v)
{
	return v >= 0 && v < INT64_MAX;
}

bool tsc_clock_time(const struct tsc_clock *clock, uint64_t tsc, int64_t *time)
{
	const struct tsc_moment *a = &clock->first, *b = &clock->last;
	__int128 t;

	if (clock->exact) {
		/* time_zero is below 0 when the counter began before the clock */
		t = (__int128)(int64_t)clock->zero +
		    (__int128)((unsigned __int128)tsc * clock->mult >> clock->shift);
	} else if (clock->n_moments == 2) {
		t = (__int128)tsc - b->tsc;
		t = b->time + t * (b->time - a->time) / (__int128)(b->tsc - a->tsc);
	} else {
		return false;
	}
	if (!fits(t))
		return false;
	*time = (int64_t)t;
	return true;
}

bool tsc_clock_tsc(const struct tsc_clock *clock, int64_t time, uint64_t *tsc)
{
	const struct tsc_moment *a = &clock->first, *b = &clock->last;
	__int128 c;

	if (clock->exact) {
		c = ((__int128)(int64_t)((uint64_t)time - clock->zero) << clock->shift) /
		    clock->mult;
	} else if (clock->n_moments == 2) {
		c = (__int128)time - b->time;
		c = b->tsc + c * (__int128)(b->tsc - a->tsc) / (b->time - a->time);
	} else {
		return false;
	}
	if (!fits(c))
		return false;
	*tsc = (uint64_t)c;
	return true;
}

int64_t tsc_clock_error(const struct tsc_clock *clock)
{
	if (clock->exact || clock->n_moments < 2)
		return 0;
	return clock->first.error + clock->last.error;
}
