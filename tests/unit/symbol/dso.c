/* SPDX-License-Identifier: MIT */
/*
 * Whether a table came from the cache is seen by asking for that of an empty file. What harms its
 * reader is made by functions of libdw that are replaced here.
 */
#include "symbol/dso.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <signal.h>

#define UNITS 4

/* What a unit does to its reader; by number in the file. */
enum harm { HARM_NONE, HARM_DEATH, HARM_FAILURE };

static bool deadly_file;
static enum harm harms[UNITS];

/* The first thing that is asked of debug info. */
int dwarf_get_units(Dwarf *dwarf, Dwarf_CU *unit, Dwarf_CU **next, Dwarf_Half *version,
		    uint8_t *type, Dwarf_Die *die, Dwarf_Die *sub)
{
	int (*real)(Dwarf *, Dwarf_CU *, Dwarf_CU **, Dwarf_Half *, uint8_t *, Dwarf_Die *,
		    Dwarf_Die *);

	if (deadly_file)
		raise(SIGKILL);
	*(void **)&real = dlsym(RTLD_NEXT, "dwarf_get_units");
	return real(dwarf, unit, next, version, type, die, sub);
}

static size_t number_of(Dwarf *dwarf, Dwarf_Off offset)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	size_t n = 0;

	while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0 &&
	       dwarf_dieoffset(&die) != offset)
		n++;
	return n < UNITS ? n : 0;
}

/* The first thing that is asked of a unit. */
Dwarf_Die *dwarf_offdie(Dwarf *dwarf, Dwarf_Off offset, Dwarf_Die *die)
{
	Dwarf_Die *(*real)(Dwarf *, Dwarf_Off, Dwarf_Die *);
	enum harm harm = harms[number_of(dwarf, offset)];

	if (harm == HARM_DEATH)
		raise(SIGKILL);
	if (harm == HARM_FAILURE)
		return NULL;
	*(void **)&real = dlsym(RTLD_NEXT, "dwarf_offdie");
	return real(dwarf, offset, die);
}

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

/* Debug info that kills its reader: the functions are there, and nothing is kept. */
START_TEST(test_deadly_file)
{
	const struct filetable *table;
	struct err err = ERR_INIT;
	struct scratch s;
	struct dso *dso;

	begin(&s, "-g");
	deadly_file = true;
	dso = open_as(&s, "dir/p", "ab12");
	table = dso_file(dso, &err);
	ck_assert_msg(table != NULL, "%s", err.msg);
	ck_assert(has_f(table));
	ck_assert(!(table->flags & FILETABLE_DWARF));
	ck_assert_uint_eq(table->n_units, 0);
	ck_assert_ptr_nonnull(dso_trouble(dso));
	ck_assert_ptr_nonnull(strstr(dso_trouble(dso)->msg, "/dir/p: reading it crashed"));
	ck_assert_ptr_nonnull(strstr(dso_trouble(dso)->msg, "no lines"));
	dso_close(dso);
	check(&s, "empty", "ab12", false);
	/* so it is read again, when it is no longer so */
	deadly_file = false;
	check(&s, "dir/p", "ab12", true);
	check(&s, "empty", "ab12", true);
	scratch_fini(&s);
}
END_TEST

/* A program of four units, with the function a in the first, and so on. */
static struct dso *open_units(struct scratch *s)
{
	scratch_init(s);
	ck_assert_int_eq(scratch_run(s, "mkdir dir && for f in a b c d; do "
					"echo \"int $f(void) { return 1; }\" >$f.c; done && "
					"echo 'int main(void) { return 0; }' >>d.c && "
					"gcc -g -w a.c b.c c.c d.c -o dir/p"),
			 0);
	return open_as(s, "dir/p", "");
}

/* Which of the units can be read, as the names of their functions. */
static void check_units(struct dso *dso, const char *want)
{
	const struct filetable *table = dso_file(dso, NULL);
	char got[UNITS + 1] = "";
	size_t n = 0;

	ck_assert_ptr_nonnull(table);
	ck_assert_uint_eq(table->n_units, UNITS);
	for (size_t i = 0; i < table->n_symbols; i++) {
		const struct filetable_symbol *symbol = &table->symbols[i];
		const char *name = filetable_name(table, symbol);
		struct unittable_place place;
		const struct unittable *unit;

		if (!name[0] || name[1] || !strchr("abcd", name[0]))
			continue;
		unit = dso_unit(dso, symbol->value);
		if (unit && unittable_line(unit, symbol->value, true, &place) && place.line == 1)
			got[n++] = name[0];
	}
	ck_assert_str_eq(got, want);
}

/* One that fails, or kills the reader, is the only one that is missing. */
START_TEST(test_harmful_unit)
{
	struct scratch s;
	struct dso *dso = open_units(&s);

	harms[1] = HARM_FAILURE;
	harms[2] = HARM_DEATH;
	check_units(dso, "ad");
	ck_assert_ptr_nonnull(dso_trouble(dso));
	ck_assert_ptr_nonnull(strstr(dso_trouble(dso)->msg, "/dir/p: its debug info has no unit"));
	/* nor are they asked for again */
	harms[1] = harms[2] = HARM_NONE;
	check_units(dso, "ad");
	dso_close(dso);
	scratch_fini(&s);
}
END_TEST

/* What the cache has of units needs no reader; one that it has not needs no more than that one. */
START_TEST(test_cached_units)
{
	struct scratch s;
	struct dso *dso = open_units(&s);

	dso_close(dso);
	dso = open_as(&s, "dir/p", "ab12");
	harms[3] = HARM_FAILURE;
	check_units(dso, "abc");
	dso_close(dso);
	harms[3] = HARM_NONE;
	harms[0] = harms[1] = harms[2] = HARM_DEATH;
	dso = open_as(&s, "dir/p", "ab12");
	check_units(dso, "abcd");
	ck_assert_ptr_null(dso_trouble(dso));
	dso_rest(dso);
	check_units(dso, "abcd");
	dso_close(dso);
	/* at rest before anything was asked */
	dso = open_as(&s, "dir/p", "ab12");
	dso_rest(dso);
	dso_rest(dso);
	check_units(dso, "abcd");
	ck_assert_ptr_null(dso_trouble(dso));
	dso_close(dso);
	scratch_fini(&s);
}
END_TEST

/* Nobody is killed for ever. */
START_TEST(test_harmful_units)
{
	struct scratch s;
	struct dso *dso = open_units(&s);

	harms[1] = harms[2] = HARM_DEATH;
	check_units(dso, "a");
	ck_assert_ptr_nonnull(strstr(dso_trouble(dso)->msg, "/dir/p: reading it crashed"));
	dso_close(dso);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("dso", test_with_debug_info, test_without_debug_info, test_no_build_id, test_deadly_file,
	   test_harmful_unit, test_cached_units, test_harmful_units)
