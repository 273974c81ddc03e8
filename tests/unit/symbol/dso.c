/* SPDX-License-Identifier: MIT */
/* Whether a table came from the cache is seen by asking for that of an empty file. */
#include "symbol/dso.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <fcntl.h>

static struct dso *open_as(struct scratch *s, const char *file, const char *build_id)
{
	int fd = open(scratch_path(s, file), O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return dso_open(fd, scratch_path(s, "dir/p"), build_id, scratch_path(s, "cache"), false);
}

static void begin(struct scratch *s, const char *flags)
{
	char command[200];

	scratch_init(s);
	scratch_put(s, "p.c", "int f(void) { return 1; }\nint main(void) { return f(); }\n");
	scratch_put(s, "empty", "");
	snprintf(command, sizeof(command), "mkdir dir && gcc -w %s p.c -o dir/p", flags);
	ck_assert_int_eq(scratch_run(s, command), 0);
}

static bool has_f(const struct filetable *table)
{
	for (size_t i = 0; i < table->n_symbols; i++)
		if (strcmp(filetable_name(table, &table->symbols[i]), "f") == 0)
			return true;
	return false;
}

static void check(struct scratch *s, const char *file, const char *build_id, bool known)
{
	struct dso *dso = open_as(s, file, build_id);
	struct err err = ERR_INIT;
	const struct filetable *table = dso_file(dso, &err);

	ck_assert_msg(!table == !known, "%s: %s", file, err.msg);
	if (table)
		ck_assert(has_f(table));
	else
		ck_assert_str_ne(err.msg, "");
	dso_close(dso);
}

START_TEST(test_with_debug_info)
{
	struct scratch s;

	begin(&s, "-g");
	check(&s, "empty", "ab12", false);
	check(&s, "dir/p", "ab12", true);
	check(&s, "empty", "ab12", true);
	check(&s, "empty", "ab13", false);
	ck_assert_int_eq(scratch_run(&s, "mkdir dir/.debug"), 0);
	check(&s, "empty", "ab12", true);
	scratch_fini(&s);
}
END_TEST

/* It may be installed later: then the file is read anew. */
START_TEST(test_without_debug_info)
{
	struct scratch s;

	begin(&s, "-g0");
	check(&s, "dir/p", "ab12", true);
	check(&s, "empty", "ab12", true);
	ck_assert_int_eq(scratch_run(&s, "mkdir dir/.debug"), 0);
	check(&s, "empty", "ab12", false);
	check(&s, "dir/p", "ab12", true);
	check(&s, "empty", "ab12", true);
	ck_assert_int_eq(scratch_run(&s, "echo >dir/.debug/x"), 0);
	check(&s, "empty", "ab12", false);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_no_build_id)
{
	struct scratch s;

	begin(&s, "-g");
	check(&s, "dir/p", "", true);
	check(&s, "empty", "", false);
	ck_assert(!scratch_has(&s, "cache"));
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("dso", test_with_debug_info, test_without_debug_info, test_no_build_id)
