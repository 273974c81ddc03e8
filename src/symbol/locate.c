/* SPDX-License-Identifier: MIT */
#include "symbol/locate.h"

#include "base/xalloc.h"
#include "symbol/byline.h"
#include "symbol/byname.h"
#include "symbol/notation.h"
#include "symbol/process.h"
#include "symbol/regular.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum locate_result locate_address(struct process *process, const char *text,
					 struct located *located, struct err *err)
{
	const struct mapping *m;
	uint64_t address;

	if (!notation_address(text, &address)) {
		err_set(err, "'%s' is not a hexadecimal address", text);
		return LOCATE_FAILED;
	}
	m = procmaps_find(&process->maps, address);
	if (!m) {
		err_set(err, "process %d has nothing mapped at 0x%" PRIx64, process->pid, address);
		err_hint(err, "addresses of position independent files change from run to run: "
			      "give the function's name");
		return LOCATE_ABSENT;
	}
	if (!m->executable) {
		err_set(err, "what process %d has at 0x%" PRIx64 " is not executable (%s)",
			process->pid, address, m->path[0] ? m->path : "no file");
		err_hint(err, "give the address of an instruction");
		return LOCATE_FAILED;
	}
	*located = (struct located){
		.address = address,
		.symbol = xstrdup(text),
		.file = xstrdup(m->path),
	};
	return LOCATE_FOUND;
}

/* A symbol, else a line, else an address. What it looks like decides which error is told. */
static enum locate_result locate_any(struct process *process, const char *text,
				     struct located *located, struct err *err)
{
	enum locate_result result;
	struct notation_line line;
	uint64_t address;

	if (notation_address(text, &address) && strncmp(text, "0x", 2) == 0)
		return locate_address(process, text, located, err);
	result = byname_locate(process, text, located, err);
	if (result != LOCATE_ABSENT)
		return result;
	if (notation_line(text, &line))
		return byline_locate(process, text, located, err);
	if (notation_address(text, &address) &&
	    locate_address(process, text, located, NULL) == LOCATE_FOUND)
		return LOCATE_FOUND;
	return LOCATE_ABSENT;
}

enum locate_result locate(const struct selection *selection, pid_t pid, struct located *located,
			  struct err *err)
{
	enum locate_result result = LOCATE_FAILED;
	struct process process;

	*located = (struct located){ 0 };
	if (process_open(pid, &process, err) < 0)
		return LOCATE_FAILED;
	switch (selection->kind) {
	case SELECTION_ANY: result = locate_any(&process, selection->text, located, err); break;
	case SELECTION_SYMBOL:
		result = byname_locate(&process, selection->text, located, err);
		break;
	case SELECTION_ADDRESS:
		result = locate_address(&process, selection->text, located, err);
		break;
	case SELECTION_LINE: result = byline_locate(&process, selection->text, located, err); break;
	case SELECTION_CHOOSE: err_set(err, "nothing has been chosen"); break;
	}
	process_close(&process);
	return result;
}

void located_fini(struct located *located)
{
	free(located->symbol);
	free(located->file);
	*located = (struct located){ 0 };
}

/* Opens the program that a process executes. */
static int open_program(pid_t pid, struct elffile **file, struct err *err)
{
	struct process process;
	char *name = NULL;
	int fd = -1;

	if (process_open(pid, &process, err) < 0)
		return -1;
	if (process.n && process.images[0].is_program)
		fd = process_reopen(&process, &process.images[0], &name, err);
	else
		err_set(err, "process %d: its program is not mapped", pid);
	if (fd >= 0)
		fd = elffile_open(fd, name ? name : process.images[0].mapping->path, file, err);
	free(name);
	process_close(&process);
	return fd < 0 ? -1 : 0;
}

struct listed {
	const char *name;
	uint64_t value;
};

static int compare_names(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->value > y->value) - (x->value < y->value);
}

static int compare_values(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return strcmp(x->name, y->name);
}

static struct listed *list_functions(const struct elffile *file, size_t *n)
{
	struct elffile_function function;
	struct elffile_walk walk = { 0 };
	struct listed *all = NULL;
	size_t cap = 0, kept = 0;

	*n = 0;
	while (elffile_next(file, &walk, &function)) {
		if (*n == cap) {
			cap = cap ? 2 * cap : 1024;
			all = xreallocarray(all, cap, sizeof(*all));
		}
		all[(*n)++] = (struct listed){ .name = function.name, .value = function.value };
	}
	if (*n == 0)
		return all;
	qsort(all, *n, sizeof(*all), compare_names);
	for (size_t i = 0; i < *n; i++)
		if (i == 0 || strcmp(all[i].name, all[kept - 1].name) != 0)
			all[kept++] = all[i];
	*n = kept;
	qsort(all, *n, sizeof(*all), compare_values);
	return all;
}

int locate_functions(pid_t pid, bool (*each)(void *ctx, const char *name), void *ctx,
		     struct err *err)
{
	struct elffile *file;
	struct listed *all;
	size_t n;

	if (open_program(pid, &file, err) < 0)
		return -1;
	all = list_functions(file, &n);
	for (size_t i = 0; i < n && each(ctx, all[i].name); i++)
		;
	free(all);
	elffile_close(file);
	if (n)
		return 0;
	err_set(err, "the program of process %d has no symbols", pid);
	return err_hint(err, "install its debug symbols, or run it unstripped");
}

/* The words of auxv are as wide as the process's addresses. */
static bool find_entry(const unsigned char *auxv, size_t size, size_t width, uint64_t *address)
{
	for (size_t at = 0; at + 2 * width <= size; at += 2 * width) {
		uint64_t type = 0, value = 0;

		memcpy(&type, auxv + at, width);
		memcpy(&value, auxv + at + width, width);
		if (type == AT_NULL)
			return false;
		if (type != AT_ENTRY)
			continue;
		*address = value;
		return true;
	}
	return false;
}

int locate_entry(pid_t pid, uint64_t *address, struct err *err)
{
	unsigned char auxv[4096];
	struct elffile *file;
	char path[40];
	size_t width;
	ssize_t n;
	int fd;

	if (open_program(pid, &file, err) < 0)
		return -1;
	width = elffile_is_64(file) ? 8 : 4;
	elffile_close(file);
	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, "%s", path);
	n = read(fd, auxv, sizeof(auxv));
	close(fd);
	if (n > 0 && find_entry(auxv, (size_t)n, width, address))
		return 0;
	return err_set(err, "process %d: its entry point is not known", pid);
}

bool locate_is_dynamic(pid_t pid)
{
	struct elffile *file;
	bool dynamic;

	if (open_program(pid, &file, NULL) < 0)
		return false;
	dynamic = elffile_is_dynamic(file);
	elffile_close(file);
	return dynamic;
}
