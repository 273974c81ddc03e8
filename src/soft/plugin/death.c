/* SPDX-License-Identifier: MIT */
#include "soft/plugin/death.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What kill calls; not reachable by anything else than QEMU's calls. */
static void (*before_death)(void);

static int kill_and_tell(pid_t pid, int sig)
{
	if (pid == getpid() && sig != 0)
		before_death();
	return kill(pid, sig);
}

/* The dynamic section of a program (elf(5)), as far as it matters. */
struct dynamic {
	const Elf64_Sym *symbols;
	const char *names;
	const Elf64_Rela *tables[2];
	size_t sizes[2];
};

static const void *at(uint64_t address)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): it is what the dynamic linker has stored */
	return (const void *)address;
}

static struct dynamic read_dynamic(const Elf64_Dyn *dyn)
{
	struct dynamic d = { 0 };

	for (; dyn->d_tag != DT_NULL; dyn++)
		switch (dyn->d_tag) {
		case DT_SYMTAB: d.symbols = at(dyn->d_un.d_ptr); break;
		case DT_STRTAB: d.names = at(dyn->d_un.d_ptr); break;
		case DT_JMPREL: d.tables[0] = at(dyn->d_un.d_ptr); break;
		case DT_PLTRELSZ: d.sizes[0] = dyn->d_un.d_val; break;
		case DT_RELA: d.tables[1] = at(dyn->d_un.d_ptr); break;
		case DT_RELASZ: d.sizes[1] = dyn->d_un.d_val; break;
		default: break;
		}
	return d;
}

/* Where a program keeps the address of a function that it calls; NULL: it does not. */
static uint64_t *find_slot(const struct dynamic *d, uint64_t base, const char *name)
{
	for (int t = 0; t < 2; t++)
		for (size_t i = 0; d->tables[t] && i < d->sizes[t] / sizeof(Elf64_Rela); i++) {
			const Elf64_Rela *r = &d->tables[t][i];
			uint64_t type = ELF64_R_TYPE(r->r_info);
			const Elf64_Sym *symbol = &d->symbols[ELF64_R_SYM(r->r_info)];

			if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) &&
			    strcmp(d->names + symbol->st_name, name) == 0)
				return (uint64_t *)at(base + r->r_offset);
		}
	return NULL;
}

/* Whether the dynamic linker has made it read-only (ld -z relro). */
static bool is_read_only(const struct dl_phdr_info *info, const uint64_t *slot)
{
	uint64_t address = (uint64_t)(uintptr_t)slot - info->dlpi_addr;

	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO &&
		    address - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
			return true;
	return false;
}

static bool store(const struct dl_phdr_info *info, uint64_t *slot, uint64_t value)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	void *start = (char *)slot - (uint64_t)(uintptr_t)slot % page;
	bool read_only = is_read_only(info, slot);

	if (read_only && mprotect(start, page, PROT_READ | PROT_WRITE) < 0)
		return false;
	*slot = value;
	if (read_only)
		mprotect(start, page, PROT_READ);
	return true;
}

/* Of dl_iterate_phdr(3): the first is the program itself. */
static int patch(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	(void)ctx;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		struct dynamic d;
		uint64_t *slot;

		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		d = read_dynamic(at(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
		if (!d.symbols || !d.names)
			continue;
		slot = find_slot(&d, info->dlpi_addr, "kill");
		if (slot && store(info, slot, (uint64_t)(uintptr_t)kill_and_tell))
			return 1;
	}
	return -1;
}

int death_watch(void (*fn)(void))
{
	before_death = fn;
	if (dl_iterate_phdr(patch, NULL) == 1)
		return 0;
	errno = ENOSYS;
	return -1;
}
