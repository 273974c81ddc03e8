/* SPDX-License-Identifier: MIT */
/*
 * synth: what perf makes of Intel PT's packets besides branches (perf_sample__fprintf_synth() in
 * tools/perf/builtin-script.c).
 *
 * Both read what stands behind the event's name. What is not looked for is passed over: flags of
 * the last branch come before it in some versions, addresses after it.
 */
#ifndef MT_PERF_SYNTH_H
#define MT_PERF_SYNTH_H

#include "base/str.h"
#include "perf/place.h"

#include <stdbool.h>
#include <stdint.h>

/* "cbr: 8 freq:  801 MHz ( 28%)": the frequency. */
bool synth_read_cbr(struct str text, uint32_t *mhz);

/*
 * "IP: 0 payload: 0x6f6c6c6548 Hello  [ADDR] ADDR SYM+0xOFF (DSO)". perf writes the payload a
 * second time as text when all its bytes are printable. The place is {0} when the line has none.
 */
bool synth_read_ptwrite(struct places *places, struct str text, uint64_t *payload,
			struct location *place);

#endif
