/* SPDX-License-Identifier: MIT */
#include "soft/qemu.h"

#include "base/child.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct scratch scratch;

/* A stand-in for QEMU: says its version, and its help. PATH is the directory with it only. */
static void put_qemu(const char *version, const char *help)
{
	char text[600];

	snprintf(text, sizeof(text),
		 "#!/bin/sh\ncase $1 in --version) echo '%s';; -h) echo 'usage:\n%s';; esac\n",
		 version, help);
	scratch_put(&scratch, "qemu-x86_64", text);
	ck_assert_int_eq(chmod(scratch_path(&scratch, "qemu-x86_64"), 0755), 0);
}

static void begin(void)
{
	scratch_init(&scratch);
	setenv("PATH", scratch.dir, 1);
}

static void expect_failure(const char *why, const char *hint)
{
	struct err err = ERR_INIT;
	struct qemu qemu;

	ck_assert_int_eq(qemu_find(&qemu, &err), -1);
	ck_assert_msg(strstr(err.msg, why) != NULL, "%s", err.msg);
	ck_assert_msg(strstr(err.hint, hint) != NULL, "%s", err.hint);
	ck_assert_ptr_null(qemu.path);
}

static void end(void)
{
	setenv("PATH", "/usr/bin:/bin", 1);
	scratch_fini(&scratch);
}

START_TEST(test_none)
{
	begin();
	expect_failure("no qemu-x86_64", "package qemu-user");
	end();
}
END_TEST

START_TEST(test_too_old)
{
	begin();
	put_qemu("qemu-x86_64 version 7.1.9 (x)", "-plugin ");
	expect_failure("version 7.1, which is too old", "single-stepping");
	end();
}
END_TEST

START_TEST(test_no_version)
{
	begin();
	put_qemu("qemu-x86_64: what?", "-plugin ");
	expect_failure("names no version", "package qemu-user");
	end();
}
END_TEST

START_TEST(test_no_plugins)
{
	begin();
	put_qemu("qemu-x86_64 version 8.2.0", "-cpu model\n-seed ");
	expect_failure("built without plugins", "package qemu-user");
	end();
}
END_TEST

/* The plugin is looked for beside the executable: of this test. */
START_TEST(test_plugin)
{
	char own[512], *slash, *plugin;
	struct err err = ERR_INIT;
	struct qemu qemu;
	FILE *f;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	ck_assert_int_gt(n, 0);
	own[n] = '\0';
	slash = strrchr(own, '/');
	slash[1] = '\0';
	ck_assert_int_gt(asprintf(&plugin, "%smagic-trace-qemu.so", own), 0);
	unlink(plugin);
	begin();
	put_qemu("qemu-x86_64 version 10.0.2", "-plugin x");
	expect_failure("no magic-trace-qemu.so", "single-stepping");
	f = fopen(plugin, "w");
	ck_assert_ptr_nonnull(f);
	fclose(f);
	ck_assert_msg(qemu_find(&qemu, &err) == 0, "%s", err.msg);
	ck_assert_str_eq(qemu.path, scratch_path(&scratch, "qemu-x86_64"));
	ck_assert_str_eq(qemu.plugin, plugin);
	ck_assert_uint_eq(qemu.major, 10);
	ck_assert_uint_eq(qemu.minor, 0);
	qemu_fini(&qemu);
	unlink(plugin);
	free(plugin);
	end();
}
END_TEST

START_TEST(test_versions)
{
	static const char *const bad[] = { "",
					   "qemu-x86_64 version",
					   "qemu-x86_64 version x.2",
					   "qemu-x86_64 version 7",
					   "qemu-x86_64 version 7.",
					   "qemu-x86_64 version 99999999999.1",
					   "qemu-system 7.2" };
	unsigned int major, minor;

	ck_assert(qemu_parse_version(STR("qemu-x86_64 version 7.2.22 (Debian 1:7.2)\nCopyright"),
				     &major, &minor));
	ck_assert(major == 7 && minor == 2);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(!qemu_parse_version(str_of(bad[i]), &major, &minor), "%s", bad[i]);
}
END_TEST

START_TEST(test_command)
{
	const struct qemu qemu = { .path = (char *)"/q", .plugin = (char *)"/p" };
	const struct qemuargs args = { .out = "x" };
	char *const argv[] = { (char *)"sh", (char *)"-c", NULL };
	struct err err = ERR_INIT;
	char **command = qemu_command(&qemu, &args, "/bin/sh", argv, &err);

	ck_assert_msg(command != NULL, "%s", err.msg);
	ck_assert_str_eq(command[0], "/q");
	ck_assert_str_eq(command[2], "/p,out=x,time=virtual");
	ck_assert_str_eq(command[4], "sh");
	ck_assert_str_eq(command[5], "/bin/sh");
	ck_assert_str_eq(command[6], "-c");
	ck_assert_ptr_null(command[7]);
	qemuargs_free(command);
	ck_assert_ptr_null(qemu_command(&qemu, &args, "/nonexistent", argv, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "/nonexistent"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { test_none,   test_too_old,  test_no_version, test_no_plugins,
				       test_plugin, test_versions, test_command,    NULL };

	return suite_run("qemu", tests);
}
