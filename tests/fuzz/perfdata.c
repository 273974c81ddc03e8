/* SPDX-License-Identifier: MIT */
/*
 * perfdata [CASES [SEED]]: any bytes as a data file of perf record: what it says of mappings, and
 * where its PT data can be decoded from. What is told is within its bounds.
 */
#include "perf/mmaps.h"
#include "perf/psbs.h"
#include "support/fuzz.h"

struct told {
	const uint8_t *data;
	size_t size, n;
};

static void take_mapping(void *ctx, const struct mmaps_mapping *mapping)
{
	struct told *told = ctx;

	told->n++;
	MUST(mapping->start < mapping->end);
	MUST(mapping->pid >= -1);
	MUST(mapping->build_id.n <= MMAPS_BUILD_ID_MAX);
	MUST(mapping->path.n < told->size && !memchr(mapping->path.p, '\0', mapping->path.n));
}

static void take_fork(void *ctx, int32_t pid, int32_t parent)
{
	struct told *told = ctx;

	told->n++;
	MUST(pid >= 0 && parent >= 0 && pid != parent);
}

static void take_build_id(void *ctx, struct str path, const struct mmaps_build_id *id)
{
	struct told *told = ctx;

	told->n++;
	MUST(id->n > 0 && id->n <= MMAPS_BUILD_ID_MAX);
	MUST(path.n < told->size);
}

static void check_psbs(const char *path, size_t size)
{
	struct psbs psbs = { 0 };
	struct err err = ERR_INIT;
	uint64_t bytes = 0;

	if (psbs_read(path, &psbs, &err) < 0) {
		MUST(err.msg[0] != '\0');
		return;
	}
	MUST(psbs.n <= PSBS_MAX);
	for (size_t i = 0; i < psbs.n; i++) {
		MUST(i == 0 || psbs.v[i - 1].time <= psbs.v[i].time);
		bytes += psbs.v[i].bytes;
	}
	MUST(bytes <= size);
	psbs_fini(&psbs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_file file = fuzz_file(data, size);
	struct told told = { data, size, 0 };
	struct mmaps_sink sink = { &told, take_mapping, take_fork, take_build_id };
	struct err err = ERR_INIT;

	if (mmaps_read(file.path, &sink, &err) < 0)
		MUST(err.msg[0] != '\0');
	/* each is of some bytes of the file */
	MUST(told.n <= size / 8);
	check_psbs(file.path, size);
	close(file.fd);
	return 0;
}

FUZZ_MAIN("perfdata", 20000)
