/* SPDX-License-Identifier: MIT */
#include "symbol/mapped.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <fcntl.h>
#include <stdint.h>

/* More than are open at one time. */
#define FILES 40

static struct scratch scratch;
static struct mapped *mapped;

static void begin(void)
{
	struct mapped_config config = { .symfs = scratch.dir };

	mapped = mapped_new(&config);
}

static uint32_t add(const char *path, const char *build_id, uint64_t inode)
{
	struct mapped_key key = {
		.path = str_of(path),
		.build_id = str_of(build_id),
		.inode = inode,
		.pid = 1,
	};

	return mapped_add(mapped, &key);
}

/* Files of one path are told apart by what else is known; the newest is the one that is meant. */
START_TEST(test_numbers)
{
	uint32_t first, second, third;

	begin();
	ck_assert_uint_eq(mapped_newest(mapped, STR("/a")), MAPPED_NONE);
	first = add("/a", "", 1);
	ck_assert_uint_eq(add("/a", "", 1), first);
	second = add("/a", "", 2);
	ck_assert_uint_ne(second, first);
	ck_assert_uint_eq(mapped_newest(mapped, STR("/a")), second);
	third = add("/a", "\x01\x02\x03", 2);
	ck_assert_uint_ne(third, second);
	ck_assert_uint_ne(add("/b", "\x01\x02\x03", 2), third);
	ck_assert_uint_eq(mapped_newest(mapped, STR("/a")), third);
	ck_assert_uint_eq(add("/a", "", 1), first);
	ck_assert_uint_eq(mapped_newest(mapped, STR("/a")), first);
	mapped_free(mapped);
	mapped_free(NULL);
}
END_TEST

/* A build-id that was told for the path counts for mappings without: the one told last. */
START_TEST(test_build_ids)
{
	uint32_t with, other;

	begin();
	with = add("/a", "\x01\x02\x03", 7);
	mapped_build_id(mapped, STR("/b"), STR("\x09\x09\x09"));
	mapped_build_id(mapped, STR("/a"), STR("\x05\x05\x05"));
	mapped_build_id(mapped, STR("/a"), STR("\x01\x02\x03"));
	ck_assert_uint_eq(add("/a", "", 7), with);
	ck_assert_uint_eq(add("/a", "\x01\x02\x03", 7), with);
	other = add("/a", "\x05\x05\x05", 7);
	ck_assert_uint_ne(other, with);
	mapped_build_id(mapped, STR("/a"), STR("\x05\x05\x05"));
	ck_assert_uint_eq(add("/a", "", 7), other);
	mapped_free(mapped);
}
END_TEST

/* Hostile: what is beyond the bound is no file, and none that is there either. */
START_TEST(test_full)
{
	size_t size = 1 << 20;
	char *path = malloc(size + 1);
	uint32_t last = 0;

	begin();
	memset(path, 'x', size);
	path[size] = '\0';
	for (int i = 0; i < 70; i++) {
		snprintf(path, size, "/%02d", i);
		path[3] = 'x';
		last = add(path, "", 0);
		ck_assert_uint_eq(mapped_newest(mapped, str_of(path)), last);
		ck_assert(last == (uint32_t)i || (last == MAPPED_NONE && i > 60));
		mapped_build_id(mapped, str_of(path), STR("\x01\x02\x03"));
	}
	ck_assert_uint_eq(last, MAPPED_NONE);
	free(path);
	mapped_free(mapped);
}
END_TEST

/* As many as a hostile recording may have: to look through all for each takes for ever. */
START_TEST(test_many_ids)
{
	char path[32];

	begin();
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 300000; i++) {
			snprintf(path, sizeof(path), "/%d", i);
			if (round)
				ck_assert_uint_eq(add(path, "", 0), i);
			else
				mapped_build_id(mapped, str_of(path), STR("\x01\x02\x03"));
		}
	}
	ck_assert_uint_eq(add("/0", "\x01\x02\x03", 0), 0);
	mapped_free(mapped);
}
END_TEST

