/* SPDX-License-Identifier: MIT */
/* resolution: -timer-resolution, which for PT says how often a time is recorded. */
#ifndef MT_RECORD_RESOLUTION_H
#define MT_RECORD_RESOLUTION_H

#include "base/err.h"

#include <stdint.h>

enum resolution_kind {
	RESOLUTION_NORMAL,
	RESOLUTION_LOW,
	RESOLUTION_HIGH,
	RESOLUTION_SAMPLE, /* samples a second are given */
	RESOLUTION_CUSTOM, /* terms of the intel_pt event are given */
};

struct resolution {
	enum resolution_kind kind;
	uint32_t freq;   /* RESOLUTION_SAMPLE */
	char terms[128]; /* RESOLUTION_CUSTOM: as perf takes them, "cyc=1,mtc_period=3" */
};

/*
 * Parses "Low", "Normal", "High" (in any case), "Sample(5000)", "Custom(cyc=1,mtc_period=3)", and
 * the OCaml program's "(Sample (freq 5000))", "(Custom (cyc true)(psb_period 3))". Terms: cyc, mtc,
 * noretcomp (0, 1, false, true), cyc_thresh, mtc_period, psb_period (0 to 15); each at most once.
 * 0, or -1 with err: what is wrong, and what can be given.
 */
int resolution_parse(struct resolution *resolution, const char *text, struct err *err);

#endif
