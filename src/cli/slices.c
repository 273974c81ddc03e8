/* SPDX-License-Identifier: MIT */
#include "cli/slices.h"

#include "base/num.h"
#include "base/tempfile.h"
#include "base/xalloc.h"
#include "perf/psbs.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* PT data of which the decoding takes some ten times as long as perf takes to start. */
#define WORTHWHILE ((uint64_t)512 << 10)

/*
 * Bytes of records for one of PT data, at most: a TNT packet has 47 branches in 8 bytes (Intel SDM,
 * volume 3, "Taken/Not-taken (TNT) Packet"), and a record of a branch 8; the rest is for places.
 */
#define RECORDS_MAX 64

/* The times at which slices begin, by how much PT data lies between them. */
static void cut(struct slices *s, const struct psbs *psbs, int64_t from, int64_t to, size_t n)
{
	uint64_t bytes = 0, done = 0;

	for (size_t i = 0; i < psbs->n; i++)
		if (psbs->v[i].time > from && psbs->v[i].time < to)
			bytes += psbs->v[i].bytes;
	if (n > bytes / WORTHWHILE)
		n = (size_t)(bytes / WORTHWHILE);
	if (n < 2)
		return;
	s->v[s->n++] = (struct slice){ .from = from, .to = to, .fd = -1 };
	for (size_t i = 0; i < psbs->n && s->n < n; i++) {
		int64_t time = psbs->v[i].time;

		if (time <= from || time >= to)
			continue;
		if (done >= bytes / n * s->n && time > s->v[s->n - 1].from) {
			s->v[s->n - 1].to = time - 1;
			s->v[s->n++] = (struct slice){ .from = time, .to = to, .fd = -1 };
		}
		done += psbs->v[i].bytes;
	}
}

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* For tests: cuts anywhere between the first PSB and the last, however little there is. */
static void cut_at_random(struct slices *s, const struct psbs *psbs, int64_t from, int64_t to,
			  size_t n, const char *number)
{
	int64_t first = psbs->v[0].time, length = psbs->v[psbs->n - 1].time - first;
	struct str rest = str_of(number);
	int64_t times[SLICES_MAX];
	unsigned int seed;
	uint64_t value;

	if (!num_dec(&rest, &value) || rest.n)
		return;
	seed = (unsigned int)value;

	for (size_t i = 1; i < n; i++)
		times[i] = first + (int64_t)((double)rand_r(&seed) / RAND_MAX * (double)length);
	qsort(times + 1, n - 1, sizeof(*times), by_time);
	s->v[s->n++] = (struct slice){ .from = from, .to = to, .fd = -1 };
	for (size_t i = 1; i < n; i++) {
		if (times[i] <= s->v[s->n - 1].from || times[i] >= to)
			continue;
		s->v[s->n - 1].to = times[i] - 1;
		s->v[s->n++] = (struct slice){ .from = times[i], .to = to, .fd = -1 };
	}
}

void slices_plan(struct slices *s, const struct perf_script_args *args, unsigned int jobs)
{
	int64_t to = args->to ? args->to : INT64_MAX;
	size_t n = jobs < SLICES_MAX ? jobs : SLICES_MAX;
	const char *number = getenv(SLICES_CUTS);
	struct psbs psbs;

	s->n = 0;
	if (jobs < 2 || args->mode != PERF_PT || !args->filter ||
	    psbs_read(args->data, &psbs, NULL) < 0)
		return;
	if (psbs.steady && psbs.per_thread && psbs.n && number)
		cut_at_random(s, &psbs, args->from, to, n, number);
	else if (psbs.steady && psbs.per_thread)
		cut(s, &psbs, args->from, to, n);
	s->bytes = 0;
	for (size_t i = 0; i < psbs.n; i++)
		s->bytes += psbs.v[i].bytes;
	psbs_fini(&psbs);
	if (s->n < 2)
		s->n = 0;
}

