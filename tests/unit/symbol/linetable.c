/* SPDX-License-Identifier: MIT */
/* Programs are built by the compilers of the machine; nm and addr2line say what is true. */
#include "symbol/linetable.h"

#include "support/suite.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char source[] = "static int __attribute__((noinline)) inner(int a)\n" /* line 1 */
			     "{\n"
			     "	return a + 1;\n"
			     "}\n"
			     "\n"
			     "int outer(int a)\n" /* line 6 */
			     "{\n"
			     "	return inner(a) * 2;\n"
			     "}\n"
			     "\n"
			     "int main(int c, char **v)\n" /* line 11 */
			     "{\n"
			     "	return outer(c);\n"
			     "}\n";

static char dir[] = "/tmp/lines-XXXXXX";

static __attribute__((format(printf, 1, 2))) const char *run(const char *fmt, ...)
{
	static char out[8192];
	char command[600];
	FILE *pipe;
	va_list ap;
	size_t n;

	n = (size_t)snprintf(command, sizeof(command), "cd %s && ", dir);
	va_start(ap, fmt);
	vsnprintf(command + n, sizeof(command) - n, fmt, ap);
	va_end(ap);
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	n = fread(out, 1, sizeof(out) - 1, pipe);
	out[n] = '\0';
	ck_assert_msg(pclose(pipe) == 0, "%s", command);
	return out;
}

static void set_up(void)
{
	char path[64];
	FILE *file;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/p.c", dir);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(source, file);
	fclose(file);
}

static void tear_down(void)
{
	run("rm -rf %s", dir);
}

static int open_program(struct linetable **lines, struct err *err)
{
	char path[64];

	*err = (struct err)ERR_INIT;
	snprintf(path, sizeof(path), "%s/p", dir);
	return linetable_open(path, lines, err);
}

static uint64_t address_of(const char *nm, const char *function)
{
	char row[50];
	const char *at;

	snprintf(row, sizeof(row), " %s\n", function);
	at = strstr(nm, row);
	ck_assert_ptr_nonnull(at);
	/* "0000000000401106 t inner": the address stands 18 columns before the name's blank. */
	return strtoull(at - 18, NULL, 16);
}

/* The program in the directory: the three functions are where the source says. */
static void check_program(const char *nm)
{
	static const char *const names[] = { "inner", "outer", "main" };
	static const uint32_t wanted[] = { 1, 6, 11 };
	struct linetable *lines;
	struct err err;

	ck_assert_msg(open_program(&lines, &err) == 0, "%s", err.msg);
	for (size_t i = 0; i < 3; i++) {
		uint64_t addr = address_of(nm, names[i]);
		const char *file = NULL, *base;
		uint32_t line, col;

		ck_assert_msg(linetable_function(lines, addr, &file, &line, &col), "%s", names[i]);
		base = strrchr(file, '/');
		ck_assert_str_eq(base ? base + 1 : file, "p.c");
		/* Compilers take the name's line or that of the opening brace. */
		ck_assert_uint_ge(line, wanted[i]);
		ck_assert_uint_le(line, wanted[i] + 1);
		/* Within a function is not where it begins. */
		ck_assert(!linetable_function(lines, addr + 1, &file, &line, &col));
	}
	linetable_close(lines);
}

START_TEST(test_every_kind_of_debug_info)
{
	static const char *const compilers[] = {
		"gcc -g -O0",           "gcc -g -O2",
		"gcc -gdwarf-4",        "gcc -g -gz",
		"gcc -g -gsplit-dwarf", "clang -g -O0",
		"clang -g -O2",         "clang -gdwarf-4 -gsplit-dwarf",
	};
	bool clang = system("command -v clang >/dev/null") == 0;

	set_up();
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		if (!clang && compilers[i][0] == 'c')
			continue;
		run("%s -no-pie p.c -o p", compilers[i]);
		check_program(run("nm p"));
	}
	if (!clang)
		puts("SKIP linetable/clang: clang is not installed");
	tear_down();
}
END_TEST

START_TEST(test_separate_debug_file)
{
	char nm[8192];

	set_up();
	run("gcc -g -no-pie p.c -o p");
	snprintf(nm, sizeof(nm), "%s", run("nm p"));
	run("objcopy --only-keep-debug p p.debug && strip p && "
	    "objcopy --add-gnu-debuglink=p.debug p");
	check_program(nm);
	tear_down();
}
END_TEST

