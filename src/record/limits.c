/* SPDX-License-Identifier: MIT */
#include "record/limits.h"

#include "soft/recorder.h"

bool limits_disk_counts(const struct loop *l)
{
	return l->settings.snapshot == PERF_SNAPSHOT_NEVER || l->tracer.hits_have_snapshots;
}

void limits_disk(struct loop *l)
{
	if (!limits_disk_counts(l) || l->end != LOOP_END_NOT_YET ||
	    workdir_free_bytes(l->config->dir) >= LIMITS_FREE_BYTES)
		return;
	recording_set_part(l->config->recording, "recording ended before the disk was full");
	loop_end(l, LOOP_END_DISK);
}

/* To an engine time stands still at a hit: a hot function would fill the disk. */
void limits_snapshots(struct loop *l)
{
	struct err err = ERR_INIT;

	if (!l->tracer.hits_have_snapshots || l->snapshots < RECORDER_FILES)
		return;
	err_set(&err, "%u snapshots were taken, which is the most: the recording ends",
		RECORDER_FILES);
	listener_warn(&l->config->listener, &err);
	loop_end(l, LOOP_END_SNAPSHOT);
}
