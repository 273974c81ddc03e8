/* SPDX-License-Identifier: MIT */
#include "trace/text.h"

#include "base/utf8.h"

#include <stdbool.h>

#define MARK 3u                                                   /* bytes of each of these two */
static const char replacement[MARK] = { '\xef', '\xbf', '\xbd' }; /* U+FFFD */
static const char ellipsis[MARK] = { '\xe2', '\x80', '\xa6' };    /* U+2026 */

size_t text_clean(char *out, size_t limit, struct str in, unsigned *flaws)
{
	size_t n = 0, keep = 0; /* keep: where the text may be cut for the ellipsis */

	while (in.n && *in.p) {
		bool bad;
		size_t used = utf8_length(in, &bad);
		bool steers = !bad && utf8_steers(in, used);
		size_t size = bad ? MARK : steers ? 4 * used : used;

		if (n + size > limit) {
			memcpy(out + keep, ellipsis, MARK);
			*flaws |= TEXT_CUT;
			return keep + MARK;
		}
		if (steers)
			utf8_escape(out + n, (struct str){ .p = in.p, .n = used });
		else
			memcpy(out + n, bad ? replacement : in.p, size);
		if (bad)
			*flaws |= TEXT_BAD_UTF8;
		n += size;
		if (n + MARK <= limit)
			keep = n;
		in = str_skip(in, used);
	}
	return n;
}
