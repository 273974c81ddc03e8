/* SPDX-License-Identifier: MIT */
/* The sections are made by the assembler, as OCaml's compiler has it make them. */
#include "symbol/ocamlnotes.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "symbol/regular.h"

#include <inttypes.h>

#define NOTE(base, lists)                                                              \
	".section .note.ocaml_eh,\"a\",@note\n"                                        \
	".long 6, 2f - 1f, 1\n.asciz \"OCaml\"\n.balign 4\n1:\n.quad " base "\n" lists \
	"2: .balign 4\n"
#define BASE ".section .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n.byte 0\n"

static struct ocamlnotes notes;
static struct err warning;

static void build(struct scratch *s, const char *text, const char *more)
{
	char command[200];

	scratch_init(s);
	scratch_put(s, "n.s", text);
	scratch_put(s, "p.c", "int main(void) { return 0; }\n");
	snprintf(command, sizeof(command), "gcc -no-pie -Wl,-z,noexecstack %s p.c n.s -o p", more);
	ck_assert_int_eq(scratch_run(s, command), 0);
}

static void read_notes(struct scratch *s)
{
	int fd = regular_open(scratch_path(s, "p"), NULL, NULL);

	ck_assert_int_ge(fd, 0);
	warning = (struct err)ERR_INIT;
	ocamlnotes_read(fd, "p", &notes, &warning);
	close(fd);
}

static void check(const struct ocamlnotes_list *list, uint64_t shift, size_t n,
		  const uint64_t *want)
{
	ck_assert_uint_eq(list->n, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(list->all[i], want[i] + shift);
}

static void end(struct scratch *s)
{
	ocamlnotes_fini(&notes);
	scratch_fini(s);
}

/* Two notes; the file was moved by 0x100 since one of them was written. */
START_TEST(test_read)
{
	struct scratch s;

	build(&s,
	      BASE NOTE("_.base", ".quad 0x30, 0x10, 0\n.quad 0x40, 0\n.quad 0\n") NOTE(
		      "_.base - 0x100",
		      ".quad 0\n.quad 0x20, 0x20, 0x40, 0\n.quad 0x50, 0\n") ".section .stapsdt.base\n.set _.base, .stapsdt.base\n",
	      "");
	read_notes(&s);
	ck_assert_str_eq(warning.msg, "");
	check(&notes.enter, 0, 2, (uint64_t[]){ 0x10, 0x30 });
	check(&notes.push, 0, 3, (uint64_t[]){ 0x40, 0x120, 0x140 });
	check(&notes.pop, 0, 1, (uint64_t[]){ 0x150 });
	end(&s);
}
END_TEST

START_TEST(test_without_base)
{
	struct scratch s;

	build(&s, NOTE("0x1000", ".quad 0x30, 0\n.quad 0\n.quad 0\n"), "");
	read_notes(&s);
	ck_assert_ptr_nonnull(strstr(warning.msg, ".stapsdt.base"));
	ck_assert_uint_eq(notes.enter.n, 0);
	end(&s);
}
END_TEST

/* What was read up to the damage is kept. */
START_TEST(test_damaged)
{
	static const char *const texts[] = {
		BASE NOTE(".stapsdt.base", ".quad 0x30, 0\n.quad 0x40\n.quad 0x50\n"),
		BASE NOTE(".stapsdt.base", ".quad 0x30, 0\n.quad 0x40, 0\n.quad 0x50\n.long 0\n"),
		BASE NOTE(".stapsdt.base", ".quad 0x30, 0\n.quad 0\n.quad 0\n")
			NOTE(".stapsdt.base", ".quad 0\n.quad 0\n"),
		BASE NOTE(
			".stapsdt.base",
			".quad 0x30, 0\n.quad 0\n.quad 0\n") ".long 6, 0x7fffffff, 1\n.asciz \"OCaml\"\n.balign 4\n.quad 1,2,3,4\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct scratch s;

		build(&s, texts[i], "");
		read_notes(&s);
		ck_assert_ptr_nonnull(strstr(warning.msg, "damaged"));
		ck_assert_uint_eq(notes.enter.n, 1);
		end(&s);
	}
}
END_TEST

/* Other notes, and other files. */
START_TEST(test_none)
{
	static const char *const texts[] = {
		"",
		BASE,
		BASE ".section .note.ocaml_eh,\"a\",@note\n.long 6, 32, 2\n.asciz \"OCaml\"\n"
		     ".balign 4\n.quad 1, 2, 3, 4\n",
		BASE ".section .note.ocaml_eh,\"a\",@note\n.long 6, 32, 1\n.asciz \"Ocaml\"\n"
		     ".balign 4\n.quad 1, 2, 3, 4\n",
	};
	struct scratch s;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		build(&s, texts[i], "");
		read_notes(&s);
		ck_assert_str_eq(warning.msg, "");
		ck_assert_uint_eq(notes.enter.n + notes.push.n + notes.pop.n, 0);
		end(&s);
	}
	build(&s, "", "");
	ck_assert_int_eq(scratch_run(&s, "echo text >p"), 0);
	read_notes(&s);
	ck_assert_str_eq(warning.msg, "");
	ck_assert_uint_eq(notes.enter.n, 0);
	end(&s);
}
END_TEST

SUITE_MAIN("symbol/ocamlnotes", test_read, test_without_base, test_damaged, test_none)
