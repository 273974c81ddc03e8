/* SPDX-License-Identifier: MIT */
#include "symbol/splitunit.h"

#include "symbol/elfopen.h"
#include "symbol/rangelists.h"

#include <dwarf.h>
#include <elf.h>
#include <gelf.h>
#include <string.h>

/* What is taken at most of the program's tables of addresses and ranges, which say no sizes. */
#define TABLE_MAX ((size_t)16 << 20)
/* Bytes of names that no true unit has. */
#define NAMES_MAX ((size_t)256 << 20)

/* Before the offsets of DWARF 5, and its addresses: the length of what is behind it, 4 more bytes.
 */
#define OFFSETS_HEAD 8

/* The sections of the image, and what each is made of. */
enum section {
	SECTION_NONE, /* the first one of each ELF file is none */
	SECTION_INFO,
	SECTION_ABBREV,
	SECTION_LINE,
	SECTION_STR,
	SECTION_STR_OFFSETS,
	SECTION_ADDR,
	SECTION_RANGES,
	SECTION_RNGLISTS,
	SECTION_NAMES,
	SECTIONS,
};

/* Plain names, as if the unit was not split: so elfutils reads the program's parts beside it. */
static const char *const names[SECTIONS] = {
	[SECTION_NONE] = "",
	[SECTION_INFO] = ".debug_info",
	[SECTION_ABBREV] = ".debug_abbrev",
	[SECTION_LINE] = ".debug_line",
	[SECTION_STR] = ".debug_str",
	[SECTION_STR_OFFSETS] = ".debug_str_offsets",
	[SECTION_ADDR] = ".debug_addr",
	[SECTION_RANGES] = ".debug_ranges",
	[SECTION_RNGLISTS] = ".debug_rnglists",
	[SECTION_NAMES] = ".shstrtab",
};

struct build {
	Dwarf_Die *skeleton;
	Dwarf_Half version;
	Dwarf_Addr low; /* what ranges are relative to that do not say it */
	struct dwp_part parts[SECTIONS];
	struct blob str, str_offsets, ranges; /* made anew */
};

/* A section of the program that lies behind an attribute's offset in it, or nothing. */
static struct dwp_part own_part(const struct build *b, const char *wanted, uint64_t base)
{
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(b->skeleton->cu));
	struct dwp_part none = { 0 };
	Elf_Scn *section = elfopen_named(elf, wanted);
	/* libdw has unpacked it when it was compressed */
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	size_t n;

	if (!data || !data->d_buf || base >= data->d_size)
		return none;
	n = data->d_size - base < TABLE_MAX ? data->d_size - base : TABLE_MAX;
	return (struct dwp_part){ .p = (unsigned char *)data->d_buf + base, .n = n };
}

/*
 * The unit's addresses. Before DWARF 5 nobody says how many there are; now the head before them
 * does, so that not all that follow are taken for each unit.
 */
static struct dwp_part own_addresses(const struct build *b, uint64_t base)
{
	struct dwp_part part = own_part(b, ".debug_addr", base);
	uint32_t length;

	if (b->version < 5 || base < OFFSETS_HEAD || !part.n)
		return part;
	memcpy(&length, part.p - OFFSETS_HEAD, sizeof(length));
	/* what has 64 bits there says so by a length that is too great */
	if (length >= sizeof(length) && length - sizeof(length) < part.n)
		part.n = length - sizeof(length);
	return part;
}

static uint64_t offset_of(Dwarf_Die *die, unsigned int name, unsigned int old_name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attr) && !dwarf_attr(die, old_name, &attr))
		return 0;
	return dwarf_formudata(&attr, &value) == 0 ? value : 0;
}

static struct dwp_part part_of(const struct blob *blob)
{
	return (struct dwp_part){ .p = (const unsigned char *)blob->p, .n = blob->n };
}

/*
 * A package has the names of all its units in one section. Only this unit's are taken, so its table
 * of offsets is made anew. False: that is damaged.
 */
static bool take_names(struct build *b, const struct dwp_part *offsets, const struct dwp_part *str)
{
	size_t at = b->version < 5 ? 0 : OFFSETS_HEAD;
	uint32_t offset;

	if (!offsets->n)
		return true;
	if (offsets->n < at)
		return false;
	blob_put(&b->str_offsets, offsets->p, at);
	for (; at + sizeof(offset) <= offsets->n; at += sizeof(offset)) {
		uint32_t new = (uint32_t)b->str.n;
		const unsigned char *end;

		memcpy(&offset, offsets->p + at, sizeof(offset));
		if (offset >= str->n || b->str.n > NAMES_MAX)
			return false;
		end = memchr(str->p + offset, 0, str->n - offset);
		if (!end)
			return false;
		blob_put(&b->str, str->p + offset, (size_t)(end + 1 - (str->p + offset)));
		blob_put(&b->str_offsets, &new, sizeof(new));
	}
	b->parts[SECTION_STR] = part_of(&b->str);
	b->parts[SECTION_STR_OFFSETS] = part_of(&b->str_offsets);
	return true;
}

