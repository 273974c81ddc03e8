/* SPDX-License-Identifier: MIT */
#include "symbol/elffile.h"

#include "base/xalloc.h"
#include "symbol/debugfile.h"
#include "symbol/elfopen.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bit of a .gnu.version entry that says: not the default ("Symbol Versioning", LSB). */
#define VERSION_HIDDEN 0x8000

/* Linkers make four or five to be loaded. Each symbol is looked for in them. */
#define SEGMENTS_MAX 64

/* A symbol table. */
struct symbols {
	Elf_Data *data, *versions; /* versions: NULL when there are none */
	const char *names;
	uint64_t n, n_names; /* n_names: bytes up to the last NUL */
	uint64_t shift;      /* to be added to a symbol's value */
};

struct elffile {
	int fd, debug_fd; /* debug_fd: -1 when there is no debug file */
	Elf *elf, *debug;
	struct symbols symbols;
	struct elffile_segment *segments;
	size_t n_segments;
	bool fixed, stripped, dynamic, is64;
};

/* The bytes of a section, if it is not larger than any that is true. */
static Elf_Data *section_data(Elf_Scn *section)
{
	GElf_Shdr shdr;

	if (!section || !gelf_getshdr(section, &shdr) || shdr.sh_type == SHT_NOBITS ||
	    shdr.sh_size > ELFOPEN_TABLE_MAX)
		return NULL;
	return elf_getdata(section, NULL);
}

static bool read_symbols(struct symbols *symbols, Elf *elf, uint32_t type)
{
	Elf_Scn *section = elfopen_section(elf, type);
	const char *end;
	Elf_Data *names;
	GElf_Shdr shdr;
	size_t size;

	*symbols = (struct symbols){ .data = section_data(section) };
	if (!symbols->data || !gelf_getshdr(section, &shdr))
		return false;
	names = section_data(elf_getscn(elf, shdr.sh_link));
	if (!names || !names->d_buf || !symbols->data->d_buf)
		return false;
	end = memrchr(names->d_buf, '\0', names->d_size);
	if (!end)
		return false;
	symbols->names = names->d_buf;
	symbols->n_names = (uint64_t)(end - symbols->names) + 1;
	size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	symbols->n = size ? symbols->data->d_size / size : 0;
	if (type == SHT_DYNSYM)
		symbols->versions = section_data(elfopen_section(elf, SHT_GNU_versym));
	return symbols->n > 1; /* the first one is always empty */
}

/* Where the first part of the file is loaded; 0 when nothing is. */
static uint64_t first_value(Elf *elf)
{
	GElf_Phdr phdr;
	size_t n;

	if (elf_getphdrnum(elf, &n) < 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_LOAD)
			return phdr.p_vaddr;
	return 0;
}

/* What was stripped; prelink may have moved the file since. */
static bool read_debug_file(struct elffile *file, const char *path)
{
	char *found = NULL;

	file->debug_fd = debugfile_open(file->elf, path, &found);
	if (file->debug_fd >= 0)
		file->debug = elfopen(file->debug_fd, found, NULL);
	free(found);
	if (!file->debug || !read_symbols(&file->symbols, file->debug, SHT_SYMTAB))
		return false;
	file->symbols.shift = first_value(file->elf) - first_value(file->debug);
	return true;
}

static int read_segments(struct elffile *file, const char *path, struct err *err)
{
	GElf_Phdr phdr;
	uint64_t end;
	size_t n;

	if (elf_getphdrnum(file->elf, &n) < 0)
		return err_set(err, "%s: %s", path, elf_errmsg(-1));
	file->segments = xcalloc(SEGMENTS_MAX, sizeof(*file->segments));
	for (size_t i = 0; i < n && gelf_getphdr(file->elf, (int)i, &phdr); i++) {
		file->dynamic |= phdr.p_type == PT_INTERP;
		/* one that goes on behind the last address can be loaded by nobody */
		if (phdr.p_type != PT_LOAD ||
		    __builtin_add_overflow(phdr.p_vaddr, phdr.p_filesz, &end))
			continue;
		if (file->n_segments == SEGMENTS_MAX)
			return err_set(err, "%s: it has too many segments", path);
		file->segments[file->n_segments++] = (struct elffile_segment){
			.value = phdr.p_vaddr,
			.offset = phdr.p_offset,
			.size = phdr.p_filesz,
			.executable = phdr.p_flags & PF_X,
		};
	}
	return 0;
}

