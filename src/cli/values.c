/* SPDX-License-Identifier: MIT */
#include "cli/values.h"

#include "base/num.h"
#include "base/str.h"
#include "base/xalloc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NS_PER_S UINT64_C(1000000000)

void pid_list_fini(struct pid_list *list)
{
	free(list->pids);
	*list = (struct pid_list){ .n = 0 };
}

/* What a unit stands for, as a power of two; -1: nothing. */
static int unit_shift(const char *unit)
{
	static const char *const units[] = { "", "k", "m", "g", "t" };

	for (int i = 0; i < 5; i++) {
		size_t n = strlen(units[i]);

		if (strncasecmp(unit, units[i], n) != 0)
			continue;
		if (!unit[n] || !strcasecmp(unit + n, "b") || (i && !strcasecmp(unit + n, "ib")))
			return 10 * i;
	}
	return -1;
}

int value_size(const char *text, uint64_t *out, struct err *err)
{
	struct str s = str_of(text);
	uint64_t n;
	int shift;

	if (!num_dec(&s, &n) || n == 0 || (shift = unit_shift(s.p)) < 0 || n > UINT64_MAX >> shift)
		return err_set(err, "'%s' is no size: 4096, 512K, 64M or 1G are", text);
	*out = n << shift;
	return 0;
}

int value_seconds(const char *text, uint64_t *out, struct err *err)
{
	struct str s = str_of(text);
	uint64_t whole = 0, part = 0, scale = NS_PER_S;
	bool good = num_dec(&s, &whole);

	if (good && s.n && *s.p == '.') {
		s.p++;
		s.n--;
		good = s.n > 0;
		/* what is less than a nanosecond is dropped */
		for (; s.n && *s.p >= '0' && *s.p <= '9'; s.p++, s.n--) {
			scale /= 10;
			part += (uint64_t)(*s.p - '0') * scale;
		}
	}
	if (!good || s.n || whole > INT64_MAX / NS_PER_S - 1 || whole * NS_PER_S + part == 0)
		return err_set(err, "'%s' is no time in seconds: 5 or 0.25 are", text);
	*out = whole * NS_PER_S + part;
	return 0;
}

int value_fd(const char *text, int *out, struct err *err)
{
	struct str s = str_of(text);
	uint64_t n;
	int mode;

	if (!num_dec(&s, &n) || s.n || n > INT32_MAX)
		return err_set(err, "'%s' is no number of a file descriptor", text);
	mode = fcntl((int)n, F_GETFL);
	if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY) {
		err_set(err, "file descriptor %s is not open for writing", text);
		return err_hint(err, "a shell opens it with, say, %s>ready", text);
	}
	*out = (int)n;
	return 0;
}

int value_pids(const char *text, struct pid_list *out, struct err *err)
{
	struct str s = str_of(text);
	struct pid_list list = { .n = 0 };
	uint64_t pid;

	for (;;) {
		if (!num_dec(&s, &pid) || pid == 0 || pid > INT32_MAX ||
		    (s.n && (*s.p != ',' || s.n == 1))) {
			pid_list_fini(&list);
			return err_set(err,
				       "'%s' is no process id, nor several with commas "
				       "between them",
				       text);
		}
		list.pids = xreallocarray(list.pids, list.n + 1, sizeof(*list.pids));
		list.pids[list.n++] = (pid_t)pid;
		if (!s.n)
			break;
		s.p++;
		s.n--;
	}
	pid_list_fini(out);
	*out = list;
	return 0;
}

int value_events(const char *text, struct extra_events *out, struct err *err)
{
	struct extra_events events = { .branch_misses = false };

	for (const char *p = text;; p++) {
		size_t n = strcspn(p, ",");
		struct str name = { .p = p, .n = n };

		if (str_eq(name, str_of("branch-misses")))
			events.branch_misses = true;
		else if (str_eq(name, str_of("cache-misses")))
			events.cache_misses = true;
		else
			return err_set(err,
				       "'%.*s' is no event that can be recorded: "
				       "branch-misses and cache-misses are",
				       (int)(n < 64 ? n : 64), p);
		p += n;
		if (!*p)
			break;
	}
	*out = events;
	return 0;
}

int value_depth(const char *text, uint32_t *out, struct err *err)
{
	struct str s = str_of(text);
	uint64_t depth;

	if (!strcmp(text, "none")) {
		*out = 0;
		return 0;
	}
	if (!num_dec(&s, &depth) || s.n || depth == 0 || depth > UINT32_MAX)
		return err_set(err, "'%s' is no number from 1 to %u, nor none", text, UINT32_MAX);
	*out = (uint32_t)depth;
	return 0;
}
