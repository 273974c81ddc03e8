/* SPDX-License-Identifier: MIT */
/*
 * psbs: where in the Intel PT data of a data file decoding can begin, and at what times: at packets
 * named PSB, a few kilobytes apart (Intel SDM, volume 3, "Packet Stream Boundary (PSB) Packet").
 *
 * Read from the file itself, as perf does (the kernel's tools/perf: util/intel-pt.c, and
 * Documentation/perf.data-file-format.txt); perf is not run.
 */
#ifndef MT_PERF_PSBS_H
#define MT_PERF_PSBS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct psb {
	int64_t time;   /* perf's clock, ns */
	uint64_t bytes; /* of PT data from it to the next PSB behind it */
};

struct psbs {
	struct psb *v; /* in the order of times; owned */
	size_t n;
	/*
	 * The times of branches are the same from wherever decoding begins. They are not where
	 * there are both MTC and CYC packets: perf then learns from the packets before how long a
	 * cycle takes.
	 */
	bool steady;
	bool per_thread; /* each buffer is of one thread, not of one CPU */
};

/* So many are kept at most; of more, some are left out in between. */
#define PSBS_MAX 65536u

/*
 * Reads a data file: a regular one, or the directory that perf record --kcore makes. 0 and *out
 * (free with psbs_fini), or -1 with err: it is damaged, not of this machine's byte order, has no
 * PT data with times of perf's clock, or cannot be read. With less than two PSBs it is no error.
 */
int psbs_read(const char *data, struct psbs *out, struct err *err);

void psbs_fini(struct psbs *psbs);

#endif
