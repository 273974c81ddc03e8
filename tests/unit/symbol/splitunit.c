/* SPDX-License-Identifier: MIT */
/* Programs whose split units are packed by the tools that there are; the source says what is true.
 */
#include "symbol/splitunit.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "symbol/dso.h"
#include "symbol/elffile.h"
#include "symbol/regular.h"
#include "symbol/unitbuild.h"

static const char source[] =
	"int rand(void);\n"                                                /* 1 */
	"static inline __attribute__((always_inline)) int inner(int a)\n"  /* 2 */
	"{\n"                                                              /* 3 */
	"	return rand() + a;\n"                                      /* 4 */
	"}\n"                                                              /* 5 */
	"static inline __attribute__((always_inline)) int middle(int a)\n" /* 6 */
	"{\n"                                                              /* 7 */
	"	return a > 3 ? inner(a) + inner(a + 1) : 5 * a;\n"         /* 8 */
	"}\n"                                                              /* 9 */
	"__attribute__((noinline)) int work(int a, int b)\n"               /* 10 */
	"{\n"                                                              /* 11 */
	"	return middle(a) + middle(b);\n"                           /* 12 */
	"}\n"                                                              /* 13 */
	"int main(int c, char **v)\n"                                      /* 14 */
	"{\n"                                                              /* 15 */
	"	(void)v;\n"                                                /* 16 */
	"	return work(c, 2 * c);\n"                                  /* 17 */
	"}\n";

static uint64_t call_of_rand(struct scratch *s)
{
	uint64_t value;
	char *text;

	ck_assert_int_eq(scratch_run(s,
				     "objdump -d p | awk '/<work>:/ {on=1} on && /call.*rand@plt/ "
				     "{print $1; exit}' >number"),
			 0);
	text = scratch_get(scratch_path(s, "number"), NULL);
	value = strtoull(text, NULL, 16);
	free(text);
	return value;
}

/* How deep the call of rand is inlined, with the lines on the way. */
static void check(struct scratch *s, size_t depth)
{
	static const char *const names[] = { "inner", "middle", "work" };
	static const uint32_t lines[] = { 4, 8, 12 };
	struct unittable_place chain[8];
	const struct unittable *unit;
	const char *path = scratch_path(s, "p");
	struct dso *dso = dso_open(regular_open(path, NULL, NULL), path, "", NULL, false);
	uint64_t value = call_of_rand(s);

	unit = dso_unit(dso, value);
	ck_assert_ptr_nonnull(unit);
	ck_assert_uint_eq(unittable_chain(unit, value, chain, 8), depth);
	for (size_t i = 0; i < depth; i++) {
		ck_assert_str_eq(chain[i].function, names[i]);
		ck_assert_uint_eq(chain[i].line, lines[i]);
		ck_assert_str_eq(strrchr(chain[i].file, '/'), "/p.c");
	}
	ck_assert_ptr_null(dso_trouble(dso));
	dso_close(dso);
}

static void build(struct scratch *s, const char *command)
{
	scratch_init(s);
	scratch_put(s, "p.c", source);
	ck_assert_int_eq(scratch_run(s, command), 0);
}

/* One section of code, of which all addresses are relative to its start, and several. */
START_TEST(test_packed)
{
	static const char *const flags[] = {
		"gcc -gdwarf-4",   "gcc -gdwarf-4 -ffunction-sections",   "clang -gdwarf-4",
		"clang -gdwarf-5", "clang -gdwarf-5 -ffunction-sections",
	};
	char command[300];
	struct scratch s;

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		bool clang = flags[i][0] == 'c';

		if (clang && system("command -v clang llvm-dwp >/dev/null") != 0) {
			printf("SKIP splitunit/llvm-dwp: it is not installed\n");
			return;
		}
		snprintf(command, sizeof(command),
			 "%s -O2 -gsplit-dwarf -fPIE -c p.c && gcc -pie p.o -o p && "
			 "%s -e p -o p.dwp && rm *.dwo",
			 flags[i], clang ? "llvm-dwp" : "dwp");
		build(&s, command);
		check(&s, 3);
		scratch_fini(&s);
	}
}
END_TEST

