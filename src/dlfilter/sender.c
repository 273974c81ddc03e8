/* SPDX-License-Identifier: MIT */
#include "dlfilter/sender.h"

#include <string.h>

/* A record while it is made; none without its names is longer. */
struct record {
	unsigned char bytes[32];
	size_t n;
};

static struct record begin(enum wire_tag tag)
{
	return (struct record){ .bytes = { (unsigned char)tag }, .n = 1 };
}

static void add(struct record *r, const void *p, size_t n)
{
	memcpy(r->bytes + r->n, p, n);
	r->n += n;
}

/* What cannot be written is perf's to notice: it looks at its standard output at the end. */
static void put(struct sender *s, const void *p, size_t n)
{
	if (n)
		fwrite_unlocked(p, 1, n, s->out);
	s->pending = __fpending(s->out);
}

void sender_init(struct sender *s, FILE *out, uint64_t cookie)
{
	*s = (struct sender){ .out = out, .cookie = cookie };
	sender_hello(s);
	/* perf may print more than the buffer holds before the first event: sender_interrupted */
	s->pending = SIZE_MAX;
}

void sender_hello(struct sender *s)
{
	struct record r = begin(WIRE_HELLO);

	add(&r, &s->cookie, 8);
	put(s, "\n", 1);
	put(s, r.bytes, r.n);
}

void sender_thread(struct sender *s, int32_t pid, int32_t tid)
{
	struct record r = begin(WIRE_THREAD);

	add(&r, &pid, 4);
	add(&r, &tid, 4);
	put(s, r.bytes, r.n);
}

void sender_place(struct sender *s, uint16_t slot, const struct sent_place *place)
{
	struct record r = begin(WIRE_PLACE);
	uint8_t named = place->sym.p != NULL;
	uint16_t sym = (uint16_t)place->sym.n, dso = (uint16_t)place->dso.n;

	add(&r, &named, 1);
	add(&r, &slot, 2);
	add(&r, &place->addr, 8);
	add(&r, &place->off, 8);
	add(&r, &sym, 2);
	add(&r, &dso, 2);
	put(s, r.bytes, r.n);
	put(s, place->sym.p, sym);
	put(s, place->dso.p, dso);
}

static void send_time(struct sender *s, uint64_t time)
{
	struct record r = begin(WIRE_TIME);

	add(&r, &time, 8);
	put(s, r.bytes, r.n);
	s->time = time;
}

/* The index that stands for flags, of which some twenty are in use in all. */
static uint8_t index_of(struct sender *s, uint32_t flags)
{
	uint8_t home = (uint8_t)((flags ^ flags >> 7) % WIRE_INDEXES), index = home;
	struct record r;

	while (s->flags[index] && s->flags[index] != flags && (index + 1) % WIRE_INDEXES != home)
		index = (index + 1) % WIRE_INDEXES;
	if (s->flags[index] == flags)
		return index;
	s->flags[index] = flags;
	r = begin(WIRE_FLAGS);
	add(&r, &index, 1);
	add(&r, &flags, 4);
	put(s, r.bytes, r.n);
	return index;
}

void sender_branch(struct sender *s, uint64_t time, uint32_t flags, uint16_t src, uint16_t dst)
{
	uint8_t index = index_of(s, flags);
	uint64_t record;

	if (time - s->time > UINT16_MAX)
		send_time(s, time);
	record = WIRE_BRANCH | (uint64_t)index << 8 | (time - s->time) << 16 | (uint64_t)src << 32 |
		 (uint64_t)dst << 48;
	s->time = time;
	put(s, &record, WIRE_BRANCH_SIZE);
}

void sender_tick(struct sender *s, uint64_t time)
{
	struct record r = begin(WIRE_TICK);

	send_time(s, time);
	put(s, r.bytes, r.n);
}
