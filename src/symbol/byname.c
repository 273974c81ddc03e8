/* SPDX-License-Identifier: MIT */
#include "symbol/byname.h"

#include "base/nearest.h"
#include "symbol/demangle.h"
#include "symbol/match.h"
#include "symbol/notation.h"
#include "symbol/places.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What names an implementation that an IFUNC chooses from, as far as they are shown. */
#define IMPLEMENTATIONS_MAX 4
#define IMPLEMENTATION_MAX  80

#define RANK(match) (2 * (unsigned int)(match))

struct search {
	struct process *process;
	struct str library; /* empty: all are looked through */
	const char *symbol;
	struct match_query query;
	unsigned int best; /* rank so far */
	bool in_program;   /* the best is there */
	struct places places;
	const char *resolver; /* the name of an IFUNC that fits as well as `best` */
	struct image *resolver_image;
};

/*
 * What a library keeps to itself does not hide, or stand beside, what another one exports: the
 * dynamic linker has a memcpy of its own.
 */
static unsigned int rank(const struct search *s, const struct image *image,
			 const struct elffile_function *function, enum match match)
{
	bool open = image->is_program || s->library.n || !function->is_local;

	if (match == MATCH_EXACT && function->is_old)
		match = MATCH_OLD;
	return match == MATCH_NONE ? 0 : RANK(match) + open;
}

static void take(struct search *s, struct image *image, const struct elffile_function *function,
		 enum match match)
{
	unsigned int this = rank(s, image, function, match);

	if (this < s->best || this == 0 || (this == s->best && s->in_program && !image->is_program))
		return;
	if (this > s->best) {
		places_clear(&s->places);
		s->resolver = NULL;
		s->best = this;
		s->in_program = image->is_program;
	}
	if (function->is_resolver) {
		s->resolver = function->name;
		s->resolver_image = image;
		return;
	}
	places_add(&s->places, s->process,
		   (struct place){ .image = image,
				   .value = function->value,
				   .name = function->name,
				   .source = function->source });
}

static void search_image(struct search *s, struct image *image)
{
	struct elffile *file = process_file(s->process, image, NULL);
	struct elffile_function function;
	struct elffile_walk walk = { 0 };

	while (file && elffile_next(file, &walk, &function))
		take(s, image, &function, match_name(&s->query, function.name));
}

static bool is_searched(const struct search *s, const struct image *image)
{
	return !s->library.n || image_is_named(image, s->library);
}

/*
 * The program comes first. What is only the end of a name there must not hide a library's function
 * that is truly called so.
 */
static void search_all(struct search *s)
{
	for (size_t i = 0; i < s->process->n; i++) {
		if (is_searched(s, &s->process->images[i]))
			search_image(s, &s->process->images[i]);
		if (i == 0 && s->process->images[0].is_program && s->best >= RANK(MATCH_NAME))
			return;
	}
}

/* As much of a demangled name's end as has as many parts as the word. */
static const char *tail(const char *name, const char *word)
{
	const char *at = name + strlen(name);
	size_t parts = 1;

	for (const char *p = word; (p = strstr(p, "::")); p += 2)
		parts++;
	while (at > name) {
		if (at - name >= 2 && at[-1] == ':' && at[-2] == ':') {
			if (--parts == 0)
				return at;
			at--;
		}
		at--;
	}
	return name;
}

static void offer(struct nearest_list *list, const char *word, const char *raw)
{
	char name[512];

	if (!demangle_is_mangled(raw)) {
		nearest_offer(list, raw, raw);
		return;
	}
	if (word[0] == '_' && word[1] == raw[1])
		nearest_offer(list, raw, raw);
	else if (demangle(raw, DEMANGLE_SHORT, name, sizeof(name)))
		nearest_offer(list, tail(name, word), name);
}

static void find_nearest(struct search *s, struct nearest_list *list)
{
	char word[NEAREST_WORD_MAX + 2];
	struct elffile_function function;

	/* names are compared without parameters */
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(s->symbol, "("), s->symbol);
	nearest_begin(list, word);
	for (size_t i = 0; i < s->process->n; i++) {
		struct image *image = &s->process->images[i];
		struct elffile *file =
			is_searched(s, image) ? process_file(s->process, image, NULL) : NULL;
		struct elffile_walk walk = { 0 };

		while (file && elffile_next(file, &walk, &function))
			offer(list, word, function.name);
	}
}

static void hint_nearest(const struct nearest_list *list, struct err *err)
{
	const char(*names)[NEAREST_NAME_MAX + 1] = list->names;

	if (list->n == 1)
		err_hint(err, "did you mean %s?", names[0]);
	else if (list->n == 2)
		err_hint(err, "did you mean %s or %s?", names[0], names[1]);
	else
		err_hint(err, "did you mean %s, %s or %s?", names[0], names[1], names[2]);
}

static __attribute__((format(printf, 2, 3))) void append(struct err *err, const char *fmt, ...)
{
	size_t n = strlen(err->msg);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->msg + n, sizeof(err->msg) - n, fmt, ap);
	va_end(ap);
}

