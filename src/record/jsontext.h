/* SPDX-License-Identifier: MIT */
/*
 * jsontext: names of any bytes as strings of JSON, which are Unicode.
 *
 * A byte B that is not part of a character in UTF-8 becomes the character U+10FE00 + B, of a
 * private-use area. A character from U+10FE80 to U+10FEFF that a name really has is written as its
 * four bytes in the same way, so that the way back is without doubt.
 */
#ifndef MT_RECORD_JSONTEXT_H
#define MT_RECORD_JSONTEXT_H

#include "base/str.h"

/* The name as UTF-8; for free(). */
char *jsontext_encode(struct str name) __attribute__((returns_nonnull));

/* Turns UTF-8 back into the name, in place: it never gets longer. */
void jsontext_decode(char *text);

#endif
