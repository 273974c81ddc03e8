/* SPDX-License-Identifier: MIT */
#include "record/rehearsal.h"

#include "base/procmaps.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "record/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What glibc's dynamic linker is called, and how it begins the name of a library that is missing.
 */
#define LINKER  "ld-linux"
#define MISSING " => not found"

/* More program headers, and more that is said of libraries, than any program has. */
#define HEADERS_MAX 512
#define LIST_MAX    ((size_t)1 << 20)

struct rehearsal {
	char *const *argv; /* the caller's, until rehearsal_end */
	struct target *target;
};

static int start(struct rehearsal *rehearsal, const char *const *env, int out, struct err *err)
{
	sigset_t mask;
	const struct target_options options = {
		.mask = &mask,
		.env = env,
		.quiet = true,
		.out = out,
	};

	sigprocmask(SIG_SETMASK, NULL, &mask);
	return target_start(rehearsal->argv, &options, &rehearsal->target, err);
}

int rehearsal_begin(char *const argv[], struct rehearsal **out, struct err *err)
{
	struct rehearsal *rehearsal = xcalloc(1, sizeof(*rehearsal));

	rehearsal->argv = argv;
	if (start(rehearsal, NULL, 0, err) < 0) {
		free(rehearsal);
		return -1;
	}
	*out = rehearsal;
	return 0;
}

pid_t rehearsal_pid(const struct rehearsal *rehearsal)
{
	return target_pid(rehearsal->target);
}

/* ---- its dynamic linker ---- */

static int open_proc(pid_t pid, const char *name)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A word that the kernel has told the process (getauxval(3)); false: it has not. */
static bool read_auxv(pid_t pid, uint64_t type, uint64_t *value)
{
	Elf64_auxv_t auxv[64];
	int fd = open_proc(pid, "auxv");
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, auxv, sizeof(auxv));
	close(fd);
	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(auxv[0]); i++) {
		if (auxv[i].a_type != type)
			continue;
		*value = auxv[i].a_un.a_val;
		return true;
	}
	return false;
}

/* The name of the dynamic linker of the 64-bit program in fd; "": it has none. */
static void read_interpreter(int fd, char *name, size_t size)
{
	Elf64_Ehdr elf;
	Elf64_Phdr header;
	ssize_t n = 0;

	name[0] = '\0';
	if (pread(fd, &elf, sizeof(elf), 0) != sizeof(elf) ||
	    memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.e_phentsize != sizeof(header))
		return;
	for (size_t i = 0; i < elf.e_phnum && i < HEADERS_MAX; i++) {
		if (pread(fd, &header, sizeof(header), (off_t)(elf.e_phoff + i * sizeof(header))) !=
		    sizeof(header))
			return;
		if (header.p_type != PT_INTERP || header.p_filesz >= size)
			continue;
		n = pread(fd, name, header.p_filesz, (off_t)header.p_offset);
		name[n > 0 ? n : 0] = '\0';
		return;
	}
}

/* Another dynamic linker would run the program. */
static int check_linker(pid_t pid, const char *program, struct err *err)
{
	char name[PATH_MAX] = "";
	int fd = open_proc(pid, "exe");

	if (fd < 0)
		return err_errno(err, "cannot read %s", program);
	read_interpreter(fd, name, sizeof(name));
	close(fd);
	if (!name[0])
		return err_set(err,
			       "%s has no dynamic linker: no libraries are loaded before it runs",
			       program);
	if (str_starts(str_of(basename(name)), STR(LINKER)))
		return 0;
	err_set(err,
		"the dynamic linker of %s, %s, is not that of glibc: its libraries cannot be "
		"looked at before it runs",
		program, name);
	return err_hint(err, "-software-engine step looks at the program itself");
}

