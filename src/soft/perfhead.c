/* SPDX-License-Identifier: MIT */
/*
 * The layout is that of tools/perf/Documentation/perf.data-file-format.txt in the kernel's source,
 * the features as tools/perf/util/header.c reads them.
 */
#include "soft/perfhead.h"

#include "base/xalloc.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Bits of features, and the order they stand in. */
enum feature {
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_AUXTRACE = 18,
	FEATURE_SAMPLE_TIME = 21,
	FEATURES = 256,
};

/* Strings are filled up with NULs: NAME_ALIGN in tools/perf/util/header.c. */
#define STRING_ALIGN 64

/* A perf that is older than the build's headers must know all of the attributes. */
#define ATTR_SIZE PERF_ATTR_SIZE_VER5

/* A record of AUX data without the data: header.size of it, which perf's index has too. */
#define AUXTRACE_SIZE 48

struct section {
	uint64_t offset, size;
};

struct header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[FEATURES / 64];
};

struct buffer {
	uint8_t *bytes;
	size_t n, room;
};

struct perfhead {
	struct perf_event_attr attr[PERFHEAD_EVENTS];
	unsigned int n_ids; /* of each event */
	struct header header;
	struct buffer features;
	struct section sections[FEATURES]; /* within features; of those that are there */
	struct buffer aux;                 /* of struct section */
	uint64_t first, last;              /* time */
};

static void put(struct buffer *b, const void *bytes, size_t n)
{
	if (n > b->room - b->n) {
		b->room = (b->n + n) * 2;
		b->bytes = xreallocarray(b->bytes, b->room, 1);
	}
	if (n)
		memcpy(b->bytes + b->n, bytes, n);
	b->n += n;
}

static void put_u32(struct buffer *b, uint32_t v)
{
	put(b, &v, sizeof(v));
}

static void put_u64(struct buffer *b, uint64_t v)
{
	put(b, &v, sizeof(v));
}

static void put_string(struct buffer *b, const char *s)
{
	static const char zeros[STRING_ALIGN];
	size_t n = strlen(s) + 1, fill = -n % STRING_ALIGN;

	put_u32(b, (uint32_t)(n + fill));
	put(b, s, n);
	put(b, zeros, fill);
}

static uint64_t config_of(const struct packet_config *pt)
{
	uint64_t config = PERFHEAD_PT | PERFHEAD_TSC | PERFHEAD_BRANCH;

	if (pt->cyc)
		config |= PERFHEAD_CYC;
	if (pt->mtc)
		config |= PERFHEAD_MTC;
	if (!pt->ret_compression)
		config |= PERFHEAD_NORETCOMP;
	config |= (uint64_t)pt->mtc_period << PERFHEAD_MTC_PERIOD;
	config |= (uint64_t)pt->psb_period << PERFHEAD_PSB_PERIOD;
	return config;
}

static void fill_attrs(struct perfhead *head, const struct perfdata_config *config)
{
	struct perf_event_attr all = {
		.size = ATTR_SIZE,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_IDENTIFIER | (config->per_cpu ? PERF_SAMPLE_CPU : 0),
		.read_format = PERF_FORMAT_ID,
		.sample_period = 1,
		.disabled = 1,
		.inherit = config->per_cpu,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
		.sample_id_all = 1, /* without it, perf: "requires ordered events" */
	};
	struct perf_event_attr *pt = &head->attr[PERFHEAD_INTEL_PT];
	struct perf_event_attr *dummy = &head->attr[PERFHEAD_DUMMY];

	*pt = *dummy = all;
	pt->type = PERFHEAD_PMU_TYPE;
	pt->config = config_of(&config->pt);
	dummy->type = PERF_TYPE_SOFTWARE;
	dummy->config = PERF_COUNT_SW_DUMMY;
	dummy->mmap = dummy->mmap2 = 1;
	dummy->comm = dummy->comm_exec = 1;
	dummy->task = 1;
	dummy->context_switch = config->per_cpu;
}

unsigned int perfhead_ids(const struct perfhead *head)
{
	return head->n_ids;
}

uint64_t perfhead_id(const struct perfhead *head, enum perfhead_event event, unsigned int index)
{
	if (index >= head->n_ids)
		index = 0;
	return 1 + index * (uint64_t)PERFHEAD_EVENTS + event;
}

static void put_ids(struct buffer *b, const struct perfhead *head, enum perfhead_event event)
{
	for (unsigned int i = 0; i < head->n_ids; i++)
		put_u64(b, perfhead_id(head, event, i));
}

/* What is put between these two is a feature. */
static void feature_begin(struct perfhead *head, enum feature feature)
{
	head->header.features[feature / 64] |= UINT64_C(1) << feature % 64;
	head->sections[feature].offset = head->features.n;
}

static void feature_end(struct perfhead *head, enum feature feature)
{
	struct section *section = &head->sections[feature];

	section->size = head->features.n - section->offset;
}

static void add_string(struct perfhead *head, enum feature feature, const char *text)
{
	feature_begin(head, feature);
	put_string(&head->features, text);
	feature_end(head, feature);
}

/* A sysconf that fails counts as one. */
static uint32_t count_of(int name, bool reproducible)
{
	long n = reproducible ? 1 : sysconf(name);

	return n < 1 ? 1 : (uint32_t)n;
}

