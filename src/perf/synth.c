/* SPDX-License-Identifier: MIT */
#include "perf/synth.h"

#include "base/num.h"
#include "perf/scan.h"

#include <string.h>

/* Takes everything up to and with `label`, and the blanks behind it, off the front of *s. */
static bool skip_to(struct str *s, struct str label)
{
	const char *at = s->n ? memmem(s->p, s->n, label.p, label.n) : NULL;

	if (!at)
		return false;
	*s = str_skip(*s, (size_t)(at - s->p) + label.n);
	scan_blanks(s);
	return true;
}

bool synth_read_cbr(struct str s, uint32_t *mhz)
{
	uint64_t n;

	if (!skip_to(&s, STR("freq:")) || !num_dec(&s, &n) || n > UINT32_MAX)
		return false;
	*mhz = (uint32_t)n;
	return true;
}

/* Takes the payload as text off, if it is there. */
static void skip_payload_text(struct str *s, uint64_t payload)
{
	char text[9] = " ";
	size_t n = 0;

	for (; payload && n < 8; payload >>= 8)
		text[++n] = (char)(payload & 0xff);
	scan_word(s, (struct str){ .p = text, .n = n + 1 });
}

bool synth_read_ptwrite(struct places *places, struct str s, uint64_t *payload,
			struct location *place)
{
	*place = (struct location){ .sym = INTERN_NONE, .dso = INTERN_NONE };
	if (!skip_to(&s, STR("payload:")))
		return false;
	/* "%#x" writes 0 without 0x */
	scan_word(&s, STR("0x"));
	if (!num_hex_lower(&s, payload))
		return false;
	skip_payload_text(&s, *payload);
	if (!places_read_sampled(places, s, place))
		*place = (struct location){ .sym = INTERN_NONE, .dso = INTERN_NONE };
	return true;
}
