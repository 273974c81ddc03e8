/* SPDX-License-Identifier: MIT */
/* Needs root: others have nothing to hand over. */
#include "record/handover.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <fcntl.h>

#define USER  4321
#define OTHER 65534

static struct scratch s;

static uid_t owner(const char *name)
{
	struct stat st;

	ck_assert_int_eq(lstat(scratch_path(&s, name), &st), 0);
	return st.st_uid;
}

static void hand_over(void)
{
	int fd = open(s.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	handover(fd);
	close(fd);
}

static void as_sudo(void)
{
	setenv("SUDO_UID", "4321", 1);
	setenv("SUDO_GID", "4321", 1);
}

START_TEST(test_what_we_write)
{
	if (getuid() != 0)
		return;
	scratch_init(&s);
	ck_assert_int_eq(scratch_run(&s, "touch perf.data perf.data.2024010203040506 "
					 "recording.json recording-12.map notes && "
					 "mkdir -p perf.data.1/kcore_dir && "
					 "touch perf.data.1/data perf.data.1/kcore_dir/kcore"),
			 0);
	unsetenv("SUDO_UID");
	hand_over();
	ck_assert_uint_eq(owner("perf.data"), 0);
	as_sudo();
	hand_over();
	ck_assert_uint_eq(owner("perf.data"), USER);
	ck_assert_uint_eq(owner("perf.data.2024010203040506"), USER);
	ck_assert_uint_eq(owner("recording.json"), USER);
	ck_assert_uint_eq(owner("recording-12.map"), USER);
	ck_assert_uint_eq(owner("perf.data.1"), USER);
	ck_assert_uint_eq(owner("perf.data.1/data"), USER);
	ck_assert_uint_eq(owner("perf.data.1/kcore_dir/kcore"), USER);
	ck_assert_uint_eq(owner("notes"), 0);
	ck_assert_uint_eq(owner("."), 0);
	scratch_fini(&s);
}
END_TEST

/* Whoever may write there could get a file of root's given to the user. */
START_TEST(test_planted)
{
	if (getuid() != 0)
		return;
	scratch_init(&s);
	ck_assert_int_eq(scratch_run(&s, "mkdir out perf.data.2 && touch out/linked out/named && "
					 "ln -s out/linked perf.data && "
					 "ln out/named recording.json && "
					 "ln -s ../out perf.data.2/d && mkfifo perf.data.1"),
			 0);
	as_sudo();
	hand_over();
	ck_assert_uint_eq(owner("out"), 0);
	ck_assert_uint_eq(owner("out/linked"), 0);
	ck_assert_uint_eq(owner("out/named"), 0);
	ck_assert_uint_eq(owner("perf.data.1"), 0);
	ck_assert_uint_eq(owner("perf.data.2"), USER);
	/* what is another's stays so */
	ck_assert_int_eq(chown(scratch_path(&s, "perf.data.2"), OTHER, OTHER), 0);
	hand_over();
	ck_assert_uint_eq(owner("perf.data.2"), OTHER);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("handover", test_what_we_write, test_planted)
