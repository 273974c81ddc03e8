/* SPDX-License-Identifier: MIT */
#include "symbol/elfopen.h"

#include <endian.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define SECTIONS_MAX (1u << 20)
#define SEGMENTS_MAX (1u << 16)
#define NOTES_MAX    ((uint64_t)64 << 20)
#define LINK_MAX     ((uint64_t)1 << 16)

#define HOST_DATA (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB)

/* What the first section's head says, where the count does not fit into the file's head. */
static bool long_count(int fd, bool is64, uint64_t offset, uint64_t *count)
{
	Elf64_Shdr wide;
	Elf32_Shdr narrow;

	if (offset > INT64_MAX)
		return false;
	if (is64) {
		if (pread(fd, &wide, sizeof(wide), (off_t)offset) != sizeof(wide))
			return false;
		*count = wide.sh_size;
		return true;
	}
	if (pread(fd, &narrow, sizeof(narrow), (off_t)offset) != sizeof(narrow))
		return false;
	*count = narrow.sh_size;
	return true;
}

/* libelf takes memory for all sections when it begins, so they have to be counted before. */
static bool head_is_sane(int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} head = { 0 };
	uint64_t offset, count;
	bool is64;

	if (pread(fd, &head, sizeof(head), 0) < (ssize_t)sizeof(head.narrow) ||
	    memcmp(head.ident, ELFMAG, SELFMAG) != 0 || head.ident[EI_DATA] != HOST_DATA)
		return false;
	is64 = head.ident[EI_CLASS] == ELFCLASS64;
	offset = is64 ? head.wide.e_shoff : head.narrow.e_shoff;
	count = is64 ? head.wide.e_shnum : head.narrow.e_shnum;
	if (offset && !count && !long_count(fd, is64, offset, &count))
		return false;
	return count <= SECTIONS_MAX;
}

static bool segments_are_sane(Elf *elf)
{
	uint64_t notes = 0;
	GElf_Phdr phdr;
	size_t n;

	if (elf_getphdrnum(elf, &n) < 0 || n > SEGMENTS_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr))
			return false;
		if (phdr.p_type != PT_NOTE)
			continue;
		if (phdr.p_filesz > NOTES_MAX)
			return false;
		notes += phdr.p_filesz;
	}
	return notes <= NOTES_MAX;
}

static bool sections_are_sane(Elf *elf)
{
	Elf_Scn *section = NULL;
	uint64_t notes = 0;
	size_t names;
	GElf_Shdr shdr;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;
	if (names && (!gelf_getshdr(elf_getscn(elf, names), &shdr) || shdr.sh_size > NOTES_MAX))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &shdr))
			return false;
		if (shdr.sh_type == SHT_NOTE) {
			if (shdr.sh_size > NOTES_MAX)
				return false;
			notes += shdr.sh_size;
		}
		if (shdr.sh_size <= LINK_MAX || shdr.sh_type != SHT_PROGBITS)
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		if (name && strcmp(name, ".gnu_debuglink") == 0)
			return false;
	}
	return notes <= NOTES_MAX;
}

static Elf *open_elf(int fd, const char *path, bool object, struct err *err)
{
	GElf_Ehdr ehdr;
	Elf *elf;

	elf_version(EV_CURRENT);
	if (!head_is_sane(fd)) {
		err_set(err, "%s: it is not an ELF file, or damaged", path);
		return NULL;
	}
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr)) {
		err_set(err, "%s: it is not an ELF file, or damaged: %s", path, elf_errmsg(-1));
	} else if (object && ehdr.e_type != ET_REL) {
		err_set(err, "%s: it is not an ELF object file", path);
	} else if (!object && ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN) {
		err_set(err, "%s: it is not an ELF executable or library", path);
	} else if (!segments_are_sane(elf) || !sections_are_sane(elf)) {
		err_set(err, "%s: its ELF headers are damaged", path);
	} else {
		return elf;
	}
	elf_end(elf);
	return NULL;
}

Elf *elfopen(int fd, const char *path, struct err *err)
{
	return open_elf(fd, path, false, err);
}

Elf *elfopen_object(int fd, const char *path, struct err *err)
{
	return open_elf(fd, path, true, err);
}

Elf_Scn *elfopen_section(Elf *elf, uint32_t type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &shdr) && shdr.sh_type == type)
			return section;
	return NULL;
}

Elf_Scn *elfopen_named(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = NULL;

		if (gelf_getshdr(section, &shdr))
			name = elf_strptr(elf, names, shdr.sh_name);
		if (name && strcmp(name, wanted) == 0)
			return section;
	}
	return NULL;
}
