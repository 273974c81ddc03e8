/* SPDX-License-Identifier: MIT */
#include "symbol/unitbuild.h"

#include "base/intern.h"
#include "base/xalloc.h"
#include "symbol/ranges.h"
#include "symbol/splitpath.h"
#include "symbol/splitunit.h"
#include "symbol/unittable.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* No true unit has so many. */
#define ITEMS_MAX ((size_t)1 << 24)
#define NAMES_MAX ((size_t)256 << 20)

struct build {
	const struct debuginfo *info;
	const struct elffile *file;
	uint64_t shift; /* from addresses of the DWARF to values */
	Dwarf_Files *files;
	size_t n_files;
	struct intern *names; /* in the rows and scopes below are its numbers */
	struct ranges spans;
	struct unittable_row *rows;
	struct unittable_scope *scopes;
	size_t n_rows, cap_rows, n_scopes, cap_scopes;
	const char *directory; /* that the compiler ran in; NULL: not known */
	const char *path;      /* what add_path was last asked for, and its answer */
	uint32_t path_name;
	struct splitunit packed; /* all zero: not open */
	bool whole;
};

static uint32_t add_name(struct build *b, const char *name)
{
	return intern_add(b->names, str_of(name ? name : ""));
}

/* Leaves out "." and what ".." takes back, in place: "/a/./b/../c" is "/a/c". */
static void shorten(char *path)
{
	char *to = path;

	for (const char *from = path; *from;) {
		size_t n = 1 + strcspn(from + 1, "/");
		bool up = n == 3 && memcmp(from, "/..", n) == 0;

		if (up)
			while (to > path && *--to != '/')
				;
		else if (n != 2 || from[1] != '.') {
			memmove(to, from, n);
			to += n;
		}
		from += n;
	}
	*to = '\0';
}

/* A source file's path, which may be relative to the compiler's directory. */
static uint32_t add_path(struct build *b, const char *path)
{
	char *whole;

	/* libdw has one string for each file of a unit */
	if (path && path == b->path)
		return b->path_name;
	b->path = path;
	while (path && path[0] == '.' && path[1] == '/')
		path += 2;
	if (!path || path[0] == '/' || !b->directory) {
		b->path_name = add_name(b, path);
		return b->path_name;
	}
	whole = xasprintf("%s/%s", b->directory, path);
	if (whole[0] == '/')
		shorten(whole);
	b->path_name = add_name(b, whole);
	free(whole);
	return b->path_name;
}

static bool is_code(const struct build *b, uint64_t value)
{
	return elffile_segment(b->file, value);
}

static uint32_t positive(int number)
{
	return number > 0 ? (uint32_t)number : 0;
}

static void add_row(struct build *b, const struct unittable_row *row)
{
	const struct unittable_row *last = b->n_rows ? &b->rows[b->n_rows - 1] : NULL;

	if (last && row->line == last->line && row->file == last->file && row->col == last->col)
		return;
	if (b->n_rows == ITEMS_MAX || (last && row->value < last->value))
		return;
	if (!b->rows || b->n_rows == b->cap_rows) {
		b->cap_rows = b->cap_rows ? 2 * b->cap_rows : 1024;
		b->rows = xreallocarray(b->rows, b->cap_rows, sizeof(*b->rows));
	}
	b->rows[b->n_rows++] = *row;
}

static void read_row(struct build *b, Dwarf_Line *line)
{
	struct unittable_row row = { .file = add_name(b, NULL) };
	int number = 0, col = 0;
	bool end = false;

	if (dwarf_lineaddr(line, &row.value) != 0 || dwarf_lineendsequence(line, &end) != 0)
		return;
	row.value += b->shift;
	/* the end lies behind the last byte of code */
	if (!is_code(b, row.value - end))
		return;
	if (!end && dwarf_lineno(line, &number) == 0 && number > 0) {
		row.line = (uint32_t)number;
		row.file = add_path(b, dwarf_linesrc(line, NULL, NULL));
		if (dwarf_linecol(line, &col) == 0)
			row.col = positive(col);
	}
	add_row(b, &row);
}

static void read_rows(struct build *b, Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	size_t n;

	if (dwarf_getsrclines(unit, &lines, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++)
		read_row(b, dwarf_onesrcline(lines, i));
}

static const char *string_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		return dwarf_formstring(&attr);
	return dwarf_diename(die);
}

static uint32_t number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value) != 0 ||
	    value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static uint32_t call_file(struct build *b, Dwarf_Die *die)
{
	uint32_t number = number_of(die, DW_AT_call_file);

	if (!b->files || number >= b->n_files)
		return add_name(b, NULL);
	return add_path(b, dwarf_filesrc(b->files, number, NULL, NULL));
}