static void add_machine(struct perfhead *head, bool reproducible)
{
	struct utsname name = { .nodename = "unknown", .release = "unknown" };
	struct buffer *b = &head->features;

	if (!reproducible)
		uname(&name);
	add_string(head, FEATURE_HOSTNAME, name.nodename);
	add_string(head, FEATURE_OSRELEASE, name.release);
	add_string(head, FEATURE_VERSION, "magic-trace");
	add_string(head, FEATURE_ARCH, "x86_64");
	feature_begin(head, FEATURE_NRCPUS);
	put_u32(b, count_of(_SC_NPROCESSORS_CONF, reproducible)); /* header.c: available first */
	put_u32(b, count_of(_SC_NPROCESSORS_ONLN, reproducible));
	feature_end(head, FEATURE_NRCPUS);
}

static void add_command_line(struct perfhead *head, char *const *words)
{
	uint32_t n = 0;

	while (words && words[n])
		n++;
	feature_begin(head, FEATURE_CMDLINE);
	put_u32(&head->features, n);
	for (uint32_t i = 0; i < n; i++)
		put_string(&head->features, words[i]);
	feature_end(head, FEATURE_CMDLINE);
}

static void add_events(struct perfhead *head)
{
	static const char *const names[] = {
		[PERFHEAD_INTEL_PT] = "intel_pt//u",
		[PERFHEAD_DUMMY] = "dummy:u",
	};
	struct buffer *b = &head->features;

	feature_begin(head, FEATURE_EVENT_DESC);
	put_u32(b, PERFHEAD_EVENTS);
	put_u32(b, ATTR_SIZE);
	for (int i = 0; i < PERFHEAD_EVENTS; i++) {
		put(b, &head->attr[i], ATTR_SIZE);
		put_u32(b, head->n_ids);
		put_string(b, names[i]);
		put_ids(b, head, i);
	}
	feature_end(head, FEATURE_EVENT_DESC);
	feature_begin(head, FEATURE_PMU_MAPPINGS);
	put_u32(b, 2);
	put_u32(b, PERF_TYPE_SOFTWARE);
	put_string(b, "software");
	put_u32(b, PERFHEAD_PMU_TYPE);
	put_string(b, "intel_pt");
	feature_end(head, FEATURE_PMU_MAPPINGS);
}

/* What becomes known only while records are written. */
static void add_index(struct perfhead *head)
{
	feature_begin(head, FEATURE_AUXTRACE);
	put_u64(&head->features, head->aux.n / sizeof(struct section));
	put(&head->features, head->aux.bytes, head->aux.n);
	feature_end(head, FEATURE_AUXTRACE);
	feature_begin(head, FEATURE_SAMPLE_TIME);
	put_u64(&head->features, head->first);
	put_u64(&head->features, head->last);
	feature_end(head, FEATURE_SAMPLE_TIME);
}

/* The header and what belongs to it: ids, and the events with the place of their ids. */
static void put_front(struct buffer *b, struct perfhead *head)
{
	struct header *h = &head->header;
	uint64_t ids = head->n_ids * (uint64_t)sizeof(uint64_t);

	memcpy(h->magic, "PERFILE2", sizeof(h->magic));
	h->size = sizeof(*h);
	h->attr_size = ATTR_SIZE + sizeof(struct section);
	h->attrs.offset = sizeof(*h) + PERFHEAD_EVENTS * ids;
	h->attrs.size = PERFHEAD_EVENTS * h->attr_size;
	h->data.offset = h->attrs.offset + h->attrs.size;
	put(b, h, sizeof(*h));
	for (int i = 0; i < PERFHEAD_EVENTS; i++)
		put_ids(b, head, i);
	for (unsigned int i = 0; i < PERFHEAD_EVENTS; i++) {
		struct section section = { .offset = sizeof(*h) + i * ids, .size = ids };

		put(b, &head->attr[i], ATTR_SIZE);
		put(b, &section, sizeof(section));
	}
}

struct perfhead *perfhead_begin(const struct perfdata_config *config, struct outfile *file)
{
	struct perfhead *head = xcalloc(1, sizeof(*head));
	struct buffer front = { 0 };

	head->n_ids = config->per_cpu ? config->n_cpus : 1;
	fill_attrs(head, config);
	put_front(&front, head);
	outfile_put(file, front.bytes, front.n);
	free(front.bytes);
	add_machine(head, config->reproducible);
	add_command_line(head, config->command_line);
	add_events(head);
	return head;
}

void perfhead_add_aux(struct perfhead *head, uint64_t at)
{
	struct section entry = { .offset = at, .size = AUXTRACE_SIZE };

	put(&head->aux, &entry, sizeof(entry));
}

void perfhead_add_time(struct perfhead *head, uint64_t time)
{
	if (head->first == 0 || time < head->first)
		head->first = time;
	if (time > head->last)
		head->last = time;
}

/* The places of the features in the file, then the features. */
static void put_features(struct perfhead *head, struct outfile *file)
{
	struct buffer table = { 0 };
	size_t n = 0;
	uint64_t at;

	for (size_t i = 0; i < FEATURES; i++)
		n += head->sections[i].size != 0;
	at = outfile_size(file) + n * sizeof(struct section);
	for (size_t i = 0; i < FEATURES; i++) {
		struct section section = head->sections[i];

		section.offset += at;
		if (section.size)
			put(&table, &section, sizeof(section));
	}
	outfile_put(file, table.bytes, table.n);
	outfile_put(file, head->features.bytes, head->features.n);
	free(table.bytes);
}

void perfhead_end(struct perfhead *head, struct outfile *file)
{
	struct buffer front = { 0 };

	head->header.data.size = outfile_size(file) - head->header.data.offset;
	add_index(head);
	put_features(head, file);
	put_front(&front, head);
	outfile_put_head(file, front.bytes, front.n);
	free(front.bytes);
}

void perfhead_free(struct perfhead *head)
{
	if (!head)
		return;
	free(head->features.bytes);
	free(head->aux.bytes);
	free(head);
}
