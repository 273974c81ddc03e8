/* SPDX-License-Identifier: MIT */
/* What the table says is read off the text by eye. */
#include "symbol/kallsyms.h"

#include "support/scratch.h"
#include "support/suite.h"

static const char text[] = "0000000000000000 A fixed_percpu_data\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81001000 t do_one\n"
			   "ffffffff81001000 W weak_one\n"
			   "ffffffff81001040 t __pfx_two\n"
			   "ffffffff81001050 T two\n"
			   "ffffffff81001060 D no_code\n"
			   "ffffffff81001070 T\n"
			   "T ffffffff81001080 turned\n"
			   "ffffffff8100109g T no_hex\n"
			   "\n"
			   "ffffffff81001100 T last\n"
			   "ffffffffc0001000 t open_it\t[one]\n"
			   "ffffffffc0001100 t bpf_prog_6deef7357e7b4530\t[bpf]";

static struct scratch scratch;

static struct kallsyms *read_text(const char *put)
{
	struct err err = ERR_INIT;
	struct kallsyms *k;

	scratch_put(&scratch, "kallsyms", put);
	ck_assert_msg(kallsyms_read(scratch_path(&scratch, "kallsyms"), &k, &err) == 0, "%s",
		      err.msg);
	return k;
}

static void check(const struct kallsyms *k, uint64_t address, uint64_t start, const char *name)
{
	struct kallsyms_function f;

	if (!name) {
		ck_assert(!kallsyms_find(k, address, &f));
		return;
	}
	ck_assert_msg(kallsyms_find(k, address, &f), "%s", name);
	ck_assert_str_eq(f.name, name);
	ck_assert_uint_eq(f.start, start);
}

START_TEST(test_find)
{
	struct kallsyms *k;

	scratch_init(&scratch);
	k = read_text(text);
	check(k, 0xffffffff80ffffff, 0, NULL);
	/* of two that perf holds equal the longer name */
	check(k, 0xffffffff81000fff, 0xffffffff81000000, "_stext");
	check(k, 0xffffffff81001000, 0xffffffff81001000, "do_one");
	check(k, 0xffffffff8100104f, 0xffffffff81001040, "__pfx_two");
	check(k, 0xffffffff81001060, 0xffffffff81001050, "two");
	check(k, 0xffffffff810010ff, 0xffffffff81001050, "two");
	check(k, 0xffffffff81101100, 0, NULL);
	check(k, 0xffffffffc0001000, 0xffffffffc0001000, "open_it");
	check(k, 0xffffffffc0001101, 0xffffffffc0001100, "bpf_prog_6deef7357e7b4530");
	check(k, UINT64_MAX, 0, NULL);
	check(k, 0, 0, NULL);
	kallsyms_free(k);
	kallsyms_free(NULL);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_move)
{
	struct kallsyms *k;

	scratch_init(&scratch);
	k = read_text(text);
	ck_assert(!kallsyms_move(k, "none", 0xffffffff81000000));
	ck_assert(!kallsyms_move(k, "open_it", 0xffffffff81000000));
	ck_assert(kallsyms_move(k, "_text", 0xffffffff81000000));
	check(k, 0xffffffffc0001000, 0xffffffffc0001000, "open_it");
	ck_assert(kallsyms_move(k, "_text", 0xffffffff9a000000));
	check(k, 0xffffffff81001050, 0, NULL);
	check(k, 0xffffffff9a001052, 0xffffffff9a001050, "two");
	check(k, 0xffffffffc0001000, 0, NULL);
	/* where no kernel is: sorted all the same */
	ck_assert(kallsyms_move(k, "_text", UINT64_MAX - 0xfff));
	check(k, 0x50, 0x50, "two");
	check(k, UINT64_MAX, UINT64_MAX - 0xfff, "_stext");
	kallsyms_free(k);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_refused)
{
	static const char *const texts[] = {
		"", "\n\n", "ffffffff81000000 D data\n",
		/* kernel.kptr_restrict */
		"0000000000000000 T _stext\n0000000000000000 T _text\n"
	};
	struct err err = ERR_INIT;
	struct kallsyms *k;

	scratch_init(&scratch);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		scratch_put(&scratch, "kallsyms", texts[i]);
		ck_assert_int_eq(kallsyms_read(scratch_path(&scratch, "kallsyms"), &k, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.msg, "kallsyms: no function has an address"));
	}
	ck_assert_int_eq(kallsyms_read(scratch_path(&scratch, "none"), &k, &err), -1);
	ck_assert_int_eq(kallsyms_read(scratch.dir, &k, &err), -1);
	ck_assert_int_eq(kallsyms_read("/dev/zero", &k, &err), -1);
	scratch_fini(&scratch);
}
END_TEST

/* Hostile: all at one address, which are looked through for each place. */
START_TEST(test_same_address)
{
	static const char line[] = "ffffffff81000000 t f\n";
	size_t n = 300000, size = strlen(line);
	char *many = malloc(n * size + 1);
	struct kallsyms *k;

	scratch_init(&scratch);
	for (size_t i = 0; i < n; i++)
		memcpy(many + i * size, line, size + 1);
	/* global functions come first */
	memcpy(many + n / 2 * size, "ffffffff81000000 T g\n", size);
	k = read_text(many);
	for (size_t i = 0; i < n; i++)
		check(k, 0xffffffff81000000 + i, 0xffffffff81000000, "g");
	kallsyms_free(k);
	free(many);
	scratch_fini(&scratch);
}
END_TEST

SUITE_MAIN("symbol/kallsyms", test_find, test_move, test_same_address, test_refused)
