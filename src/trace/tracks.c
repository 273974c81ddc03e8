/* SPDX-License-Identifier: MIT */
#include "trace/tracks.h"

#include "base/xalloc.h"
#include "trace/strings.h"
#include "trace/text.h"

#include <stdio.h>
#include <stdlib.h>

#define FIRST_OTHER_KOID ((UINT64_C(1) << 22) + 1)

/* Processes that are none: of threads whose process is not known, and of the hits. */
#define PID_UNKNOWN 0
#define PID_HITS    (-1)

struct process {
	int32_t pid; /* or one of the two above */
	uint64_t koid;
	bool named; /* its name has been written */
};

/* Who has a koid. */
struct claim {
	uint32_t process; /* the process that it is, or whose thread it is: its place */
	bool by_process, by_thread;
};

void tracks_init(struct tracks *t, struct fxt *fxt, const struct trace_options *options,
		 struct trace_stats *stats)
{
	*t = (struct tracks){
		.fxt = fxt,
		.options = options,
		.stats = stats,
		.keys = intern_new(0),
		.pids = intern_new(0),
		.koids = intern_new(0),
		.next_koid = FIRST_OTHER_KOID,
		.hand = 1,
	};
}

void tracks_fini(struct tracks *t)
{
	intern_free(t->keys);
	intern_free(t->pids);
	intern_free(t->koids);
	free(t->tracks);
	free(t->processes);
	free(t->claims);
}

/* The place of a key (any bytes), counted from 0 in order of appearance; *fresh: it is new. */
static uint32_t place_of(struct intern *in, const void *key, size_t n, bool *fresh)
{
	uint32_t before = intern_count(in);
	uint32_t at = intern_add(in, (struct str){ .p = key, .n = n }) - 1;

	*fresh = at == before;
	return at;
}

/* The list, grown until it has a place `at`; new places are zero. */
static void *grown(void *list, uint32_t at, uint32_t *cap, size_t size)
{
	uint32_t had = *cap;

	if (at < had)
		return list;
	*cap = had ? had * 2 : 64;
	list = xreallocarray(list, *cap, size);
	memset((char *)list + had * size, 0, (*cap - had) * size);
	return list;
}

static struct claim *claim_of(struct tracks *t, uint64_t koid)
{
	bool fresh;
	uint32_t at = place_of(t->koids, &koid, sizeof(koid), &fresh);

	t->claims = grown(t->claims, at, &t->cap_claims, sizeof(*t->claims));
	return &t->claims[at];
}

/* A main thread has its process's number; else no two things have the same. */
static bool claim(struct tracks *t, uint64_t koid, uint32_t process, bool thread)
{
	struct claim *c = claim_of(t, koid);

	if ((c->by_process || c->by_thread) && c->process != process)
		return false;
	if (thread ? c->by_thread : c->by_process)
		return false;
	c->process = process;
	if (thread)
		c->by_thread = true;
	else
		c->by_process = true;
	return true;
}

/* The number as the koid, when it is one and is free; else one that the kernel never gives. */
static uint64_t choose_koid(struct tracks *t, int32_t number, uint32_t process, bool thread)
{
	struct claim *c;
	uint64_t koid;

	if (number > 0 && claim(t, (uint64_t)number, process, thread))
		return (uint64_t)number;
	/* A text with senseless pids may have used some of these already. */
	do {
		koid = t->next_koid++;
		c = claim_of(t, koid);
	} while (c->by_process || c->by_thread);
	claim(t, koid, process, thread);
	return koid;
}

static uint32_t process_of(struct tracks *t, int32_t pid)
{
	bool fresh;
	uint32_t at = place_of(t->pids, &pid, sizeof(pid), &fresh);

	t->processes = grown(t->processes, at, &t->cap_processes, sizeof(*t->processes));
	if (fresh) {
		t->processes[at].pid = pid;
		t->processes[at].koid = choose_koid(t, pid, at, false);
	}
	return at;
}

static uint32_t process_of_track(struct tracks *t, const struct track_key *key)
{
	if (key->kind == TRACK_HITS)
		return process_of(t, PID_HITS);
	return process_of(t, key->pid > 0 ? key->pid : PID_UNKNOWN);
}

uint32_t tracks_add(struct tracks *t, const struct track_key *key)
{
	/* Without padding, and without what does not matter. */
	int64_t bytes[4] = { key->kind };
	uint32_t at, process;
	int32_t tid;
	bool fresh;

	if (key->kind != TRACK_HITS)
		bytes[1] = key->pid;
	if (key->kind == TRACK_THREAD)
		bytes[2] = key->tid;
	if (key->kind == TRACK_EXTRA)
		bytes[3] = key->event;
	at = place_of(t->keys, bytes, sizeof(bytes), &fresh);
	if (!fresh)
		return at;
	t->tracks = grown(t->tracks, at, &t->cap_tracks, sizeof(*t->tracks));
	process = process_of_track(t, key);
	/* Whose thread it is must be known before a tid is taken for it. */
	tid = key->kind == TRACK_THREAD && key->pid > 0 ? key->tid : 0;
	t->tracks[at].key = *key;
	t->tracks[at].process = t->processes[process].koid;
	t->tracks[at].thread = choose_koid(t, tid, process, true);
	return at;
}

