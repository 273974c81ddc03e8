/* SPDX-License-Identifier: MIT */
#include "soft/image.h"

#include "base/str.h"
#include "base/xalloc.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Linux: BINPRM_BUF_SIZE, of which a script's first line must not take more; and how often a
 * script's interpreter may be a script. */
#define HEAD_SIZE 256
#define DEPTH_MAX 5

/* TASK_COMM_LEN of Linux, but for its end. */
#define COMM_MAX 15

static enum image_kind none(struct err *err, const char *path)
{
	err_errno(err, "%s cannot be executed", path);
	return IMAGE_NONE;
}

/* Programs that get other rights than ours: under QEMU they would not. */
static bool gains_rights(const char *path, const struct stat *st)
{
	if ((st->st_mode & S_ISUID) && st->st_uid != geteuid())
		return true;
	if ((st->st_mode & S_ISGID) && (st->st_mode & S_IXGRP) && st->st_gid != getegid())
		return true;
	return geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

static enum image_kind look_at_file(const char *path, char *head, size_t *n, struct err *err)
{
	struct stat st;
	ssize_t got;
	int fd;

	if (stat(path, &st) < 0)
		return none(err, path);
	if (!S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EACCES;
		return none(err, path);
	}
	if (eaccess(path, X_OK) < 0)
		return none(err, path);
	if (gains_rights(path, &st)) {
		err_set(err,
			"%s is setuid, setgid or has capabilities: executed by us, it would not "
			"have those rights",
			path);
		err_hint(
			err,
			"record it as the user whose rights it gets, or as root with -software-engine step");
		return IMAGE_OTHER;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		err_errno(err, "%s cannot be read, so QEMU cannot run it", path);
		return IMAGE_OTHER;
	}
	got = read(fd, head, HEAD_SIZE);
	close(fd);
	*n = got > 0 ? (size_t)got : 0;
	return IMAGE_FINE;
}

static enum image_kind look_at_elf(const char *path, const char *head, size_t n, struct err *err)
{
	Elf64_Ehdr elf = { .e_machine = EM_NONE };

	memcpy(&elf, head, n < sizeof(elf) ? n : sizeof(elf));
	if (elf.e_ident[EI_CLASS] == ELFCLASS32 &&
	    (elf.e_machine == EM_386 || elf.e_machine == EM_X86_64)) {
		err_set(err, "%s is a 32-bit program: only 64-bit ones can be recorded", path);
		return IMAGE_OTHER;
	}
	if (elf.e_machine != EM_X86_64 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.e_ident[EI_DATA] != ELFDATA2LSB) {
		err_set(err, "%s is not for x86-64 (it is for machine %u of the ELF standard)",
			path, elf.e_machine);
		return IMAGE_OTHER;
	}
	if (elf.e_type != ET_EXEC && elf.e_type != ET_DYN) {
		errno = ENOEXEC;
		return none(err, path);
	}
	return IMAGE_FINE;
}

static struct str trim(struct str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = str_skip(s, 1);
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/*
 * "#!INTERPRETER [ARGUMENT]": execve(2) takes what is behind the interpreter as one argument.
 * args become those of the interpreter. false: there is no such line.
 */
static bool take_script(const char *head, size_t n, const char *path, char ***args, char **program)
{
	const char *nl = memchr(head, '\n', n);
	struct str line = { .p = head, .n = nl ? (size_t)(nl - head) : n };
	struct str name;
	char **more;
	size_t count = 0, to = 0;

	if (!str_starts(line, STR("#!")) || (!nl && n == HEAD_SIZE))
		return false;
	line = trim(str_skip(line, 2));
	name = line;
	name.n = 0;
	while (name.n < line.n && name.p[name.n] != ' ' && name.p[name.n] != '\t')
		name.n++;
	line = trim(str_skip(line, name.n));
	if (name.n == 0)
		return false;
	while ((*args)[count])
		count++;
	more = xcalloc(count + 4, sizeof(*more));
	more[to++] = xmemdup0(name.p, name.n);
	if (line.n)
		more[to++] = xmemdup0(line.p, line.n);
	more[to++] = xstrdup(path);
	for (size_t i = 1; i < count; i++)
		more[to++] = (*args)[i];
	if (count)
		free((*args)[0]);
	free(*args);
	*args = more;
	free(*program);
	*program = xmemdup0(name.p, name.n);
	return true;
}

static char **copy(char *const argv[])
{
	size_t n = 0;
	char **args;

	while (argv[n])
		n++;
	args = xcalloc(n + 1, sizeof(*args));
	for (size_t i = 0; i < n; i++)
		args[i] = xstrdup(argv[i]);
	return args;
}

void image_free(char *program, char **args)
{
	for (size_t i = 0; args && args[i]; i++)
		free(args[i]);
	free(args);
	free(program);
}

static enum image_kind look(char **program, char ***args, struct err *err)
{
	char head[HEAD_SIZE], *script;
	enum image_kind kind;
	bool is_script;
	size_t n = 0;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		kind = look_at_file(*program, head, &n, err);
		if (kind != IMAGE_FINE)
			return kind;
		if (n >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0)
			return look_at_elf(*program, head, n, err);
		script = xstrdup(*program);
		is_script = take_script(head, n, script, args, program);
		free(script);
		if (!is_script) {
			errno = ENOEXEC;
			return none(err, *program);
		}
	}
	errno = ELOOP;
	return none(err, *program);
}

enum image_kind image_find(const char *path, char *const argv[], char **program, char ***args,
			   struct err *err)
{
	char *found = xstrdup(path), **its = copy(argv);
	enum image_kind kind = look(&found, &its, err);

	if (kind == IMAGE_FINE) {
		*program = found;
		*args = its;
		return kind;
	}
	image_free(found, its);
	return kind;
}

char *image_comm(const char *path)
{
	const char *name = basename(path);

	return xmemdup0(name, strnlen(name, COMM_MAX));
}
