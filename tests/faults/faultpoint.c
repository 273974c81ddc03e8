/* SPDX-License-Identifier: MIT */
#include "faultpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#define OBJECTS_MAX 64
#define OWN         0xffff /* the object that this is part of */

struct object {
	uintptr_t from, to;
	uint64_t number;
};

struct walk {
	uint64_t *frames;
	unsigned int n;
};

static struct fault_table *table;
static struct object objects[OBJECTS_MAX];
static unsigned int n_objects;
static pid_t program;
/* What is called on the way to a point is none. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

static int note_object(struct dl_phdr_info *info, size_t size, void *number)
{
	uint64_t *n = number;
	struct object o = { .from = UINTPTR_MAX, .number = ++*n };

	(void)size;
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (info->dlpi_addr + p->p_vaddr < o.from)
			o.from = info->dlpi_addr + p->p_vaddr;
		o.to = info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	if ((uintptr_t)&table >= o.from && (uintptr_t)&table < o.to)
		o.number = OWN;
	if (n_objects < OBJECTS_MAX)
		objects[n_objects++] = o;
	return 0;
}

static uint64_t place_of(uintptr_t ip)
{
	for (unsigned int i = 0; i < n_objects; i++)
		if (ip >= objects[i].from && ip < objects[i].to)
			return objects[i].number << 48 | (ip - objects[i].from);
	return 0;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *arg)
{
	struct walk *w = arg;
	uint64_t place = place_of(_Unwind_GetIP(context));

	if (place >> 48 != OWN)
		w->frames[w->n++] = place;
	return w->n < FAULT_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* FNV-1a; not 0. */
static uint64_t hash(const char *name, const uint64_t *frames, bool child)
{
	uint64_t h = 14695981039346656037u ^ child;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 1099511628211u;
	for (unsigned int i = 0; i < FAULT_FRAMES; i++)
		h = (h ^ frames[i]) * 1099511628211u;
	return h ? h : 1;
}

/* The point's entry, made when it is new; NULL: the table is full. */
static struct fault_entry *entry_of(const char *name)
{
	uint64_t frames[FAULT_FRAMES] = { 0 };
	struct walk walk = { .frames = frames };
	bool child = getpid() != program;
	uint64_t key, free_key;

	_Unwind_Backtrace(step, &walk);
	key = hash(name, frames, child);
	for (uint64_t i = 0; i < FAULT_ENTRIES; i++) {
		struct fault_entry *e = &table->entries[(key + i) % FAULT_ENTRIES];

		free_key = 0;
		if (atomic_compare_exchange_strong(&e->key, &free_key, key)) {
			strncpy(e->name, name, sizeof(e->name) - 1);
			memcpy(e->frames, frames, sizeof(frames));
			e->in_child = child;
			return e;
		}
		if (free_key == key)
			return e;
	}
	return NULL;
}

int fault_point(const char *name)
{
	struct fault_entry *e;
	uint32_t call;
	int saved = errno;

	if (!table || inside)
		return 0;
	inside = true;
	e = entry_of(name);
	inside = false;
	errno = saved;
	if (!e)
		return 0;
	call = atomic_fetch_add(&e->calls, 1) + 1;
	if (e->key != table->key || call < table->nth || (call > table->nth && !table->on))
		return 0;
	atomic_fetch_add(&table->fired, 1);
	return table->how;
}

static void __attribute__((constructor)) begin(void)
{
	const char *path = getenv("FAULT_TABLE");
	uint64_t number = 0;
	void *at;
	int fd;

	if (!path || strcmp(program_invocation_short_name, "magic-trace") != 0)
		return;
	fd = open(path, O_RDWR | O_CLOEXEC);
	at = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		abort();
	dl_iterate_phdr(note_object, &number);
	unsetenv("LD_PRELOAD");
	unsetenv("FAULT_TABLE");
	program = getpid();
	table = at;
}
