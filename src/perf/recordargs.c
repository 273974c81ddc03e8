/* SPDX-License-Identifier: MIT */
#include "perf/recordargs.h"

#include "base/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGV 32

/*
 * How perf is told, by what it can do. --snapshot=e and its SIGINT are of perf 5.4, --control=fd:
 * of 5.10 (with "snapshot" as a command), its "stop" of 5.12.
 */
static const struct {
	unsigned int major, minor; /* from this version on; the first that fits counts */
	enum perf_request at_end, on_request, stop;
} requests[] = {
	{ 5, 12, PERF_REQUEST_CONTROL, PERF_REQUEST_CONTROL, PERF_REQUEST_CONTROL },
	{ 5, 10, PERF_REQUEST_SIGINT, PERF_REQUEST_CONTROL, PERF_REQUEST_SIGTERM },
	{ 5, 4, PERF_REQUEST_SIGINT, PERF_REQUEST_SIGUSR2, PERF_REQUEST_SIGTERM },
	{ 0, 0, PERF_REQUEST_SIGUSR2, PERF_REQUEST_SIGUSR2, PERF_REQUEST_SIGTERM },
};

static size_t row_of(const struct perf_version *version)
{
	size_t i = 0;

	while (!perf_version_at_least(version, requests[i].major, requests[i].minor))
		i++;
	return i;
}

static bool takes_snapshot_at_exit(const struct perf_record_settings *s)
{
	return s->snapshot == PERF_SNAPSHOT_AT_END && perf_version_at_least(&s->version, 5, 4);
}

bool perf_record_ends_with_snapshot(const struct perf_record_settings *s)
{
	if (s->multi_snapshot || s->snapshot == PERF_SNAPSHOT_NEVER)
		return false;
	return s->mode == PERF_SAMPLING || takes_snapshot_at_exit(s);
}

enum perf_request perf_record_snapshot_request(const struct perf_record_settings *s)
{
	size_t row = row_of(&s->version);

	/* the command "snapshot" would not begin a new file */
	if (s->multi_snapshot)
		return PERF_REQUEST_SIGUSR2;
	/* what is in the ring is written at the end */
	if (s->mode == PERF_SAMPLING)
		return requests[row].stop;
	return s->snapshot == PERF_SNAPSHOT_AT_END ? requests[row].at_end
						   : requests[row].on_request;
}

enum perf_request perf_record_stop_request(const struct perf_record_settings *s)
{
	return requests[row_of(&s->version)].stop;
}

bool perf_record_has_control(const struct perf_record_settings *s)
{
	return perf_version_at_least(&s->version, 5, 10);
}

/* An argv in the making. */
struct argv {
	char **v;
	size_t n;
};

/* Takes the string over. */
static void add(struct argv *a, char *arg)
{
	a->v[a->n++] = arg;
}

static void add_word(struct argv *a, const char *arg)
{
	add(a, xstrdup(arg));
}

/* ",branch-misses/period=50/uP" and the like; terms are more of them, or "". Free it. */
static char *extra_events(const struct perf_record_settings *s, const char *terms)
{
	char *branches = xstrdup(""), *both;

	if (s->branch_misses) {
		free(branches);
		branches = xasprintf(",branch-misses/period=50%s/%sP", terms, s->scope);
	}
	if (!s->cache_misses)
		return branches;
	both = xasprintf("%s,cache-misses/period=1%s/%sP", branches, terms, s->scope);
	free(branches);
	return both;
}

/* The event without a PMU and slashes around it: "cycles" of "cpu_core/cycles/". */
static struct str bare_name(const char *event)
{
	const char *slash = strchr(event, '/');
	struct str name = str_of(event);

	if (slash && slash[1])
		name = str_of(slash + 1);
	if (name.n && name.p[name.n - 1] == '/')
		name.n--;
	return name;
}

/* What stands before the first term: "cycles/", or "cpu_core/cycles,". Free it. */
static char *before_terms(const char *event)
{
	size_t n = strlen(event);

	if (n && event[n - 1] == '/')
		return xasprintf("%.*s,", (int)(n - 1), event);
	return xasprintf("%s/", event);
}

static void add_pt_events(struct argv *a, const struct perf_record_settings *s)
{
	char *extra = extra_events(s, "");

	add(a, xasprintf("--event=intel_pt/%s/%s%s", s->event, s->scope, extra));
	free(extra);
}

