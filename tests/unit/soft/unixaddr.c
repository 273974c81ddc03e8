/* SPDX-License-Identifier: MIT */
/* Two ends of a socket in one process, which changes its user in between. */
#include "soft/unixaddr.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static struct scratch s;

/* A listener at a path; listen(2) notes whose it is. */
static int listen_at(const char *path)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), dir;
	struct sockaddr_un address;

	ck_assert_int_eq(unixaddr_set(&address, path, &dir), 0);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(fd, 1), 0);
	if (dir >= 0)
		close(dir);
	ck_assert_int_eq(chmod(path, 0666), 0);
	return fd;
}

static int connect_to(const char *path)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), dir;
	struct sockaddr_un address;

	ck_assert_int_eq(unixaddr_set(&address, path, &dir), 0);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	if (dir >= 0)
		close(dir);
	return fd;
}

START_TEST(test_long_paths)
{
	char name[120];
	int listener, end;

	scratch_init(&s);
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 3] = '\0';
	ck_assert_int_eq(mkdir(scratch_path(&s, name), 0700), 0);
	strcpy(name + sizeof(name) - 3, "/s");
	listener = listen_at(scratch_path(&s, name));
	end = connect_to(scratch_path(&s, name));
	ck_assert(scratch_has(&s, name));
	close(end);
	close(listener);
	ck_assert_int_eq(unixaddr_set(&(struct sockaddr_un){ 0 },
				      "/none/none/none/none/none/none/"
				      "none/none/none/none/none/none/"
				      "none/none/none/none/none/none/"
				      "none/none/none/none/none/s",
				      &end),
			 -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(end, -1);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_other_end)
{
	int listener, ours, theirs;

	scratch_init(&s);
	ck_assert_int_eq(chmod(s.dir, 0755), 0);
	listener = listen_at(scratch_path(&s, "s"));
	ours = connect_to(scratch_path(&s, "s"));
	theirs = accept(listener, NULL, NULL);
	ck_assert(unixaddr_is_trusted(ours));
	ck_assert(unixaddr_is_trusted(theirs));
	close(ours);
	close(theirs);
	ck_assert(!unixaddr_is_trusted(listener) || geteuid() == 0);
	if (geteuid() == 0) {
		/* another user to root, root to another user */
		ck_assert_int_eq(seteuid(65534), 0);
		ours = connect_to(scratch_path(&s, "s"));
		ck_assert(unixaddr_is_trusted(ours));
		ck_assert_int_eq(seteuid(0), 0);
		theirs = accept(listener, NULL, NULL);
		ck_assert(!unixaddr_is_trusted(theirs));
		ck_assert_int_eq(errno, EACCES);
		/* the user's own */
		ck_assert_int_eq(seteuid(65534), 0);
		ck_assert(unixaddr_is_trusted(theirs));
		ck_assert_int_eq(seteuid(0), 0);
		close(ours);
		close(theirs);
	}
	close(listener);
	ck_assert(!unixaddr_is_trusted(-1));
	ck_assert_int_eq(errno, EBADF);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("soft/unixaddr", test_long_paths, test_other_end)
