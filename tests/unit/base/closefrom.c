/* SPDX-License-Identifier: MIT */
#include "base/closefrom.h"

#include "support/suite.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* In a child, which has files at 10, 11 and at the end. */
START_TEST(test_from)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDONLY);

		if (dup2(null, 10) < 0 || dup2(null, 11) < 0 || dup2(null, 900) < 0)
			_exit(1);
		closefrom_fd(11);
		_exit(is_open(10) && !is_open(11) && !is_open(900) ? 0 : 2);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

SUITE_MAIN("closefrom", test_from)