START_TEST(test_same_as_addr2line)
{
	struct linetable *lines;
	char nm[8192], want[200];
	struct err err;
	int known = 0;

	set_up();
	run("gcc -g -O0 -no-pie p.c -o p");
	snprintf(nm, sizeof(nm), "%s", run("nm p"));
	ck_assert_int_eq(open_program(&lines, &err), 0);
	for (const char *row = nm, *end; (end = strchr(row, '\n')); row = end + 1) {
		uint64_t addr = strtoull(row, NULL, 16);
		const char *file, *said;
		uint32_t line, col;

		if (row[17] != 't' && row[17] != 'T')
			continue;
		said = run("addr2line -e p %" PRIx64, addr);
		if (linetable_function(lines, addr, &file, &line, &col)) {
			snprintf(want, sizeof(want), "%s:%u\n", file, line);
			ck_assert_str_eq(said, want);
			known++;
		} else {
			/* Only what has no line has none with us. */
			ck_assert_msg(strchr(said, '?'), "%s", said);
		}
	}
	ck_assert_int_eq(known, 3);
	linetable_close(lines);
	tear_down();
}
END_TEST

/* A unit that claims code in the middle of another one's does not hide what comes behind it. */
START_TEST(test_unit_within_a_unit)
{
	struct linetable *lines;
	const char *file;
	uint32_t line, col;
	struct err err;

	set_up();
	run("{ sed -n 1,5p p.c; echo 'asm(\".globl gap; gap: .skip 64\");'; sed -n '6,$p' p.c; } >q.c");
	run("echo 'int other(void) { return 1; }' >r.c && gcc -g -O0 -S r.c -o r.s && "
	    "sed -i 's/^\t.quad\t.Ltext0$/\t.quad\tgap/' r.s && grep -q 'quad.gap' r.s");
	run("gcc -g -O0 -fno-toplevel-reorder -no-pie q.c r.s -o p");
	ck_assert_msg(open_program(&lines, &err) == 0, "%s", err.msg);
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = { "inner", "outer", "main" };
		static const uint32_t wanted[] = { 1, 7, 12 }; /* one more, behind the gap */

		ck_assert(linetable_function(lines, address_of(run("nm p"), names[i]), &file, &line,
					     &col));
		ck_assert_ptr_nonnull(strstr(file, "q.c"));
		ck_assert_uint_ge(line, wanted[i]);
		ck_assert_uint_le(line, wanted[i] + 1);
	}
	linetable_close(lines);
	tear_down();
}
END_TEST

START_TEST(test_refused)
{
	struct linetable *lines;
	struct err err;

	set_up();
	ck_assert_int_eq(open_program(&lines, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "No such file"));
	run("cp p.c p");
	ck_assert_int_eq(open_program(&lines, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "not an ELF"));
	run(": >p");
	ck_assert_int_eq(open_program(&lines, &err), -1);
	run("gcc -g -fPIE -pie p.c -o p");
	ck_assert_int_eq(open_program(&lines, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "position independent"));
	run("gcc -g0 -no-pie p.c -o p && strip p");
	ck_assert_int_eq(open_program(&lines, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "no debug info"));
	run("rm p && mkdir p");
	ck_assert_int_eq(open_program(&lines, &err), -1);
	tear_down();
}
END_TEST

/* Bytes of the debug info changed at random: any answer will do, but there must be one. */
START_TEST(test_damaged_files)
{
	uint32_t random = 1;
	char path[64];

	set_up();
	run("gcc -g -no-pie p.c -o whole");
	snprintf(path, sizeof(path), "%s/p", dir);
	for (int round = 0; round < 200; round++) {
		struct linetable *lines;
		struct err err;
		FILE *file;
		long size;

		run("cp whole p");
		file = fopen(path, "r+");
		ck_assert_ptr_nonnull(file);
		fseek(file, 0, SEEK_END);
		size = ftell(file);
		for (int i = 0; i < 40; i++) {
			random = random * 1103515245 + 12345;
			fseek(file, 64 + (long)((random >> 8) % (uint32_t)(size - 64)), SEEK_SET);
			fputc((int)(random >> 16 & 0xff), file);
		}
		fclose(file);
		if (open_program(&lines, &err) < 0)
			continue;
		for (uint64_t addr = 0x401000; addr < 0x401400; addr++) {
			const char *name;
			uint32_t line, col;

			linetable_function(lines, addr, &name, &line, &col);
		}
		linetable_close(lines);
	}
	tear_down();
}
END_TEST

SUITE_MAIN("symbol/linetable", test_every_kind_of_debug_info, test_separate_debug_file,
	   test_same_as_addr2line, test_unit_within_a_unit, test_refused, test_damaged_files)
