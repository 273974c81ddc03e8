/* SPDX-License-Identifier: MIT */
#include "symbol/elfopen.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>

static struct scratch scratch;

static void begin(void)
{
	scratch_init(&scratch);
	scratch_put(&scratch, "p.c", "int main(void) { return 0; }\n");
	ck_assert_int_eq(scratch_run(&scratch, "gcc -g p.c -o p && gcc -g -c p.c -o p.o && "
					       "gcc -shared -fPIC p.c -o p.so"),
			 0);
}

/* What is wrong with a file; NULL: nothing. */
static void check(const char *name, Elf *(*opened)(int fd, const char *path, struct err *err),
		  const char *why)
{
	int fd = open(scratch_path(&scratch, name), O_RDONLY | O_CLOEXEC);
	struct err err = ERR_INIT;
	Elf *elf;

	ck_assert_int_ge(fd, 0);
	elf = opened(fd, name, &err);
	if (why) {
		ck_assert_msg(!elf, "%s is taken", name);
		ck_assert_msg(strstr(err.msg, why) && strstr(err.msg, name), "%s: not as \"%s\"",
			      err.msg, why);
	} else {
		ck_assert_msg(elf != NULL, "%s", err.msg);
	}
	elf_end(elf);
	close(fd);
}

START_TEST(test_kinds)
{
	begin();
	check("p", elfopen, NULL);
	check("p.so", elfopen, NULL);
	check("p.o", elfopen, "not an ELF executable or library");
	check("p.o", elfopen_object, NULL);
	check("p", elfopen_object, "not an ELF object file");
	check("p.c", elfopen, "not an ELF file, or damaged");
	ck_assert_int_eq(scratch_run(&scratch, ">empty && head -c 30 p >cut && ar rc p.a p.o && "
					       "head -c 100 p >short"),
			 0);
	check("empty", elfopen, "not an ELF file, or damaged");
	check("cut", elfopen, "not an ELF file, or damaged");
	check("p.a", elfopen, "not an ELF file, or damaged");
	check("short", elfopen, "damaged");
	scratch_fini(&scratch);
}
END_TEST

/* The program, with its head or one of its section heads changed. */
static void damage(const char *name, void (*change)(Elf64_Ehdr *head, Elf64_Shdr *sections,
						    size_t strings, const char *names))
{
	size_t n;
	char *bytes = scratch_get(scratch_path(&scratch, "p"), &n);
	Elf64_Ehdr *head = (void *)bytes;
	Elf64_Shdr *sections = (void *)(bytes + head->e_shoff);
	FILE *file = fopen(scratch_path(&scratch, name), "w");

	change(head, sections, head->e_shstrndx, bytes + sections[head->e_shstrndx].sh_offset);
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
	fclose(file);
	free(bytes);
}

static void turn_bytes(Elf64_Ehdr *head, Elf64_Shdr *sections, size_t strings, const char *names)
{
	(void)sections, (void)strings, (void)names;
	head->e_ident[EI_DATA] = head->e_ident[EI_DATA] == ELFDATA2LSB ? ELFDATA2MSB : ELFDATA2LSB;
}

/* Where the count does not fit, the first section's head has it. */
static void many_sections(Elf64_Ehdr *head, Elf64_Shdr *sections, size_t strings, const char *names)
{
	(void)strings, (void)names;
	head->e_shnum = 0;
	sections[0].sh_size = (1 << 20) + 1;
}

static void far_sections(Elf64_Ehdr *head, Elf64_Shdr *sections, size_t strings, const char *names)
{
	(void)sections, (void)strings, (void)names;
	head->e_shnum = 0;
	head->e_shoff = UINT64_MAX;
}

static void large_names(Elf64_Ehdr *head, Elf64_Shdr *sections, size_t strings, const char *names)
{
	(void)head, (void)names;
	sections[strings].sh_size = (64 << 20) + 1;
}

static void large_note(Elf64_Ehdr *head, Elf64_Shdr *sections, size_t strings, const char *names)
{
	(void)strings, (void)names;
	for (size_t i = 0; i < head->e_shnum; i++)
		if (sections[i].sh_type == SHT_NOTE)
			sections[i].sh_size = (64 << 20) + 1;
}

/* None is too large, but all of them are. */
static void large_notes(Elf64_Ehdr *head, Elf64_Shdr *sections, size_t strings, const char *names)
{
	(void)strings, (void)names;
	for (size_t i = 1; i < 4; i++) {
		sections[i].sh_type = SHT_NOTE;
		sections[i].sh_size = 32 << 20;
	}
	(void)head;
}

static void large_segment(Elf64_Ehdr *head, Elf64_Shdr *sections, size_t strings, const char *names)
{
	Elf64_Phdr *segments = (void *)((char *)head + head->e_phoff);

	(void)sections, (void)strings, (void)names;
	for (size_t i = 0; i < head->e_phnum; i++)
		if (segments[i].p_type == PT_NOTE)
			segments[i].p_filesz = (64 << 20) + 1;
}

/* libdwfl takes memory for all of it. */
static void large_link(Elf64_Ehdr *head, Elf64_Shdr *sections, size_t strings, const char *names)
{
	(void)head, (void)strings;
	for (size_t i = 0; i < head->e_shnum; i++)
		if (strcmp(names + sections[i].sh_name, ".gnu_debuglink") == 0)
			sections[i].sh_size = (1 << 16) + 1;
}

START_TEST(test_damaged)
{
	static const struct {
		void (*change)(Elf64_Ehdr *head, Elf64_Shdr *sections, size_t strings,
			       const char *names);
		const char *why;
	} cases[] = {
		{ turn_bytes, "not an ELF file, or damaged" },
		{ many_sections, "not an ELF file, or damaged" },
		{ far_sections, "not an ELF file, or damaged" },
		{ large_names, "its ELF headers are damaged" },
		{ large_note, "its ELF headers are damaged" },
		{ large_notes, "its ELF headers are damaged" },
		{ large_segment, "its ELF headers are damaged" },
		{ large_link, "its ELF headers are damaged" },
	};

	begin();
	ck_assert_int_eq(scratch_run(&scratch, "echo >x && objcopy --add-gnu-debuglink=x p"), 0);
	check("p", elfopen, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		damage("q", cases[i].change);
		check("q", elfopen, cases[i].why);
	}
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_sections)
{
	GElf_Shdr head;
	Elf *elf;
	int fd;

	begin();
	fd = open(scratch_path(&scratch, "p"), O_RDONLY | O_CLOEXEC);
	elf = elfopen(fd, "p", NULL);
	ck_assert_ptr_nonnull(elf);
	ck_assert_ptr_nonnull(elfopen_named(elf, ".text"));
	ck_assert_ptr_nonnull(gelf_getshdr(elfopen_named(elf, ".text"), &head));
	ck_assert_uint_ne(head.sh_flags & SHF_EXECINSTR, 0);
	ck_assert_ptr_null(elfopen_named(elf, ".tex"));
	ck_assert_ptr_nonnull(gelf_getshdr(elfopen_section(elf, SHT_SYMTAB), &head));
	ck_assert_uint_eq(head.sh_type, SHT_SYMTAB);
	ck_assert_ptr_null(elfopen_section(elf, SHT_SHLIB));
	elf_end(elf);
	close(fd);
	scratch_fini(&scratch);
}
END_TEST

SUITE_MAIN("symbol/elfopen", test_kinds, test_damaged, test_sections)
