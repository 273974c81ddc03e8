/* SPDX-License-Identifier: MIT */
/* terminal: runs a part of a test in a process whose terminal the test holds the other end of. */
#ifndef MT_TESTS_SUPPORT_TERMINAL_H
#define MT_TESTS_SUPPORT_TERMINAL_H

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is typed, once this has been printed (since the last step). */
struct terminal_step {
	const char *after, *keys;
};

/*
 * Runs body in a session of its own, on a new pseudoterminal, does the steps (up to one without
 * keys; NULL: none), and takes all that is printed, the first size - 1 bytes of it with a NUL
 * behind into screen. What body returned, or -1 when it did not end by returning.
 */
static inline int terminal_run(int (*body)(void), const struct terminal_step *step, char *screen,
			       size_t size)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status;
	struct winsize window = { .ws_row = 24, .ws_col = 80 };
	size_t n = 0, seen = 0;
	char buf[4096];
	ssize_t got;
	pid_t pid;

	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master), 0);
	ck_assert_int_eq(unlockpt(master), 0);
	ck_assert_int_eq(ioctl(master, TIOCSWINSZ, &window), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		int slave;

		setsid();
		/* the first terminal that a session's leader opens is the session's */
		slave = open(ptsname(master), O_RDWR);
		for (int fd = 0; fd < 3; fd++)
			dup2(slave, fd);
		close(slave);
		_exit(body());
	}
	/* a terminal that nobody has open any more gives EIO */
	while ((got = read(master, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < got && n + 1 < size; i++)
			screen[n++] = buf[i];
		screen[n] = '\0';
		if (!step || !step->keys || !strstr(screen + seen, step->after))
			continue;
		ck_assert_int_gt(write(master, step->keys, strlen(step->keys)), 0);
		seen = n;
		step++;
	}
	screen[n] = '\0';
	close(master);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
