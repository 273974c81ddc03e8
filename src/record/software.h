/* SPDX-License-Identifier: MIT */
/*
 * software: records without Intel PT: an engine executes the program and writes what PT would have
 * written. Chooses the engine, and starts what it needs.
 */
#ifndef MT_RECORD_SOFTWARE_H
#define MT_RECORD_SOFTWARE_H

#include "base/err.h"
#include "record/hit.h"
#include "record/listener.h"
#include "record/options.h"
#include "record/plan.h"
#include "record/tracer.h"
#include "record/workdir.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct software;

/* All is borrowed. */
struct software_config {
	const struct record_options *options;
	const struct plan *plan; /* of BACKEND_SOFTWARE */
	struct workdir *dir;
	const struct listener *listener;
};

/*
 * Chooses the engine: QEMU for a program that is run, unless options ask for steps, or it is not
 * there or cannot run it: then the listener is warned, and it is single steps. -1 with err: QEMU
 * was asked for and cannot; or the program would lose rights that it gets by being executed.
 */
int software_open(const struct software_config *config, struct software **software,
		  struct err *err);

/*
 * Whether the program is run under QEMU: then software_command is what is to be run. NULL, as it is
 * when perf records, is no emulation.
 */
bool software_is_emulation(const struct software *software);

/* Whether two runs are to be the same. Not with NULL. */
bool software_is_reproducible(const struct software *software);

/*
 * The trigger, when it is an emulation: what lies at this offset of the file. To be called before
 * software_command. -1 with err: as emulation_command.
 */
int software_set_trigger(struct software *software, const char *file, uint64_t offset,
			 struct err *err);

/* The command that runs options->command under QEMU. Owned by software. */
char *const *software_command(const struct software *software);

/* Its hits. Of single steps, what is added is watched. Owned by software. */
struct hit_source software_hits(struct software *software);

/*
 * Starts to record process pid: one that is held (run), or runs (attach). 0 and *tracer, or -1 with
 * err.
 */
int software_start(struct software *software, pid_t pid, bool held, struct tracer *tracer,
		   struct err *err);

/* Words for recording.json: of its members "engine" and "time". */
const char *software_engine_name(const struct software *software);
const char *software_time_name(const struct software *software);

/*
 * ns to add to its times for ns since 1970; 0: they are not those of any clock.
 */
int64_t software_wall_clock(const struct software *software);

/* Whether it is known that nothing was executed while it recorded. */
bool software_is_empty(const struct software *software);

/* Says how much was recorded, and how fast; when that is known. */
void software_tell(const struct software *software);

/* NULL is fine. */
void software_free(struct software *software);

#endif
