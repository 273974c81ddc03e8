/* SPDX-License-Identifier: MIT */
#include "symbol/dwpfile.h"

#include "base/xalloc.h"
#include "symbol/elfopen.h"
#include "symbol/regular.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* DW_SECT_* that can be of use; those of DWARF 5 and of GCC before it agree in these. */
#define SECT_INFO        1
#define SECT_ABBREV      3
#define SECT_LINE        4
#define SECT_STR_OFFSETS 6
#define SECT_RNGLISTS    8 /* of DWARF 5 only; before, it is DW_SECT_MACRO */

/* The index: its head, then `slots` ids, `slots` rows, and a table of numbers of 32 bits. */
#define INDEX_HEAD  16
#define COLUMNS_MAX 64

struct dwpfile {
	int fd;
	Elf *elf;
	struct dwp_part sections[DWP_SECTIONS];
	struct dwp_part index;
	uint32_t version, columns, units, slots;
};

/* The bytes are not aligned, and of our own byte order (elfopen). */
static uint32_t get_u32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t get_u64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Where a section of this name belongs; NULL: it is of no use. */
static struct dwp_part *part_of(struct dwpfile *dwp, const char *name)
{
	static const char *const names[DWP_SECTIONS] = {
		[DWP_INFO] = ".debug_info.dwo",
		[DWP_ABBREV] = ".debug_abbrev.dwo",
		[DWP_LINE] = ".debug_line.dwo",
		[DWP_STR_OFFSETS] = ".debug_str_offsets.dwo",
		[DWP_RNGLISTS] = ".debug_rnglists.dwo",
		[DWP_STR] = ".debug_str.dwo",
	};

	for (size_t i = 0; i < DWP_SECTIONS; i++)
		if (strcmp(name, names[i]) == 0)
			return &dwp->sections[i];
	return strcmp(name, ".debug_cu_index") == 0 ? &dwp->index : NULL;
}

static void read_section(struct dwpfile *dwp, Elf_Scn *section, size_t names)
{
	struct dwp_part *part;
	const char *name;
	Elf_Data *data;
	GElf_Shdr head;

	if (!gelf_getshdr(section, &head) || head.sh_type == SHT_NOBITS)
		return;
	name = elf_strptr(dwp->elf, names, head.sh_name);
	part = name ? part_of(dwp, name) : NULL;
	if (!part || part->p)
		return;
	if (head.sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0)
		return;
	data = elf_rawdata(section, NULL);
	if (data && data->d_buf)
		*part = (struct dwp_part){ .p = data->d_buf, .n = data->d_size };
}

/* Where the index's table of offsets begins; behind it is that of sizes. */
static size_t table_of(const struct dwpfile *dwp)
{
	return INDEX_HEAD + (size_t)dwp->slots * (sizeof(uint64_t) + sizeof(uint32_t));
}

/* Whether the index is whole. */
static bool read_index(struct dwpfile *dwp)
{
	const struct dwp_part *index = &dwp->index;
	size_t cells;

	if (index->n < INDEX_HEAD)
		return false;
	/* in DWARF 5 it has 16 bits, and 16 more of 0 */
	dwp->version = get_u32(index->p);
	dwp->columns = get_u32(index->p + 4);
	dwp->units = get_u32(index->p + 8);
	dwp->slots = get_u32(index->p + 12);
	if (dwp->version != 2 && dwp->version != 5)
		return false;
	if (dwp->columns > COLUMNS_MAX || dwp->slots > index->n || dwp->units > index->n)
		return false;
	/* a row of the sections' numbers, and two rows for each unit */
	cells = dwp->columns * (1 + 2 * (size_t)dwp->units);
	return table_of(dwp) <= index->n && cells <= (index->n - table_of(dwp)) / sizeof(uint32_t);
}

static bool read_package(struct dwpfile *dwp)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(dwp->elf, &names) < 0)
		return false;
	while ((section = elf_nextscn(dwp->elf, section)))
		read_section(dwp, section, names);
	return dwp->sections[DWP_INFO].p && read_index(dwp);
}

struct dwpfile *dwpfile_open(const char *path)
{
	char *name = xasprintf("%s.dwp", path);
	int fd = regular_open(name, NULL, NULL);
	struct dwpfile *dwp;

	free(name);
	if (fd < 0)
		return NULL;
	dwp = xcalloc(1, sizeof(*dwp));
	dwp->fd = fd;
	dwp->elf = elfopen_object(fd, path, NULL);
	if (dwp->elf && read_package(dwp))
		return dwp;
	dwpfile_close(dwp);
	return NULL;
}

void dwpfile_close(struct dwpfile *dwp)
{
	if (!dwp)
		return;
	elf_end(dwp->elf);
	close(dwp->fd);
	free(dwp);
}

/* The row of the unit in the tables, from 1; 0: there is no such unit. */
static uint32_t row_of(const struct dwpfile *dwp, uint64_t id)
{
	const unsigned char *ids = dwp->index.p + INDEX_HEAD;
	const unsigned char *rows = ids + (size_t)dwp->slots * sizeof(uint64_t);

	/* it is a hash table, but so few units are asked for that to look at all is soon done */
	for (size_t i = 0; i < dwp->slots; i++) {
		uint32_t row = get_u32(rows + i * sizeof(row));

		if (row && row <= dwp->units && get_u64(ids + i * sizeof(id)) == id)
			return row;
	}
	return 0;
}

/* What a column is about; DWP_SECTIONS: nothing of use. */
static enum dwp_section section_of(const struct dwpfile *dwp, uint32_t column)
{
	switch (column) {
	case SECT_INFO: return DWP_INFO;
	case SECT_ABBREV: return DWP_ABBREV;
	case SECT_LINE: return DWP_LINE;
	case SECT_STR_OFFSETS: return DWP_STR_OFFSETS;
	case SECT_RNGLISTS: return dwp->version == 5 ? DWP_RNGLISTS : DWP_SECTIONS;
	default: return DWP_SECTIONS;
	}
}

bool dwpfile_find(const struct dwpfile *dwp, uint64_t id, struct dwp_unit *unit)
{
	const unsigned char *columns = dwp->index.p + table_of(dwp), *offsets, *sizes;
	size_t line = (size_t)dwp->columns * sizeof(uint32_t);
	uint32_t row = row_of(dwp, id);

	*unit = (struct dwp_unit){ .parts[DWP_STR] = dwp->sections[DWP_STR] };
	if (!row)
		return false;
	/* the first line of the table of offsets has the sections, so rows count from 1 */
	offsets = columns + row * line;
	sizes = columns + (dwp->units + (size_t)row) * line;
	for (size_t i = 0; i < dwp->columns; i++) {
		enum dwp_section which = section_of(dwp, get_u32(columns + i * 4));
		uint32_t offset = get_u32(offsets + i * 4), size = get_u32(sizes + i * 4);
		const struct dwp_part *whole;

		if (which == DWP_SECTIONS)
			continue;
		whole = &dwp->sections[which];
		if (offset > whole->n || size > whole->n - offset)
			return false;
		if (size)
			unit->parts[which] = (struct dwp_part){ .p = whole->p + offset, .n = size };
	}
	return unit->parts[DWP_INFO].n;
}