START_TEST(test_is_file)
{
	static const struct {
		const char *path;
		bool is;
	} paths[] = {
		{ "/usr/bin/p", true }, { "[vdso]", true }, { "[heap]", false },
		{ "//anon", false },    { "", false },      { "/memfd:x (deleted)", false },
		{ "/dev/zero", false }, { "p", false },     { "[kernel.kallsyms]_text", false },
		{ "/SYSV0000", false }, { "/dev", true },   { "/anon_hugepage (deleted)", false },
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		ck_assert_msg(mapped_is_file(str_of(paths[i].path)) == paths[i].is, "%s",
			      paths[i].path);
}
END_TEST

static unsigned open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static unsigned children(void)
{
	char path[64], pid[32];
	unsigned n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	while (fscanf(file, "%31s", pid) == 1)
		n++;
	fclose(file);
	return n;
}

/* The line of main, by the debug info. */
static uint32_t line_of_main(uint32_t file)
{
	struct dso *dso = mapped_dso(mapped, file);
	const struct filetable *table = dso ? dso_file(dso, NULL) : NULL;
	const struct unittable *unit = NULL;
	struct unittable_place place = { .line = 0 };

	ck_assert_ptr_nonnull(table);
	for (size_t i = 0; i < table->n_symbols; i++) {
		if (strcmp(filetable_name(table, &table->symbols[i]), "main") != 0)
			continue;
		unit = dso_unit(dso, table->symbols[i].value);
		if (unit)
			unittable_line(unit, table->symbols[i].value, true, &place);
	}
	return place.line;
}

static void make_files(void)
{
	scratch_init(&scratch);
	scratch_put(&scratch, "p.c", "\nint main(void) { return 0; }\n");
	ck_assert_int_eq(scratch_run(&scratch, "gcc -g p.c -o p && "
					       "for i in $(seq 0 39); do cp p $i; done"),
			 0);
}

static uint32_t file_at(int number)
{
	char path[16];

	snprintf(path, sizeof(path), "/%d", number);
	return add(path, "", 0);
}

/* However many files are asked, few are open, and the others answer when they are asked again. */
START_TEST(test_many)
{
	unsigned before;

	make_files();
	begin();
	before = open_files();
	for (int i = 0; i < FILES; i++) {
		ck_assert_uint_eq(line_of_main(file_at(i)), 2);
		ck_assert_uint_le(open_files(), before + 48);
		ck_assert_uint_le(children(), 16);
	}
	ck_assert_uint_ge(children(), 8);
	for (int i = 0; i < FILES; i++)
		ck_assert_uint_eq(line_of_main(file_at(i)), 2);
	ck_assert_uint_le(children(), 16);
	mapped_free(mapped);
	ck_assert_uint_eq(open_files(), before);
	ck_assert_uint_eq(children(), 0);
	scratch_fini(&scratch);
}
END_TEST

static void take_message(void *ctx, const struct err *trouble)
{
	snprintf(ctx, sizeof(trouble->msg), "%s", trouble->msg);
}

/* One that was replaced while it was closed is no longer the same. */
START_TEST(test_replaced)
{
	char message[sizeof(((struct err *)NULL)->msg)] = "";
	const struct filetable *table;
	struct dso *dso;

	make_files();
	begin();
	dso = mapped_dso(mapped, file_at(0));
	ck_assert_ptr_nonnull(dso);
	table = dso_file(dso, NULL);
	ck_assert_uint_ge(table->n_units, 1);
	for (int i = 1; i < FILES; i++)
		ck_assert_ptr_nonnull(mapped_dso(mapped, file_at(i)));
	ck_assert_int_eq(scratch_run(&scratch, "cp p new && mv new 0"), 0);
	ck_assert_ptr_null(dso_unit(dso, table->units[0].start));
	mapped_troubles(mapped, take_message, message);
	ck_assert_ptr_nonnull(strstr(message, "/0: it is another file than before"));
	mapped_free(mapped);
	scratch_fini(&scratch);
}
END_TEST

SUITE_MAIN("symbol/mapped", test_numbers, test_build_ids, test_full, test_many_ids, test_is_file,
	   test_many, test_replaced)