/* What was not looked at, or has no names to be looked at. */
static bool add_blind_spots(struct search *s, struct err *err)
{
	bool stripped = false, unread = false;
	struct err why;

	for (size_t i = 0; i < s->process->n; i++) {
		struct image *image = &s->process->images[i];
		const struct elffile *file;

		if (!is_searched(s, image))
			continue;
		file = process_file(s->process, image, &why);
		if (!file && !unread) {
			append(err, "; it could not be looked for everywhere: %s", why.msg);
			unread = true;
		}
		if (file && elffile_is_stripped(file) && (image->is_program || s->library.n)) {
			append(err, "; %s is stripped: it has few names or none",
			       image->mapping->path);
			stripped = true;
		}
	}
	return stripped;
}

static enum locate_result fail_absent(struct search *s, struct err *err)
{
	struct nearest_list list;
	bool stripped;

	if (!err)
		return LOCATE_ABSENT;
	err_set(err, "process %d has no function '%.200s'", s->process->pid, s->symbol);
	if (s->library.n)
		err_set(err, "%.*s has no function '%.200s'", (int)s->library.n, s->library.p,
			s->symbol);
	stripped = add_blind_spots(s, err);
	find_nearest(s, &list);
	if (list.n)
		hint_nearest(&list, err);
	else if (stripped)
		err_hint(err, "install its debug symbols, run it unstripped, or give an address "
			      "(addr:HEX)");
	else
		err_hint(err, "? lets you choose from all functions of the program");
	return LOCATE_ABSENT;
}

/* No file of that name is mapped. */
static enum locate_result fail_library(struct search *s, struct err *err)
{
	struct nearest_list list;
	char name[NEAREST_WORD_MAX + 2];

	if (!err)
		return LOCATE_ABSENT;
	err_set(err, "process %d has no library '%.*s' mapped", s->process->pid, (int)s->library.n,
		s->library.p);
	snprintf(name, sizeof(name), "%.*s", (int)s->library.n, s->library.p);
	nearest_begin(&list, name);
	for (size_t i = 0; i < s->process->n; i++) {
		const char *path = s->process->images[i].mapping->path;
		const char *base = basename(path), *version;
		char stem[NEAREST_NAME_MAX + 1];

		version = strstr(base, ".so.");
		snprintf(stem, sizeof(stem), "%.*s",
			 version ? (int)(version + 3 - base) : NEAREST_NAME_MAX, base);
		nearest_offer(&list, stem, base);
	}
	if (list.n)
		hint_nearest(&list, err);
	return LOCATE_ABSENT;
}

/* glibc calls the implementations of memcpy __memcpy_avx_unaligned and the like. */
static bool is_implementation(const struct elffile_function *function, struct str resolver)
{
	size_t n = strnlen(function->name, IMPLEMENTATION_MAX);
	struct str rest = { .p = function->name, .n = n }, ifunc = STR("_ifunc");

	if (function->is_resolver || n == IMPLEMENTATION_MAX)
		return false;
	rest = str_skip(rest, strspn(rest.p, "_"));
	resolver = str_skip(resolver, strspn(resolver.p, "_"));
	if (!str_starts(rest, resolver))
		return false;
	rest = str_skip(rest, resolver.n);
	return rest.n && rest.p[0] == '_' && !str_eq(rest, ifunc);
}

static size_t list_implementations(struct search *s, struct str resolver, char *text, size_t size)
{
	struct elffile *file = process_file(s->process, s->resolver_image, NULL);
	struct elffile_function function;
	struct elffile_walk walk = { 0 };
	size_t found = 0, used = 0;

	while (file && found < IMPLEMENTATIONS_MAX && elffile_next(file, &walk, &function)) {
		if (!is_implementation(&function, resolver))
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s", found ? ", " : "",
					 function.name);
		found++;
	}
	return found;
}

static enum locate_result fail_resolver(struct search *s, struct err *err)
{
	struct str name = { .p = s->resolver, .n = strcspn(s->resolver, "@") };
	const char *path = s->resolver_image->mapping->path;
	char names[IMPLEMENTATIONS_MAX * (IMPLEMENTATION_MAX + 2)];

	if (!err)
		return LOCATE_FAILED;
	name.n = name.n < 200 ? name.n : 200;
	err_set(err,
		"%.*s in %s is an IFUNC: its address is that of a resolver, which chose the "
		"function that is called when the program was loaded",
		(int)name.n, name.p, path);
	if (list_implementations(s, name, names, sizeof(names)))
		err_hint(err, "name the implementation: %s, ...", names);
	else
		err_hint(
			err,
			"name the implementation, for which the debug symbols of %.200s may be needed",
			path);
	return LOCATE_FAILED;
}

/* Whether there is such a library, when one was given. */
static bool has_library(const struct search *s)
{
	for (size_t i = 0; i < s->process->n; i++)
		if (is_searched(s, &s->process->images[i]))
			return true;
	return false;
}

enum locate_result byname_locate(struct process *process, const char *text, struct located *located,
				 struct err *err)
{
	struct search s = { .process = process, .symbol = text };
	enum locate_result result;
	bool in_library = notation_library(text, &s.library, &s.symbol);
	bool no_library = in_library && !has_library(&s);
	struct str library = s.library;

	if (no_library) {
		/* Go's names have single colons too. */
		s.library = STR("");
		s.symbol = text;
	}
	match_init(&s.query, s.symbol);
	search_all(&s);
	result = places_end(&s.places, process, s.symbol, true, located, err);
	places_clear(&s.places);
	if (result != LOCATE_ABSENT)
		return result;
	if (s.resolver)
		return fail_resolver(&s, err);
	s.library = library;
	return no_library ? fail_library(&s, err) : fail_absent(&s, err);
}
