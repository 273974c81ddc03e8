/* SPDX-License-Identifier: MIT */
#include "perf/mmaps.h"

#include "base/xalloc.h"
#include "perf/datafile.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* tools/perf/util/header.h */
#define FEATURE_BUILD_ID 2
/* The 21st byte of a build-id is its size: PERF_RECORD_MISC_BUILD_ID_SIZE. */
#define MISC_BUILD_ID_SIZE (1u << 15)

#define RECORD_MAX  ((size_t)65536) /* the size has 16 bits */
#define BUFFER_SIZE (16 * RECORD_MAX)

/* What perf writes to a pipe has only these two at its front. */
#define PIPE_HEAD_SIZE 16

/* The bodies of records, behind their heads. */
struct mmap_body {
	uint32_t pid, tid;
	uint64_t start, length, offset;
};

struct mmap2_body {
	struct mmap_body map;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		};
		struct {
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[20];
		};
	};
	uint32_t prot, flags;
};

struct fork_body {
	uint32_t pid, parent, tid, parent_tid;
	uint64_t time;
};

struct build_id_body {
	uint32_t pid;
	uint8_t build_id[24];
};

/* Records need not be aligned in a damaged file. */
struct record {
	struct perf_event_header head;
	const char *body; /* in the buffer */
	size_t n;         /* bytes of the body */
};

struct reader {
	int fd;
	const char *path;
	const struct mmaps_sink *sink;
	char *buffer;
	size_t n, at;          /* bytes in the buffer, and where we are in it */
	uint64_t offset, left; /* in the file behind the buffer; bytes of the section there */
	struct datafile_head head;
};

static void begin_section(struct reader *r, struct datafile_section section)
{
	r->n = r->at = 0;
	r->offset = section.offset;
	r->left = section.size;
}

/* At least `need` bytes at r->at, or all that there are. -1 with err. */
static int fill(struct reader *r, size_t need, struct err *err)
{
	size_t rest = r->n - r->at, want;
	ssize_t n;

	if (rest >= need)
		return 0;
	memmove(r->buffer, r->buffer + r->at, rest);
	r->n = rest;
	r->at = 0;
	want = BUFFER_SIZE - rest;
	if (want > r->left)
		want = (size_t)r->left;
	n = datafile_read(r->fd, r->buffer + rest, want, r->offset);
	if (n < 0)
		return err_errno(err, "%s", r->path);
	r->n += (size_t)n;
	r->offset += (uint64_t)n;
	r->left -= (uint64_t)n;
	return 0;
}

/* Passes over bytes that belong to no record. */
static void skip(struct reader *r, uint64_t n)
{
	uint64_t buffered = r->n - r->at;

	if (n <= buffered) {
		r->at += (size_t)n;
		return;
	}
	r->at = r->n;
	n -= buffered;
	if (n > r->left)
		n = r->left;
	r->offset += n;
	r->left -= n;
}

/*
 * The next record of the section: 1 and *record, valid until the next call; 0 at its end; -1 with
 * err: it does not end with a whole record.
 */
static int next_record(struct reader *r, struct record *record, struct err *err)
{
	struct perf_event_header *head = &record->head;

	if (fill(r, sizeof(*head), err) < 0)
		return -1;
	if (r->n == r->at)
		return 0;
	if (r->n - r->at < sizeof(*head))
		return err_set(err, "%s: it ends within a record", r->path);
	memcpy(head, r->buffer + r->at, sizeof(*head));
	if (head->size < sizeof(*head))
		return err_set(err, "%s: a record is damaged", r->path);
	if (fill(r, head->size, err) < 0)
		return -1;
	if (r->n - r->at < head->size)
		return err_set(err, "%s: it ends within a record", r->path);
	record->body = r->buffer + r->at + sizeof(*head);
	record->n = head->size - sizeof(*head);
	r->at += head->size;
	return 1;
}

/* Copies the fixed part of a record's body; false when the record is shorter. */
static bool take_body(const struct record *record, void *body, size_t size)
{
	if (record->n < size)
		return false;
	memcpy(body, record->body, size);
	return true;
}

/* The path behind the fixed part; what stands behind its NUL is no part of it. */
static struct str take_path(const struct record *record, size_t size)
{
	const char *p = record->body + size;

	return (struct str){ .p = p, .n = strnlen(p, record->n - size) };
}

static void tell_mapping(struct reader *r, const struct mmap_body *map,
			 struct mmaps_mapping *mapping)
{
	mapping->pid = (int32_t)map->pid;
	if (mapping->pid < -1 || map->length == 0 ||
	    __builtin_add_overflow(map->start, map->length, &mapping->end))
		return;
	mapping->start = map->start;
	mapping->offset = map->offset;
	r->sink->mapping(r->sink->ctx, mapping);
}

static void take_mmap(struct reader *r, const struct record *record)
{
	struct mmaps_mapping mapping = { 0 };
	struct mmap_body body;

	/* mappings of data are told too, when they were asked for */
	if (record->head.misc & PERF_RECORD_MISC_MMAP_DATA ||
	    !take_body(record, &body, sizeof(body)))
		return;
	mapping.path = take_path(record, sizeof(body));
	tell_mapping(r, &body, &mapping);
}

