/* SPDX-License-Identifier: MIT */
/* Files are made as the kernel's jitdump-specification.txt says. */
#include "symbol/jitdump.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <stdint.h>

/* Functions of test_many, whose moves take for ever when all are looked through for each. */
#define MANY 250000

static const struct regular_trust ours;
static struct scratch scratch;
static unsigned char bytes[MANY * (16 + 40 + 2 + 16 + 48) + 4096];
static size_t n_bytes;

static void put32(uint32_t v)
{
	memcpy(bytes + n_bytes, &v, sizeof(v));
	n_bytes += sizeof(v);
}

static void put64(uint64_t v)
{
	memcpy(bytes + n_bytes, &v, sizeof(v));
	n_bytes += sizeof(v);
}

static void begin(void)
{
	scratch_init(&scratch);
	n_bytes = 0;
	put32(0x4a695444); /* "JiTD" */
	put32(1);          /* version */
	put32(40);         /* of the head */
	put32(62);         /* EM_X86_64 */
	put32(0);
	put32(77);  /* pid */
	put64(100); /* time */
	put64(0);   /* flags */
}

static void put_load(uint64_t address, uint64_t size, uint64_t index, const char *name)
{
	size_t length = strlen(name) + 1;

	put32(0);
	put32((uint32_t)(16 + 40 + length + size));
	put64(200);
	put32(77);
	put32(78);
	put64(address);
	put64(address);
	put64(size);
	put64(index);
	memcpy(bytes + n_bytes, name, length);
	memset(bytes + n_bytes + length, 0x90, size);
	n_bytes += length + size;
}

static void put_move(uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	put32(1);
	put32(16 + 48);
	put64(300);
	put32(77);
	put32(78);
	put64(to);
	put64(from);
	put64(to);
	put64(size);
	put64(index);
}

/* A record of a kind that does not matter here. */
static void put_other(uint32_t id)
{
	put32(id);
	put32(16 + 8);
	put64(400);
	put64(0);
}

static const char *save(size_t n)
{
	const char *path = scratch_path(&scratch, "jit-77.dump");
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
	ck_assert_int_eq(fclose(file), 0);
	return path;
}

static void check(const struct perfmap *map, uint64_t address, uint64_t start, const char *name)
{
	struct perfmap_function f;

	if (!name) {
		ck_assert(!perfmap_find(map, address, &f));
		return;
	}
	ck_assert_msg(perfmap_find(map, address, &f), "%s", name);
	ck_assert_str_eq(f.name, name);
	ck_assert_uint_eq(f.start, start);
}

START_TEST(test_read)
{
	struct perfmap *map;

	begin();
	put_load(0x1000, 0x20, 1, "first");
	put_other(4);
	put_load(0x2000, 0x10, 2, "with blanks,\nand lines");
	put_other(99);
	put_move(0x1000, 0x3000, 0x20, 1);
	put_move(0x1000, 0x4000, 0x20, 55);
	put_load(0x1010, 0x20, 3, "in its place");
	put_other(3);
	ck_assert_int_eq(jitdump_read(save(n_bytes), &ours, &map, NULL), 0);
	check(map, 0x1000, 0x1000, "first");
	check(map, 0x100f, 0x1000, "first");
	check(map, 0x1010, 0x1010, "in its place");
	check(map, 0x1030, 0, NULL);
	check(map, 0x2001, 0x2000, "with blanks, and lines");
	check(map, 0x3001, 0x3000, "first");
	check(map, 0x4001, 0, NULL);
	perfmap_free(map);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_many)
{
	struct perfmap *map;

	begin();
	for (uint64_t i = 0; i < MANY; i++)
		put_load(0x100000 + i, 0, i, i ? "f" : "g");
	for (uint64_t i = 0; i < MANY; i++)
		put_move(0x100000, 0x1000 + 16 * i, 16, i % 2);
	ck_assert_int_eq(jitdump_read(save(n_bytes), &ours, &map, NULL), 0);
	check(map, 0x1000, 0x1000, "g");
	check(map, 0x1010, 0x1010, "f");
	check(map, 0x1000 + 16 * (MANY - 1), 0x1000 + 16 * (MANY - 1), "f");
	perfmap_free(map);
	scratch_fini(&scratch);
}
END_TEST

