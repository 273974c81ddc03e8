/* SPDX-License-Identifier: MIT */
/* emultracer: what drives the recording of a program under QEMU (struct emulation). */
#ifndef MT_RECORD_EMULTRACER_H
#define MT_RECORD_EMULTRACER_H

#include "record/tracer.h"

extern const struct tracer_ops emultracer_ops;

#endif