/* The bases of the split unit's DIE are those of the skeleton's: here all tables begin at them. */
static bool take_parts(struct build *b, const struct dwp_unit *unit)
{
	struct dwp_part ranges;
	bool good = true;

	b->parts[SECTION_INFO] = unit->parts[DWP_INFO];
	b->parts[SECTION_ABBREV] = unit->parts[DWP_ABBREV];
	b->parts[SECTION_LINE] = unit->parts[DWP_LINE];
	b->parts[SECTION_ADDR] =
		own_addresses(b, offset_of(b->skeleton, DW_AT_addr_base, DW_AT_GNU_addr_base));
	if (b->version < 5) {
		ranges = own_part(
			b, ".debug_ranges",
			offset_of(b->skeleton, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base));
		rangelists_old(&ranges, b->low, &b->ranges);
		b->parts[SECTION_RANGES] = part_of(&b->ranges);
	} else if (unit->parts[DWP_RNGLISTS].n) {
		good = rangelists_new(&unit->parts[DWP_RNGLISTS], b->low, &b->ranges);
		b->parts[SECTION_RNGLISTS] = part_of(&b->ranges);
	}
	return good && take_names(b, &unit->parts[DWP_STR_OFFSETS], &unit->parts[DWP_STR]);
}

/* Puts the names of the sections behind the image; where each is. */
static void put_names(struct blob *image, Elf64_Shdr *heads)
{
	size_t start = image->n;

	for (size_t i = 0; i < SECTIONS; i++) {
		heads[i].sh_name = (Elf64_Word)(image->n - start);
		blob_put(image, names[i], strlen(names[i]) + 1);
	}
	heads[SECTION_NAMES].sh_type = SHT_STRTAB;
	heads[SECTION_NAMES].sh_offset = start;
	heads[SECTION_NAMES].sh_size = image->n - start;
}

static void put_image(const struct build *b, struct blob *image)
{
	Elf64_Shdr heads[SECTIONS] = { { 0 } };
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_REL,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(head),
		.e_shentsize = sizeof(heads[0]),
		.e_shnum = SECTIONS,
		.e_shstrndx = SECTION_NAMES,
	};

	blob_put(image, &head, sizeof(head));
	for (size_t i = 0; i < SECTIONS; i++) {
		if (!b->parts[i].n)
			continue;
		heads[i].sh_type = SHT_PROGBITS;
		heads[i].sh_offset = image->n;
		heads[i].sh_size = b->parts[i].n;
		heads[i].sh_addralign = 1;
		blob_put(image, b->parts[i].p, b->parts[i].n);
	}
	put_names(image, heads);
	blob_put(image, "\0\0\0\0\0\0\0", -image->n % sizeof(uint64_t));
	head.e_shoff = image->n;
	blob_put(image, heads, sizeof(heads));
	memcpy(image->p, &head, sizeof(head));
}

static bool begin(struct splitunit *split, Dwarf_Die *die)
{
	Dwarf_CU *unit = NULL;

	split->elf = elf_memory(split->image.p, split->image.n);
	if (split->elf)
		split->dwarf = dwarf_begin_elf(split->elf, DWARF_C_READ, NULL);
	return split->dwarf &&
	       dwarf_get_units(split->dwarf, NULL, &unit, NULL, NULL, die, NULL) == 0 &&
	       dwarf_tag(die) == DW_TAG_compile_unit;
}

bool splitunit_open(const struct dwp_unit *unit, Dwarf_Die *skeleton, struct splitunit *split,
		    Dwarf_Die *die)
{
	struct build b = { .skeleton = skeleton };
	bool good;

	*split = (struct splitunit){ .elf = NULL };
	if (dwarf_cu_info(skeleton->cu, &b.version, NULL, NULL, NULL, NULL, NULL, NULL) != 0)
		return false;
	if (dwarf_lowpc(skeleton, &b.low) != 0)
		b.low = 0;
	good = take_parts(&b, unit);
	if (good)
		put_image(&b, &split->image);
	blob_fini(&b.str);
	blob_fini(&b.str_offsets);
	blob_fini(&b.ranges);
	if (good && begin(split, die))
		return true;
	splitunit_close(split);
	return false;
}

void splitunit_close(struct splitunit *split)
{
	dwarf_end(split->dwarf);
	elf_end(split->elf);
	blob_fini(&split->image);
	*split = (struct splitunit){ .elf = NULL };
}
