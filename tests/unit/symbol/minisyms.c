/* SPDX-License-Identifier: MIT */
/* The section is made as GDB's manual says ("MiniDebugInfo"); nm says what is in it. */
#include "symbol/minisyms.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "symbol/regular.h"

static const char source[] = "static __attribute__((noinline)) int hidden(int a)\n"
			     "{\n"
			     "	return a * 3;\n"
			     "}\n"
			     "int data = 4;\n"
			     "int main(int c, char **v)\n"
			     "{\n"
			     "	(void)v;\n"
			     "	return hidden(c) + data;\n"
			     "}\n";

struct found {
	uint64_t hidden, main;
	bool local, data;
	size_t n;
};

static void add(void *ctx, uint64_t value, uint64_t size, bool local, const char *name)
{
	struct found *found = ctx;

	found->n++;
	found->data |= strcmp(name, "data") == 0;
	if (strcmp(name, "main") == 0)
		found->main = value;
	if (strcmp(name, "hidden") != 0)
		return;
	found->hidden = value;
	found->local = local;
	ck_assert_uint_gt(size, 0);
}

static uint64_t value_of(struct scratch *s, const char *name)
{
	char command[100], *text;
	uint64_t value;

	snprintf(command, sizeof(command), "awk '$3==\"%s\" {print $1}' nm >number", name);
	ck_assert_int_eq(scratch_run(s, command), 0);
	text = scratch_get(scratch_path(s, "number"), NULL);
	value = strtoull(text, NULL, 16);
	free(text);
	return value;
}

static struct found find(struct scratch *s, const char *name)
{
	const char *path = scratch_path(s, name);
	int fd = regular_open(path, NULL, NULL);
	struct found found = { .n = 0 };

	ck_assert_int_ge(fd, 0);
	minisyms_find(fd, path, add, &found);
	close(fd);
	return found;
}

START_TEST(test_packed)
{
	struct found found;
	struct scratch s;

	scratch_init(&s);
	scratch_put(&s, "p.c", source);
	ck_assert_int_eq(
		scratch_run(&s, "gcc -O1 p.c -o p && nm p >nm && objcopy -S --keep-symbol=hidden "
				"--keep-symbol=main --keep-symbol=data p mini && xz mini && "
				"strip p -o bare && "
				"objcopy --add-section .gnu_debugdata=mini.xz bare packed && "
				"head -c 60 mini.xz >cut && "
				"objcopy --add-section .gnu_debugdata=cut bare damaged"),
		0);
	found = find(&s, "packed");
	ck_assert_uint_eq(found.hidden, value_of(&s, "hidden"));
	ck_assert_uint_eq(found.main, value_of(&s, "main"));
	ck_assert(found.local && !found.data);
	ck_assert_uint_eq(found.n, 2);
	ck_assert_uint_eq(find(&s, "bare").n, 0);
	ck_assert_uint_eq(find(&s, "damaged").hidden, 0);
	ck_assert_uint_eq(find(&s, "p.c").n, 0);
	scratch_fini(&s);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { test_packed, NULL };

	if (system("command -v xz >/dev/null") != 0) {
		printf("SKIP minisyms/xz: it is not installed\n");
		return EXIT_SUCCESS;
	}
	return suite_run("symbol/minisyms", tests);
}
