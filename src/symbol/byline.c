/* SPDX-License-Identifier: MIT */
#include "symbol/byline.h"

#include "base/xalloc.h"
#include "symbol/debuginfo.h"
#include "symbol/places.h"
#include "symbol/sourceline.h"

#include <stdlib.h>
#include <string.h>

/* A statement of the line, and the function that it is in. */
struct statement {
	uint64_t value;
	struct elffile_function function; /* name NULL: in none that is known */
};

/* The first of the statements, which are sorted, that is not below value. */
static size_t lower_bound(const struct statement *all, size_t n, uint64_t value)
{
	size_t low = 0;

	while (low < n) {
		size_t mid = low + (n - low) / 2;

		if (all[mid].value < value)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/* Of functions that hold each other, or are aliases, the one that begins last, and comes first. */
static void find_functions(const struct elffile *file, struct statement *all, size_t n)
{
	struct elffile_walk walk = { 0 };
	struct elffile_function f;

	while (elffile_next(file, &walk, &f))
		for (size_t i = lower_bound(all, n, f.value);
		     i < n && all[i].value - f.value < f.size; i++)
			if (!all[i].function.name || f.value > all[i].function.value)
				all[i].function = f;
}

/* The compiler's unlikely part of f is called f.cold. */
static bool is_cold_part(const char *part, const char *whole)
{
	size_t n = whole ? strlen(whole) : 0;

	return part && whole && strncmp(part, whole, n) == 0 && strncmp(part + n, ".cold", 5) == 0;
}

/* Whether a statement is not the first of its function. */
static bool is_further(const struct statement *all, size_t n, size_t i)
{
	const struct statement *one = &all[i];

	for (size_t k = 0; k < n; k++) {
		bool same = all[k].function.value == one->function.value;

		if (same && k < i)
			return true;
		if (!same && is_cold_part(one->function.name, all[k].function.name))
			return true;
	}
	return false;
}

/* More statements than these are only looked at for being ambiguous. */
#define STATEMENTS_MAX 2000

static void add_places(struct places *places, struct process *process, struct image *image,
		       const struct sourceline *found)
{
	size_t n = found->n < STATEMENTS_MAX ? found->n : STATEMENTS_MAX;
	struct elffile *file = process_file(process, image, NULL);
	struct statement *all = xcalloc(n + 1, sizeof(*all));

	for (size_t i = 0; i < n; i++)
		all[i].value = found->values[i];
	if (file)
		find_functions(file, all, n);
	for (size_t i = 0; file && i < n; i++)
		if (!is_further(all, n, i))
			places_add(places, process,
				   (struct place){ .image = image,
						   .value = all[i].value,
						   .name = all[i].function.name,
						   .source = all[i].function.source });
	free(all);
}

/* Looks through one file. false with err: it has no debug info, or cannot be read. */
static bool search_image(struct process *process, struct image *image,
			 const struct notation_line *line, struct sourceline *found,
			 struct err *err)
{
	struct debuginfo info;
	char *name;
	int fd;

	/* what is no sound ELF file is not given to libdw */
	if (!process_file(process, image, err))
		return false;
	fd = process_reopen(process, image, &name, err);
	if (fd < 0)
		return false;
	fd = debuginfo_open(fd, name ? name : image->mapping->path, image->is_program, &info, err);
	free(name);
	if (fd < 0)
		return false;
	sourceline_find(&info, line, found);
	debuginfo_close(&info);
	return true;
}

static enum locate_result fail_line(const struct sourceline *found,
				    const struct notation_line *line, struct err *err)
{
	err_set(err, "no code begins at line %u of %s", line->line, found->file);
	if (line->col)
		err_set(err, "no code begins at line %u, column %u of %s", line->line, line->col,
			found->file);
	if (found->next)
		err_hint(err, "the next line that has code is %.*s:%u", (int)line->file.n,
			 line->file.p, found->next);
	else if (!line->col)
		err_hint(err, "no line after it has code either");
	else
		err_hint(err, "leave out the column");
	return LOCATE_FAILED;
}

/* `program`: why the program itself was not looked through, if that is so. */
static enum locate_result fail_absent(const struct process *process,
				      const struct notation_line *line, const struct err *program,
				      struct err *err)
{
	bool blind = program->msg[0];

	err_set(err, "no source file of process %d is called %.*s%s%.500s", process->pid,
		(int)line->file.n, line->file.p, blind ? "; " : "", program->msg);
	if (blind)
		err_hint(err, "compile with -g, or install the program's debug symbols");
	else
		err_hint(err, "give the end of the path as the compiler was given it");
	return LOCATE_ABSENT;
}

enum locate_result byline_locate(struct process *process, const char *text, struct located *located,
				 struct err *err)
{
	enum locate_result result = LOCATE_ABSENT;
	struct err program = ERR_INIT;
	struct places places = { 0 };
	struct notation_line line;

	if (!notation_line(text, &line)) {
		err_set(err, "'%s' is not a line of a source file", text);
		return LOCATE_FAILED;
	}
	for (size_t i = 0; i < process->n && result == LOCATE_ABSENT; i++) {
		struct image *image = &process->images[i];
		struct sourceline found = { 0 };

		if (!search_image(process, image, &line, &found,
				  image->is_program ? &program : NULL))
			continue;
		add_places(&places, process, image, &found);
		if (found.file)
			result = found.n ? places_end(&places, process, text, false, located, err)
					 : fail_line(&found, &line, err);
		sourceline_fini(&found);
	}
	places_clear(&places);
	return result == LOCATE_ABSENT ? fail_absent(process, &line, &program, err) : result;
}
