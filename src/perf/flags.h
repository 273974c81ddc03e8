/* SPDX-License-Identifier: MIT */
/*
 * flags: the column that says what kind of branch it was.
 *
 * Read as a grammar, since new versions of perf combine the parts anew:
 *
 *	["tr strt" | "tr end"] [TYPE] ["/" EVENTS "/"] ["(" STATES ")"]
 *
 * perf writes it in sample_flags_to_name() and perf_sample__sprintf_flags(),
 * tools/perf/util/trace-event-scripting.c in the kernel's sources.
 */
#ifndef MT_PERF_FLAGS_H
#define MT_PERF_FLAGS_H

#include "base/str.h"
#include "event/event.h"

#include <stdint.h>

#include <stdbool.h>

struct flags {
	enum branch_kind kind; /* BRANCH_NONE for "tr strt jmp": any trace start is a jump */
	enum trace_state state;
	bool in_tx;
};

/*
 * Takes the column and the blanks around it off *s; what is next begins with a hex digit, as the
 * address that must be there does. A column that is empty or not printed at all is BRANCH_NONE.
 * false when a word is not known; *s is then as it was.
 */
bool flags_read(struct str *s, struct flags *flags);

/*
 * The same from the bits of which perf makes the column (PERF_IP_FLAG_*, tools/perf/util/event.h;
 * those that only newer versions have say nothing to us). false when they are no branch's.
 */
bool flags_of_bits(uint32_t bits, struct flags *flags);

#endif