int elffile_open(int fd, const char *path, struct elffile **out, struct err *err)
{
	struct elffile *file = xcalloc(1, sizeof(*file));
	GElf_Ehdr ehdr;

	file->fd = fd;
	file->debug_fd = -1;
	file->elf = elfopen(fd, path, err);
	if (!file->elf || read_segments(file, path, err) < 0) {
		elffile_close(file);
		return -1;
	}
	if (gelf_getehdr(file->elf, &ehdr)) {
		file->fixed = ehdr.e_type == ET_EXEC;
		file->is64 = ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	}
	if (!read_symbols(&file->symbols, file->elf, SHT_SYMTAB) && !read_debug_file(file, path)) {
		file->stripped = true;
		if (!read_symbols(&file->symbols, file->elf, SHT_DYNSYM))
			file->symbols = (struct symbols){ 0 };
	}
	*out = file;
	return 0;
}

void elffile_close(struct elffile *file)
{
	if (!file)
		return;
	elf_end(file->debug);
	elf_end(file->elf);
	if (file->debug_fd >= 0)
		close(file->debug_fd);
	close(file->fd);
	free(file->segments);
	free(file);
}

static bool is_old(const struct symbols *symbols, uint64_t index)
{
	GElf_Versym version;

	return symbols->versions && gelf_getversym(symbols->versions, (int)index, &version) &&
	       version & VERSION_HIDDEN;
}

bool elffile_next(const struct elffile *file, struct elffile_walk *walk,
		  struct elffile_function *function)
{
	const struct symbols *symbols = &file->symbols;
	GElf_Sym sym;

	/* the int is libelf's; tables of 1 GB have fewer symbols than that */
	while (walk->next < symbols->n && gelf_getsym(symbols->data, (int)walk->next, &sym)) {
		uint64_t index = walk->next++;
		int type = GELF_ST_TYPE(sym.st_info);
		bool local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;
		const char *name;

		if (sym.st_name >= symbols->n_names)
			continue;
		name = symbols->names + sym.st_name;
		if (type == STT_FILE)
			walk->source = name[0] ? name : NULL;
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym.st_shndx == SHN_UNDEF ||
		    !name[0] || !elffile_segment(file, sym.st_value + symbols->shift))
			continue;
		*function = (struct elffile_function){
			.name = name,
			.value = sym.st_value + symbols->shift,
			.size = sym.st_size,
			.source = local ? walk->source : NULL,
			.is_resolver = type == STT_GNU_IFUNC,
			.is_local = local,
			.is_weak = GELF_ST_BIND(sym.st_info) == STB_WEAK,
		};
		function->is_old = is_old(symbols, index);
		return true;
	}
	return false;
}

bool elffile_is_fixed(const struct elffile *file)
{
	return file->fixed;
}

bool elffile_is_stripped(const struct elffile *file)
{
	return file->stripped;
}

bool elffile_is_dynamic(const struct elffile *file)
{
	return file->dynamic;
}

bool elffile_is_64(const struct elffile *file)
{
	return file->is64;
}

const struct elffile_segment *elffile_segments(const struct elffile *file, size_t *n)
{
	*n = file->n_segments;
	return file->segments;
}

const struct elffile_segment *elffile_segment(const struct elffile *file, uint64_t value)
{
	for (size_t i = 0; i < file->n_segments; i++) {
		const struct elffile_segment *segment = &file->segments[i];

		if (segment->executable && value - segment->value < segment->size)
			return segment;
	}
	return NULL;
}
