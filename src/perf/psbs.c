/* SPDX-License-Identifier: MIT */
#include "perf/psbs.h"

#include "base/xalloc.h"
#include "perf/datafile.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* tools/perf/util/auxtrace.h: enum auxtrace_type */
#define AUXTRACE_INTEL_PT 1

/* tools/perf/util/intel-pt.h: what the numbers of an AUXTRACE_INFO are. */
enum {
	INFO_PMU_TYPE,
	INFO_TIME_SHIFT,
	INFO_TIME_MULT,
	INFO_TIME_ZERO,
	INFO_CAP_USER_TIME_ZERO,
	INFO_MTC_BIT = 10,
	INFO_CYC_BIT = 14,
	INFO_NUMBERS,
};

/* PT data is read in pieces of this size. */
#define PIECE ((size_t)1 << 20)
/* What is looked at behind a PSB for its time; it is among the first of the packets there. */
#define TAIL        64
#define PSB_BYTES   16
#define BUFFER_SIZE (PIECE + PSB_BYTES + TAIL)

struct auxtrace {
	struct perf_event_header head;
	uint64_t size, offset, reference;
	uint32_t index, tid;
	int32_t cpu;
	uint32_t reserved;
};

struct reader {
	int fd;
	const char *path;
	struct psbs *out;
	size_t cap;
	uint64_t info[INFO_NUMBERS];
	bool has_info;
	uint64_t bytes; /* of PT data before that in the buffer */
	uint64_t skip;  /* so many more are left out after each that is kept */
	uint64_t skipped;
	unsigned char *buffer; /* BUFFER_SIZE; owned */
};

static bool read_all(int fd, void *buf, size_t size, uint64_t offset)
{
	return datafile_read(fd, buf, size, offset) == (ssize_t)size;
}

/* tools/perf/util/tsc.c: tsc_to_perf_time */
static uint64_t time_of(const struct reader *r, uint64_t tsc)
{
	uint64_t shift = r->info[INFO_TIME_SHIFT], mult = r->info[INFO_TIME_MULT];
	uint64_t quotient = tsc >> shift, rest = tsc & ((UINT64_C(1) << shift) - 1);

	return r->info[INFO_TIME_ZERO] + quotient * mult + (rest * mult >> shift);
}

/* A packet has the low 56 bits; the others are those of a time close by, if there is one. */
static uint64_t whole_tsc(uint64_t low, uint64_t reference)
{
	const uint64_t half = UINT64_C(1) << 55;
	uint64_t tsc = low | (reference >> 56 << 56);

	if (!reference)
		return low;
	if (tsc < reference)
		return reference - tsc > half ? tsc + 2 * half : tsc;
	return tsc - reference > half ? tsc - 2 * half : tsc;
}

/*
 * The length of a packet that can stand between a PSB and its TSC packet, 0: none does. (Intel SDM,
 * volume 3, "Packet Definitions")
 */
static size_t packet_length(const unsigned char *p)
{
	if (p[0] == 0x00) /* PAD */
		return 1;
	if (p[0] == 0x99 || p[0] == 0x59) /* MODE, MTC */
		return 2;
	if (p[0] != 0x02)
		return 0;
	switch (p[1]) {
	case 0x03: return 4; /* CBR */
	case 0x43: return 8; /* PIP */
	case 0x73:           /* TMA */
	case 0xc8: return 7; /* VMCS */
	default: return 0;
	}
}

/* Looks for the TSC packet among the n bytes behind a PSB. */
static bool find_tsc(const unsigned char *p, size_t n, uint64_t *low)
{
	size_t at = 0, length = 1;

	for (; length && at + 8 <= n; at += length) {
		if (p[at] == 0x19) {
			*low = 0;
			memcpy(low, p + at + 1, 7); /* little-endian, as is PT */
			return true;
		}
		length = packet_length(p + at);
	}
	return false;
}

