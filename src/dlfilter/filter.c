/* SPDX-License-Identifier: MIT */
/*
 * filter: a shared object that `perf script --dlfilter` loads. It writes each branch as a record of
 * a few bytes (dlfilter/wire.h) where perf would print a line of two hundred, and drops what
 * changes nothing. All else is left to perf, which prints it as ever.
 *
 * perf must be told to print what changes mappings (--show-mmap-events and the like): that is how
 * the filter, which is shown nothing but samples, notices.
 */
#include "dlfilter/addrs.h"
#include "dlfilter/api.h"
#include "dlfilter/sender.h"

#include "base/num.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* perf's standard output goes to a pipe, which holds so much. */
#define BUFFER_SIZE 65536

#define EXPORT __attribute__((visibility("default")))

/* perf looks for these names. */
EXPORT struct dlf_functions perf_dlfilter_fns;
EXPORT int start(void **data, void *ctx);
EXPORT int stop(void *data, void *ctx);
EXPORT int filter_event_early(void *data, const struct dlf_sample *sample, void *ctx);
EXPORT const char *filter_description(const char **more);

/* What perf is told of an event. */
enum verdict {
	PRINT = 0,
	DROP = 1,
};

enum event_class {
	CLASS_OTHER,
	CLASS_BRANCH,
	CLASS_PSB, /* a point of synchronisation in the trace: nobody wants to know */
};

struct filter {
	struct sender out;
	struct addrs addrs;
	const char *event; /* the name of the event that came last, and ... */
	enum event_class class;
	bool all;          /* nothing is dropped of what is wanted: */
	uint64_t from, to; /* the times of what is wanted, ns */

	/* Of the thread that had the last event. */
	int32_t pid, tid;
	uint64_t last;      /* the time of its last event, sent or dropped */
	bool dropped;       /* that event was dropped */
	bool has_top;       /* the function on top of its stack is known: */
	uint64_t top_start; /* see struct addr */
	uint64_t top_name;
};

const char *filter_description(const char **more)
{
	if (more)
		*more = "Writes branches as binary records for magic-trace, which calls this.";
	return "magic-trace's filter";
}

static bool read_hex(const char *arg, uint64_t *out)
{
	struct str hex = str_of(arg);

	return num_hex(&hex, out) && hex.n == 0;
}

/* Whether all is as it was made for: arguments VERSION COOKIE [all] [part FROM TO]. */
static bool read_args(struct filter *f, char **argv, int n, uint64_t *cookie)
{
	if (!argv || n < 2 || strcmp(argv[0], WIRE_VERSION) != 0 || !read_hex(argv[1], cookie))
		return false;
	f->to = UINT64_MAX;
	for (int i = 2; i < n; i++) {
		if (strcmp(argv[i], WIRE_ALL) == 0) {
			f->all = true;
			continue;
		}
		if (strcmp(argv[i], WIRE_SPOOL) == 0) {
			if (dup2(WIRE_SPOOL_FD, STDOUT_FILENO) < 0)
				return false;
			continue;
		}
		if (strcmp(argv[i], WIRE_PART) != 0 || n - i < 3 ||
		    !read_hex(argv[i + 1], &f->from) || !read_hex(argv[i + 2], &f->to))
			return false;
		i += 2;
	}
	return true;
}

int start(void **data, void *ctx)
{
	struct filter *f;
	uint64_t cookie;
	char **argv;
	int n = 0;

	argv = perf_dlfilter_fns.args(ctx, &n);
	f = calloc(1, sizeof(*f));
	if (!f)
		return -1;
	if (!read_args(f, argv, n, &cookie)) {
		fputs("magic-trace's filter is of another version than magic-trace\n", stderr);
		free(f);
		return -1;
	}
	addrs_init(&f->addrs);
	/* perf goes on writing to it when we are gone: it is never freed */
	setvbuf(stdout, malloc(BUFFER_SIZE), _IOFBF, BUFFER_SIZE);
	sender_init(&f->out, stdout, cookie);
	*data = f;
	return 0;
}

/* What happened up to here has been said, but for the time. */
static void send_dropped(struct filter *f)
{
	if (f->dropped)
		sender_tick(&f->out, f->last);
	f->dropped = false;
}

