/* SPDX-License-Identifier: MIT */
#include "symbol/kernel.h"

#include "base/xalloc.h"
#include "symbol/buildid.h"
#include "symbol/regular.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNEL_NAME "[kernel.kallsyms]"
#define NOTES_MAX   65536

struct kernel {
	struct kernel_config config;
	char *reference; /* a symbol, and where it was; NULL: not known */
	uint64_t address;
	char build_id[BUILDID_HEX]; /* "": not known */
	bool tried_kallsyms, tried_vmlinux;
	struct kallsyms *kallsyms; /* NULL: none that is the recording's */
	struct dso *vmlinux;       /* likewise */
	uint64_t shift;            /* from vmlinux's addresses to those of the recording */
	uint64_t unknown;          /* places that no function is known of */
};

struct kernel *kernel_new(const struct kernel_config *config)
{
	struct kernel *k = xcalloc(1, sizeof(*k));

	k->config = *config;
	return k;
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	kallsyms_free(k->kallsyms);
	dso_close(k->vmlinux);
	free(k->reference);
	free(k);
}

void kernel_map(struct kernel *k, struct str path, uint64_t offset)
{
	struct str name = STR(KERNEL_NAME);

	if (!str_starts(path, name) || path.n == name.n || !kernel_has(offset))
		return;
	free(k->reference);
	k->reference = xmemdup0(path.p + name.n, path.n - name.n);
	k->address = offset;
}

void kernel_build_id(struct kernel *k, struct str path, struct str build_id)
{
	if (str_starts(path, STR(KERNEL_NAME)))
		buildid_hex(k->build_id, sizeof(k->build_id), build_id.p, build_id.n);
}

/* The build-id of the kernel that runs: an ELF note of type 3, owner "GNU" (elf(5)). */
static bool running_id(char hex[BUILDID_HEX])
{
	Elf64_Nhdr note;
	size_t n, at = 0, name, size;
	char *text = regular_text("/sys/kernel/notes", NOTES_MAX, &n, NULL);
	bool found = false;

	while (text && !found && n - at >= sizeof(note)) {
		memcpy(&note, text + at, sizeof(note));
		at += sizeof(note);
		name = ((size_t)note.n_namesz + 3) / 4 * 4;
		size = ((size_t)note.n_descsz + 3) / 4 * 4;
		if (name > n - at || size > n - at - name)
			break;
		found = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			memcmp(text + at, "GNU", 4) == 0;
		if (found)
			buildid_hex(hex, BUILDID_HEX, text + at + name, note.n_descsz);
		at += name + size;
	}
	free(text);
	return found;
}

/* Whether the kernel that runs is the recording's. */
static bool is_running(const struct kernel *k)
{
	char id[BUILDID_HEX];

	if (!k->config.same_machine)
		return false;
	return !k->build_id[0] || !running_id(id) || strcmp(id, k->build_id) == 0;
}

/* Takes the path over. */
static bool take_kallsyms(struct kernel *k, char *path)
{
	struct kallsyms *read = NULL;

	if (kallsyms_read(path, &read, NULL) == 0 && k->reference &&
	    !kallsyms_move(read, k->reference, k->address)) {
		kallsyms_free(read);
		read = NULL;
	}
	free(path);
	k->kallsyms = read;
	return read;
}

/* The length of the path of what the data file is in, with the slash. */
static int directory_of(const char *data)
{
	const char *slash = strrchr(data, '/');

	return slash ? (int)(slash + 1 - data) : 0;
}

/* In perf's directory (perf record --kcore), or beside the data file. */
static void find_kallsyms(struct kernel *k)
{
	const char *data = k->config.recording;

	k->tried_kallsyms = true;
	if (data && take_kallsyms(k, xasprintf("%s/kcore_dir/kallsyms", data)))
		return;
	if (data && take_kallsyms(k, xasprintf("%.*skallsyms", directory_of(data), data)))
		return;
	if (is_running(k))
		take_kallsyms(k, xstrdup("/proc/kallsyms"));
}

