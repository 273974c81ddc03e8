/* SPDX-License-Identifier: MIT */
/* Programs are built by the compilers of the machine; nm and readelf say what is true. */
#include "symbol/elffile.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "symbol/regular.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char source[] = "#include <stdio.h>\n"
			     "static int __attribute__((noinline)) inner(int a)\n"
			     "{\n"
			     "	return a + 1;\n"
			     "}\n"
			     "int outer(int a)\n"
			     "{\n"
			     "	return inner(a) * 2;\n"
			     "}\n"
			     "int alias(int a) __attribute__((alias(\"outer\"), weak));\n"
			     "static int (*choose(void))(int) { return outer; }\n"
			     "int chosen(int a) __attribute__((ifunc(\"choose\")));\n"
			     "int main(int c, char **v)\n"
			     "{\n"
			     "	(void)v;\n"
			     "	puts(\"x\");\n"
			     "	return outer(c) + chosen(c);\n"
			     "}\n";

static struct elffile *open_file(const char *path, struct err *err)
{
	struct elffile *file = NULL;
	int fd = regular_open(path, NULL, err);

	if (fd < 0 || elffile_open(fd, path, &file, err) < 0)
		return NULL;
	return file;
}

static struct elffile *open_program(struct scratch *s, const char *name)
{
	struct err err = ERR_INIT;
	struct elffile *file = open_file(scratch_path(s, name), &err);

	ck_assert_msg(file != NULL, "%s", err.msg);
	return file;
}

static bool find(const struct elffile *file, const char *name, struct elffile_function *found)
{
	struct elffile_walk walk = { 0 };

	while (elffile_next(file, &walk, found))
		if (strcmp(found->name, name) == 0)
			return true;
	return false;
}

static void compile(struct scratch *s, const char *flags)
{
	char command[300];

	scratch_put(s, "p.c", source);
	snprintf(command, sizeof(command), "gcc -g -O1 -w %s p.c -o p", flags);
	ck_assert_int_eq(scratch_run(s, command), 0);
}

/* nm's and ours: the same functions at the same addresses, all of them. */
static void check_nm(struct scratch *s, const struct elffile *file)
{
	struct elffile_function f;
	struct elffile_walk walk = { 0 };
	size_t n = 0;
	FILE *out = fopen(scratch_path(s, "ours"), "w");

	while (elffile_next(file, &walk, &f)) {
		fprintf(out, "%016" PRIx64 " %s\n", f.value, f.name);
		n++;
	}
	fclose(out);
	ck_assert_uint_gt(n, 3);
	ck_assert_int_eq(scratch_run(s, "readelf -sW p | awk '$5 ~ /SECTION/ {next} "
					"/^Symbol table .*\\.symtab/ {on=1} "
					"on && ($4==\"FUNC\" || $4==\"IFUNC\") && $7!=\"UND\" "
					"{print $2, $8}' | sort >theirs && "
					"sort ours | diff - theirs"),
			 0);
}

START_TEST(test_functions)
{
	static const char *const flags[] = { "-no-pie", "-fPIE -pie", "-static",
					     "-fPIE -static-pie",
					     "-shared -fPIC -Wl,-soname,p.so" };

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct elffile_function f, g;
		struct elffile *file;
		struct scratch s;

		scratch_init(&s);
		compile(&s, flags[i]);
		file = open_program(&s, "p");
		check_nm(&s, file);
		ck_assert_int_eq(elffile_is_fixed(file), i == 0 || i == 2);
		ck_assert_int_eq(elffile_is_dynamic(file), i < 2);
		ck_assert(elffile_is_64(file));
		ck_assert(!elffile_is_stripped(file));
		ck_assert(find(file, "inner", &f));
		ck_assert(f.is_local && !f.is_resolver);
		ck_assert_str_eq(f.source, "p.c");
		ck_assert(find(file, "outer", &f) && find(file, "alias", &g));
		ck_assert(!f.is_local);
		ck_assert_ptr_null(f.source);
		ck_assert_uint_eq(f.value, g.value);
		ck_assert(find(file, "chosen", &f));
		ck_assert(f.is_resolver);
		if (i != 2 && i != 3)
			ck_assert(!find(file, "puts", &f)); /* imported */
		elffile_close(file);
		scratch_fini(&s);
	}
}
END_TEST

