/* SPDX-License-Identifier: MIT */
#include "perf/complaint.h"

#include "perf/scan.h"

#include <string.h>

#define ANY_MODE   (-1)
#define UNFINISHED "perf record was not ended properly (end it with Ctrl+C) or recorded nothing"

static const struct {
	int mode; /* enum perf_mode, or ANY_MODE */
	const char *text;
	const char *hint;
} known[] = {
	{ PERF_PT, "do not have ADDR attribute set",
	  "this recording holds no Intel PT trace; if it holds stack samples, decode it with -sampling" },
	{ PERF_PT, "do not have FLAGS attribute set",
	  "this recording holds no Intel PT trace; if it holds stack samples, decode it with -sampling" },
	{ PERF_SAMPLING, "Can't find LBR callchain",
	  "this recording has no LBR call graphs; decode it with another -callgraph-mode" },
	{ ANY_MODE, "incompatible file format",
	  "it is no perf.data file, or one of a newer perf; MAGIC_TRACE_PERF_PATH names the perf to use" },
	{ ANY_MODE, "failed to process type",
	  "the file is cut short or damaged: was perf record ended properly (Ctrl+C), was the disk full?" },
	{ ANY_MODE, "zero-sized data", UNFINISHED },
	{ ANY_MODE, "data size field is 0", UNFINISHED },
	{ ANY_MODE, "not owned by current user or root",
	  "perf only reads recordings of its own user: run this as the file's owner, or chown the file" },
	{ ANY_MODE, "perf not found for kernel",
	  "install the perf of this kernel (linux-tools-$(uname -r)), or name another one with MAGIC_TRACE_PERF_PATH" },
};

static void end_line(struct complaints *c)
{
	struct str line = { .p = c->line, .n = c->n }, text;

	c->n = 0;
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (c->on_line)
		c->on_line(c->ctx, line);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if ((known[i].mode == ANY_MODE || known[i].mode == (int)c->mode) &&
		    memmem(line.p, line.n, known[i].text, strlen(known[i].text)))
			c->hint = known[i].hint;
	text = scan_trim_end(line);
	scan_blanks(&text);
	if (text.n == 0)
		return;
	if (text.n > sizeof(c->last) - 1)
		text.n = sizeof(c->last) - 1;
	memcpy(c->last, text.p, text.n);
	c->last[text.n] = '\0';
}

void complaints_add(struct complaints *c, const char *p, size_t n)
{
	while (n) {
		const char *nl = memchr(p, '\n', n);
		size_t part = nl ? (size_t)(nl - p) : n;
		size_t room = COMPLAINT_MAX - c->n, kept = part < room ? part : room;

		memcpy(c->line + c->n, p, kept);
		c->n += kept;
		if (nl) {
			end_line(c);
			part++;
		}
		p += part;
		n -= part;
	}
}

void complaints_end(struct complaints *c)
{
	if (c->n)
		end_line(c);
}
