/* SPDX-License-Identifier: MIT */
#include "record/jsontext.h"

#include "base/utf8.h"
#include "base/xalloc.h"

#include <stdbool.h>

/* U+10FE80 to U+10FEFF are f4 8f ba 80 to f4 8f bb bf: the last six bits are in the last byte. */
static bool is_stand_in(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;

	return s.n >= 4 && p[0] == 0xf4 && p[1] == 0x8f && (p[2] == 0xba || p[2] == 0xbb) &&
	       (p[3] & 0xc0) == 0x80;
}

static char *put_byte(char *to, unsigned char byte)
{
	*to++ = (char)0xf4;
	*to++ = (char)0x8f;
	*to++ = (char)(byte < 0xc0 ? 0xba : 0xbb);
	*to++ = (char)(0x80 | (byte & 0x3f));
	return to;
}

char *jsontext_encode(struct str name)
{
	char *text = xreallocarray(NULL, name.n + 1, 4), *to = text;

	while (name.n) {
		bool bad;
		size_t n = utf8_length(name, &bad);

		bad = bad || is_stand_in(name);
		for (size_t i = 0; i < n; i++) {
			if (bad)
				to = put_byte(to, (unsigned char)name.p[i]);
			else
				*to++ = name.p[i];
		}
		name = str_skip(name, n);
	}
	*to = '\0';
	return text;
}

void jsontext_decode(char *text)
{
	struct str s = str_of(text);
	char *to = text;

	while (s.n) {
		if (is_stand_in(s)) {
			unsigned int high = s.p[2] == (char)0xba ? 0x80 : 0xc0;

			*to++ = (char)(high | ((unsigned char)s.p[3] & 0x3f));
			s = str_skip(s, 4);
		} else {
			*to++ = *s.p;
			s = str_skip(s, 1);
		}
	}
	*to = '\0';
}
