/* SPDX-License-Identifier: MIT */
/*
 * texts [CASES [SEED]]: the small texts that the kernel and tools give us: /proc/PID/maps, lists of
 * CPUs, perf's version, what perf complains of. The first byte says which one the others are.
 */
#include "base/procmaps.h"
#include "base/xalloc.h"
#include "perf/complaint.h"
#include "perf/evname.h"
#include "perf/head.h"
#include "perf/version.h"
#include "record/cpus.h"
#include "support/fuzz.h"
#include "symbol/jitdump.h"
#include "symbol/maps.h"

static void check_maps(struct str text)
{
	struct procmaps maps;

	procmaps_parse(&maps, text);
	for (size_t i = 0; i < maps.n; i++) {
		const struct mapping *m = &maps.all[i];

		MUST(m->start < m->end && m->offset <= UINT64_MAX - (m->end - m->start));
		MUST(mapping_path(m).n <= strlen(m->path) && strlen(m->path) <= text.n);
		jitdump_is(mapping_path(m));
		/* those that do not overlap are found */
		if (procmaps_find(&maps, m->start))
			MUST(procmaps_find(&maps, m->start)->start <= m->start);
		procmaps_find(&maps, m->end);
	}
	procmaps_fini(&maps);
}

static void check_cpus(const char *text)
{
	int cpus[64];
	size_t n = cpus_parse(text, cpus, 64);

	MUST(n <= 64);
	for (size_t i = 0; i < n; i++)
		MUST(cpus[i] >= 0);
}

static void check_version(struct str text)
{
	struct perf_version version;

	if (!perf_version_parse(&version, text))
		return;
	MUST(strlen(version.text) < sizeof(version.text) && strlen(version.text) <= text.n);
	MUST(perf_version_at_least(&version, version.major, version.minor));
}

static void take_line(void *ctx, struct str line)
{
	size_t *bytes = ctx;

	MUST(line.n <= COMPLAINT_MAX && !memchr(line.p, '\n', line.n));
	*bytes += line.n;
}

static void check_complaints(struct str text, bool pieces)
{
	size_t bytes = 0;
	struct complaints c = {
		.mode = pieces ? PERF_PT : PERF_SAMPLING,
		.on_line = take_line,
		.ctx = &bytes,
	};

	for (size_t i = 0; i < text.n && pieces; i++)
		complaints_add(&c, text.p + i, 1);
	if (!pieces)
		complaints_add(&c, text.p, text.n);
	complaints_end(&c);
	MUST(bytes <= text.n);
	MUST(strlen(c.telling) < sizeof(c.telling) && strlen(c.last) < sizeof(c.last));
	MUST(c.hint || !c.telling[0]);
}

static void check_head(struct str line)
{
	static struct head_memory memory;
	struct head h;
	struct str name;

	if (head_read_comm(line, &h))
		MUST(h.rest.n <= line.n && h.time >= 0);
	/* what was read before must not show */
	if (head_read(&memory, line, &h)) {
		struct head_memory none = { 0 };
		struct head again;

		MUST(head_read(&none, line, &again));
		MUST(h.pid == again.pid && h.tid == again.tid && h.time == again.time);
		MUST(h.period == again.period && h.rest.p == again.rest.p);
		name = evname_strip(h.event);
		MUST(name.n <= h.event.n);
		evname_class(name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	uint64_t choice = fuzz_take(&bytes, 1);
	char *copy = fuzz_text(bytes.p, bytes.n);
	struct str text = { .p = copy, .n = bytes.n };

	switch (choice % 6) {
	case 0: check_maps(text); break;
	case 1: check_cpus(copy); break;
	case 2: check_version(text); break;
	case 3: check_head(text); break;
	default: check_complaints(text, choice & 1);
	}
	free(copy);
	return 0;
}

FUZZ_MAIN("texts", 20000)
