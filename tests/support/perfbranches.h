/* SPDX-License-Identifier: MIT */
/* perfbranches: the branches that perf script reads out of a perf.data file. */
#ifndef MT_TESTS_SUPPORT_PERFBRANCHES_H
#define MT_TESTS_SUPPORT_PERFBRANCHES_H

#include <check.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct perf_branch {
	int tid;
	uint64_t time, from, to; /* time in ns */
	char flags[32];          /* words with one space between */
};

struct perfbranches {
	struct perf_branch all[64];
	size_t n;
	char trouble[4096]; /* lines that are something else: errors, messages */
};

/* Whether there is a perf; says on whose behalf a test is skipped if not. */
static inline bool perfbranches_available(const char *test)
{
	if (system("perf version >/dev/null 2>&1") == 0)
		return true;
	printf("SKIP %s: there is no perf\n", test);
	return false;
}

/* FLAGS FROM => TO */
static inline void perfbranches_flags(struct perf_branch *b, const char *text)
{
	b->flags[0] = '\0';
	while (sscanf(text, "%" SCNx64 " => %" SCNx64, &b->from, &b->to) != 2) {
		size_t used = strlen(b->flags);
		int n = (int)strcspn(text, " ");

		ck_assert_msg(n > 0 && used + (size_t)n + 2 < sizeof(b->flags), "%s", text);
		snprintf(b->flags + used, sizeof(b->flags) - used, "%s%.*s", used ? " " : "", n,
			 text);
		text += n + (int)strspn(text + n, " ");
	}
}

/* "PID/TID SECONDS.NS: branches:uH: FLAGS FROM => TO", with more spaces. */
static inline void perfbranches_line(struct perfbranches *p, const char *line)
{
	uint64_t seconds, ns;
	struct perf_branch *b = &p->all[p->n];
	int at = 0;

	if (strstr(line, " psb:") || strstr(line, " cbr:"))
		return;
	ck_assert_uint_lt(p->n, sizeof(p->all) / sizeof(p->all[0]));
	if (sscanf(line, " %*d/%d %" SCNu64 ".%9" SCNu64 ": branches:uH: %n", &b->tid, &seconds,
		   &ns, &at) != 3 ||
	    at == 0) {
		strncat(p->trouble, line, sizeof(p->trouble) - strlen(p->trouble) - 1);
		return;
	}
	b->time = seconds * 1000000000 + ns;
	perfbranches_flags(b, line + at);
	p->n++;
}

/* Decodes the file at path, which has nothing that a shell minds. */
static inline void perfbranches_read(struct perfbranches *p, const char *path)
{
	char command[700], line[1000];
	FILE *out;

	memset(p, 0, sizeof(*p));
	snprintf(command, sizeof(command),
		 "perf script -i %s --itrace=bep --ns -F pid,tid,time,flags,ip,addr,event 2>&1",
		 path);
	out = popen(command, "r");
	ck_assert_ptr_nonnull(out);
	while (fgets(line, sizeof(line), out))
		perfbranches_line(p, line);
	ck_assert_int_eq(pclose(out), 0);
}

#endif