/*
 * Whether a symbol is where the code begins: _text (arm64 alike), and on x86 _stext as well
 * (arch/x86/kernel/vmlinux.lds.S).
 */
static bool is_start(const char *symbol)
{
	return strcmp(symbol, "_text") == 0 || strcmp(symbol, "_stext") == 0;
}

/*
 * Takes the path over. A file is the recording's kernel by its build-id; when none was recorded, by
 * its place.
 */
static bool take_vmlinux(struct kernel *k, char *path)
{
	const struct filetable *table;
	char id[BUILDID_HEX] = "";
	struct dso *dso;
	int fd = regular_open(path, NULL, NULL);

	if (fd < 0) {
		free(path);
		return false;
	}
	buildid_read(path, id);
	dso = dso_open(fd, path, id, k->config.cache, k->config.fetch);
	free(path);
	table = k->build_id[0] && strcmp(id, k->build_id) != 0 ? NULL : dso_file(dso, NULL);
	/* without its place it would give names of other functions */
	if (!table || !table->n_segments || (k->reference && !is_start(k->reference))) {
		dso_close(dso);
		return false;
	}
	if (k->reference)
		k->shift = k->address - table->segments[0].value;
	k->vmlinux = dso;
	return true;
}

/* Where distributions put it. */
static void find_vmlinux(struct kernel *k)
{
	static const struct {
		const char *before, *behind; /* the release */
	} named[] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/boot/vmlinux-", "" },
		{ "/lib/modules/", "/build/vmlinux" },
	};
	const char *root = k->config.symfs ? k->config.symfs : "", *data = k->config.recording;

	k->tried_vmlinux = true;
	if (data && take_vmlinux(k, xasprintf("%.*svmlinux", directory_of(data), data)))
		return;
	if (k->build_id[0] && take_vmlinux(k, xasprintf("%s/usr/lib/debug/.build-id/%.2s/%s.debug",
							root, k->build_id, k->build_id + 2)))
		return;
	for (size_t i = 0; k->config.release && i < sizeof(named) / sizeof(*named); i++)
		if (take_vmlinux(k, xasprintf("%s%s%s%s", root, named[i].before, k->config.release,
					      named[i].behind)))
			return;
}

struct dso *kernel_dso(struct kernel *k, uint64_t address, uint64_t *value)
{
	if (!k->tried_vmlinux)
		find_vmlinux(k);
	*value = address - k->shift;
	return k->vmlinux;
}

/* As kernel_function, of vmlinux. */
static bool linked_function(struct kernel *k, uint64_t address, struct kallsyms_function *function)
{
	const struct filetable_symbol *symbol;
	const struct filetable *table;
	struct dso *dso;
	uint64_t value;

	dso = kernel_dso(k, address, &value);
	table = dso ? dso_file(dso, NULL) : NULL;
	symbol = table ? filetable_symbol(table, value) : NULL;
	if (!symbol)
		return false;
	*function = (struct kallsyms_function){
		.name = filetable_name(table, symbol),
		.start = symbol->value + k->shift,
	};
	return true;
}

bool kernel_function(struct kernel *k, uint64_t address, struct kallsyms_function *function)
{
	if (!k->tried_kallsyms)
		find_kallsyms(k);
	if (k->kallsyms && kallsyms_find(k->kallsyms, address, function))
		return true;
	if (linked_function(k, address, function))
		return true;
	k->unknown++;
	return false;
}

void kernel_troubles(const struct kernel *k, void (*each)(void *ctx, const struct err *trouble),
		     void *ctx)
{
	const struct err *trouble = k->vmlinux ? dso_trouble(k->vmlinux) : NULL;
	struct err unknown = ERR_INIT;

	if (trouble)
		each(ctx, trouble);
	if (!k->unknown)
		return;
	err_set(&unknown, "the kernel: no function is known at %" PRIu64 " place%s", k->unknown,
		k->unknown == 1 ? "" : "s");
	err_hint(&unknown, "copy /proc/kallsyms of the recording's machine, read by root before it "
			   "is started anew, into the recording's directory");
	each(ctx, &unknown);
}
