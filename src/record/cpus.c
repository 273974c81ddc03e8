/* SPDX-License-Identifier: MIT */
#include "record/cpus.h"

#include "base/num.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

/* "5" or "8-11" off s. */
static bool read_range(struct str *s, uint64_t *first, uint64_t *last)
{
	if (!num_dec(s, first))
		return false;
	*last = *first;
	if (!str_starts(*s, STR("-")))
		return true;
	*s = str_skip(*s, 1);
	return num_dec(s, last) && *last >= *first;
}

size_t cpus_parse(const char *text, int *cpus, size_t max)
{
	struct str s = str_of(text);
	uint64_t first, last;
	size_t n = 0;

	for (;;) {
		if (!read_range(&s, &first, &last) || last > INT_MAX)
			return 0;
		for (; first <= last && n < max; first++)
			cpus[n++] = (int)first;
		if (!str_starts(s, STR(",")))
			break;
		s = str_skip(s, 1);
	}
	return s.n == 0 || str_eq(s, STR("\n")) ? n : 0;
}

size_t cpus_online(int *cpus, size_t max)
{
	int fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t got = -1;
	size_t n;
	long count;

	if (fd >= 0) {
		got = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (got > 0) {
		text[got] = '\0';
		n = cpus_parse(text, cpus, max);
		if (n)
			return n;
	}
	/* No sysfs: they are numbered without gaps, as far as we can know. */
	count = sysconf(_SC_NPROCESSORS_ONLN);
	for (n = 0; n < max && (long)n < (count < 1 ? 1 : count); n++)
		cpus[n] = (int)n;
	return n;
}
