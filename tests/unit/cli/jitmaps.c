/* SPDX-License-Identifier: MIT */
/* tests/e2e/jit.py has a jitdump of a program's. */
#include "cli/jitmaps.h"

#include "support/scratch.h"
#include "support/suite.h"

static struct scratch scratch;
static struct recording *recording;
static struct jitmaps *jitmaps;

static void begin_at(const char *symfs)
{
	scratch_init(&scratch);
	recording = recording_new();
	recording->data = malloc(sizeof(char *));
	recording->data[0] = strdup(scratch_path(&scratch, "perf.data"));
	recording->n_data = 1;
	jitmaps = jitmaps_new(recording, symfs);
}

static void begin(void)
{
	begin_at(NULL);
}

static void end(void)
{
	jitmaps_free(jitmaps);
	jitmaps_free(NULL);
	recording_free(recording);
	scratch_fini(&scratch);
}

static void check(int32_t pid, uint64_t address, const char *name)
{
	struct perfmap_function f;
	bool found = jitmaps_find(jitmaps, pid, address, &f);

	ck_assert_int_eq(found, name != NULL);
	if (name)
		ck_assert_str_eq(f.name, name);
}

/* Ours comes before that of somebody else; what is not there is not looked for again. */
START_TEST(test_which_map)
{
	begin();
	scratch_put(&scratch, "recording-1.map", "1000 10 ours\n");
	scratch_put(&scratch, "perf-1.map", "1000 10 others\n2000 10 more\n");
	scratch_put(&scratch, "perf-2.map", "1000 10 others\n");
	check(1, 0x1000, "ours");
	check(1, 0x2000, NULL);
	check(2, 0x100f, "others");
	check(3, 0x1000, NULL);
	scratch_put(&scratch, "perf-3.map", "1000 10 too late\n");
	check(3, 0x1000, NULL);
	check(0, 0x1000, NULL);
	check(-1, 0x1000, NULL);
	end();
}
END_TEST

/* Head and one function, as in tests/unit/symbol/jitdump.c. */
static void put_dump(const char *name)
{
	static const uint32_t head[10] = { 0x4a695444, 1, 40 };
	static const uint32_t prefix[6] = { 0, 16 + 40 + 5, 0, 0, 1, 1 };
	static const uint64_t body[4] = { 0x3000, 0x3000, 0x10, 1 };
	FILE *file = fopen(scratch_path(&scratch, name), "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(head, sizeof(head), 1, file), 1);
	ck_assert_uint_eq(fwrite(prefix, sizeof(prefix), 1, file), 1);
	ck_assert_uint_eq(fwrite(body, sizeof(body), 1, file), 1);
	ck_assert_uint_eq(fwrite("dump", 5, 1, file), 1);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(test_dumps)
{
	begin();
	scratch_put(&scratch, "perf-2.map", "1000 10 of the map\n");
	put_dump("jit-1.dump");
	put_dump("elsewhere");
	ck_assert_int_eq(scratch_run(&scratch, "mkdir sub && mv elsewhere sub/jit-2.dump"), 0);
	/* beside the data, wherever it was; and where it was */
	jitmaps_dump(jitmaps, 1, STR("/nowhere/jit-1.dump"), 0);
	jitmaps_dump(jitmaps, 2, str_of(scratch_path(&scratch, "sub/jit-2.dump")), 0);
	jitmaps_dump(jitmaps, 3, STR("/nowhere/jit-3.dump"), 0);
	jitmaps_dump(jitmaps, -1, STR("/nowhere/jit-1.dump"), 0);
	check(1, 0x3001, "dump");
	check(2, 0x3001, "dump");
	check(2, 0x1001, "of the map");
	check(3, 0x3001, NULL);
	ck_assert_ptr_null(jitmaps_trouble(jitmaps));
	end();
}
END_TEST

/* Where another machine's files are. */
START_TEST(test_symfs)
{
	struct scratch root;

	scratch_init(&root);
	begin_at(root.dir);
	put_dump("jit-1.dump");
	ck_assert_int_eq(scratch_run(&scratch, "mkdir sub && mv jit-1.dump sub/"), 0);
	jitmaps_dump(jitmaps, 1, str_of(scratch_path(&scratch, "sub/jit-1.dump")), 0);
	check(1, 0x3001, NULL);
	put_dump("jit-2.dump");
	ck_assert_int_eq(
		rename(scratch_path(&scratch, "jit-2.dump"), scratch_path(&root, "jit-2.dump")), 0);
	jitmaps_dump(jitmaps, 2, STR("/jit-2.dump"), 0);
	check(2, 0x3001, "dump");
	end();
	scratch_fini(&root);
}
END_TEST

/* Whoever may write to /tmp could name what others ran. */
START_TEST(test_others)
{
	struct stat st;

	if (geteuid() != 0) {
		printf("SKIP jitmaps/owner: the test is not run by root\n");
		return;
	}
	begin();
	scratch_put(&scratch, "recording-1.map", "1000 10 planted\n");
	scratch_put(&scratch, "perf-1.map", "1000 10 ours\n");
	put_dump("jit-1.dump");
	put_dump("jit-2.dump");
	ck_assert_int_eq(scratch_run(&scratch, "mkdir sub && mv jit-*.dump sub/ && "
					       "chown 54321 sub/*.dump recording-1.map"),
			 0);
	jitmaps_dump(jitmaps, 1, str_of(scratch_path(&scratch, "sub/jit-1.dump")), 0);
	check(1, 0x3001, NULL);
	ck_assert_ptr_nonnull(jitmaps_trouble(jitmaps));
	ck_assert_ptr_nonnull(strstr(jitmaps_trouble(jitmaps)->msg, "jit-1.dump: it is another"));
	check(1, 0x1001, "ours");
	/* the one that was mapped, and those of whoever the recording is from */
	ck_assert_int_eq(stat(scratch_path(&scratch, "sub/jit-2.dump"), &st), 0);
	jitmaps_dump(jitmaps, 2, str_of(scratch_path(&scratch, "sub/jit-2.dump")), st.st_ino);
	check(2, 0x3001, "dump");
	jitmaps_free(jitmaps);
	scratch_put(&scratch, "perf.data", "");
	ck_assert_int_eq(chown(scratch_path(&scratch, "perf.data"), 54321, 0), 0);
	jitmaps = jitmaps_new(recording, NULL);
	check(1, 0x1001, "planted");
	end();
}
END_TEST

START_TEST(test_many)
{
	begin();
	scratch_put(&scratch, "perf-3000.map", "1000 10 last\n");
	for (int32_t pid = 1; pid <= 2000; pid++)
		check(pid, 0x1000, NULL);
	check(3000, 0x1000, NULL);
	end();
}
END_TEST

SUITE_MAIN("cli/jitmaps", test_which_map, test_dumps, test_symfs, test_others, test_many)
