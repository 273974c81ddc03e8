/* SPDX-License-Identifier: MIT */
/*
 * lateinit: lets a program run by itself up to where it is its own. What comes before is most of
 * what a small program executes: the dynamic linker, 100,000 instructions, or the start-up of a
 * static C library, 20,000.
 */
#ifndef MT_TESTS_SUPPORT_LATEINIT_H
#define MT_TESTS_SUPPORT_LATEINIT_H

#include "symbol/elffile.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the program begins, as its file says (e_entry), and as it lies in memory (AT_ENTRY). */
static inline bool lateinit_entries(pid_t pid, int exe, uint64_t *linked, uint64_t *loaded)
{
	char path[64];
	Elf64_Ehdr head;
	Elf64_auxv_t aux;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fread(&aux, sizeof(aux), 1, file) == 1)
		found = aux.a_type == AT_ENTRY;
	fclose(file);
	if (!found || pread(exe, &head, sizeof(head), 0) != sizeof(head))
		return false;
	*linked = head.e_entry;
	*loaded = aux.a_un.a_val;
	return true;
}

/*
 * The address of _init, which each program has from crti.o: the C library calls it before all
 * constructors and main, in a static program behind all start-up of its own. Without symbols, of
 * the entry point: the dynamic linker is done there. 0: with errno.
 */
static inline uint64_t lateinit_address(pid_t pid)
{
	struct elffile_walk walk = { 0 };
	struct elffile_function function;
	struct elffile *file;
	struct err err = ERR_INIT;
	uint64_t linked, loaded, address;
	char path[64];
	int exe;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	exe = open(path, O_RDONLY | O_CLOEXEC);
	if (exe < 0)
		return 0;
	if (!lateinit_entries(pid, exe, &linked, &loaded) ||
	    elffile_open(exe, path, &file, &err) < 0) {
		errno = ENOEXEC;
		return 0;
	}
	address = loaded;
	while (elffile_next(file, &walk, &function))
		if (strcmp(function.name, "_init") == 0)
			address = function.value + (loaded - linked);
	elffile_close(file);
	return address;
}

/*
 * pid is in the stop of its exec, seized by us: in one of a signal that is not to be delivered when
 * this returns, before its first instruction at that address. False, with errno, if it is not.
 */
static inline bool lateinit_run(pid_t pid)
{
	struct user_regs_struct regs;
	uint64_t address = lateinit_address(pid);
	int status;
	long was;

	errno = 0;
	if (!address || ((was = ptrace(PTRACE_PEEKTEXT, pid, address, NULL)) == -1 && errno))
		return false;
	if (ptrace(PTRACE_POKETEXT, pid, address, (was & ~0xffL) | 0xcc) < 0 ||
	    ptrace(PTRACE_CONT, pid, NULL, NULL) < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
		errno = ECHILD;
		return false;
	}
	if (ptrace(PTRACE_POKETEXT, pid, address, was) < 0 ||
	    ptrace(PTRACE_GETREGS, pid, NULL, &regs) < 0)
		return false;
	regs.rip = address;
	return ptrace(PTRACE_SETREGS, pid, NULL, &regs) == 0;
}

#endif
