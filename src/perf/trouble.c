/* SPDX-License-Identifier: MIT */
#include "perf/trouble.h"

#include "base/num.h"
#include "perf/scan.h"

/* A label and the id behind it. */
static bool labelled_id(struct str *s, struct str label, int32_t *id)
{
	return scan_word(s, label) && scan_id(s, id);
}

static bool read_ip(struct str *s, uint64_t *ip)
{
	if (scan_word(s, STR(" ip 0x")))
		return num_hex(s, ip);
	*ip = 0;
	return scan_word(s, STR(" ip 0"));
}

bool trouble_read(struct str s, struct intern *names, struct event *ev)
{
	uint64_t type, code;
	int32_t ignored;

	scan_blanks(&s);
	if (!scan_word(&s, STR("instruction trace error type ")) || !num_dec(&s, &type))
		return false;
	*ev = (struct event){ .kind = EVENT_ERROR };
	if (scan_word(&s, STR(" time "))) {
		if (!scan_time(&s, &ev->time))
			return false;
		ev->has_time = true;
	}
	if (scan_word(&s, STR(" machine_pid ")) &&
	    (!scan_id(&s, &ignored) || !labelled_id(&s, STR(" vcpu "), &ignored)))
		return false;
	if (!labelled_id(&s, STR(" cpu "), &ignored) || !labelled_id(&s, STR(" pid "), &ev->pid) ||
	    !labelled_id(&s, STR(" tid "), &ev->tid) || !read_ip(&s, &ev->error.ip))
		return false;
	if (!scan_word(&s, STR(" code ")) || !num_dec(&s, &code) || code > UINT32_MAX ||
	    !scan_word(&s, STR(": ")))
		return false;
	ev->error.code = (uint32_t)code;
	ev->error.message = intern_add(names, s);
	return true;
}

bool trouble_is_message(struct str s)
{
	uint64_t n;

	scan_blanks(&s);
	if (num_dec(&s, &n))
		return str_starts(s, STR(" instruction trace errors"));
	return str_starts(s, STR("Warning:")) || str_starts(s, STR("WARNING:")) ||
	       str_starts(s, STR("AUX data lost ")) || str_starts(s, STR("[ perf "));
}
