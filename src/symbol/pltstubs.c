/* SPDX-License-Identifier: MIT */
#include "symbol/pltstubs.h"

#include "base/xalloc.h"
#include "symbol/elfopen.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define STUB_SIZE 16 /* but in .plt.got, where it may be 8 */
#define STUBS_MAX ((size_t)1 << 20)

/* A word that the dynamic linker fills with a function's address. */
struct slot {
	uint64_t value;
	uint32_t symbol;   /* in the table that the relocations' section is linked to; 0: none, */
	uint64_t resolver; /* but this chooses the function */
};

struct slots {
	struct slot *all;
	size_t n, cap;
	Elf_Data *symbols;
	size_t names; /* the section of their names */
};

static Elf_Data *data_of(Elf_Scn *section, const GElf_Shdr *shdr)
{
	if (shdr->sh_type == SHT_NOBITS || shdr->sh_size > ELFOPEN_TABLE_MAX)
		return NULL;
	return elf_getdata(section, NULL);
}

static void add_slot(struct slots *slots, const GElf_Rela *rela)
{
	uint64_t type = GELF_R_TYPE(rela->r_info);

	if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT &&
	     type != R_X86_64_IRELATIVE) ||
	    slots->n == STUBS_MAX)
		return;
	if (slots->n == slots->cap) {
		slots->cap = slots->cap ? 2 * slots->cap : 64;
		slots->all = xreallocarray(slots->all, slots->cap, sizeof(*slots->all));
	}
	slots->all[slots->n++] = (struct slot){
		.value = rela->r_offset,
		.symbol = (uint32_t)GELF_R_SYM(rela->r_info),
		.resolver = type == R_X86_64_IRELATIVE ? (uint64_t)rela->r_addend : 0,
	};
}

static void read_relocations(Elf *elf, Elf_Scn *section, const GElf_Shdr *shdr, struct slots *slots)
{
	Elf_Data *data = data_of(section, shdr);
	Elf_Scn *symbols = elf_getscn(elf, shdr->sh_link);
	GElf_Shdr table;
	GElf_Rela rela;

	/* a static program's have no table of symbols */
	if (symbols && gelf_getshdr(symbols, &table) && table.sh_type == SHT_DYNSYM) {
		slots->symbols = data_of(symbols, &table);
		slots->names = table.sh_link;
	}
	for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
		add_slot(slots, &rela);
}

static int compare(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/*
 * The word that a stub jumps through: [endbr64] [bnd] jmp *DISPLACEMENT(%rip); false: it is none.
 */
static bool jumps_through(const uint8_t *code, size_t n, uint64_t value, uint64_t *slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;
	int32_t displacement;

	if (n >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at += sizeof(endbr64);
	if (at < n && code[at] == 0xf2)
		at++;
	if (n - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&displacement, code + at + 2, sizeof(displacement));
	*slot = value + at + 6 + (uint64_t)(int64_t)displacement;
	return true;
}

struct search {
	Elf *elf;
	const struct slots *slots;
	void (*each)(void *ctx, const struct pltstub *stub);
	void *ctx;
};

static void tell(const struct search *s, uint64_t value, uint64_t size, uint64_t slot)
{
	const struct slot key = { .value = slot }, *found;
	struct pltstub stub = { .value = value, .size = size };
	const char *name;
	GElf_Sym sym;
	char *plain;

	found = s->slots->n ? bsearch(&key, s->slots->all, s->slots->n, sizeof(key), compare)
			    : NULL;
	if (found && found->resolver) {
		stub.resolver = found->resolver;
		s->each(s->ctx, &stub);
	}
	if (!found || found->resolver || !s->slots->symbols ||
	    !gelf_getsym(s->slots->symbols, (int)found->symbol, &sym))
		return;
	name = elf_strptr(s->elf, s->slots->names, sym.st_name);
	if (!name || !name[0])
		return;
	plain = xmemdup0(name, strcspn(name, "@"));
	stub.name = plain;
	s->each(s->ctx, &stub);
	free(plain);
}

static void read_stubs(const struct search *s, Elf_Scn *section, const GElf_Shdr *shdr,
		       size_t stride)
{
	Elf_Data *data = data_of(section, shdr);
	uint64_t slot;

	for (size_t at = 0; data && data->d_buf && at + 8 <= data->d_size; at += stride) {
		size_t n = data->d_size - at < stride ? data->d_size - at : stride;

		if (jumps_through((const uint8_t *)data->d_buf + at, n, shdr->sh_addr + at, &slot))
			tell(s, shdr->sh_addr + at, n, slot);
	}
}

/* Each section of the kind: relocations, or (with a search) stubs. */
static void each_section(Elf *elf, struct slots *slots, const struct search *search)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;
		GElf_Shdr shdr;

		if (!gelf_getshdr(section, &shdr))
			continue;
		if (!search && shdr.sh_type == SHT_RELA)
			read_relocations(elf, section, &shdr, slots);
		name = search ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		if (!name)
			continue;
		if (strcmp(name, ".plt") == 0 || strcmp(name, ".plt.sec") == 0)
			read_stubs(search, section, &shdr, STUB_SIZE);
		else if (strcmp(name, ".plt.got") == 0)
			read_stubs(search, section, &shdr, shdr.sh_entsize == 8 ? 8 : STUB_SIZE);
	}
}

void pltstubs_find(Elf *elf, void (*each)(void *ctx, const struct pltstub *stub), void *ctx)
{
	struct slots slots = { 0 };
	struct search search = { .elf = elf, .slots = &slots, .each = each, .ctx = ctx };
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64)
		return;
	each_section(elf, &slots, NULL);
	if (slots.n == 0)
		return;
	qsort(slots.all, slots.n, sizeof(*slots.all), compare);
	each_section(elf, &slots, &search);
	free(slots.all);
}
