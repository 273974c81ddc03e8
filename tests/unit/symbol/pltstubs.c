/* SPDX-License-Identifier: MIT */
/* objdump says where stubs are, and of which functions. */
#include "symbol/pltstubs.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "symbol/elfopen.h"
#include "symbol/regular.h"

#include <inttypes.h>

static const char source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"int main(int c, char **v)\n"
	"{\n"
	"	int (*volatile f)(const char *) = puts;\n"
	"	return f(v[0]) + puts(v[0]) + (getenv(v[0]) != NULL) + rand() * c;\n"
	"}\n";

struct list {
	char text[4096];
	size_t n;
};

static void add(void *ctx, const struct pltstub *stub)
{
	struct list *list = ctx;

	ck_assert_uint_gt(stub->size, 0);
	if (stub->name)
		list->n += (size_t)snprintf(list->text + list->n, sizeof(list->text) - list->n,
					    "%" PRIx64 " %s\n", stub->value, stub->name);
}

/* Each line of objdump's is among ours, and there are some. */
static void check(const char *flags, const char *const *names, size_t n_names)
{
	struct list list = { .n = 0 };
	char command[600], *want;
	struct scratch s;
	Elf *elf;
	int fd;

	scratch_init(&s);
	scratch_put(&s, "p.c", source);
	snprintf(command, sizeof(command),
		 "gcc -O1 %s p.c -o p && objdump -d p | sed -n "
		 "'s/^0*\\([0-9a-f]*\\) <\\(.*\\)@plt>:$/\\1 \\2/p' >want",
		 flags);
	ck_assert_int_eq(scratch_run(&s, command), 0);
	fd = regular_open(scratch_path(&s, "p"), NULL, NULL);
	elf = elfopen(fd, "p", NULL);
	ck_assert_ptr_nonnull(elf);
	pltstubs_find(elf, add, &list);
	elf_end(elf);
	close(fd);
	want = scratch_get(scratch_path(&s, "want"), NULL);
	for (size_t i = 0; i < n_names; i++)
		ck_assert_msg(strstr(want, names[i]) != NULL, "%s: %s", flags, want);
	for (char *line = want, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		ck_assert_msg(strstr(list.text, line) != NULL, "%s: no '%s' in %s", flags, line,
			      list.text);
	}
	free(want);
	scratch_fini(&s);
}

START_TEST(test_same_as_objdump)
{
	static const char *const names[] = { " puts\n", " getenv\n", " rand\n" };

	check("-Wl,-z,lazy", names, 3);
	check("-Wl,-z,now", names, 3);
	check("-no-pie", names, 3);
	check("-fcf-protection -Wl,-z,ibtplt", names, 3);
}
END_TEST

/* A program without any. */
START_TEST(test_none)
{
	check("-fno-plt -fno-builtin -static-pie", NULL, 0);
}
END_TEST

SUITE_MAIN("symbol/pltstubs", test_same_as_objdump, test_none)
