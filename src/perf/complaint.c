/* SPDX-License-Identifier: MIT */
#include "perf/complaint.h"

#include "perf/scan.h"

#include <stdio.h>
#include <string.h>

#define ANY_MODE   (-1)
#define UNFINISHED "perf record was not ended properly (end it with Ctrl+C) or recorded nothing"
#define NOT_PT \
	"this recording holds no Intel PT trace; if it holds stack samples, decode it with -sampling"
#define FORBIDDEN \
	"run as root, give perf the capability CAP_PERFMON, or allow it to all users: sysctl kernel.perf_event_paranoid=2 for the user scope, 1 for the kernel as well; processes of other users need CAP_PERFMON in any case"
#define NO_PT \
	"this CPU, virtual machine or kernel has no Intel PT, or perf was built without it; -sampling records stacks without it"
#define MLOCK \
	"perf may not lock so much memory: choose a smaller -snapshot-size, raise the limit (sysctl kernel.perf_event_mlock_kb), or give perf CAP_IPC_LOCK (root has it)"
#define BUSY \
	"somebody else records with this hardware (another magic-trace or perf, a hypervisor): end that first"
#define NO_SPACE \
	"the recording's directory has no room: free some, or choose another one with -working-directory or TMPDIR"
#define NO_FILE \
	"perf cannot write the recording's directory: choose another one with -working-directory or TMPDIR"
#define TARGET_GONE \
	"the process or thread ended before perf could attach to it, or is not in this pid namespace"
#define NOT_TAKEN_PT \
	"this kernel or CPU does not take the event so: another -timer-resolution or -sampling may work"
#define NOT_TAKEN \
	"this kernel or CPU does not take the event so: another -timer-resolution or -callgraph-mode may work"

/* The first that matches a line counts: what is special stands before what is general. */
static const struct {
	int mode; /* enum perf_mode, or ANY_MODE */
	const char *text;
	const char *hint;
} known[] = {
	/* of perf script */
	{ PERF_PT, "do not have ADDR attribute set", NOT_PT },
	{ PERF_PT, "do not have FLAGS attribute set", NOT_PT },
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

	/*
	 * Of perf record: evsel__open_strerror() in tools/perf/util/evsel.c, builtin-record.c,
	 * util/parse-events.c and arch/x86/util/intel-pt.c of the kernel.
	 */
	{ ANY_MODE, "failed to write perf data, error: No space left", NO_SPACE },
	{ ANY_MODE, "failed to write perf data, error: Disk quota exceeded", NO_SPACE },
	{ ANY_MODE, "failed to open ", NO_FILE },
	{ ANY_MODE, "failed to create data directory", NO_FILE },
	{ ANY_MODE, "Failed to rename ", NO_FILE },
	{ ANY_MODE, "Permission error mapping pages", MLOCK },
	{ ANY_MODE, "failed to mmap with 12 ",
	  "there is not enough memory for the buffers: choose a smaller -snapshot-size" },
	{ ANY_MODE, "Access to performance monitoring and observability operations is limited",
	  FORBIDDEN },
	{ ANY_MODE, "You may not have permission to collect", FORBIDDEN },
	{ ANY_MODE, "No permission to enable ", FORBIDDEN },
	{ ANY_MODE, "syscall returned with 1 (", FORBIDDEN },
	{ ANY_MODE, "syscall returned with 13 (", FORBIDDEN },
	{ ANY_MODE, "syscall returned with 3 (", TARGET_GONE },
	{ ANY_MODE, "thread/CPU maps: No such process", TARGET_GONE },
	{ ANY_MODE, "syscall returned with 16 (", BUSY },
	{ ANY_MODE, "counters are busy", BUSY },
	{ PERF_PT, "syscall returned with 22 (", NOT_TAKEN_PT },
	{ PERF_PT, "syscall returned with 95 (", NOT_TAKEN_PT },
	{ ANY_MODE, "syscall returned with 22 (", NOT_TAKEN },
	{ ANY_MODE, "syscall returned with 95 (", NOT_TAKEN },
	{ ANY_MODE, "Invalid event (", NOT_TAKEN },
	{ ANY_MODE, "for intel_pt. Valid values are: ",
	  "this CPU does not offer that -timer-resolution; the valid values are in perf's message" },
	{ ANY_MODE, "Too many events are opened",
	  "there are too many threads for our limit of open files: raise it (ulimit -n), or record fewer of them" },
	{ ANY_MODE, "doesn't support branch stack sampling",
	  "LBR call graphs are not there (most virtual machines have none): -callgraph-mode dwarf or fp" },
	{ PERF_PT, "Cannot find PMU `intel_pt'", NO_PT },
	{ PERF_PT, "event on a PMU of 'intel_pt'", NO_PT },
	{ ANY_MODE, " event is not supported.",
	  "this CPU or virtual machine does not count that event; record without it" },
	{ ANY_MODE, "event syntax error: ",
	  "this perf does not know the event or one of its terms: a newer one may" },
	{ ANY_MODE, "Error: unknown option ",
	  "this perf is older than it says, or was built without that option: MAGIC_TRACE_PERF_PATH names the perf to use" },
	{ ANY_MODE, "kcore is not readable",
	  "perf cannot copy the kernel's code from /proc/kcore (CAP_SYS_RAWIO is needed): set MAGIC_TRACE_PERF_NO_KCORE=1 to record without it" },
};

static const char *const noise[] = {
	"[ perf record: ",
	"libperf: Miscounted nr_mmaps",
	"Events enabled",
	"Events disabled",
};

static bool is_noise(struct complaints *c, struct str line)
{
	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
		if (str_starts(line, str_of(noise[i])))
			return true;
	c->usage = c->usage || str_starts(line, STR(" Usage: perf "));
	return c->usage;
}

static void keep(char kept[256], struct str text)
{
	size_t n = text.n < 255 ? text.n : 255;

	memcpy(kept, text.p, n);
	kept[n] = '\0';
}

/* Remembers a line that is not blank. */
static void remember(struct complaints *c, struct str text)
{
	keep(c->last, text);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if ((known[i].mode != ANY_MODE && known[i].mode != (int)c->mode) ||
		    !memmem(text.p, text.n, known[i].text, strlen(known[i].text)))
			continue;
		c->hint = known[i].hint;
		keep(c->telling, text);
		return;
	}
}

static void end_line(struct complaints *c)
{
	struct str line = { .p = c->line, .n = c->n }, text;

	c->n = 0;
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (is_noise(c, line))
		return;
	if (++c->lines <= COMPLAINTS_SHOWN && c->on_line)
		c->on_line(c->ctx, line);
	text = scan_trim_end(line);
	scan_blanks(&text);
	if (text.n)
		remember(c, text);
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
	char more[64];

	if (c->n)
		end_line(c);
	if (c->lines <= COMPLAINTS_SHOWN || !c->on_line)
		return;
	snprintf(more, sizeof(more), "... and %zu more lines", c->lines - COMPLAINTS_SHOWN);
	c->on_line(c->ctx, str_of(more));
	c->lines = 0;
}