/* The number of a new scope, or UNITTABLE_NONE: it has no code. */
static uint32_t add_scope(struct build *b, Dwarf_Die *die, uint32_t parent)
{
	struct unittable_scope scope = { .parent = parent };
	uint32_t number = (uint32_t)b->n_scopes;
	size_t before = b->spans.n;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (b->spans.n < ITEMS_MAX && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (is_code(b, start + b->shift))
			ranges_add(&b->spans, start + b->shift, end + b->shift, number);
	if (b->spans.n == before || b->n_scopes == ITEMS_MAX)
		return UNITTABLE_NONE;
	scope.name = add_name(b, linkage_name(die));
	scope.call_file = add_name(b, NULL);
	if (parent != UNITTABLE_NONE) {
		scope.call_file = call_file(b, die);
		scope.call_line = number_of(die, DW_AT_call_line);
		scope.call_col = number_of(die, DW_AT_call_column);
	}
	if (b->n_scopes == b->cap_scopes) {
		b->cap_scopes = b->cap_scopes ? 2 * b->cap_scopes : 256;
		b->scopes = xreallocarray(b->scopes, b->cap_scopes, sizeof(*b->scopes));
	}
	b->scopes[b->n_scopes++] = scope;
	return number;
}

/* What lies in the DIE; scope: that which it is in, or UNITTABLE_NONE. */
static void walk(struct build *b, Dwarf_Die *parent, uint32_t scope, unsigned int depth)
{
	Dwarf_Die die;
	int more;

	if (depth == UNITTABLE_DEPTH_MAX) {
		b->whole = false;
		return;
	}
	for (more = dwarf_child(parent, &die); more == 0; more = dwarf_siblingof(&die, &die)) {
		uint32_t inner = scope;

		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram: inner = add_scope(b, &die, UNITTABLE_NONE); break;
		case DW_TAG_inlined_subroutine:
			/* one without code has nothing in it that has some */
			inner = scope == UNITTABLE_NONE ? scope : add_scope(b, &die, scope);
			if (inner == UNITTABLE_NONE)
				continue;
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_with_stmt: break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type: inner = UNITTABLE_NONE; break;
		default: continue;
		}
		walk(b, &die, inner, depth + 1);
	}
}

/* Whether a split unit is in the package. */
static bool find_packed(struct build *b, Dwarf_Die *skeleton, uint64_t id, Dwarf_Die *split)
{
	struct dwp_unit unit;

	return b->info->dwp && dwpfile_find(b->info->dwp, id, &unit) &&
	       splitunit_open(&unit, skeleton, &b->packed, split);
}

/* The DIE that the functions of a unit are in: its own, or that of its split unit. */
static Dwarf_Die *functions_of(struct build *b, Dwarf_Die *unit, Dwarf_Die *split)
{
	uint8_t type;
	uint64_t id;

	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, split, &id, NULL, NULL) != 0 ||
	    type != DW_UT_skeleton)
		return unit;
	/* elfutils has looked for the .dwo file, of late for the package too */
	if (dwarf_tag(split) == DW_TAG_compile_unit || find_packed(b, unit, id, split))
		return split;
	b->whole = false;
	return unit;
}

/* Where each name is in the table; [0] is where the empty one is. */
static size_t *place_names(const struct build *b, size_t *size)
{
	uint32_t n = intern_count(b->names);
	size_t *places = xcalloc(n + 1, sizeof(*places)), at = 0;

	for (uint32_t i = 1; i <= n; i++) {
		places[i] = at;
		at += intern_str(b->names, i).n + 1;
	}
	*size = at;
	return places;
}

static void put_names(const struct build *b, struct blob *blob)
{
	for (uint32_t i = 1; i <= intern_count(b->names); i++) {
		struct str name = intern_str(b->names, i);

		blob_put(blob, name.p, name.n);
		blob_put(blob, "", 1);
	}
}

static void put(struct build *b, struct blob *blob)
{
	struct unittable_head head = {
		.version = UNITTABLE_VERSION,
		.n_rows = (uint32_t)b->n_rows,
		.n_spans = (uint32_t)b->spans.n,
		.n_scopes = (uint32_t)b->n_scopes,
	};
	size_t n_names, *places = place_names(b, &n_names);

	head.n_names = n_names;
	blob_put(blob, &head, sizeof(head));
	for (size_t i = 0; i < b->n_rows; i++) {
		b->rows[i].file = (uint32_t)places[b->rows[i].file];
		blob_put(blob, &b->rows[i], sizeof(*b->rows));
	}
	for (size_t i = 0; i < b->spans.n; i++) {
		const struct range *range = &b->spans.all[i];
		struct unittable_span span = {
			.start = range->start,
			.end = range->end,
			.scope = (uint32_t)range->owner,
		};

		blob_put(blob, &span, sizeof(span));
	}
	for (size_t i = 0; i < b->n_scopes; i++) {
		b->scopes[i].name = (uint32_t)places[b->scopes[i].name];
		b->scopes[i].call_file = (uint32_t)places[b->scopes[i].call_file];
		blob_put(blob, &b->scopes[i], sizeof(*b->scopes));
	}
	put_names(b, blob);
	free(places);
}

bool unitbuild(const struct debuginfo *info, const struct elffile *file, uint64_t unit,
	       struct blob *blob, bool *whole)
{
	struct build b = {
		.info = info,
		.file = file,
		.shift = info->bias - info->load,
		.whole = true,
	};
	Dwarf_Die die, split, *functions;

	if (!dwarf_offdie(info->dwarf, unit, &die) || !splitpath_is_safe(&die, info->path))
		return false;
	b.names = intern_new(NAMES_MAX);
	/* the first name is the empty one, as the table wants it */
	add_name(&b, NULL);
	b.directory = string_of(&die, DW_AT_comp_dir);
	read_rows(&b, &die);
	functions = functions_of(&b, &die, &split);
	/* a split unit need not have files of its own */
	if (dwarf_getsrcfiles(functions, &b.files, &b.n_files) != 0 &&
	    dwarf_getsrcfiles(&die, &b.files, &b.n_files) != 0)
		b.files = NULL;
	walk(&b, functions, UNITTABLE_NONE, 0);
	/* what is cut has more pieces; a span has no number for more than these */
	ranges_settle(&b.spans);
	put(&b, blob);
	*whole = b.whole;
	splitunit_close(&b.packed);
	ranges_fini(&b.spans);
	intern_free(b.names);
	free(b.rows);
	free(b.scopes);
	return true;
}
