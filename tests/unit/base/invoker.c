/* SPDX-License-Identifier: MIT */
/* Needs root, as whom sudo runs us: others have nobody to give anything to. */
#include "base/invoker.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <fcntl.h>

static bool find(const char *uid, const char *gid)
{
	struct invoker invoker = { 0 };

	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	if (uid)
		setenv("SUDO_UID", uid, 1);
	if (gid)
		setenv("SUDO_GID", gid, 1);
	if (!invoker_find(&invoker))
		return false;
	ck_assert(uid && gid);
	ck_assert_uint_eq(invoker.uid, strtoul(uid, NULL, 10));
	ck_assert_uint_eq(invoker.gid, strtoul(gid, NULL, 10));
	return true;
}

START_TEST(test_find)
{
	static const char *const bad[] = {
		"",   "0",    "-1",         "1 ",         " 1",
		"1x", "user", "4294967295", "4294967297", "18446744073709551617"
	};

	ck_assert_int_eq(find("1000", "100"), getuid() == 0);
	ck_assert_int_eq(find("4294967294", "0"), getuid() == 0);
	ck_assert(!find(NULL, "100"));
	ck_assert(!find("1000", NULL));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!find(bad[i], "100"), "SUDO_UID=%s", bad[i]);
	ck_assert(!find("1000", "x"));
	if (getuid() != 0)
		return;
	ck_assert_int_eq(seteuid(65534), 0);
	ck_assert(!find("1000", "100"));
	ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

START_TEST(test_give)
{
	struct scratch s;
	struct stat st;
	int fd;

	scratch_init(&s);
	fd = open(scratch_path(&s, "f"), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	unsetenv("SUDO_UID");
	invoker_give(fd);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(st.st_uid, geteuid());
	ck_assert_int_eq(find("4321", "1234"), getuid() == 0);
	invoker_give(fd);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(st.st_uid, getuid() == 0 ? 4321 : getuid());
	ck_assert_uint_eq(st.st_gid, getuid() == 0 ? 1234 : getgid());
	/* what is not root's is not ours to give */
	find("777", "777");
	invoker_give(fd);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_ne(st.st_uid, 777);
	close(fd);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("base/invoker", test_find, test_give)
