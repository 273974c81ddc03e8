/* SPDX-License-Identifier: MIT */
/*
 * dwp [CASES [SEED]]: any bytes as a program with split debug info and the package that belongs to
 * it, and as lists of ranges. The first byte says which; of a program and a package the next two
 * say how long the program is. What is made of them are tables that can be read.
 */
#include "support/fuzz.h"
#include "support/unitcheck.h"
#include "symbol/debuginfo.h"
#include "symbol/dwpfile.h"
#include "symbol/elffile.h"
#include "symbol/filebuild.h"
#include "symbol/filetable.h"
#include "symbol/rangelists.h"

static bool lies_in(struct dwp_part part, size_t size)
{
	return part.n == 0 || (part.p && part.n <= size);
}

/* Asks the package for each number that stands in it. */
static void check_package(struct fuzz_bytes bytes)
{
	struct dwpfile *dwp = dwpfile_open(fuzz_path("p"));
	struct dwp_unit unit;
	uint64_t id;

	if (!dwp)
		return;
	for (size_t at = 0; at + sizeof(id) <= bytes.n; at += 4) {
		memcpy(&id, bytes.p + at, sizeof(id));
		if (!dwpfile_find(dwp, id, &unit))
			continue;
		MUST(unit.parts[DWP_INFO].n > 0);
		/* sections that are packed may be larger than the file */
		for (size_t i = 0; i < DWP_SECTIONS; i++)
			MUST(lies_in(unit.parts[i], (size_t)1 << 30));
	}
	dwpfile_close(dwp);
}

static int open_program(void)
{
	int fd = open(fuzz_path("p"), O_RDONLY | O_CLOEXEC);

	MUST(fd >= 0);
	return fd;
}

static void check_program(void)
{
	const char *program = fuzz_path("p");
	struct debuginfo info = { 0 };
	struct elffile *elf = NULL;
	struct blob blob = { 0 };
	struct filetable table;
	int fd;

	if (elffile_open(open_program(), program, &elf, NULL) < 0)
		return;
	debuginfo_open(open_program(), program, false, &info, NULL);
	fd = open_program();
	filebuild(fd, program, elf, info.dwarf ? &info : NULL, &blob);
	MUST(filetable_check(blob.p, blob.n, &table));
	if (info.dwarf)
		unitcheck_first(&info, elf, &table);
	blob_fini(&blob);
	debuginfo_close(&info);
	elffile_close(elf);
	close(fd);
}

static void check_ranges(struct fuzz_bytes bytes, bool old)
{
	struct dwp_part part = { .p = bytes.p, .n = bytes.n };
	struct blob blob = { 0 };
	uint32_t length;

	if (old) {
		rangelists_old(&part, 0x1000, &blob);
		MUST(blob.n == bytes.n / 16 * 16);
	} else if (rangelists_new(&part, 0x1000, &blob)) {
		memcpy(&length, blob.p, sizeof(length));
		MUST(length + sizeof(length) == blob.n);
	}
	blob_fini(&blob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size }, rest;
	uint64_t choice = fuzz_take(&bytes, 1);
	size_t n;

	if (choice % 4 < 2) {
		check_ranges(bytes, choice & 1);
		return 0;
	}
	n = (size_t)fuzz_take(&bytes, 2);
	n = n < bytes.n ? n : bytes.n;
	rest = (struct fuzz_bytes){ bytes.p + n, bytes.n - n };
	bytes.n = n;
	fuzz_put("p", bytes.p, bytes.n);
	fuzz_put("p.dwp", rest.p, rest.n);
	check_package(rest);
	check_program();
	return 0;
}

FUZZ_MAIN("dwp", 2000)