static void take_mmap2(struct reader *r, const struct record *record)
{
	struct mmaps_mapping mapping = { 0 };
	struct mmap2_body body;

	if (!take_body(record, &body, sizeof(body)) || !(body.prot & PROT_EXEC))
		return;
	mapping.path = take_path(record, sizeof(body));
	if (!(record->head.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		mapping.inode = body.inode;
	} else if (body.build_id_size <= sizeof(body.build_id)) {
		mapping.build_id.n = body.build_id_size;
		memcpy(mapping.build_id.bytes, body.build_id, body.build_id_size);
	}
	tell_mapping(r, &body.map, &mapping);
}

static void take_fork(struct reader *r, const struct record *record)
{
	struct fork_body body;

	/* a thread is none */
	if (take_body(record, &body, sizeof(body)) && body.pid != body.parent &&
	    body.pid <= INT32_MAX && body.parent <= INT32_MAX)
		r->sink->fork(r->sink->ctx, (int32_t)body.pid, (int32_t)body.parent);
}

/* What lies behind a record and is none itself. */
static int skip_behind(struct reader *r, const struct record *record, struct err *err)
{
	uint64_t size;
	uint32_t small;

	if (record->head.type == DATAFILE_AUXTRACE && take_body(record, &size, sizeof(size)))
		skip(r, size);
	else if (record->head.type == DATAFILE_TRACING_DATA &&
		 take_body(record, &small, sizeof(small)))
		skip(r, datafile_tracing_bytes(small));
	else if (record->head.type == DATAFILE_COMPRESSED ||
		 record->head.type == DATAFILE_COMPRESSED2)
		return err_set(err, "%s: its records are compressed", r->path);
	return 0;
}

static int read_records(struct reader *r, struct datafile_section data, struct err *err)
{
	struct record record = { .n = 0 };
	int more;

	begin_section(r, data);
	while ((more = next_record(r, &record, err)) > 0) {
		switch (record.head.type) {
		case PERF_RECORD_MMAP: take_mmap(r, &record); break;
		case PERF_RECORD_MMAP2: take_mmap2(r, &record); break;
		case PERF_RECORD_FORK: take_fork(r, &record); break;
		default:
			if (skip_behind(r, &record, err) < 0)
				return -1;
			break;
		}
	}
	return more;
}

static void take_build_id(struct reader *r, const struct record *record)
{
	struct mmaps_build_id id = { .n = MMAPS_BUILD_ID_MAX };
	struct build_id_body body;

	if (!take_body(record, &body, sizeof(body)))
		return;
	memcpy(id.bytes, body.build_id, sizeof(id.bytes));
	if (record->head.misc & MISC_BUILD_ID_SIZE)
		id.n = body.build_id[MMAPS_BUILD_ID_MAX];
	if (id.n > 0 && id.n <= MMAPS_BUILD_ID_MAX)
		r->sink->build_id(r->sink->ctx, take_path(record, sizeof(body)), &id);
}

/* Sections of features stand behind the data, in the order of their bits. */
static int read_build_ids(struct reader *r, struct err *err)
{
	struct record record = { .n = 0 };
	struct datafile_section section = { 0 };
	uint64_t at;
	int more;

	if (!(r->head.features[0] & (UINT64_C(1) << FEATURE_BUILD_ID)) ||
	    __builtin_add_overflow(r->head.data.offset, r->head.data.size, &at))
		return 0;
	for (int bit = 0; bit < FEATURE_BUILD_ID; bit++)
		at += (r->head.features[0] >> bit & 1) * sizeof(section);
	if (datafile_read(r->fd, &section, sizeof(section), at) != sizeof(section))
		return err_set(err, "%s: it ends before its build-ids", r->path);
	begin_section(r, section);
	while ((more = next_record(r, &record, err)) > 0)
		take_build_id(r, &record);
	return more;
}

static int read_head(struct reader *r, struct datafile_section *data, struct err *err)
{
	ssize_t n = datafile_read(r->fd, &r->head, sizeof(r->head), 0);

	if (n < 0)
		return err_errno(err, "%s", r->path);
	if (n < PIPE_HEAD_SIZE || memcmp(r->head.magic, DATAFILE_MAGIC, sizeof(r->head.magic)) != 0)
		return err_set(err, "%s: it is not perf's, or of another byte order", r->path);
	if (r->head.size == PIPE_HEAD_SIZE) {
		memset(r->head.features, 0, sizeof(r->head.features));
		*data = (struct datafile_section){ .offset = PIPE_HEAD_SIZE, .size = INT64_MAX };
		return 0;
	}
	if (n < (ssize_t)sizeof(r->head))
		return err_set(err, "%s: it ends within its head", r->path);
	*data = r->head.data;
	/* perf record was killed before it wrote the size */
	if (data->size == 0)
		data->size = INT64_MAX;
	return 0;
}

int mmaps_read(const char *data, const struct mmaps_sink *sink, struct err *err)
{
	struct reader r = { .path = data, .sink = sink };
	struct datafile_section section = { 0 };
	int failed;

	r.fd = datafile_open(data, err);
	if (r.fd < 0)
		return -1;
	r.buffer = xmalloc(BUFFER_SIZE);
	failed = read_head(&r, &section, err);
	if (failed == 0) {
		failed = read_build_ids(&r, err);
		failed = read_records(&r, section, failed ? NULL : err) < 0 || failed ? -1 : 0;
	}
	free(r.buffer);
	close(r.fd);
	return failed;
}
