/* SPDX-License-Identifier: MIT */
/* branchtext: events as the text that perf script prints of them; not of sampled stacks. */
#ifndef MT_TESTS_SUPPORT_BRANCHTEXT_H
#define MT_TESTS_SUPPORT_BRANCHTEXT_H

#include "base/intern.h"
#include "event/event.h"
#include "support/random.h"

#include <stdarg.h>
#include <stdio.h>

struct branchtext {
	const struct intern *names;
	char *p;
	size_t n, cap;
};

static inline void __attribute__((format(printf, 2, 3)))
branchtext_add(struct branchtext *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->p + t->n, t->cap - t->n, format, args);
	va_end(args);
	MUST(n >= 0 && (size_t)n < t->cap - t->n);
	t->n += (size_t)n;
}

static inline void branchtext_place(struct branchtext *t, const struct location *loc)
{
	if (loc->sym == INTERN_NONE)
		branchtext_add(t, "%16llx [unknown] ([unknown])", (unsigned long long)loc->addr);
	else
		branchtext_add(t, "%16llx %s+0x%llx (%s)", (unsigned long long)loc->addr,
			       intern_str(t->names, loc->sym).p, (unsigned long long)loc->off,
			       intern_str(t->names, loc->dso).p);
}

static inline void branchtext_branch(struct branchtext *t, const struct event *ev)
{
	static const char *const states[] = { "", "tr strt ", "tr end  " };

	branchtext_add(t, "%14s:uH:   %s%s%s ", "1    branches", states[ev->branch.state],
		       branch_kind_word(ev->branch.kind), ev->in_tx ? " (x)" : "");
	branchtext_place(t, &ev->branch.src);
	branchtext_add(t, " => ");
	branchtext_place(t, &ev->branch.dst);
	branchtext_add(t, "\n");
}

static inline void branchtext_error(struct branchtext *t, const struct event *ev)
{
	branchtext_add(t, " instruction trace error type 1 ");
	if (ev->has_time)
		branchtext_add(t, "time %lld.%09lld ", (long long)(ev->time / 1000000000),
			       (long long)(ev->time % 1000000000));
	branchtext_add(t, "cpu -1 pid %d tid %d ip 0x%llx code %u: %s\n", ev->pid ? ev->pid : -1,
		       ev->tid ? ev->tid : -1, (unsigned long long)ev->error.ip, ev->error.code,
		       intern_str(t->names, ev->error.message).p);
}

static inline void branchtext_event(struct branchtext *t, const struct event *ev)
{
	if (ev->kind == EVENT_ERROR) {
		branchtext_error(t, ev);
		return;
	}
	branchtext_add(t, "%5d/%-5d %5lld.%09lld: ", ev->pid, ev->tid,
		       (long long)(ev->time / 1000000000), (long long)(ev->time % 1000000000));
	switch (ev->kind) {
	case EVENT_BRANCH: branchtext_branch(t, ev); break;
	case EVENT_EXTRA:
		branchtext_add(t, "%llu %s/period=50/u: 0 ", (unsigned long long)ev->extra.count,
			       intern_str(t->names, ev->extra.name).p);
		branchtext_place(t, &ev->extra.place);
		branchtext_add(t, "\n");
		break;
	case EVENT_CBR:
		branchtext_add(t, "1 cbr: cbr:  8 freq: %u MHz ( 28%%) 0 ", ev->cbr.mhz);
		branchtext_add(t, "%16llx [unknown] ([unknown])\n", 0ull);
		break;
	case EVENT_PTWRITE:
		branchtext_add(t, "1 ptwrite: IP: 0 payload: 0x%llx ",
			       (unsigned long long)ev->ptwrite.payload);
		branchtext_place(t, &ev->ptwrite.place);
		branchtext_add(t, "\n");
		break;
	case EVENT_SAMPLE:
	case EVENT_ERROR: break;
	}
}

#endif