/* Leaves out every other one, but not the first: there are too many. */
static void thin(struct reader *r)
{
	struct psbs *out = r->out;

	for (size_t i = 0; i < out->n; i += 2)
		out->v[i / 2] = out->v[i];
	out->n = (out->n + 1) / 2;
	r->skip = 2 * r->skip + 1;
}

/* A PSB, `bytes` behind the beginning of all PT data. */
static void add(struct reader *r, uint64_t time, uint64_t bytes)
{
	struct psbs *out = r->out;

	if (time > INT64_MAX || (out->n && r->skipped++ < r->skip))
		return;
	r->skipped = 0;
	if (out->n == PSBS_MAX)
		thin(r);
	if (out->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 256;
		out->v = xreallocarray(out->v, r->cap, sizeof(*out->v));
	}
	out->v[out->n++] = (struct psb){ .time = (int64_t)time, .bytes = bytes };
}

/*
 * Takes the PSBs that begin in the first `size` of n bytes. A packet before one may end as it
 * begins: its end is behind the last 02 82.
 */
static void take_psbs(struct reader *r, size_t size, size_t n, uint64_t reference)
{
	static const unsigned char psb[PSB_BYTES] = { 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
						      0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
						      0x02, 0x82, 0x02, 0x82 };
	const unsigned char *p = r->buffer, *end = r->buffer + n, *found;
	uint64_t low;

	while ((found = memmem(p, (size_t)(end - p), psb, sizeof(psb))) != NULL &&
	       found < r->buffer + size) {
		p = found + sizeof(psb);
		while (end - p >= 2 && memcmp(p, psb, 2) == 0)
			p += 2;
		if (find_tsc(p, (size_t)(end - p), &low))
			add(r, time_of(r, whole_tsc(low, reference)),
			    r->bytes + (uint64_t)(found - r->buffer));
	}
}

/* The PT data of an AUXTRACE record, from offset on. */
static int read_aux(struct reader *r, const struct auxtrace *aux, uint64_t offset, struct err *err)
{
	uint64_t left = aux->size;

	r->out->per_thread = r->out->per_thread && aux->cpu == -1;
	while (left) {
		size_t step = left < PIECE ? (size_t)left : PIECE;
		size_t n = left < BUFFER_SIZE ? (size_t)left : BUFFER_SIZE;

		if (!read_all(r->fd, r->buffer, n, offset))
			return err_set(err, "%s: it ends within its PT data", r->path);
		take_psbs(r, step, n, aux->reference);
		r->bytes += step;
		offset += step;
		left -= step;
	}
	return 0;
}

/* Takes the numbers that times are computed with. */
static int read_info(struct reader *r, uint64_t offset, size_t size, struct err *err)
{
	uint32_t type[2]; /* and what is reserved */

	if (size < sizeof(struct perf_event_header) + sizeof(type) + sizeof(r->info))
		return err_set(err, "%s: it does not say how its times are to be read", r->path);
	offset += sizeof(struct perf_event_header);
	if (!read_all(r->fd, type, sizeof(type), offset) ||
	    !read_all(r->fd, r->info, sizeof(r->info), offset + sizeof(type)))
		return err_set(err, "%s: it ends within its head", r->path);
	if (type[0] != AUXTRACE_INTEL_PT || !r->info[INFO_CAP_USER_TIME_ZERO] ||
	    r->info[INFO_TIME_SHIFT] > 63)
		return err_set(err, "%s: the times of its PT data are not perf's", r->path);
	r->has_info = true;
	return 0;
}