START_TEST(test_stripped)
{
	struct elffile_function f;
	struct elffile *file;
	struct scratch s;

	scratch_init(&s);
	compile(&s, "-fPIE -pie -rdynamic -Wl,-s");
	file = open_program(&s, "p");
	ck_assert(elffile_is_stripped(file));
	ck_assert(find(file, "outer", &f) && !find(file, "inner", &f));
	elffile_close(file);
	/* no section headers at all: e_shoff, e_shentsize, e_shnum and e_shstrndx are zero */
	ck_assert_int_eq(scratch_run(&s, "head -c 8 /dev/zero | dd of=p bs=1 seek=40 "
					 "conv=notrunc status=none && head -c 6 /dev/zero | "
					 "dd of=p bs=1 seek=58 conv=notrunc status=none"),
			 0);
	file = open_program(&s, "p");
	ck_assert(elffile_is_stripped(file));
	ck_assert(!find(file, "outer", &f));
	elffile_close(file);
	scratch_fini(&s);
}
END_TEST

#define SPLIT "objcopy --only-keep-debug p p.debug && nm p >nm && strip p && "

/* By .gnu_debuglink, with and without a build-id, beside the file and in .debug. */
START_TEST(test_debug_file)
{
	static const char *const commands[] = {
		SPLIT "objcopy --add-gnu-debuglink=p.debug p",
		SPLIT "objcopy --add-gnu-debuglink=p.debug p && mkdir .debug && "
		      "mv p.debug .debug",
	};
	static const char *const flags[] = { "-fPIE -pie", "-fPIE -pie -Wl,--build-id=none" };

	for (int i = 0; i < 4; i++) {
		struct elffile_function f;
		struct elffile *file;
		struct scratch s;
		char want[64];

		scratch_init(&s);
		compile(&s, flags[i / 2]);
		ck_assert_int_eq(scratch_run(&s, commands[i % 2]), 0);
		file = open_program(&s, "p");
		ck_assert(!elffile_is_stripped(file));
		ck_assert(find(file, "inner", &f));
		snprintf(want, sizeof(want), "grep -q '%016" PRIx64 " t inner' nm", f.value);
		ck_assert_int_eq(scratch_run(&s, want), 0);
		elffile_close(file);
		/* one that is not the file's is not taken: one letter of a string is changed */
		ck_assert_int_eq(
			scratch_run(&s, i / 2 ? "printf x >>$(ls p.debug .debug/p.debug "
						"2>/dev/null)"
					      : "echo 'int main(void) { return 3; }' >q.c && gcc "
						"q.c -o $(ls p.debug .debug/p.debug 2>/dev/null)"),
			0);
		file = open_program(&s, "p");
		ck_assert(elffile_is_stripped(file));
		elffile_close(file);
		scratch_fini(&s);
	}
}
END_TEST

/* The file was moved to other addresses after its debug file was made, as prelink does. */
START_TEST(test_moved_since)
{
	struct elffile_function f;
	struct elffile *file;
	struct scratch s;
	uint64_t before;

	scratch_init(&s);
	compile(&s, "-fPIE -pie -Wl,--build-id=0x12345678");
	file = open_program(&s, "p");
	ck_assert(find(file, "inner", &f));
	before = f.value;
	elffile_close(file);
	ck_assert_int_eq(scratch_run(&s, "objcopy --only-keep-debug p p.debug"), 0);
	compile(&s, "-fPIE -pie -Wl,--build-id=0x12345678 -Wl,-Ttext-segment=0x3000000");
	ck_assert_int_eq(scratch_run(&s, "strip p; objcopy --add-gnu-debuglink=p.debug p"), 0);
	file = open_program(&s, "p");
	ck_assert(find(file, "inner", &f));
	ck_assert_uint_eq(f.value, before + 0x3000000);
	ck_assert_ptr_nonnull(elffile_segment(file, f.value));
	ck_assert_ptr_null(elffile_segment(file, before));
	elffile_close(file);
	scratch_fini(&s);
}
END_TEST

static void refuse(const char *path, const char *why)
{
	struct err err = ERR_INIT;

	ck_assert_ptr_null(open_file(path, &err));
	ck_assert_msg(strstr(err.msg, why) != NULL, "%s: %s", path, err.msg);
}

START_TEST(test_no_elf_files)
{
	struct scratch s;

	scratch_init(&s);
	refuse(scratch_path(&s, "none"), "No such file");
	refuse(s.dir, "not a regular file");
	refuse("/dev/zero", "not a regular file");
	ck_assert_int_eq(mkfifo(scratch_path(&s, "fifo"), 0600), 0);
	refuse(scratch_path(&s, "fifo"), "not a regular file");
	scratch_put(&s, "empty", "");
	refuse(scratch_path(&s, "empty"), "not an ELF file");
	scratch_put(&s, "text", source);
	refuse(scratch_path(&s, "text"), "not an ELF file");
	scratch_put(&s, "p.c", source);
	ck_assert_int_eq(scratch_run(&s, "gcc -w -c p.c -o p.o && ar rc p.a p.o"), 0);
	refuse(scratch_path(&s, "p.o"), "not an ELF executable");
	refuse(scratch_path(&s, "p.a"), "not an ELF file");
	scratch_fini(&s);
}
END_TEST

