/* SPDX-License-Identifier: MIT */
/* place: how a place in a program that has no symbol is called. */
#ifndef MT_BASE_PLACE_H
#define MT_BASE_PLACE_H

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes that place_name needs beside those of the DSO's name. */
#define PLACE_NAME_EXTRA 40

/*
 * Writes "[unknown @ 0xADDR (DSO)]", or plain "[unknown]" when dso is empty, into buf of size
 * bytes (a DSO name that does not fit is cut) and returns the text's length; no NUL is written.
 * size must be at least PLACE_NAME_EXTRA.
 */
size_t place_name(char *buf, size_t size, uint64_t addr, struct str dso);

#endif