/*
 * Samples in a ring push each other out; what says which file is mapped where must not be lost with
 * them, so it comes with an event of its own, whose buffer is read as it fills. The option
 * --overwrite would make rings of both, and read the mappings only at the end, when a target that
 * has exited has none any more.
 */
static void add_ring_events(struct argv *a, const struct perf_record_settings *s)
{
	char *extra = extra_events(s, ",overwrite"), *event = before_terms(s->event);
	struct str name = bare_name(s->event);

	add_word(a, "-e");
	add(a, xasprintf("dummy/no-overwrite/%s", s->scope));
	add_word(a, "-e");
	add(a, xasprintf("%sfreq=%u,overwrite,name=%.*s/%s%s", event, s->freq, (int)name.n, name.p,
			 s->scope, extra));
	free(extra);
	free(event);
}

static void add_sampled_events(struct argv *a, const struct perf_record_settings *s)
{
	char *extra = extra_events(s, ""), *event = before_terms(s->event);

	add(a, xasprintf("--event=%sfreq=%u/%s%s", event, s->freq, s->scope, extra));
	free(extra);
	free(event);
}

static void add_targets(struct argv *a, const struct perf_record_settings *s)
{
	const size_t digits = 12; /* of an int, with its comma */
	char *list = xcalloc(s->n_ids + 1, digits);
	size_t n = 0;

	for (size_t i = 0; i < s->n_ids; i++)
		n += (size_t)snprintf(list + n, digits, "%s%d", i ? "," : "", (int)s->ids[i]);
	/* several events on one thread cannot be mapped without a CPU each: perf gives up */
	if (!s->multi_thread && !s->branch_misses && !s->cache_misses)
		add_word(a, "--per-thread");
	add_word(a, s->multi_thread ? "-p" : "-t");
	add(a, list);
}

static void add_buffers(struct argv *a, const struct perf_record_settings *s)
{
	bool aux = s->mode == PERF_PT && s->aux_pages;

	if (s->data_pages) {
		add_word(a, "-m");
		add(a, aux ? xasprintf("%" PRIu64 ",%" PRIu64, s->data_pages, s->aux_pages)
			   : xasprintf("%" PRIu64, s->data_pages));
	} else if (aux) {
		add(a, xasprintf("-m,%" PRIu64, s->aux_pages));
	}
}

static void add_snapshot(struct argv *a, const struct perf_record_settings *s)
{
	if (s->mode == PERF_PT && s->snapshot != PERF_SNAPSHOT_NEVER)
		add_word(a, takes_snapshot_at_exit(s) ? "--snapshot=e" : "--snapshot");
	if (s->multi_snapshot)
		add_word(a, "--switch-output=signal");
}

char **perf_record_argv(const struct perf_record_settings *s, int control, int ack)
{
	struct argv a = { .v = xcalloc(MAX_ARGV, sizeof(*a.v)) };

	add_word(&a, s->perf);
	add_word(&a, "record");
	add_word(&a, "-o");
	add_word(&a, s->data);
	add_word(&a, "--timestamp");
	if (s->mode == PERF_PT)
		add_pt_events(&a, s);
	else if (s->snapshot == PERF_SNAPSHOT_NEVER)
		add_sampled_events(&a, s);
	else
		add_ring_events(&a, s);
	add_targets(&a, s);
	add_snapshot(&a, s);
	if (perf_record_has_control(s))
		add(&a, xasprintf("--control=fd:%d,%d", control, ack));
	if (s->mode == PERF_PT && s->kcore && perf_version_at_least(&s->version, 5, 5))
		add_word(&a, "--kcore");
	add_buffers(&a, s);
	/* user code has no BPF programs; asking for their names holds perf up when it ends */
	if (s->mode == PERF_SAMPLING && !strcmp(s->scope, "u") &&
	    perf_version_at_least(&s->version, 5, 1))
		add_word(&a, "--no-bpf-event");
	if (s->mode == PERF_SAMPLING && s->callgraph) {
		add_word(&a, "--call-graph");
		/* stitching is what perf script does with it */
		add_word(&a, strcmp(s->callgraph, "lbr-no-stitch") ? s->callgraph : "lbr");
	}
	return a.v;
}

void perf_record_argv_free(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}