/* An index has the name that was said of it last, before it was moved. */
START_TEST(test_index)
{
	struct perfmap *map;

	begin();
	put_move(0x1000, 0x2000, 0x10, 1);
	put_load(0x1000, 0x10, 1, "old");
	put_move(0x1000, 0x3000, 0x10, 1);
	put_load(0x1100, 0x10, 1, "new");
	put_move(0x1100, 0x4000, 0x10, 1);
	ck_assert_int_eq(jitdump_read(save(n_bytes), &ours, &map, NULL), 0);
	check(map, 0x2000, 0, NULL);
	check(map, 0x3000, 0x3000, "old");
	check(map, 0x4000, 0x4000, "new");
	perfmap_free(map);
	scratch_fini(&scratch);
}
END_TEST

/* What a program that is killed leaves: what is whole counts. */
START_TEST(test_cut)
{
	struct perfmap *map;
	size_t whole;

	begin();
	put_load(0x1000, 0x20, 1, "first");
	whole = n_bytes;
	put_load(0x2000, 0x10, 2, "second");
	for (size_t n = 0; n <= n_bytes; n++) {
		if (n < 40) {
			ck_assert_int_eq(jitdump_read(save(n), &ours, &map, NULL), -1);
			continue;
		}
		ck_assert_int_eq(jitdump_read(save(n), &ours, &map, NULL), 0);
		check(map, 0x1001, 0x1000, n >= whole ? "first" : NULL);
		check(map, 0x2001, 0x2000, n == n_bytes ? "second" : NULL);
		perfmap_free(map);
	}
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_damaged)
{
	struct perfmap *map;

	begin();
	put_load(0x1000, 0x20, 1, "first");
	put_move(0x1000, 0x3000, 0x20, 1);
	for (size_t i = 0; i < n_bytes; i++)
		for (unsigned add = 1; add < 256; add += 50) {
			bytes[i] = (unsigned char)(bytes[i] + add);
			if (jitdump_read(save(n_bytes), &ours, &map, NULL) == 0)
				perfmap_free(map);
			bytes[i] = (unsigned char)(bytes[i] - add);
		}
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_refused)
{
	struct err err = ERR_INIT;
	struct perfmap *map;

	begin();
	ck_assert_int_eq(jitdump_read(scratch_path(&scratch, "none"), &ours, &map, &err), -1);
	ck_assert_int_eq(jitdump_read(scratch.dir, &ours, &map, &err), -1);
	ck_assert_int_eq(jitdump_read("/dev/zero", &ours, &map, &err), -1);
	/* of the other byte order */
	memcpy(bytes, "JiTD", 4);
	ck_assert_int_eq(jitdump_read(save(n_bytes), &ours, &map, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "no jitdump of this machine"));
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_paths)
{
	ck_assert(jitdump_is(STR("/home/me/.debug/jit/llvm-IR-jit-1/jit-77.dump")));
	ck_assert(jitdump_is(STR("jit-7.dump")));
	ck_assert(!jitdump_is(STR("/tmp/jit-.dump")));
	ck_assert(!jitdump_is(STR("/tmp/jit-7a.dump")));
	ck_assert(!jitdump_is(STR("/tmp/jit-7.dump.so")));
	ck_assert(!jitdump_is(STR("/tmp/xjit-7.dump")));
	ck_assert(!jitdump_is(STR("")));
}
END_TEST

SUITE_MAIN("symbol/jitdump", test_read, test_many, test_index, test_cut, test_damaged, test_refused,
	   test_paths)