/* What it may do to files and with which rights is other for a program with other rights. */
static int check_rights(pid_t pid, const char *program, struct err *err)
{
	uint64_t secure = 0;

	if (!read_auxv(pid, AT_SECURE, &secure))
		return err_set(err, "cannot read what the kernel has told %s (/proc/%d/auxv)",
			       program, (int)pid);
	if (!secure)
		return 0;
	return err_set(err,
		       "%s is setuid, setgid or has capabilities: its libraries cannot be "
		       "looked at before it runs",
		       program);
}

/* ---- its libraries ---- */

/* "\tlibx.so.1 => not found" */
static int find_missing(struct str list, const char *program, struct err *err)
{
	const char *found = memmem(list.p, list.n, MISSING, strlen(MISSING)), *name = found;

	if (!found)
		return 0;
	while (name > list.p && name[-1] != '\t' && name[-1] != '\n')
		name--;
	err_set(err, "%s cannot run: its library %.*s is missing", program, (int)(found - name),
		name);
	return err_hint(err,
			"`ldd` says where it was looked for; LD_LIBRARY_PATH adds directories");
}

static int check_libraries(int out, const char *program, struct err *err)
{
	char *text = xmalloc(LIST_MAX);
	ssize_t n = pread(out, text, LIST_MAX, 0);
	int r;

	if (n <= 0)
		r = err_set(err, "the dynamic linker of %s does not list its libraries", program);
	else
		r = find_missing((struct str){ .p = text, .n = (size_t)n }, program, err);
	free(text);
	return r;
}

/* A process in which the dynamic linker has done its work, and nothing else has happened. */
static int start_loading(struct rehearsal *rehearsal, int out, struct err *err)
{
	static const char *const env[] = { "LD_TRACE_LOADED_OBJECTS=1", NULL };
	const char *program = rehearsal->argv[0];
	struct target *before = rehearsal->target;
	uint64_t entry;

	if (start(rehearsal, env, out, err) < 0)
		return -1;
	target_free(before);
	if (!read_auxv(rehearsal_pid(rehearsal), AT_ENTRY, &entry))
		return err_set(err, "cannot read where %s begins (/proc/%d/auxv)", program,
			       (int)rehearsal_pid(rehearsal));
	if (target_run_to_exit(rehearsal->target, entry, err) < 0)
		return err_prefix(err, "the libraries of %s cannot be loaded", program);
	return check_libraries(out, program, err);
}

int rehearsal_load(struct rehearsal *rehearsal, struct err *err)
{
	const char *program = rehearsal->argv[0];
	pid_t pid = rehearsal_pid(rehearsal);
	int out, r;

	if (check_linker(pid, program, err) < 0 || check_rights(pid, program, err) < 0)
		return -1;
	out = memfd_create("libraries", MFD_CLOEXEC);
	if (out < 0)
		return err_errno(err, "cannot make a file in memory (memfd_create)");
	r = start_loading(rehearsal, out, err);
	close(out);
	return r;
}

/* ---- places ---- */

static int place_in(const struct procmaps *maps, uint64_t address, char **file, uint64_t *offset,
		    struct err *err)
{
	const struct mapping *mapping = procmaps_find(maps, address);

	if (!mapping || !mapping->inode || mapping->path[0] != '/')
		return err_set(err, "address 0x%llx lies in no file", (unsigned long long)address);
	if (access(mapping->path, F_OK) < 0)
		return err_errno(err, "cannot look at %s, where address 0x%llx lies", mapping->path,
				 (unsigned long long)address);
	*file = xstrdup(mapping->path);
	*offset = mapping->offset + (address - mapping->start);
	return 0;
}

int rehearsal_place(const struct rehearsal *rehearsal, uint64_t address, char **file,
		    uint64_t *offset, struct err *err)
{
	struct procmaps maps;
	int r;

	if (procmaps_read(rehearsal_pid(rehearsal), &maps, err) < 0)
		return -1;
	r = place_in(&maps, address, file, offset, err);
	procmaps_fini(&maps);
	return r;
}

void rehearsal_end(struct rehearsal *rehearsal)
{
	target_free(rehearsal->target);
	free(rehearsal);
}
