/* SPDX-License-Identifier: MIT */
/* bpsource: hardware breakpoints as a source of hits. */
#ifndef MT_RECORD_BPSOURCE_H
#define MT_RECORD_BPSOURCE_H

#include "record/hit.h"

/* New ones, none set yet; freed by who takes the source over. */
struct hit_source bpsource_new(void);

#endif