/* Somebody else has written: a decode error perhaps, or a mapping. Nothing is sure any more. */
static void interrupted(struct filter *f)
{
	addrs_doubt(&f->addrs);
	f->has_top = false;
	sender_hello(&f->out);
}

int stop(void *data, void *ctx)
{
	struct filter *f = data;

	(void)ctx;
	if (!f)
		return 0;
	if (f->dropped && sender_interrupted(&f->out))
		interrupted(f);
	send_dropped(f);
	free(f);
	return 0;
}

static bool is_event(const char *name, struct str event)
{
	char end = strncmp(name, event.p, event.n) == 0 ? name[event.n] : 'x';

	return end == '\0' || end == ':' || end == '/';
}

static enum event_class classify(const char *name)
{
	if (name && is_event(name, STR("branches")))
		return CLASS_BRANCH;
	return name && is_event(name, STR("psb")) ? CLASS_PSB : CLASS_OTHER;
}

/* What of perf's answer is sent, as perf would print it. False: it is too long. */
static bool describe(const struct dlf_al *al, uint64_t addr, struct sent_place *place)
{
	*place = (struct sent_place){ .addr = addr };
	place->dso = al->dso ? str_of(al->dso) : STR("[unknown]");
	if (al->sym) {
		place->sym = str_of(al->sym);
		/*
		 * For a symbol without a size perf takes the map's address off as well, which
		 * leaves of an address that is no kernel's a number that is no offset (and has 32
		 * bits only of what perf would print).
		 */
		if (al->addr < al->sym_end)
			place->off = al->addr - al->sym_start;
		else
			place->off = al->is_kernel_ip ? al->symoff : WIRE_MAX_OFFSET;
	}
	return place->sym.n <= UINT16_MAX && place->dso.n <= UINT16_MAX;
}

/*
 * A hash of what decides what lies in a page: the file and what part of it. The kernel has parts
 * smaller than a page; there, all that was found counts. (Seeds only keep the parts apart.)
 */
static uint64_t mapping_of(const struct dlf_al *al, uint64_t addr, const struct sent_place *place)
{
	uint64_t h = hash_bytes(place->dso, 1);

	if (al->buildid && al->buildid_size <= 64)
		h = hash_mix(h, hash_bytes((struct str){ .p = (const char *)al->buildid,
							 .n = al->buildid_size },
					   3));
	if (al->is_kernel_ip && place->sym.p)
		h = hash_mix(h, hash_bytes(place->sym, 5) ^ place->off);
	return hash_mix(h ^ (addr - al->addr), 0x9e3779b97f4a7c15u);
}

/* Whether what is known of a doubted address is right, without asking perf for this very one. */
static bool still_true(struct filter *f, const struct addr *e)
{
	uint64_t mapping;

	return e->checked && e->addr >> 63 == 0 &&
	       addrs_page_known(&f->addrs, e->pid, e->addr, &mapping) && mapping == e->mapping;
}

/* Asks perf about an address. Its slot, or ADDRS_NONE when it cannot be sent. */
static uint32_t ask(struct filter *f, uint64_t addr, const struct dlf_al *(*resolve)(void *ctx),
		    void *ctx, uint32_t but)
{
	uint32_t slot = addrs_claim(&f->addrs, f->pid, addr, but);
	struct addr *e = &f->addrs.slots[slot];
	struct sent_place place;
	const struct dlf_al *al;
	uint64_t mapping;

	if (still_true(f, e)) {
		e->checked = f->addrs.generation;
		return slot;
	}
	al = resolve(ctx);
	if (!al || !describe(al, addr, &place)) {
		e->checked = 0;
		return ADDRS_NONE;
	}
	mapping = mapping_of(al, addr, &place);
	addrs_page_is(&f->addrs, f->pid, addr, mapping);
	if (e->checked && e->mapping == mapping) {
		e->checked = f->addrs.generation;
		return slot;
	}
	e->checked = f->addrs.generation;
	e->mapping = mapping;
	e->start = place.off < WIRE_MAX_OFFSET ? addr - place.off : addr;
	e->name =
		place.sym.p ? hash_mix(hash_bytes(place.sym, 7), hash_bytes(place.dso, 9)) | 1 : 0;
	sender_place(&f->out, (uint16_t)slot, &place);
	return slot;
}

/*
 * Whether the function that such a branch leads to is on top of the thread's stack then. Behind a
 * trace start, an interrupt and its end that is not sure, and a transaction may be undone.
 */
