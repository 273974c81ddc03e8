/* SPDX-License-Identifier: MIT */
#include "symbol/splitpath.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "symbol/dso.h"
#include "symbol/regular.h"

/* The .dwo file is where the compiler ran, and may be beside the program in another directory. */
static void build(struct scratch *s, const char *version)
{
	char command[300];

	scratch_init(s);
	scratch_put(s, "p.c", "int main(void)\n{\n\treturn 0;\n}\n");
	snprintf(
		command, sizeof(command),
		"mkdir build there && cd build && gcc -gsplit-dwarf -gdwarf-%s -c ../p.c -o p.o && "
		"gcc p.o -o ../there/p && mv p.dwo ../kept",
		version);
	ck_assert_int_eq(scratch_run(s, command), 0);
}

/* The functions are there, and a unit when it is safe to look for its rest; nothing waits. */
static void check(struct scratch *s, const char *command, size_t units)
{
	const struct filetable *table;
	struct err err = ERR_INIT;
	const char *path;
	struct dso *dso;

	ck_assert_int_eq(scratch_run(s, command), 0);
	path = scratch_path(s, "there/p");
	dso = dso_open(regular_open(path, NULL, NULL), path, "", NULL, false);
	table = dso_file(dso, &err);
	ck_assert_msg(table != NULL, "%s", err.msg);
	ck_assert_uint_ge(table->n_symbols, 1);
	ck_assert_uint_eq(table->n_units, units);
	if (units)
		ck_assert_ptr_nonnull(dso_unit(dso, table->units[0].start));
	ck_assert_ptr_null(dso_trouble(dso));
	dso_close(dso);
}

START_TEST(test_safe)
{
	static const char *const versions[] = { "4", "5" };

	for (size_t i = 0; i < 2; i++) {
		struct scratch s;

		build(&s, versions[i]);
		check(&s, "true", 1);
		check(&s, "cp kept build/p.dwo", 1);
		check(&s, "mv build/p.dwo there/p.dwo", 1);
		check(&s, "rm there/p.dwo && mkfifo there/p.dwo", 0);
		/* however the path leads there */
		check(&s, "mv there real && ln -s real there", 0);
		check(&s, "rm real/p.dwo && mkfifo build/p.dwo", 0);
		check(&s, "rm build/p.dwo && mkdir build/p.dwo", 0);
		check(&s, "rmdir build/p.dwo && ln -s ../kept build/p.dwo", 1);
		scratch_fini(&s);
	}
}
END_TEST

SUITE_MAIN("symbol/splitpath", test_safe)
