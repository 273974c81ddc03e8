/* SPDX-License-Identifier: MIT */
#include "symbol/minisyms.h"

#include "symbol/elfopen.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <unistd.h>

/* Only what the file itself has. */
static int find_nothing(Dwfl_Module *module, void **ctx, const char *name, Dwarf_Addr base,
			const char *path, const char *link, GElf_Word crc, char **found)
{
	(void)module, (void)ctx, (void)name, (void)base, (void)path, (void)link, (void)crc;
	(void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_nothing,
	.section_address = dwfl_offline_section_address,
};

void minisyms_find(int fd, const char *path,
		   void (*each)(void *ctx, uint64_t value, uint64_t size, bool local,
				const char *name),
		   void *ctx)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0), n;
	Dwfl_Module *module = NULL;
	GElf_Addr load;
	Elf *elf;

	if (dwfl && own >= 0)
		module = dwfl_report_offline(dwfl, "", path, own);
	if (!module && own >= 0)
		close(own);
	elf = module ? dwfl_module_getelf(module, &load) : NULL;
	n = elf && elfopen_named(elf, ".gnu_debugdata") ? dwfl_module_getsymtab(module) : 0;
	for (int i = 0; i < n; i++) {
		GElf_Word section;
		GElf_Addr address;
		const char *name;
		GElf_Sym sym;
		int type;

		name = dwfl_module_getsym_info(module, i, &sym, &address, &section, NULL, NULL);
		type = GELF_ST_TYPE(sym.st_info);
		if (name && name[0] && section != SHN_UNDEF &&
		    (type == STT_FUNC || type == STT_GNU_IFUNC))
			each(ctx, address - load, sym.st_size,
			     GELF_ST_BIND(sym.st_info) == STB_LOCAL, name);
	}
	dwfl_end(dwfl);
}
