/* SPDX-License-Identifier: MIT */
/*
 * elf [CASES [SEED]]: reads damaged ELF files and checks what holds for any: functions lie in
 * executable segments, names end, the debug info and the line tables can be asked for anything, and
 * the tables that are made of them can be read.
 * The files are this program, changed here and there, its headers and tables more than the rest.
 * Aborts when something does not hold.
 */
#include "support/fuzz.h"
#include "support/unitcheck.h"
#include "symbol/debuginfo.h"
#include "symbol/elffile.h"
#include "symbol/elfopen.h"
#include "symbol/filebuild.h"
#include "symbol/filetable.h"
#include "symbol/ocamlnotes.h"
#include "symbol/sourceline.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_function(const struct elffile *file, const struct elffile_function *f)
{
	const struct elffile_segment *segment = elffile_segment(file, f->value);

	MUST(segment && segment->executable);
	MUST(f->value - segment->value < segment->size);
	MUST(f->name[0] != '\0');
	MUST(strlen(f->name) < ELFOPEN_TABLE_MAX);
	MUST(!f->source || (f->is_local && f->source[0]));
}

static void check_segments(const struct elffile *file)
{
	size_t n;
	const struct elffile_segment *segments = elffile_segments(file, &n);

	for (size_t i = 0; i < n; i++)
		MUST(segments[i].size <= UINT64_MAX - segments[i].value);
}

/* Takes fd over. */
static uint64_t check_functions(int fd)
{
	struct elffile_function f;
	struct elffile_walk walk = { 0 };
	struct elffile *file = NULL;
	struct err err = ERR_INIT;
	uint64_t n = 0;

	if (elffile_open(fd, "fuzzed", &file, &err) < 0) {
		MUST(err.msg[0] != '\0');
		return 0;
	}
	check_segments(file);
	while (elffile_next(file, &walk, &f)) {
		check_function(file, &f);
		n++;
	}
	elffile_close(file);
	return n;
}

/* Takes fd over. */
static void check_lines(int fd)
{
	struct notation_line line = { .file = STR("elf.c"), .line = 40 };
	struct sourceline found;
	struct debuginfo info;
	const char *path;
	int number;
	Elf *elf = elfopen(fd, "fuzzed", NULL);

	if (!elf) {
		close(fd);
		return;
	}
	elf_end(elf);
	if (debuginfo_open(fd, "fuzzed", false, &info, NULL) < 0)
		return;
	sourceline_find(&info, &line, &found);
	for (size_t i = 0; i < found.n; i++) {
		MUST(i == 0 || found.values[i - 1] <= found.values[i]);
		debuginfo_line(&info, found.values[i], &path, &number);
	}
	sourceline_fini(&found);
	debuginfo_close(&info);
}

/* Takes fd over. */
static void check_tables(int fd)
{
	int again = fcntl(fd, F_DUPFD_CLOEXEC, 0), third = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct debuginfo info = { 0 };
	struct elffile *elf = NULL;
	struct filetable table;
	struct blob blob = { 0 };

	if (elffile_open(again, "fuzzed", &elf, NULL) < 0) {
		close(third);
		close(fd);
		return;
	}
	debuginfo_open(third, "fuzzed", false, &info, NULL);
	filebuild(fd, "fuzzed", elf, info.dwarf ? &info : NULL, &blob);
	MUST(filetable_check(blob.p, blob.n, &table));
	for (size_t i = 0; i < table.n_symbols; i++)
		MUST(filetable_symbol(&table, table.symbols[i].start) == &table.symbols[i]);
	if (info.dwarf)
		unitcheck_first(&info, elf, &table);
	blob_fini(&blob);
	debuginfo_close(&info);
	elffile_close(elf);
	close(fd);
}

/* Takes fd over. */
static void check_notes(int fd)
{
	struct ocamlnotes notes;
	struct err warning = ERR_INIT;

	ocamlnotes_read(fd, "fuzzed", &notes, &warning);
	ocamlnotes_fini(&notes);
	close(fd);
}

