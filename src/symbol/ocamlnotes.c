/* SPDX-License-Identifier: MIT */
#include "symbol/ocamlnotes.h"

#include "base/xalloc.h"
#include "symbol/elfopen.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SECTION ".note.ocaml_eh"
#define OWNER   "OCaml"
#define TYPE    1

/* A note has at least its base and the ends of three lists. */
#define WORDS_MIN 4

static void add(struct ocamlnotes_list *list, uint64_t address)
{
	if (list->n == list->cap) {
		list->cap = list->cap ? 2 * list->cap : 64;
		list->all = xreallocarray(list->all, list->cap, sizeof(*list->all));
	}
	list->all[list->n++] = address;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void settle(struct ocamlnotes_list *list)
{
	size_t n = 0;

	if (list->n == 0)
		return;
	qsort(list->all, list->n, sizeof(*list->all), compare);
	for (size_t i = 0; i < list->n; i++)
		if (n == 0 || list->all[n - 1] != list->all[i])
			list->all[n++] = list->all[i];
	list->n = n;
}

/* Takes the word at *p off the bytes; false: there is none. Notes are aligned to 4 bytes only. */
static bool take(const char **p, size_t *left, uint64_t *word)
{
	if (*left < sizeof(*word))
		return false;
	memcpy(word, *p, sizeof(*word));
	*p += sizeof(*word);
	*left -= sizeof(*word);
	return true;
}

/* false: the descriptor ends within a list. */
static bool read_list(const char **p, size_t *left, uint64_t shift, struct ocamlnotes_list *list)
{
	uint64_t word;

	while (take(p, left, &word)) {
		if (word == 0)
			return true;
		add(list, word + shift);
	}
	return false;
}

/* false: it is damaged. */
static bool read_descriptor(const char *p, size_t n, uint64_t base, struct ocamlnotes *notes)
{
	uint64_t recorded;

	if (n < WORDS_MIN * sizeof(uint64_t) || !take(&p, &n, &recorded))
		return false;
	return read_list(&p, &n, base - recorded, &notes->enter) &&
	       read_list(&p, &n, base - recorded, &notes->push) &&
	       read_list(&p, &n, base - recorded, &notes->pop);
}

static bool is_ours(const GElf_Nhdr *head, const char *owner)
{
	return head->n_type == TYPE && head->n_namesz == sizeof(OWNER) &&
	       memcmp(owner, OWNER, sizeof(OWNER)) == 0;
}

/* false: one of them is damaged. */
static bool read_notes(Elf_Data *data, uint64_t base, struct ocamlnotes *notes)
{
	size_t at = 0, next, name, descriptor;
	bool whole = true;
	GElf_Nhdr head;

	while ((next = gelf_getnote(data, at, &head, &name, &descriptor)) > 0) {
		const char *bytes = data->d_buf;

		if (is_ours(&head, bytes + name))
			whole &= read_descriptor(bytes + descriptor, head.n_descsz, base, notes);
		at = next;
	}
	/* gelf_getnote stops at a head that cannot be right */
	return whole && at == data->d_size;
}

static void read_elf(Elf *elf, const char *path, struct ocamlnotes *notes, struct err *warning)
{
	GElf_Shdr shdr, base;
	Elf_Scn *section = elfopen_named(elf, SECTION);
	Elf_Data *data;

	/* elfopen has looked at how large notes are */
	if (!section || !gelf_getshdr(section, &shdr) || shdr.sh_type != SHT_NOTE)
		return;
	if (!gelf_getshdr(elfopen_named(elf, ".stapsdt.base"), &base)) {
		err_set(warning,
			"%s: no exception handlers: it has no section .stapsdt.base, which those "
			"in ." SECTION " are relative to",
			path);
		return;
	}
	data = elf_getdata(section, NULL);
	if (!data || !data->d_buf || !read_notes(data, base.sh_addr, notes))
		err_set(warning, "%s: some exception handlers are missing: ." SECTION " is damaged",
			path);
}

void ocamlnotes_read(int fd, const char *path, struct ocamlnotes *notes, struct err *warning)
{
	Elf *elf = elfopen(fd, path, NULL);

	*notes = (struct ocamlnotes){ 0 };
	if (!elf)
		return;
	read_elf(elf, path, notes, warning);
	elf_end(elf);
	settle(&notes->enter);
	settle(&notes->push);
	settle(&notes->pop);
}

void ocamlnotes_fini(struct ocamlnotes *notes)
{
	free(notes->enter.all);
	free(notes->push.all);
	free(notes->pop.all);
	*notes = (struct ocamlnotes){ 0 };
}
