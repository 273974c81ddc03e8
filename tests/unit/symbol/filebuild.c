/* SPDX-License-Identifier: MIT */
/* The functions are the assembler's, so that all of them is known. */
#include "symbol/filebuild.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "symbol/filetable.h"
#include "symbol/regular.h"

static const char assembly[] = ".text\n"
			       ".globl strong, __two\n.weak a_longer_weak_one\n"
			       ".type strong, @function\n.type local_one, @function\n"
			       ".type a_longer_weak_one, @function\n.type __two, @function\n"
			       ".type two, @function\n.type unsized, @function\n"
			       ".type large, @function\n.type small, @function\n"
			       /* of three at one place the strong one */
			       "strong:\nlocal_one:\na_longer_weak_one:\n.skip 16, 0x90\n"
			       ".size strong, 16\n.size local_one, 16\n"
			       ".size a_longer_weak_one, 16\n"
			       /* the bond counts more than underscores */
			       "__two:\ntwo:\n.skip 16, 0x90\n.size __two, 16\n.size two, 16\n"
			       /* to where the next one begins */
			       "unsized:\n.skip 48, 0x90\n"
			       /* one in another */
			       "large:\n.skip 16, 0x90\nsmall:\n.skip 16, 0x90\n"
			       ".size small, 16\n.skip 32, 0x90\n.size large, 64\n"
			       ".skip 16, 0x90\n"
			       ".section .note.GNU-stack,\"\",@progbits\n";

static struct scratch scratch;
static struct blob blob;
static struct filetable table;

static void build(const char *command)
{
	scratch_init(&scratch);
	scratch_put(&scratch, "f.s", assembly);
	scratch_put(&scratch, "p.c",
		    "int rand(void);\nint main(void)\n{\n\treturn rand() + rand();\n}\n");
	ck_assert_int_eq(scratch_run(&scratch, command), 0);
}

static void read_table(bool with_info)
{
	const char *path = scratch_path(&scratch, "p");
	struct debuginfo info = { 0 };
	struct err err = ERR_INIT;
	struct elffile *file;
	int fd = regular_open(path, NULL, NULL);

	ck_assert_int_eq(elffile_open(regular_open(path, NULL, NULL), path, &file, &err), 0);
	if (with_info)
		ck_assert_int_eq(
			debuginfo_open(regular_open(path, NULL, NULL), path, false, &info, &err),
			0);
	blob = (struct blob){ 0 };
	filebuild(fd, path, file, with_info ? &info : NULL, &blob);
	ck_assert(filetable_check(blob.p, blob.n, &table));
	if (with_info)
		debuginfo_close(&info);
	elffile_close(file);
	close(fd);
}

static void end(void)
{
	blob_fini(&blob);
	scratch_fini(&scratch);
}

/* The function at an offset in the assembly, whose start is known by its only global name. */
static void check(uint64_t offset, const char *name, uint64_t start)
{
	const struct filetable_symbol *symbol = NULL;
	uint64_t base = 0;

	for (size_t i = 0; i < table.n_symbols; i++)
		if (strcmp(filetable_name(&table, &table.symbols[i]), "strong") == 0)
			base = table.symbols[i].value;
	ck_assert_uint_ne(base, 0);
	symbol = filetable_symbol(&table, base + offset);
	if (!name) {
		ck_assert_ptr_null(symbol);
		return;
	}
	ck_assert_msg(symbol != NULL, "nothing at %d", (int)offset);
	ck_assert_str_eq(filetable_name(&table, symbol), name);
	ck_assert_uint_eq(symbol->value, base + start);
}

START_TEST(test_functions)
{
	build("gcc -c f.s && gcc -g0 p.c f.o -o p");
	read_table(false);
	check(0, "strong", 0);
	check(15, "strong", 0);
	check(16, "__two", 16);
	check(31, "__two", 16);
	check(32, "unsized", 32);
	check(79, "unsized", 32);
	check(80, "large", 80);
	check(96, "small", 96);
	check(111, "small", 96);
	/* behind it, the one around goes on */
	check(112, "large", 80);
	check(143, "large", 80);
	check(144, NULL, 0);
	ck_assert_uint_eq(table.flags, 0);
	ck_assert_uint_eq(table.n_units, 0);
	end();
}
END_TEST

static const struct filetable_symbol *by_name(const char *name)
{
	for (size_t i = 0; i < table.n_symbols; i++)
		if (strcmp(filetable_name(&table, &table.symbols[i]), name) == 0)
			return &table.symbols[i];
	return NULL;
}

/* The stub that calls of rand go to, as the disassembler has it. */
static void check_stub(void)
{
	const struct filetable_symbol *stub = by_name("rand@plt");
	uint64_t want;
	char *text;

	ck_assert_int_eq(scratch_run(&scratch, "objdump -d p | awk '/call.*<rand@plt>/ "
					       "{print $(NF-1); exit}' >number"),
			 0);
	text = scratch_get(scratch_path(&scratch, "number"), NULL);
	want = strtoull(text, NULL, 16);
	free(text);
	ck_assert_ptr_nonnull(stub);
	ck_assert_uint_le(stub->start, want);
	ck_assert_uint_gt(stub->end, want);
}

START_TEST(test_stubs)
{
	build("gcc -g0 p.c -o p");
	read_table(false);
	check_stub();
	ck_assert_ptr_nonnull(by_name("main"));
	end();
}
END_TEST

/* Only what the dynamic linker needs: no local function. */
START_TEST(test_stripped)
{
	build("gcc -c f.s && gcc -g0 -rdynamic p.c f.o -o p && strip p");
	read_table(false);
	ck_assert_uint_eq(table.flags, FILETABLE_STRIPPED);
	check(0, "strong", 0);
	check(16, "__two", 16);
	check(32, NULL, 0);
	check(96, NULL, 0);
	check_stub();
	end();
	build("gcc -g0 -static p.c -o p && strip p");
	read_table(false);
	ck_assert_uint_eq(table.flags, FILETABLE_STRIPPED);
	ck_assert_uint_ge(table.n_segments, 1);
	end();
}
END_TEST

/* Each unit has its code, in the order of addresses; the linker's removed ones are none. */
START_TEST(test_units)
{
	uint64_t unit, other;

	build("echo 'int f(void) { return 1; }' >f.c && echo 'int g(void) { return 2; }' >g.c && "
	      "gcc -g -ffunction-sections -Wl,--gc-sections p.c f.c g.c -o p "
	      "-Wl,--undefined=f");
	read_table(true);
	ck_assert_uint_eq(table.flags, FILETABLE_DWARF);
	ck_assert_ptr_nonnull(by_name("f"));
	ck_assert_ptr_null(by_name("g"));
	ck_assert(filetable_unit(&table, by_name("main")->value, &unit));
	ck_assert(filetable_unit(&table, by_name("f")->value, &other));
	ck_assert_uint_ne(unit, other);
	for (size_t i = 0; i < table.n_units; i++)
		ck_assert(table.units[i].owner == unit || table.units[i].owner == other);
	end();
}
END_TEST

SUITE_MAIN("symbol/filebuild", test_functions, test_stubs, test_stripped, test_units)
