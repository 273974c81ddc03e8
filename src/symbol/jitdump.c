/* SPDX-License-Identifier: MIT */
#include "symbol/jitdump.h"

#include "base/intern.h"
#include "base/xalloc.h"
#include "symbol/blob.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC   0x4a695444
#define VERSION 1

#define LINE_MAX_HEAD 64

enum record_id {
	RECORD_LOAD = 0,
	RECORD_MOVE = 1,
};

struct head {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

/* Before each record; the size is that of all of it. */
struct prefix {
	uint32_t id, size;
	uint64_t time;
};

/* Behind the prefix; a name and the code follow. */
struct load {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct move {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

struct dump {
	struct blob lines;      /* what a perf map says of the same */
	struct intern *indexes; /* of functions, as bytes */
	const char **names;     /* the last function of each, in the file's bytes */
	uint32_t cap;           /* of names */
};

bool jitdump_is(struct str path)
{
	const char *slash = memrchr(path.p, '/', path.n);
	struct str name = slash ? str_skip(path, (size_t)(slash + 1 - path.p)) : path;
	size_t digits = 0;

	if (!str_starts(name, STR("jit-")))
		return false;
	name = str_skip(name, 4);
	while (digits < name.n && name.p[digits] >= '0' && name.p[digits] <= '9')
		digits++;
	return digits && str_eq(str_skip(name, digits), STR(".dump"));
}

/* A line of a perf map; a name of several lines is made one. */
static void put_line(struct dump *dump, uint64_t address, uint64_t size, const char *name)
{
	char head[LINE_MAX_HEAD];
	size_t at, n = strlen(name);

	blob_put(&dump->lines, head,
		 (size_t)snprintf(head, sizeof(head), "%" PRIx64 " %" PRIx64 " ", address, size));
	at = dump->lines.n;
	blob_put(&dump->lines, name, n);
	for (size_t i = at; i < at + n; i++)
		if (dump->lines.p[i] == '\n')
			dump->lines.p[i] = ' ';
	blob_put(&dump->lines, "\n", 1);
}

/* The name of the last function of an index; NULL: there was none. */
static const char **name_of(struct dump *dump, uint64_t index)
{
	struct str key = { .p = (const char *)&index, .n = sizeof(index) };
	uint32_t number = intern_add(dump->indexes, key), before = dump->cap;

	if (!dump->names || number > dump->cap) {
		dump->cap = dump->cap ? 2 * dump->cap : 1024;
		dump->names = xreallocarray(dump->names, dump->cap, sizeof(*dump->names));
		for (uint32_t i = before; i < dump->cap; i++)
			dump->names[i] = NULL;
	}
	return &dump->names[number - 1];
}

static void take_load(struct dump *dump, struct str body)
{
	struct load load;

	if (body.n < sizeof(load))
		return;
	memcpy(&load, body.p, sizeof(load));
	body = str_skip(body, sizeof(load));
	if (!memchr(body.p, '\0', body.n))
		return;
	*name_of(dump, load.index) = body.p;
	put_line(dump, load.address, load.size, body.p);
}

static void take_move(struct dump *dump, struct str body)
{
	struct move move;
	const char *name;

	if (body.n < sizeof(move))
		return;
	memcpy(&move, body.p, sizeof(move));
	name = *name_of(dump, move.index);
	if (name)
		put_line(dump, move.to, move.size, name);
}

static void take_records(struct dump *dump, struct str rest)
{
	struct prefix prefix;

	while (rest.n >= sizeof(prefix)) {
		struct str body;

		memcpy(&prefix, rest.p, sizeof(prefix));
		if (prefix.size < sizeof(prefix) || prefix.size > rest.n ||
		    dump->lines.n > PERFMAP_BYTES_MAX)
			return;
		body = (struct str){ .p = rest.p + sizeof(prefix),
				     .n = prefix.size - sizeof(prefix) };
		if (prefix.id == RECORD_LOAD)
			take_load(dump, body);
		else if (prefix.id == RECORD_MOVE)
			take_move(dump, body);
		rest = str_skip(rest, prefix.size);
	}
}

int jitdump_read(const char *path, const struct regular_trust *trust, struct perfmap **map,
		 struct err *err)
{
	struct dump dump = { .lines = { 0 } };
	struct head head = { 0 };
	size_t n;
	char *bytes = regular_trusted(path, trust, PERFMAP_BYTES_MAX, &n, err);

	if (!bytes)
		return -1;
	if (n >= sizeof(head))
		memcpy(&head, bytes, sizeof(head));
	if (head.magic != MAGIC || head.version != VERSION || head.size < sizeof(head) ||
	    head.size > n) {
		free(bytes);
		return err_set(err, "%s: it is no jitdump of this machine", path);
	}
	dump.indexes = intern_new(0);
	take_records(&dump, (struct str){ .p = bytes + head.size, .n = n - head.size });
	free(bytes);
	free(dump.names);
	intern_free(dump.indexes);
	/* perfmap ends the last line */
	blob_put(&dump.lines, "", 1);
	*map = perfmap_of_text(dump.lines.p, dump.lines.n - 1);
	return 0;
}