static bool lands(uint32_t flags)
{
	switch (flags & DLF_KNOWN) {
	case DLF_BRANCH:
	case DLF_BRANCH | DLF_CALL:
	case DLF_BRANCH | DLF_RETURN:
	case DLF_BRANCH | DLF_CONDITIONAL: return true;
	default: return false;
	}
}

static bool is_jump(uint32_t flags)
{
	return (flags & DLF_KNOWN & ~DLF_CONDITIONAL) == DLF_BRANCH;
}

static bool is_top(const struct filter *f, const struct addr *e)
{
	return e->start == f->top_start && e->name == f->top_name;
}

/*
 * Whether a branch changes nothing but the time at which its thread was last seen: a jump inside
 * one function that is known to be on top of the thread's stack. Not one to the function's first
 * instruction, which may be a call of itself; nor one back in time.
 */
static bool changes_nothing(const struct filter *f, const struct dlf_sample *s, uint32_t src,
			    uint32_t dst)
{
	const struct addr *from = &f->addrs.slots[src], *to = &f->addrs.slots[dst];

	return f->has_top && is_jump(s->flags) && is_top(f, from) && is_top(f, to) &&
	       to->addr != to->start && s->time >= f->last && !f->all;
}

static void follow_thread(struct filter *f, const struct dlf_sample *s)
{
	send_dropped(f);
	f->pid = s->pid;
	f->tid = s->tid;
	f->last = s->time;
	f->has_top = false;
	sender_thread(&f->out, s->pid, s->tid);
}

/* Sends or drops a branch; false: neither can be done. */
static bool take_branch(struct filter *f, const struct dlf_sample *s, void *ctx)
{
	uint32_t src, dst;

	if (s->pid != f->pid || s->tid != f->tid)
		follow_thread(f, s);
	src = addrs_find(&f->addrs, s->pid, s->ip);
	if (src == ADDRS_NONE)
		src = ask(f, s->ip, perf_dlfilter_fns.resolve_ip, ctx, ADDRS_NONE);
	dst = addrs_find(&f->addrs, s->pid, s->addr);
	if (dst == ADDRS_NONE)
		dst = ask(f, s->addr, perf_dlfilter_fns.resolve_addr, ctx, src);
	if (src == ADDRS_NONE || dst == ADDRS_NONE)
		return false;
	if (changes_nothing(f, s, src, dst)) {
		f->dropped = true;
		f->last = s->time;
		return true;
	}
	if (s->time < f->last)
		send_dropped(f);
	f->dropped = false;
	f->last = s->time;
	f->has_top = lands(s->flags) && f->addrs.slots[dst].name;
	f->top_start = f->addrs.slots[dst].start;
	f->top_name = f->addrs.slots[dst].name;
	sender_branch(&f->out, s->time, s->flags, (uint16_t)src, (uint16_t)dst);
	return true;
}

/* What the records have no form for is printed. */
static bool can_be_sent(const struct dlf_sample *s)
{
	return (s->cpumode == DLF_CPUMODE_USER || s->cpumode == DLF_CPUMODE_KERNEL) &&
	       (s->flags & DLF_BRANCH) && s->addr_correlates_sym && s->time <= INT64_MAX &&
	       s->pid >= 0 && s->tid >= 0;
}

/* Leaves an event to perf; what was dropped before it is not to be said behind it. */
static int print(struct filter *f)
{
	if (f->dropped && sender_interrupted(&f->out))
		interrupted(f);
	send_dropped(f);
	f->has_top = false;
	return PRINT;
}

int filter_event_early(void *data, const struct dlf_sample *s, void *ctx)
{
	struct filter *f = data;

	if (!f || s->size < sizeof(*s))
		return PRINT;
	if (s->event != f->event) {
		f->event = s->event;
		f->class = classify(s->event);
	}
	if (f->class == CLASS_PSB)
		return DROP;
	/* perf skips other events than branches itself */
	if (s->time < f->from || s->time > f->to)
		return f->class == CLASS_BRANCH ? DROP : PRINT;
	if (f->class != CLASS_BRANCH || !can_be_sent(s))
		return print(f);
	if (sender_interrupted(&f->out))
		interrupted(f);
	return take_branch(f, s, ctx) ? DROP : print(f);
}
