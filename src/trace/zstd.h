/* SPDX-License-Identifier: MIT */
/* zstd: RFC 8878, one frame with a checksum, by libzstd. */
#ifndef MT_TRACE_ZSTD_H
#define MT_TRACE_ZSTD_H

#include "trace/codec.h"

extern const struct codec codec_zstd;

#endif
