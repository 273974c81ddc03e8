/* SPDX-License-Identifier: MIT */
#include "soft/image.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static struct scratch scratch;
static char *const argv0[] = { (char *)"name", (char *)"one", NULL };

static void put(const char *name, const void *bytes, size_t n, mode_t mode)
{
	const char *path = scratch_path(&scratch, name);
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(path, mode), 0);
}

/* The head of a program for a machine. */
static void put_elf(const char *name, unsigned int bits, unsigned int machine, unsigned int type)
{
	Elf64_Ehdr elf = { .e_ident = ELFMAG,
			   .e_type = (Elf64_Half)type,
			   .e_machine = (Elf64_Half)machine };

	elf.e_ident[EI_CLASS] = bits == 64 ? ELFCLASS64 : ELFCLASS32;
	elf.e_ident[EI_DATA] = ELFDATA2LSB;
	put(name, &elf, sizeof(elf), 0755);
}

static void put_script(const char *name, const char *text)
{
	put(name, text, strlen(text), 0755);
}

static void expect(const char *path, enum image_kind kind, const char *why)
{
	struct err err = ERR_INIT;
	char *program, **args;

	ck_assert_int_eq(image_find(path, argv0, &program, &args, &err), kind);
	ck_assert_msg(strstr(err.msg, why) != NULL, "%s", err.msg);
}

/* The program, and its arguments with a bar between. */
static void expect_fine(const char *path, const char *wanted, const char *wanted_args)
{
	struct err err = ERR_INIT;
	char *program, **args, text[1024] = "";

	ck_assert_msg(image_find(path, argv0, &program, &args, &err) == IMAGE_FINE, "%s", err.msg);
	ck_assert_str_eq(program, wanted);
	for (size_t i = 0; args[i]; i++) {
		strcat(text, i ? "|" : "");
		strcat(text, args[i]);
	}
	ck_assert_str_eq(text, wanted_args);
	image_free(program, args);
}

START_TEST(test_programs)
{
	scratch_init(&scratch);
	put_elf("static", 64, EM_X86_64, ET_EXEC);
	put_elf("pie", 64, EM_X86_64, ET_DYN);
	expect_fine(scratch_path(&scratch, "static"), scratch_path(&scratch, "static"), "name|one");
	expect_fine(scratch_path(&scratch, "pie"), scratch_path(&scratch, "pie"), "name|one");
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_what_the_kernel_refuses)
{
	scratch_init(&scratch);
	put_elf("object", 64, EM_X86_64, ET_REL);
	put("plain", "text\n", 5, 0755);
	put("empty", "", 0, 0755);
	put("mode", "#!/bin/sh\n", 10, 0644);
	put_script("itself", "#! itself\n");
	expect("/nonexistent/x", IMAGE_NONE, "No such file");
	expect(scratch.dir, IMAGE_NONE, "directory");
	expect(scratch_path(&scratch, "object"), IMAGE_NONE, "format");
	expect(scratch_path(&scratch, "plain"), IMAGE_NONE, "format");
	expect(scratch_path(&scratch, "empty"), IMAGE_NONE, "format");
	expect(scratch_path(&scratch, "mode"), IMAGE_NONE, "ermission");
	put_script("endless", "");
	{
		char line[600];

		snprintf(line, sizeof(line), "#!%s\n", scratch_path(&scratch, "endless"));
		put_script("endless", line);
	}
	expect(scratch_path(&scratch, "endless"), IMAGE_NONE, "levels");
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_what_qemu_cannot)
{
	scratch_init(&scratch);
	put_elf("i386", 32, EM_386, ET_EXEC);
	put_elf("x32", 32, EM_X86_64, ET_EXEC);
	put_elf("arm", 64, EM_AARCH64, ET_DYN);
	expect(scratch_path(&scratch, "i386"), IMAGE_OTHER, "32-bit");
	expect(scratch_path(&scratch, "x32"), IMAGE_OTHER, "32-bit");
	expect(scratch_path(&scratch, "arm"), IMAGE_OTHER, "not for x86-64");
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_setuid)
{
	const char *path;

	scratch_init(&scratch);
	put_elf("own", 64, EM_X86_64, ET_EXEC);
	path = scratch_path(&scratch, "own");
	ck_assert_int_eq(chmod(path, 04755), 0);
	expect_fine(path, path, "name|one"); /* of ourselves: it gains nothing */
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(path, 1, 1), 0);
		ck_assert_int_eq(chmod(path, 04755), 0);
		expect(path, IMAGE_OTHER, "setuid");
		ck_assert_int_eq(chmod(path, 02755), 0);
		expect(path, IMAGE_OTHER, "setgid");
	}
	scratch_fini(&scratch);
}
END_TEST

/* execve(2), "Interpreter scripts". */
START_TEST(test_scripts)
{
	char text[600], args[1200], elf[512];

	scratch_init(&scratch);
	put_elf("elf", 64, EM_X86_64, ET_EXEC);
	strcpy(elf, scratch_path(&scratch, "elf"));
	snprintf(text, sizeof(text), "#! %s \t-a  b \nrest", elf);
	put_script("script", text);
	snprintf(args, sizeof(args), "%s|-a  b|%s|one", elf, scratch_path(&scratch, "script"));
	expect_fine(scratch_path(&scratch, "script"), elf, args);
	snprintf(text, sizeof(text), "#!%s", elf); /* no newline */
	put_script("short", text);
	snprintf(args, sizeof(args), "%s|%s|one", elf, scratch_path(&scratch, "short"));
	expect_fine(scratch_path(&scratch, "short"), elf, args);
	snprintf(text, sizeof(text), "#!%s x\n", scratch_path(&scratch, "script"));
	put_script("nested", text);
	snprintf(args, sizeof(args), "%s|-a  b|%s|x|%s|one", elf, scratch_path(&scratch, "script"),
		 scratch_path(&scratch, "nested"));
	expect_fine(scratch_path(&scratch, "nested"), elf, args);
	put_script("none", "#! \n");
	expect(scratch_path(&scratch, "none"), IMAGE_NONE, "format");
	put_script("missing", "#!/nonexistent/interpreter\n");
	expect(scratch_path(&scratch, "missing"), IMAGE_NONE, "/nonexistent/interpreter");
	scratch_fini(&scratch);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { test_programs,         test_what_the_kernel_refuses,
				       test_what_qemu_cannot, test_setuid,
				       test_scripts,          NULL };

	return suite_run("image", tests);
}