/* Whether what all slices may come to fits where the file is: a cut one would be a cut trace. */
static bool has_room(int fd, uint64_t bytes)
{
	struct statvfs fs;
	uint64_t room;

	if (fstatvfs(fd, &fs) < 0 ||
	    __builtin_mul_overflow((uint64_t)fs.f_bavail, (uint64_t)fs.f_frsize, &room))
		return false;
	return room / RECORDS_MAX >= bytes;
}

static int start(struct slice *slice, const struct perf_script_args *args, uint64_t bytes)
{
	struct perf_script_args own = *args;

	slice->fd = tempfile_open("magic-trace-slice");
	if (slice->fd < 0 || !has_room(slice->fd, bytes))
		return -1;
	own.from = slice->from;
	own.to = slice->to;
	own.spool = slice->fd;
	own.on_stderr = NULL;
	return perf_script_start(&own, &slice->perf, NULL);
}

void slices_start(struct slices *s, const struct perf_script_args *args)
{
	for (size_t i = 1; i < s->n; i++) {
		if (start(&s->v[i], args, s->bytes) == 0)
			continue;
		slices_close(s);
		return;
	}
}

void slices_stop(struct slices *s)
{
	for (size_t i = 1; i < s->n; i++) {
		if (s->v[i].perf)
			perf_script_stop(s->v[i].perf);
	}
}

static ssize_t slice_read(void *ctx, void *buf, size_t size, struct err *err)
{
	struct slice *slice = ctx;
	ssize_t n;

	do
		n = pread(slice->fd, buf, size, (off_t)slice->read);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_errno(err, "a temporary file cannot be read");
	slice->read += (uint64_t)n;
	return n;
}

struct input slices_input(struct slices *s, size_t i)
{
	perf_script_wait_spooled(s->v[i].perf);
	return (struct input){ .ctx = &s->v[i], .read = slice_read };
}

int slices_finish(struct slices *s, size_t i, struct err *err)
{
	struct perf_script *perf = s->v[i].perf;

	s->v[i].perf = NULL;
	close(s->v[i].fd);
	s->v[i].fd = -1;
	return perf_script_finish(perf, err);
}

static struct slices_cbr *find_cbr(struct slices *s, const struct event *ev)
{
	for (size_t i = 0; i < s->n_cbrs; i++) {
		if (s->cbrs[i].tid == ev->tid && s->cbrs[i].pid == ev->pid)
			return &s->cbrs[i];
	}
	if (s->n_cbrs == s->cap_cbrs) {
		s->cap_cbrs = s->cap_cbrs ? 2 * s->cap_cbrs : 16;
		s->cbrs = xreallocarray(s->cbrs, s->cap_cbrs, sizeof(*s->cbrs));
	}
	s->cbrs[s->n_cbrs] = (struct slices_cbr){ .pid = ev->pid, .tid = ev->tid };
	return &s->cbrs[s->n_cbrs++];
}

/* perf tells a frequency when it has changed, and at the beginning. */
static bool repeats_cbr(struct slices *s, size_t i, const struct event *ev)
{
	struct slices_cbr *cbr = find_cbr(s, ev);
	bool repeats = i && cbr->mhz == ev->cbr.mhz;

	cbr->mhz = ev->cbr.mhz;
	return repeats;
}

bool slices_said_before(struct slices *s, size_t i, const struct event *ev)
{
	if (!ev->has_time)
		return i > 0;
	if (ev->time < s->v[i].from || ev->time > s->v[i].to)
		return true;
	return ev->kind == EVENT_CBR && repeats_cbr(s, i, ev);
}

static void end_all(struct slices *s)
{
	slices_stop(s);
	for (size_t i = 1; i < s->n; i++) {
		struct perf_script *perf = s->v[i].perf;

		s->v[i].perf = NULL;
		if (perf)
			perf_script_finish(perf, NULL);
		if (s->v[i].fd >= 0)
			close(s->v[i].fd);
		s->v[i].fd = -1;
	}
}

void slices_join(struct slices *s)
{
	end_all(s);
	s->v[1].to = s->v[s->n - 1].to;
	s->n = 2;
}

void slices_close(struct slices *s)
{
	end_all(s);
	free(s->cbrs);
	*s = (struct slices){ .n = 0 };
}
