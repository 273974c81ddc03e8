/* SPDX-License-Identifier: MIT */
#include "symbol/package.h"

#include "support/scratch.h"
#include "support/suite.h"

static struct scratch scratch;

static void check(const char *path, const char *want)
{
	char *got = package_of_symbols(scratch.dir, path);

	if (want) {
		ck_assert_ptr_nonnull(got);
		ck_assert_str_eq(got, want);
	} else {
		ck_assert_ptr_null(got);
	}
	free(got);
}

START_TEST(test_lists)
{
	scratch_init(&scratch);
	scratch_put(&scratch, "libc6:amd64.list",
		    "/.\n/lib/x86_64-linux-gnu\n/lib/x86_64-linux-gnu/libm.so.6\n");
	scratch_put(&scratch, "bash.list", "/bin/bash\n/usr/bin/bashbug\n/usr/share/doc");
	scratch_put(&scratch, "bash.md5sums", "/usr/bin/other\n");
	scratch_put(&scratch, ".list", "/usr/bin/nameless\n");
	ck_assert_int_eq(scratch_run(&scratch, "mkdir dir.list && mkfifo fifo.list"), 0);
	check("/lib/x86_64-linux-gnu/libm.so.6", "libc6-dbg");
	check("/usr/lib/x86_64-linux-gnu/libm.so.6", "libc6-dbg");
	check("/usr/bin/bash", "bash-dbgsym");
	check("/usr/bin/bashbug", "bash-dbgsym");
	check("/usr/share/doc", "bash-dbgsym");
	check("/bin/bashbug", NULL);
	check("/usr/bin/bashb", NULL);
	check("/x86_64-linux-gnu", NULL);
	check("/usr/bin/other", NULL);
	check("/usr/bin/nameless", NULL);
	check("bash", NULL);
	check("", NULL);
	check("/bin/bash\n/usr/bin/bashbug", NULL);
	scratch_fini(&scratch);
	check("/bin/bash", NULL);
}
END_TEST

/* As dpkg itself says it, where there is one. */
START_TEST(test_here)
{
	char *got;

	if (system("dpkg -S /bin/true /usr/bin/true 2>/dev/null | grep -q '^coreutils:'") != 0) {
		printf("SKIP package/dpkg: this is no Debian\n");
		return;
	}
	got = package_of_symbols(PACKAGE_LISTS, "/usr/bin/true");
	ck_assert_ptr_nonnull(got);
	ck_assert_str_eq(got, "coreutils-dbgsym");
	free(got);
}
END_TEST

SUITE_MAIN("symbol/package", test_lists, test_here)
