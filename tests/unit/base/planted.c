/* SPDX-License-Identifier: MIT */
#include "base/planted.h"

#include "support/scratch.h"
#include "support/suite.h"

#define OTHER 65534
#define THIRD 4321

START_TEST(test_planted)
{
	struct scratch s;

	scratch_init(&s);
	unsetenv("SUDO_UID");
	ck_assert_int_eq(chmod(s.dir, 0755), 0);
	ck_assert(!planted(scratch_path(&s, "x"), OTHER));
	for (mode_t mode = 0777; mode <= 01777; mode += 01000) {
		ck_assert_int_eq(chmod(s.dir, mode), 0);
		ck_assert(planted(scratch_path(&s, "x"), OTHER));
		ck_assert(!planted(scratch_path(&s, "x"), geteuid()));
	}
	ck_assert(planted(scratch_path(&s, "none/x"), geteuid()));
	/* here */
	ck_assert_int_eq(chdir(s.dir), 0);
	ck_assert(planted("x", OTHER));
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert(!planted("x", OTHER));
	ck_assert(!planted("/x", OTHER));
	if (getuid() == 0) {
		setenv("SUDO_UID", "65534", 1);
		setenv("SUDO_GID", "65534", 1);
		ck_assert(!planted(scratch_path(&s, "x"), OTHER));
		ck_assert(planted(scratch_path(&s, "x"), THIRD));
		ck_assert_int_eq(chown(s.dir, THIRD, THIRD), 0);
		ck_assert(!planted(scratch_path(&s, "x"), THIRD));
		unsetenv("SUDO_UID");
		unsetenv("SUDO_GID");
	}
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("base/planted", test_planted)