/*
 * "TEXT [WORD=N]" in t->text, with "?" for a number that is not known, and without TEXT
 * when that is NULL or empty. The flaws of TEXT are or'ed into *flaws.
 */
static struct str numbered_name(struct tracks *t, const char *text, const char *word,
				int32_t number, unsigned *flaws)
{
	char id[16] = "?", tail[96], *buf = t->text;
	const char *clock = t->options->clock;
	size_t n = 0, skip;
	int n_tail;

	if (number > 0)
		snprintf(id, sizeof(id), "%d", number);
	n_tail = clock ? snprintf(tail, sizeof(tail), " [%s=%s] [%.64s]", word, id, clock)
		       : snprintf(tail, sizeof(tail), " [%s=%s]", word, id);

	if (text)
		n = text_clean(buf, FXT_MAX_BYTES - (size_t)n_tail, str_of(text), flaws);
	skip = n ? 0 : 1;
	memcpy(buf + n, tail + skip, (size_t)n_tail - skip);
	return (struct str){ .p = buf, .n = n + (size_t)n_tail - skip };
}

static void count_flaws(struct tracks *t, unsigned flaws)
{
	t->stats->cut_names += (flaws & TEXT_CUT) != 0;
	t->stats->bad_utf8 += (flaws & TEXT_BAD_UTF8) != 0;
}

static void name_process(struct tracks *t, struct process *p)
{
	const struct trace_options *o = t->options;
	const char *line = NULL;
	unsigned flaws = 0, ignored = 0;
	struct str text;

	p->named = true;
	if (p->pid == PID_HITS) {
		fxt_process_name(t->fxt, p->koid, STR("Snapshot symbol hits"));
		return;
	}
	if (p->pid > 0 && o->command_line)
		line = o->command_line(o->ctx, p->pid);
	text = numbered_name(t, line, "pid", p->pid, &flaws);
	if (flaws & TEXT_CUT) /* pages of arguments name nothing */
		text = numbered_name(t, NULL, "pid", p->pid, &ignored);
	count_flaws(t, flaws);
	fxt_process_name(t->fxt, p->koid, text);
}

static struct str thread_text(struct tracks *t, const struct track_key *key, unsigned *flaws)
{
	const struct trace_options *o = t->options;
	const char *comm = NULL;
	struct str text;

	if (key->kind == TRACK_HITS)
		return STR("hits");
	if (key->kind == TRACK_EXTRA) {
		text.p = t->text;
		text.n =
			text_clean(t->text, FXT_MAX_BYTES, intern_str(o->names, key->event), flaws);
		return text;
	}
	if (key->tid > 0 && o->comm)
		comm = o->comm(o->ctx, key->pid, key->tid);
	if (key->tid > 0 && key->tid == key->pid && (!comm || !*comm))
		return STR("main");
	return numbered_name(t, comm, "tid", key->tid, flaws);
}

static void name_thread(struct tracks *t, struct track *track)
{
	unsigned flaws = 0;
	struct str text = thread_text(t, &track->key, &flaws);

	track->named = true;
	count_flaws(t, flaws);
	fxt_thread_name(t->fxt, track->process, track->thread, FIXED_PROCESS, text);
}

/* A thread index: a fresh one, or one that no event has used lately. */
static uint8_t free_index(struct tracks *t)
{
	uint32_t index;

	if (t->given < FXT_MAX_THREAD)
		return (uint8_t)++t->given;
	for (;;) {
		index = t->hand;
		t->hand = index == FXT_MAX_THREAD ? 1 : index + 1;
		if (!t->used[index])
			break;
		t->used[index] = false;
	}
	t->tracks[t->owner[index]].index = 0;
	return (uint8_t)index;
}

static uint8_t define(struct tracks *t, uint32_t number)
{
	struct track *track = &t->tracks[number];
	struct process *process = &t->processes[process_of_track(t, &track->key)];
	uint8_t index = free_index(t);

	if (!process->named)
		name_process(t, process);
	if (!track->named)
		name_thread(t, track);
	fxt_thread(t->fxt, index, track->process, track->thread);
	track->index = index;
	t->owner[index] = number;
	return index;
}

uint8_t tracks_index(struct tracks *t, uint32_t number)
{
	uint8_t index = tracks_known_index(t, number);

	if (index == 0)
		index = define(t, number);
	tracks_use(t, index);
	return index;
}