/* Puts the bytes into the file again, and returns a descriptor of its own. */
static int put(int file, const uint8_t *data, size_t size)
{
	MUST(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
	return fcntl(file, F_DUPFD_CLOEXEC, 0);
}

static int new_file(void)
{
	int file = memfd_create("elf", MFD_CLOEXEC);

	MUST(file >= 0);
	return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int file = new_file();

	check_functions(put(file, data, size));
	check_lines(put(file, data, size));
	check_tables(put(file, data, size));
	check_notes(put(file, data, size));
	close(file);
	return 0;
}

#ifndef LIBFUZZER

#ifdef __SANITIZE_ADDRESS__
#define CASES 2000
#else
#define CASES 10000
#endif

/* Every so many cases the debug info is looked at as well, which takes longer. */
#define LINES_EVERY 10

static uint8_t *read_self(size_t *size)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	off_t n = lseek(fd, 0, SEEK_END);
	uint8_t *data = malloc((size_t)n);

	MUST(fd >= 0 && n > 0 && data);
	MUST(pread(fd, data, (size_t)n, 0) == n);
	close(fd);
	*size = (size_t)n;
	return data;
}

/* Where it hurts: the file's head, a segment's, a section's, in a section; or anywhere. */
static size_t choose_place(const uint8_t *data, size_t size, uint64_t *random)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)data;
	const Elf64_Shdr *section =
		(const Elf64_Shdr *)(data + head->e_shoff) + below(random, head->e_shnum);

	switch (below(random, 5)) {
	case 0: return below(random, sizeof(*head));
	case 1: return head->e_phoff + below(random, head->e_phnum * sizeof(Elf64_Phdr));
	case 2: return head->e_shoff + below(random, head->e_shnum * sizeof(Elf64_Shdr));
	case 3:
		if (section->sh_type != SHT_NOBITS && section->sh_size)
			return section->sh_offset + below(random, section->sh_size);
		return below(random, size);
	default: return below(random, size);
	}
}

/* A few bytes are changed, to any or to what numbers like to be; `whole` says where things are. */
static size_t damage(uint8_t *data, const uint8_t *whole, size_t size, uint64_t *random)
{
	size_t times = 1 + below(random, 6);

	memcpy(data, whole, size);
	while (times--) {
		size_t at = choose_place(whole, size, random), n = 1 + below(random, 8);
		uint64_t value = next_random(random);

		if (below(random, 2))
			value = (uint64_t)0 - below(random, 2) -
				(value & 1 ? (uint64_t)1 << 32 : 0);
		if (at + n <= size)
			memcpy(data + at, &value, n);
	}
	return below(random, 8) ? size : below(random, size);
}

int main(int argc, char **argv)
{
	unsigned long cases = argc > 1 ? strtoul(argv[1], NULL, 10) : CASES;
	uint64_t seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1, functions;
	size_t size;
	uint8_t *whole = read_self(&size), *data = malloc(size);
	int file = new_file();

	MUST(data != NULL);
	/* undamaged, it has some */
	functions = check_functions(put(file, whole, size));
	MUST(functions > 10);
	fuzz_replay("elf");
	for (unsigned long i = 0; i < cases; i++) {
		uint64_t random = seed * 1000000007u + i;
		size_t n = damage(data, whole, size, &random);

		functions += check_functions(put(file, data, n));
		check_notes(put(file, data, n));
		if (i % LINES_EVERY == 0)
			check_lines(put(file, data, n));
		else if (i % LINES_EVERY == 1)
			check_tables(put(file, data, n));
	}
	close(file);
	free(data);
	free(whole);
	printf("ok fuzz/elf: %lu cases, %" PRIu64 " functions, seed %" PRIu64 "\n", cases,
	       functions, seed);
	return 0;
}

#endif
