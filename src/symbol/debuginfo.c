/* SPDX-License-Identifier: MIT */
#include "symbol/debuginfo.h"

#include "base/xalloc.h"
#include "symbol/debugfile.h"
#include "symbol/splitpath.h"

#include <dwarf.h>
#include <stdlib.h>
#include <unistd.h>

static int find_here(Dwfl_Module *module, void **ctx, const char *name, Dwarf_Addr base,
		     const char *path, const char *link, GElf_Word crc, char **found)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);

	(void)ctx, (void)name, (void)base;
	/* a link without a checksum is that to a file shared with others: altdebug finds it */
	if (link && !crc)
		return -1;
	return elf ? debugfile_open(elf, path, found) : -1;
}

static int find_anywhere(Dwfl_Module *module, void **ctx, const char *name, Dwarf_Addr base,
			 const char *path, const char *link, GElf_Word crc, char **found)
{
	int fd = find_here(module, ctx, name, base, path, link, crc, found);

	return fd >= 0 || (link && !crc) ? fd
					 : dwfl_standard_find_debuginfo(module, ctx, name, base,
									path, link, crc, found);
}

static const Dwfl_Callbacks here = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_here,
	.section_address = dwfl_offline_section_address,
};

/* Below this nothing is: find_here has looked where files are, elfutils is to ask the servers. */
static char nowhere[] = "/proc/self/fdinfo/none";
static char *nowhere_path = nowhere;

static const Dwfl_Callbacks anywhere = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_anywhere,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &nowhere_path,
};

/* What lies beside the file, or beside its separate debug file. */
static int find_others(struct debuginfo *info, const char *path, struct err *err)
{
	const char *debug = NULL;

	dwfl_module_info(info->module, NULL, NULL, NULL, NULL, NULL, NULL, &debug);
	info->path = xstrdup(debug ? debug : path);
	if (!altdebug_find(info->dwarf, info->path, &info->alt))
		return err_set(err, "%s: it refers to a file that is not a regular one", path);
	info->dwp = dwpfile_open(path);
	if (!info->dwp && debug)
		info->dwp = dwpfile_open(debug);
	return 0;
}

static int load(struct debuginfo *info, const char *path, struct err *err)
{
	dwfl_report_end(info->dwfl, NULL, NULL);
	if (!dwfl_module_getelf(info->module, &info->load))
		return err_set(err, "%s: %s", path, dwfl_errmsg(-1));
	info->dwarf = dwfl_module_getdwarf(info->module, &info->bias);
	if (!info->dwarf)
		return err_set(err, "%s: it has no debug info: %s", path, dwfl_errmsg(-1));
	return find_others(info, path, err);
}

int debuginfo_open(int fd, const char *path, bool fetch, struct debuginfo *info, struct err *err)
{
	*info = (struct debuginfo){ .dwfl = dwfl_begin(fetch ? &anywhere : &here) };
	if (info->dwfl) {
		dwfl_report_begin(info->dwfl);
		/* The descriptor is libdwfl's only when this succeeds. */
		info->module = dwfl_report_offline(info->dwfl, "", path, fd);
	}
	if (!info->module) {
		close(fd);
		err_set(err, "%s: %s", path, dwfl_errmsg(-1));
	} else if (load(info, path, err) == 0) {
		return 0;
	}
	debuginfo_close(info);
	return -1;
}

void debuginfo_close(struct debuginfo *info)
{
	dwpfile_close(info->dwp);
	dwfl_end(info->dwfl);
	altdebug_close(&info->alt);
	free(info->path);
	*info = (struct debuginfo){ 0 };
}

bool debuginfo_next(const struct debuginfo *info, Dwarf_CU **unit, Dwarf_Die *die)
{
	while (dwarf_get_units(info->dwarf, *unit, unit, NULL, NULL, die, NULL) == 0)
		if ((dwarf_tag(die) == DW_TAG_compile_unit ||
		     dwarf_tag(die) == DW_TAG_skeleton_unit) &&
		    splitpath_is_safe(die, info->path))
			return true;
	return false;
}

bool debuginfo_line(const struct debuginfo *info, uint64_t value, const char **path, int *line)
{
	Dwfl_Line *row = dwfl_module_getsrc(info->module, value + info->load);

	*path = row ? dwfl_lineinfo(row, NULL, line, NULL, NULL, NULL) : NULL;
	return *path;
}
