/* SPDX-License-Identifier: MIT */
#include "symbol/regular.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>

static struct scratch scratch;

static void refuse(const char *name, int why)
{
	struct err err = ERR_INIT;

	errno = 0;
	ck_assert_int_eq(regular_open(scratch_path(&scratch, name), NULL, &err), -1);
	ck_assert_int_eq(errno, why);
	ck_assert_ptr_nonnull(strstr(err.msg, name));
}

START_TEST(test_open)
{
	struct stat st;
	char byte;
	int fd;

	scratch_init(&scratch);
	scratch_put(&scratch, "file", "text");
	ck_assert_int_eq(scratch_run(&scratch, "ln -s file link && mkfifo fifo && mkdir directory "
					       "&& ln -s fifo pipe && ln -s loop loop"),
			 0);
	fd = regular_open(scratch_path(&scratch, "link"), &st, NULL);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(st.st_size, 4);
	ck_assert_int_eq(read(fd, &byte, 1), 1);
	ck_assert_int_eq(byte, 't');
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	refuse("none", ENOENT);
	refuse("loop", ELOOP);
	/* to open these would wait for somebody to write */
	refuse("fifo", EINVAL);
	refuse("pipe", EINVAL);
	refuse("directory", EINVAL);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_text)
{
	char *text, *big = malloc(200001);
	struct err err = ERR_INIT;
	size_t n;

	scratch_init(&scratch);
	memset(big, 'x', 200000);
	big[200000] = '\0';
	scratch_put(&scratch, "big", big);
	scratch_put(&scratch, "empty", "");
	for (size_t max = 0; max <= 300000; max += 60000) {
		text = regular_text(scratch_path(&scratch, "big"), max, &n, NULL);
		ck_assert_uint_eq(n, max < 200000 ? max : 200000);
		ck_assert_mem_eq(text, big, n);
		ck_assert_int_eq(text[n], 0);
		free(text);
	}
	text = regular_text(scratch_path(&scratch, "empty"), 10, &n, NULL);
	ck_assert_uint_eq(n, 0);
	ck_assert_str_eq(text, "");
	free(text);
	/* its size is said to be 0 */
	text = regular_text("/proc/self/status", 100000, &n, NULL);
	ck_assert_uint_gt(n, 100);
	free(text);
	/* it can be opened, but not read at 0 */
	ck_assert_ptr_null(regular_text("/proc/self/mem", 10, &n, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "/proc/self/mem: "));
	free(big);
	scratch_fini(&scratch);
}
END_TEST

static void check_trusted(const char *name, uid_t user, uint64_t inode, const char *why)
{
	struct regular_trust trust = { .user = user, .inode = inode };
	struct err err = ERR_INIT;
	size_t n;
	char *text = regular_trusted(scratch_path(&scratch, name), &trust, 100, &n, &err);

	if (why) {
		ck_assert_ptr_null(text);
		ck_assert_msg(strstr(err.msg, why) != NULL, "%s", err.msg);
		return;
	}
	ck_assert_msg(text != NULL, "%s", err.msg);
	ck_assert_str_eq(text, "text");
	free(text);
}

START_TEST(test_trusted)
{
	struct stat st;

	scratch_init(&scratch);
	scratch_put(&scratch, "file", "text");
	ck_assert_int_eq(scratch_run(&scratch, "ln -s file link && mkfifo fifo"), 0);
	check_trusted("file", 12345, 0, NULL);
	check_trusted("none", 12345, 0, "No such file");
	check_trusted("fifo", 12345, 0, "not a regular file");
	check_trusted("link", 12345, 0, "not a regular file");
	if (geteuid() != 0) {
		printf("SKIP regular/owner: the test is not run by root\n");
		scratch_fini(&scratch);
		return;
	}
	ck_assert_int_eq(chown(scratch_path(&scratch, "file"), 54321, 0), 0);
	ck_assert_int_eq(stat(scratch_path(&scratch, "file"), &st), 0);
	check_trusted("file", 12345, 0, "another user's (54321)");
	check_trusted("file", 12345, st.st_ino + 1, "another user's");
	check_trusted("file", 12345, st.st_ino, NULL);
	check_trusted("file", 54321, 0, NULL);
	/* of root's we are not one */
	ck_assert_int_eq(chown(scratch.dir, 54321, 0), 0);
	ck_assert_int_eq(seteuid(54321), 0);
	check_trusted("file", 12345, 0, NULL);
	ck_assert_int_eq(seteuid(0), 0);
	scratch_fini(&scratch);
}
END_TEST

SUITE_MAIN("symbol/regular", test_open, test_text, test_trusted)