/* Looks at all that there is in a file, if it can be opened. */
static bool walk(const char *path)
{
	struct elffile_function f;
	struct elffile_walk at = { 0 };
	struct elffile *file = open_file(path, NULL);
	size_t n = 0;

	if (!file)
		return false;
	while (elffile_next(file, &at, &f))
		n += strlen(f.name) + (f.source ? strlen(f.source) : 0);
	elffile_close(file);
	return n > 0;
}

START_TEST(test_truncated)
{
	struct scratch s;
	struct stat st;

	scratch_init(&s);
	compile(&s, "-fPIE -pie -nostdlib -Wl,-e,main -Wl,--unresolved-symbols=ignore-all");
	ck_assert(walk(scratch_path(&s, "p")));
	ck_assert_int_eq(stat(scratch_path(&s, "p"), &st), 0);
	for (off_t size = st.st_size - 1; size > 0; size -= 1 + size / 300) {
		ck_assert_int_eq(truncate(scratch_path(&s, "p"), size), 0);
		walk(scratch_path(&s, "p"));
	}
	scratch_fini(&s);
}
END_TEST

/* A file of the head alone, and holes: what it says it has is as large as can be said. */
static void put_huge(struct scratch *s, const Elf64_Ehdr *head, const Elf64_Shdr *sections,
		     size_t n)
{
	int fd = open(scratch_path(s, "huge"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, head, sizeof(*head), 0), sizeof(*head));
	ck_assert_int_eq(pwrite(fd, sections, n * sizeof(*sections), (off_t)head->e_shoff),
			 (ssize_t)(n * sizeof(*sections)));
	ck_assert_int_eq(ftruncate(fd, (off_t)1 << 42), 0);
	close(fd);
}

START_TEST(test_huge_claims)
{
	static const uint32_t types[] = { SHT_SYMTAB, SHT_NOTE, SHT_STRTAB };
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(head),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shoff = 4096,
	};
	struct scratch s;

	scratch_init(&s);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		Elf64_Shdr sections[3] = {
			[1] = { .sh_type = types[i],
				.sh_offset = 8192,
				.sh_size = (uint64_t)1 << 41,
				.sh_entsize = 24,
				.sh_link = 2 },
			[2] = { .sh_type = SHT_STRTAB, .sh_offset = 8192, .sh_size = 1 << 20 },
		};

		head.e_shnum = 3;
		/* the names of the sections are the huge one the last time */
		head.e_shstrndx = i == 2 ? 1 : 2;
		put_huge(&s, &head, sections, 3);
		ck_assert(!walk(scratch_path(&s, "huge")));
		/* 2^32 sections */
		sections[0].sh_size = UINT32_MAX;
		head.e_shnum = 0;
		put_huge(&s, &head, sections, 3);
		refuse(scratch_path(&s, "huge"), "damaged");
	}
	/* 2^32 segments */
	head.e_shnum = 1;
	head.e_shstrndx = 0;
	head.e_phnum = PN_XNUM;
	head.e_phoff = 1 << 20;
	put_huge(&s, &head, &(Elf64_Shdr){ .sh_info = UINT32_MAX }, 1);
	refuse(scratch_path(&s, "huge"), "damaged");
	scratch_fini(&s);
}
END_TEST

/* Cuts a file and writes it anew, until it is killed. */
static void keep_changing(const char *path)
{
	size_t n;
	char *whole = scratch_get(path, &n);
	int fd = open(path, O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; fd >= 0; i = i * 7 + 5)
		if (pwrite(fd, whole, n, 0) < 0 || ftruncate(fd, (off_t)(i % (2 * n))) < 0)
			break;
	_exit(1);
}

START_TEST(test_changing)
{
	struct scratch s;
	int status;
	pid_t pid;

	scratch_init(&s);
	compile(&s, "-no-pie");
	pid = fork();
	if (pid == 0)
		keep_changing(scratch_path(&s, "p"));
	for (int i = 0; i < 2000; i++)
		walk(scratch_path(&s, "p"));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ck_assert(WIFSIGNALED(status));
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("symbol/elffile", test_functions, test_stripped, test_debug_file, test_moved_since,
	   test_no_elf_files, test_truncated, test_huge_claims, test_changing)
