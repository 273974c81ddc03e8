/* SPDX-License-Identifier: MIT */
/* Files are put together here, record by record; and what perf writes is read as perf reads it. */
#include "perf/mmaps.h"

#include "support/random.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

/* What was told, as text. */
struct told {
	char text[4096];
	size_t n;
	bool silent;
};

#define TELL(told, ...)                                                                          \
	do {                                                                                     \
		if (!(told)->silent)                                                             \
			(told)->n +=                                                             \
				(size_t)snprintf((told)->text + (told)->n,                       \
						 sizeof((told)->text) - (told)->n, __VA_ARGS__); \
		ck_assert_uint_lt((told)->n, sizeof((told)->text));                              \
	} while (0)

static void print_id(struct told *told, const struct mmaps_build_id *id)
{
	ck_assert_uint_le(id->n, MMAPS_BUILD_ID_MAX);
	for (size_t i = 0; i < id->n; i++)
		TELL(told, "%02x", id->bytes[i]);
}

static void on_mapping(void *ctx, const struct mmaps_mapping *m)
{
	struct told *told = ctx;

	ck_assert_uint_lt(m->start, m->end);
	ck_assert_int_ge(m->pid, -1);
	TELL(told, "%d %" PRIx64 "-%" PRIx64 " %" PRIx64 " %" PRIu64 " %.*s ", m->pid, m->start,
	     m->end, m->offset, m->inode, (int)m->path.n, m->path.p);
	print_id(told, &m->build_id);
	TELL(told, "\n");
}

static void on_fork(void *ctx, int32_t pid, int32_t parent)
{
	struct told *told = ctx;

	ck_assert(pid >= 0 && parent >= 0);
	TELL(told, "fork %d %d\n", pid, parent);
}

static void on_build_id(void *ctx, struct str path, const struct mmaps_build_id *id)
{
	struct told *told = ctx;

	TELL(told, "id %.*s ", (int)path.n, path.p);
	print_id(told, id);
	TELL(told, "\n");
}

static int read_file(const char *path, struct told *told, struct err *err)
{
	struct mmaps_sink sink = {
		.ctx = told, .mapping = on_mapping, .fork = on_fork, .build_id = on_build_id
	};

	return mmaps_read(path, &sink, err);
}

/* A file in the making. */
struct made {
	uint8_t bytes[1 << 17];
	size_t n;
};

static void put(struct made *m, const void *bytes, size_t n)
{
	ck_assert_uint_lt(m->n + n, sizeof(m->bytes));
	memcpy(m->bytes + m->n, bytes, n);
	m->n += n;
}

static void put_record(struct made *m, uint32_t type, uint16_t misc, const void *body, size_t n,
		       const char *path)
{
	struct perf_event_header head = { .type = type, .misc = misc };
	size_t room = path ? (strlen(path) + 8) / 8 * 8 : 0;
	char padded[256] = "";

	head.size = (uint16_t)(sizeof(head) + n + room);
	put(m, &head, sizeof(head));
	put(m, body, n);
	if (path)
		strcpy(padded, path);
	put(m, padded, room);
}

struct mmap2 {
	uint32_t pid, tid;
	uint64_t start, length, offset;
	uint8_t file[24];
	uint32_t prot, flags;
};

static void put_mapping(struct made *m, uint64_t start, uint32_t prot, uint16_t misc,
			const char *path)
{
	struct mmap2 body = { 7, 7, start, 0x1000, 0x3000, { 0 }, prot, MAP_PRIVATE };
	uint64_t inode = 99;

	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		body.file[0] = 4;
		memcpy(body.file + 4, "\xde\xad\xbe\xef", 4);
	} else {
		memcpy(body.file + 8, &inode, sizeof(inode));
	}
	put_record(m, PERF_RECORD_MMAP2, misc, &body, sizeof(body), path);
}

/* magic, size, attr_size, three sections of offset and size, four words of features */
#define HEAD_WORDS 13

