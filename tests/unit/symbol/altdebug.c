/* SPDX-License-Identifier: MIT */
/* dwz moves what two programs have in common to a file; the source says what is true. */
#include "symbol/altdebug.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "symbol/dso.h"
#include "symbol/regular.h"

static const char source[] =
	"int rand(void);\n"
	"struct shared { int one, two, three; struct shared *next; };\n"
	"static inline __attribute__((always_inline)) int name_in_common(struct shared *s)\n"
	"{\n"
	"	return rand() + s->one + s->three;\n" /* 5 */
	"}\n"
	"int main(int c, char **v)\n"
	"{\n"
	"	struct shared s = { c, 2, 3, (void *)v };\n"
	"	return name_in_common(&s);\n" /* 10 */
	"}\n";

#define SHARE "gcc -g -O2 p.c -o p && cp p q && dwz -m shared.debug -h p q"

static uint64_t call_of_rand(struct scratch *s)
{
	uint64_t value;
	char *text;

	ck_assert_int_eq(scratch_run(s,
				     "objdump -d p | awk '/<main>:/ {on=1} on && /call.*rand@plt/ "
				     "{print $1; exit}' >number"),
			 0);
	text = scratch_get(scratch_path(s, "number"), NULL);
	value = strtoull(text, NULL, 16);
	free(text);
	return value;
}

/* What is known of the call of rand: names only when the file that is shared can be read. */
static void check(const char *command, bool names)
{
	struct unittable_place chain[8];
	const struct unittable *unit;
	struct scratch s;
	const char *path;
	struct dso *dso;
	uint64_t value;
	size_t n;

	scratch_init(&s);
	scratch_put(&s, "p.c", source);
	ck_assert_int_eq(scratch_run(&s, SHARE), 0);
	value = call_of_rand(&s);
	ck_assert_int_eq(scratch_run(&s, command), 0);
	path = scratch_path(&s, "p");
	dso = dso_open(regular_open(path, NULL, NULL), path, "", NULL, false);
	unit = dso_unit(dso, value);
	ck_assert_ptr_nonnull(unit);
	n = unittable_chain(unit, value, chain, 8);
	ck_assert_uint_ge(n, 1);
	ck_assert_uint_eq(chain[0].line, 5);
	if (names) {
		ck_assert_uint_eq(n, 2);
		ck_assert_str_eq(chain[0].function, "name_in_common");
		ck_assert_str_eq(chain[1].function, "main");
		ck_assert_uint_eq(chain[1].line, 10);
	} else {
		ck_assert_str_ne(chain[0].function, "name_in_common");
	}
	dso_close(dso);
	scratch_fini(&s);
}

START_TEST(test_shared)
{
	check("true", true);
	/* of a separate debug file */
	check("objcopy --only-keep-debug p p.debug && strip p && "
	      "objcopy --add-gnu-debuglink=p.debug p",
	      true);
	check("mkdir .debug && objcopy --only-keep-debug p .debug/p.debug && strip p && "
	      "objcopy --add-gnu-debuglink=.debug/p.debug p && mv shared.debug .debug",
	      true);
}
END_TEST

/* Another file, or none, in its place. */
START_TEST(test_lacking)
{
	check("rm shared.debug", false);
	check("gcc -g -c -DOTHER p.c -o shared.debug", false);
	check(">shared.debug", false);
}
END_TEST

/* A name that leads to what nobody ever writes to: its functions are there, without waiting. */
START_TEST(test_fifo)
{
	const struct filetable *table;
	struct err err = ERR_INIT;
	struct scratch s;
	const char *path;
	struct dso *dso;

	scratch_init(&s);
	scratch_put(&s, "p.c", source);
	ck_assert_int_eq(scratch_run(&s, "gcc -g -O2 p.c -o p && mkfifo fifo && "
					 "printf 'fifo\\0abcdefghijklmnopqrst' >link && objcopy "
					 "--add-section .gnu_debugaltlink=link p"),
			 0);
	path = scratch_path(&s, "p");
	dso = dso_open(regular_open(path, NULL, NULL), path, "", NULL, false);
	table = dso_file(dso, &err);
	ck_assert_msg(table != NULL, "%s", err.msg);
	ck_assert_uint_ge(table->n_symbols, 1);
	ck_assert_uint_eq(table->n_units, 0);
	ck_assert_ptr_null(dso_trouble(dso));
	dso_close(dso);
	/* nothing there is as before */
	ck_assert_int_eq(scratch_run(&s, "rm fifo"), 0);
	dso = dso_open(regular_open(path, NULL, NULL), path, "", NULL, false);
	ck_assert_uint_eq(dso_file(dso, &err)->n_units, 1);
	dso_close(dso);
	scratch_fini(&s);
}
END_TEST

int main(void)
{
	const TTest *const with_dwz[] = { test_shared, test_lacking, test_fifo, NULL };
	const TTest *const without[] = { test_fifo, NULL };
	bool has_dwz = system("command -v dwz >/dev/null") == 0;

	if (!has_dwz)
		printf("SKIP altdebug/dwz: it is not installed\n");
	return suite_run("symbol/altdebug", has_dwz ? with_dwz : without);
}