/* Without its package, or with a damaged one: lines, no inlined functions. */
START_TEST(test_lacking)
{
	static const char *const damage[] = {
		"rm p.dwp",
		"head -c 200 p.dwp >q && mv q p.dwp",
		">p.dwp",
		"rm p.dwp && ln -s /dev/zero p.dwp",
		"rm p.dwp && mkfifo p.dwp",
		/* the package of another program */
		"gcc -gdwarf-4 -O2 -gsplit-dwarf -DOTHER p.c -o q && dwp -e q -o p.dwp && rm *.dwo",
	};
	struct unittable_place line;
	struct scratch s;

	for (size_t i = 0; i < sizeof(damage) / sizeof(*damage); i++) {
		const char *path;
		struct dso *dso;
		uint64_t value;

		build(&s,
		      "gcc -gdwarf-4 -O2 -gsplit-dwarf p.c -o p && dwp -e p -o p.dwp && rm *.dwo");
		ck_assert_int_eq(scratch_run(&s, damage[i]), 0);
		path = scratch_path(&s, "p");
		dso = dso_open(regular_open(path, NULL, NULL), path, "", NULL, false);
		value = call_of_rand(&s);
		ck_assert_ptr_nonnull(dso_unit(dso, value));
		ck_assert_uint_eq(unittable_chain(dso_unit(dso, value), value, &line, 1), 0);
		ck_assert(unittable_line(dso_unit(dso, value), value, false, &line));
		ck_assert_uint_eq(line.line, 4);
		dso_close(dso);
		scratch_fini(&s);
	}
}
END_TEST

/* Makes the table of the program's one unit that has a skeleton, whatever the package is. */
static void build_unit(const char *path)
{
	struct elffile *elf = NULL;
	struct debuginfo info;
	struct blob blob = { 0 };
	struct unittable table;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	bool whole;

	ck_assert_int_eq(elffile_open(regular_open(path, NULL, NULL), path, &elf, NULL), 0);
	ck_assert_int_eq(debuginfo_open(regular_open(path, NULL, NULL), path, false, &info, NULL),
			 0);
	ck_assert(debuginfo_next(&info, &cu, &die));
	ck_assert(unitbuild(&info, elf, dwarf_dieoffset(&die), &blob, &whole));
	ck_assert(unittable_check(blob.p, blob.n, &table));
	ck_assert_uint_gt(table.n_rows, 0);
	blob_fini(&blob);
	debuginfo_close(&info);
	elffile_close(elf);
}

/* Each byte of a small package is changed in turn: the unit's lines can still be read. */
START_TEST(test_damaged)
{
	struct scratch s;
	char *data;
	size_t n;

	build(&s, "gcc -gdwarf-4 -O2 -gsplit-dwarf p.c -o p && dwp -e p -o p.dwp && rm *.dwo");
	data = scratch_get(scratch_path(&s, "p.dwp"), &n);
	for (size_t at = 0; at < n; at++) {
		FILE *file = fopen(scratch_path(&s, "p.dwp"), "w");

		data[at] = (char)(data[at] ^ 0x81);
		ck_assert_uint_eq(fwrite(data, 1, n, file), n);
		ck_assert_int_eq(fclose(file), 0);
		data[at] = (char)(data[at] ^ 0x81);
		build_unit(scratch_path(&s, "p"));
	}
	free(data);
	scratch_fini(&s);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { test_packed, test_lacking, test_damaged, NULL };

	if (system("command -v dwp >/dev/null") != 0) {
		printf("SKIP splitunit/dwp: it is not installed\n");
		return EXIT_SUCCESS;
	}
	return suite_run("symbol/splitunit", tests);
}