static void make_file(struct made *m)
{
	uint64_t head[HEAD_WORDS] = { 0 }, aux[5] = { 24 }, section[2];
	uint32_t forked[6] = { 8, 7, 8, 7 }, thread[6] = { 7, 7, 9, 7 };
	struct {
		uint32_t pid;
		uint8_t id[24];
	} id = { 7, "\x01\x02\x03" };
	struct {
		uint32_t pid, tid;
		uint64_t start, length, offset;
	} old = { 7, 7, 0x8000, 0x100, 0 };

	m->n = 0;
	memcpy(head, "PERFILE2", 8);
	head[1] = sizeof(head);
	head[5] = sizeof(head);
	head[9] = 1 << 1 | 1 << 2;
	put(m, head, sizeof(head));
	put_mapping(m, 0x5000, PROT_READ | PROT_EXEC, 0, "/bin/a b");
	put_mapping(m, 0x6000, PROT_READ, 0, "/data");
	put_mapping(m, 0x7000, PROT_EXEC, PERF_RECORD_MISC_MMAP_BUILD_ID, "/lib/c.so");
	/* the bytes behind an AUXTRACE record look like a mapping, and are none */
	put_record(m, 71, 0, aux, sizeof(aux), NULL);
	put(m, "\x01\0\0\0\0\0\x18\0abcdefghijklmnop", 24);
	put_record(m, PERF_RECORD_FORK, 0, forked, sizeof(forked), NULL);
	put_record(m, PERF_RECORD_FORK, 0, thread, sizeof(thread), NULL);
	put_record(m, PERF_RECORD_MMAP, 0, &old, sizeof(old), "[vdso]");
	put_record(m, PERF_RECORD_MMAP, PERF_RECORD_MISC_MMAP_DATA, &old, sizeof(old), "/data");
	head[6] = m->n - head[5];
	memcpy(m->bytes, head, sizeof(head));
	/* the section of another feature, and that of the build-ids */
	section[0] = 0, section[1] = 0;
	put(m, section, sizeof(section));
	section[0] = m->n + sizeof(section), section[1] = 2 * (8 + sizeof(id) + 16);
	put(m, section, sizeof(section));
	put_record(m, 67, 0, &id, sizeof(id), "/bin/a b");
	id.id[20] = 3;
	put_record(m, 67, 1 << 15, &id, sizeof(id), "/lib/c.so");
}

#define IDS                                                      \
	"id /bin/a b 0102030000000000000000000000000000000000\n" \
	"id /lib/c.so 010203\n"
#define MAPPINGS                                  \
	"7 5000-6000 3000 99 /bin/a b \n"         \
	"7 7000-8000 3000 0 /lib/c.so deadbeef\n" \
	"fork 8 7\n"                              \
	"7 8000-8100 0 0 [vdso] \n"

static const char *write_file(struct scratch *s, const struct made *m, size_t n)
{
	const char *path = scratch_path(s, "perf.data");
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_eq(write(fd, m->bytes, n), (ssize_t)n);
	close(fd);
	return path;
}

START_TEST(test_records)
{
	static struct made made;
	struct told told = { .n = 0 };
	struct err err = ERR_INIT;
	uint64_t pipe_size = 16;
	struct scratch s;

	scratch_init(&s);
	make_file(&made);
	ck_assert_msg(read_file(write_file(&s, &made, made.n), &told, &err) == 0, "%s", err.msg);
	ck_assert_str_eq(told.text, IDS MAPPINGS);
	/* --kcore makes a directory */
	ck_assert_int_eq(scratch_run(&s, "mkdir dir && mv perf.data dir/data"), 0);
	told.n = 0;
	ck_assert_int_eq(read_file(scratch_path(&s, "dir"), &told, &err), 0);
	ck_assert_str_eq(told.text, IDS MAPPINGS);
	/* what perf writes to a pipe has a short head, and no sections */
	memcpy(made.bytes + 8, &pipe_size, 8);
	memmove(made.bytes + 16, made.bytes + 8 * HEAD_WORDS, made.n - 8 * HEAD_WORDS);
	told.n = 0;
	read_file(write_file(&s, &made, made.n - 8 * (HEAD_WORDS - 2)), &told, &err);
	ck_assert_msg(strncmp(told.text, MAPPINGS, strlen(MAPPINGS)) == 0, "%s", told.text);
	scratch_fini(&s);
}
END_TEST

