/* SPDX-License-Identifier: MIT */
/* The kernel is a small program, linked where one would be. */
#include "symbol/kernel.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <inttypes.h>

#define TEXT  UINT64_C(0xffffffff81000000)
#define MOVED UINT64_C(0xffffffff9a000000)

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000040 T by_list\n"
			       "ffffffffc0001000 t open_it\t[one]\n";

static struct scratch scratch;
static struct kernel *kernel;

/* `release` and `id` may be NULL; the directory is the recording's, and symfs. */
static void begin(const char *data, const char *release)
{
	struct kernel_config config = {
		.recording = scratch_path(&scratch, data),
		.release = release,
		.symfs = scratch.dir,
	};

	kernel = kernel_new(&config);
}

static void check(uint64_t address, uint64_t start, const char *name)
{
	struct kallsyms_function f;

	if (!name) {
		ck_assert(!kernel_function(kernel, address, &f));
		return;
	}
	ck_assert_msg(kernel_function(kernel, address, &f), "%s", name);
	ck_assert_str_eq(f.name, name);
	ck_assert_uint_eq(f.start, start);
}

static void keep_trouble(void *ctx, const struct err *trouble)
{
	struct err *err = ctx;

	*err = *trouble;
}

/* A copy of kallsyms, beside the data file or where perf puts it. */
START_TEST(test_kallsyms)
{
	static const char *const places[][2] = {
		{ "perf.data", "kallsyms" },
		{ "perf.dir", "perf.dir/kcore_dir/kallsyms" },
	};

	for (size_t i = 0; i < 2; i++) {
		scratch_init(&scratch);
		ck_assert_int_eq(scratch_run(&scratch, "mkdir -p perf.dir/kcore_dir"), 0);
		scratch_put(&scratch, places[i][1], kallsyms);
		begin(places[i][0], NULL);
		check(TEXT + 0x41, TEXT + 0x40, "by_list");
		check(0xffffffffc0001005, 0xffffffffc0001000, "open_it");
		kernel_free(kernel);
		begin(places[i][0], NULL);
		kernel_map(kernel, STR("/lib/modules/one.ko"), 0);
		kernel_map(kernel, STR("[kernel.kallsyms]_text"), MOVED);
		kernel_map(kernel, STR("[kernel.kallsyms]"), TEXT);
		check(MOVED + 0x41, MOVED + 0x40, "by_list");
		check(0xffffffffc0001005, 0, NULL);
		kernel_free(kernel);
		/* one that does not have the symbol is not that kernel's */
		begin(places[i][0], NULL);
		kernel_map(kernel, STR("[kernel.kallsyms]_other"), MOVED);
		check(TEXT + 0x41, 0, NULL);
		kernel_free(kernel);
		scratch_fini(&scratch);
	}
	kernel_free(NULL);
}
END_TEST

static void build_vmlinux(const char *path)
{
	char command[500];

	scratch_put(&scratch, "k.c",
		    "void entry(void);\n"
		    "__attribute__((noipa)) void linked(void) { __asm__ volatile(\"\"); }\n"
		    "void entry(void) { linked(); linked(); }\n");
	snprintf(command, sizeof(command),
		 "mkdir -p usr/lib/debug/boot usr/lib/debug/.build-id/ab boot && "
		 "gcc -g -O1 -mcmodel=kernel -fno-pic -no-pie -nostdlib -Wl,-Ttext=0x%" PRIx64
		 ",-e,entry,--build-id=0xabcdef01 k.c -o %s",
		 TEXT, path);
	ck_assert_int_eq(scratch_run(&scratch, command), 0);
}

static uint64_t address_of(const char *path, const char *name)
{
	char command[200], *text;
	uint64_t value;

	snprintf(command, sizeof(command), "nm %s | awk '$3==\"%s\" {print $1}' >number", path,
		 name);
	ck_assert_int_eq(scratch_run(&scratch, command), 0);
	text = scratch_get(scratch_path(&scratch, "number"), NULL);
	value = strtoull(text, NULL, 16);
	free(text);
	return value;
}

