/* SPDX-License-Identifier: MIT */
/* gzip: RFC 1952, one member, by ISA-L's deflate. */
#ifndef MT_TRACE_GZIP_H
#define MT_TRACE_GZIP_H

#include "trace/codec.h"

extern const struct codec codec_gzip;

#endif