static void refuse(const char *path, const char *why)
{
	struct told told = { .n = 0 };
	struct err err = ERR_INIT;

	ck_assert_int_eq(read_file(path, &told, &err), -1);
	ck_assert_msg(strstr(err.msg, why) != NULL, "%s: %s", path, err.msg);
}

START_TEST(test_refused)
{
	static struct made made;
	struct told told = { .n = 0 };
	struct scratch s;
	uint64_t zero = 0;

	scratch_init(&s);
	refuse(scratch_path(&s, "none"), "No such file");
	refuse("/dev/zero", "neither");
	refuse(s.dir, "No such file");
	scratch_put(&s, "text", "some text that is no recording at all");
	refuse(scratch_path(&s, "text"), "not perf's");
	make_file(&made);
	refuse(write_file(&s, &made, 60), "ends within its head");
	refuse(write_file(&s, &made, made.n - 200), "ends before its build-ids");
	/* killed before the sizes were written: all records up to the end of the file */
	memcpy(made.bytes + 48, &zero, sizeof(zero));
	memcpy(made.bytes + 72, &zero, sizeof(zero));
	ck_assert_int_eq(read_file(write_file(&s, &made, made.n), &told, NULL), -1);
	ck_assert_msg(strncmp(told.text, MAPPINGS, strlen(MAPPINGS)) == 0, "%s", told.text);
	/* a record of no size would be read for ever */
	memcpy(made.bytes + 8 * HEAD_WORDS + 6, &zero, 2);
	refuse(write_file(&s, &made, made.n), "record is damaged");
	make_file(&made);
	made.bytes[8 * HEAD_WORDS] = 81;
	refuse(write_file(&s, &made, made.n), "compressed");
	scratch_fini(&s);
}
END_TEST

/* Whatever it reads, it ends, and what it tells is sane. */
START_TEST(test_damaged)
{
	static struct made made;
	uint64_t random = 1;
	struct scratch s;

	scratch_init(&s);
	for (int round = 0; round < 2000; round++) {
		struct told told = { .silent = true };
		size_t n;

		make_file(&made);
		for (size_t i = 1 + below(&random, 6); i > 0; i--)
			made.bytes[below(&random, made.n)] =
				(uint8_t)(below(&random, 2) ? 255 : next_random(&random));
		n = below(&random, 4) ? made.n : below(&random, made.n);
		read_file(write_file(&s, &made, n), &told, NULL);
	}
	scratch_fini(&s);
}
END_TEST

/* perf record's file: the mappings are those that perf script shows. */
START_TEST(test_perf)
{
	struct told told = { .n = 0 };
	struct err err = ERR_INIT;
	struct scratch s;
	FILE *out;

	scratch_init(&s);
	if (scratch_run(&s, "perf record -q -e cpu-clock:u -o perf.data sleep 0.01 >log 2>&1") !=
	    0) {
		printf("SKIP mmaps/perf: perf cannot record\n");
		scratch_fini(&s);
		return;
	}
	ck_assert_msg(read_file(scratch_path(&s, "perf.data"), &told, &err) == 0, "%s", err.msg);
	out = fopen(scratch_path(&s, "ours"), "w");
	fputs(told.text, out);
	fclose(out);
	ck_assert_int_eq(
		scratch_run(
			&s,
			"perf script -i perf.data --show-mmap-events 2>/dev/null | "
			"sed -n 's/.*PERF_RECORD_MMAP2 \\([0-9]*\\)\\/.*\\[0x\\([0-9a-f]*\\)"
			"(.* @ \\(0x\\|\\)\\([0-9a-f]*\\) .*: r-xp \\(.*\\)/\\1 \\2 \\4 \\5/p' >theirs && "
			"sed -n 's/^\\([0-9]*\\) \\([0-9a-f]*\\)-[0-9a-f]* \\([0-9a-f]*\\) "
			"[0-9]* \\(.*\\) $/\\1 \\2 \\3 \\4/p' ours >mine && "
			"test $(wc -l <mine) -ge 4 && diff mine theirs"),
		0);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("perf/mmaps", test_records, test_refused, test_damaged, test_perf)