/* Wherever it may lie, with its lines. */
START_TEST(test_vmlinux)
{
	static const struct {
		const char *path, *release;
		bool by_id;
		const char *reference;
	} cases[] = {
		{ "vmlinux", NULL, false, "_text" },
		{ "boot/vmlinux-6.1.0-test", "6.1.0-test", false, "_stext" },
		{ "usr/lib/debug/boot/vmlinux-6.1.0-test", "6.1.0-test", true, "_text" },
		{ "usr/lib/debug/.build-id/ab/cdef01.debug", NULL, true, "_text" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct unittable_place line;
		const struct unittable *unit;
		uint64_t linked, value;
		char mapping[64];
		struct dso *dso;

		scratch_init(&scratch);
		build_vmlinux(cases[i].path);
		linked = address_of(cases[i].path, "linked") - TEXT + MOVED;
		begin("perf.data", cases[i].release);
		if (cases[i].by_id)
			kernel_build_id(kernel, STR("[kernel.kallsyms]"), STR("\xab\xcd\xef\x01"));
		kernel_build_id(kernel, STR("/usr/lib/libc.so.6"), STR("\x12\x34"));
		snprintf(mapping, sizeof(mapping), "[kernel.kallsyms]%s", cases[i].reference);
		kernel_map(kernel, str_of(mapping), MOVED);
		check(linked, linked, "linked");
		check(MOVED + 0x100000, 0, NULL);
		dso = kernel_dso(kernel, linked, &value);
		ck_assert_ptr_nonnull(dso);
		unit = dso_unit(dso, value);
		ck_assert_ptr_nonnull(unit);
		ck_assert(unittable_line(unit, value, true, &line));
		ck_assert_uint_eq(line.line, 2);
		kernel_free(kernel);
		scratch_fini(&scratch);
	}
}
END_TEST

/* Where it was is known only by where its code begins. */
START_TEST(test_other_reference)
{
	uint64_t linked;

	scratch_init(&scratch);
	build_vmlinux("vmlinux");
	linked = address_of("vmlinux", "linked");
	begin("perf.data", NULL);
	kernel_map(kernel, STR("[kernel.kallsyms]linked"), MOVED);
	check(linked, 0, NULL);
	check(MOVED, 0, NULL);
	kernel_free(kernel);
	scratch_fini(&scratch);
}
END_TEST

/* That of another kernel gives no names, and that is said. */
START_TEST(test_another)
{
	struct err err = ERR_INIT;
	uint64_t linked;

	scratch_init(&scratch);
	build_vmlinux("vmlinux");
	linked = address_of("vmlinux", "linked");
	begin("perf.data", NULL);
	kernel_troubles(kernel, keep_trouble, &err);
	ck_assert_str_eq(err.msg, "");
	kernel_build_id(kernel, STR("[kernel.kallsyms]_text"), STR("\xab\xcd\xef\x02"));
	check(linked, 0, NULL);
	check(linked + 1, 0, NULL);
	kernel_troubles(kernel, keep_trouble, &err);
	ck_assert_str_eq(err.msg, "the kernel: no function is known at 2 places");
	ck_assert_ptr_nonnull(strstr(err.hint, "kallsyms"));
	kernel_free(kernel);
	scratch_fini(&scratch);
}
END_TEST

/* The kernel that runs is asked only when it is the recording's. */
START_TEST(test_running)
{
	struct kernel_config config = { .same_machine = true };
	struct kallsyms_function f;
	struct kallsyms *running;
	uint64_t address = TEXT;

	if (kallsyms_read("/proc/kallsyms", &running, NULL) < 0) {
		printf("SKIP kernel/running: it hides its addresses\n");
		return;
	}
	while (!kallsyms_find(running, address, &f) && address < UINT64_MAX - 0x200000)
		address += 0x100000;
	kernel = kernel_new(&config);
	check(address, f.start, f.name);
	kernel_build_id(kernel, STR("[kernel.kallsyms]"), STR("\xab\xcd\xef\x02"));
	kernel_free(kernel);
	kernel = kernel_new(&config);
	kernel_build_id(kernel, STR("[kernel.kallsyms]"), STR("\xab\xcd\xef\x02"));
	check(address, 0, NULL);
	kernel_free(kernel);
	config.same_machine = false;
	kernel = kernel_new(&config);
	check(address, 0, NULL);
	kernel_free(kernel);
	kallsyms_free(running);
}
END_TEST

SUITE_MAIN("symbol/kernel", test_kallsyms, test_vmlinux, test_other_reference, test_another,
	   test_running)
