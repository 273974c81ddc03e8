/* SPDX-License-Identifier: MIT */
#include "perf/scan.h"

struct str scan_trim_end(struct str s)
{
	while (s.n && scan_is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}