/* Takes a record of which the head is known; *behind: the bytes that follow it and are none. */
static int take_record(struct reader *r, struct perf_event_header head, uint64_t offset,
		       uint64_t *behind, struct err *err)
{
	struct auxtrace aux;
	uint32_t size;

	*behind = 0;
	switch (head.type) {
	case DATAFILE_AUXTRACE_INFO: return read_info(r, offset, head.size, err);
	case DATAFILE_AUXTRACE:
		if (head.size < sizeof(aux) || !read_all(r->fd, &aux, sizeof(aux), offset))
			return err_set(err, "%s: a record is damaged", r->path);
		if (!r->has_info)
			return err_set(err, "%s: it has no times of PT data", r->path);
		*behind = aux.size;
		return read_aux(r, &aux, offset + head.size, err);
	case DATAFILE_TRACING_DATA:
		if (!read_all(r->fd, &size, sizeof(size), offset + sizeof(head)))
			return err_set(err, "%s: a record is damaged", r->path);
		*behind = datafile_tracing_bytes(size);
		return 0;
	case DATAFILE_COMPRESSED:
	case DATAFILE_COMPRESSED2: return err_set(err, "%s: its records are compressed", r->path);
	default: return 0;
	}
}

static int read_records(struct reader *r, struct datafile_section data, struct err *err)
{
	uint64_t offset = data.offset, left = data.size, behind;
	struct perf_event_header head;

	while (left >= sizeof(head)) {
		if (!read_all(r->fd, &head, sizeof(head), offset) || head.size < sizeof(head) ||
		    head.size > left)
			return err_set(err, "%s: a record is damaged", r->path);
		if (take_record(r, head, offset, &behind, err) < 0)
			return -1;
		left -= head.size;
		if (behind > left)
			return err_set(err, "%s: it ends within its PT data", r->path);
		left -= behind;
		offset += head.size + behind;
	}
	return 0;
}

/* Whether an event of Intel PT has both MTC and CYC packets. */
static bool learns(const struct reader *r, const struct datafile_head *head)
{
	uint64_t both = r->info[INFO_MTC_BIT] | r->info[INFO_CYC_BIT];
	struct perf_event_attr attr;
	uint64_t n = head->attr_size ? head->attrs.size / head->attr_size : 0;

	for (uint64_t i = 0; i < n && i < 1024; i++) {
		if (!read_all(r->fd, &attr, PERF_ATTR_SIZE_VER0,
			      head->attrs.offset + i * head->attr_size))
			return true;
		if (attr.type == r->info[INFO_PMU_TYPE] && (attr.config & both) == both)
			return true;
	}
	return n == 0;
}

static int by_time(const void *a, const void *b)
{
	const struct psb *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* The bytes up to each PSB become those from it to the next; sorts them. */
static void arrange(struct reader *r)
{
	struct psb *v = r->out->v;
	size_t n = r->out->n;

	for (size_t i = 0; i < n; i++)
		v[i].bytes = (i + 1 < n ? v[i + 1].bytes : r->bytes) - v[i].bytes;
	if (n)
		qsort(v, n, sizeof(*v), by_time);
}

static int read_file(struct reader *r, struct err *err)
{
	struct datafile_head head;

	if (!read_all(r->fd, &head, sizeof(head), 0) ||
	    memcmp(head.magic, DATAFILE_MAGIC, 8) != 0 ||
	    head.size < offsetof(struct datafile_head, features))
		return err_set(err, "%s: it is not perf's, or of another byte order", r->path);
	r->buffer = xmalloc(BUFFER_SIZE);
	if (read_records(r, head.data, err) < 0)
		return -1;
	if (!r->has_info)
		return err_set(err, "%s: it has no PT data", r->path);
	r->out->steady = !learns(r, &head);
	arrange(r);
	return 0;
}

int psbs_read(const char *data, struct psbs *out, struct err *err)
{
	struct reader r = { .path = data, .out = out };
	int failed;

	*out = (struct psbs){ .per_thread = true };
	r.fd = datafile_open(data, err);
	if (r.fd < 0)
		return -1;
	failed = read_file(&r, err);
	free(r.buffer);
	close(r.fd);
	if (failed)
		psbs_fini(out);
	return failed;
}

void psbs_fini(struct psbs *psbs)
{
	free(psbs->v);
	*psbs = (struct psbs){ .n = 0 };
}
