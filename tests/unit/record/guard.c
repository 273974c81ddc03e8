/* SPDX-License-Identifier: MIT */
#include "record/guard.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * A process in our place, which starts a guard and something in perf's place and is then killed.
 * The test is the one who inherits both: it waits for them, however long they take.
 */
struct scene {
	struct scratch s;
	pid_t us, guard, perf;
	int out; /* the other end of their standard output */
};

enum { TEMPORARY = 1, PERF_HAS_ENDED = 2, PERF_KEEPS_OUR_FILES = 4, PERF_FORKS = 8 };

static void be_perf(int flags)
{
	setpgid(0, 0);
	if (flags & PERF_FORKS && fork() > 0)
		_exit(0);
	if (!(flags & PERF_KEEPS_OUR_FILES))
		execl("/bin/sleep", "sleep", "1000", NULL);
	for (;;)
		pause();
}

static void be_us(const char *path, int flags, int tell)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct guard *guard;
	pid_t pids[2];

	if (guard_start(fd, flags & TEMPORARY ? path : NULL, &guard, NULL) < 0)
		_exit(1);
	pids[0] = guard_pid(guard);
	pids[1] = fork();
	if (pids[1] == 0)
		be_perf(flags);
	setpgid(pids[1], pids[1]);
	guard_watch(guard, pids[1]);
	if (flags & PERF_HAS_ENDED)
		guard_watch(guard, 0);
	if (write(tell, pids, sizeof(pids)) < 0)
		_exit(1);
	close(STDOUT_FILENO);
	for (;;)
		pause();
}

static void begin(struct scene *scene, int flags)
{
	int tell[2], out[2];
	pid_t pids[2];

	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	scratch_init(&scene->s);
	ck_assert_int_eq(mkdir(scratch_path(&scene->s, "d"), 0700), 0);
	scratch_put(&scene->s, "d/perf.data", "data");
	scratch_put(&scene->s, "d/recording.json", "{}");
	ck_assert_int_eq(pipe2(tell, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe(out), 0);
	scene->us = fork();
	if (scene->us == 0) {
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		close(out[1]);
		be_us(scratch_path(&scene->s, "d"), flags, tell[1]);
	}
	close(tell[1]);
	close(out[1]);
	ck_assert_int_eq(read(tell[0], pids, sizeof(pids)), sizeof(pids));
	close(tell[0]);
	scene->guard = pids[0];
	scene->perf = pids[1];
	scene->out = out[0];
}

/* How it ended, as waitpid(2) says. */
static int ended(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

static void kill_us(struct scene *scene)
{
	int status;

	ck_assert_int_eq(kill(scene->us, SIGKILL), 0);
	ended(scene->us);
	status = ended(scene->guard);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}

static void finish(struct scene *scene)
{
	close(scene->out);
	scratch_fini(&scene->s);
}

START_TEST(test_perf_and_directory_go)
{
	struct scene scene;

	begin(&scene, TEMPORARY);
	kill_us(&scene);
	ck_assert_int_eq(WTERMSIG(ended(scene.perf)), SIGKILL);
	ck_assert(!scratch_has(&scene.s, "d"));
	finish(&scene);
}
END_TEST

START_TEST(test_given_directory_stays)
{
	struct scene scene;

	begin(&scene, 0);
	kill_us(&scene);
	ck_assert_int_eq(WTERMSIG(ended(scene.perf)), SIGKILL);
	ck_assert(scratch_holds(&scene.s, "d/perf.data", "data"));
	ck_assert(scratch_holds(&scene.s, "d/recording.json", "{}"));
	finish(&scene);
}
END_TEST

/* What is not ours in a temporary directory stays, and the directory with it. */
START_TEST(test_other_files_stay)
{
	struct scene scene;

	begin(&scene, TEMPORARY);
	scratch_put(&scene.s, "outside", "kept");
	ck_assert_int_eq(
		symlink(scratch_path(&scene.s, "outside"), scratch_path(&scene.s, "d/other")), 0);
	/* it waits a while for perf to be gone, zombies included */
	ck_assert_int_eq(kill(scene.us, SIGKILL), 0);
	ended(scene.us);
	ended(scene.perf);
	ended(scene.guard);
	ck_assert(!scratch_has(&scene.s, "d/perf.data"));
	ck_assert(scratch_has(&scene.s, "d/other"));
	ck_assert(scratch_holds(&scene.s, "outside", "kept"));
	finish(&scene);
}
END_TEST

/* Once it is told that perf has ended, the number may be that of others. */
START_TEST(test_ended_perf_is_not_killed)
{
	struct scene scene;

	begin(&scene, TEMPORARY | PERF_HAS_ENDED);
	kill_us(&scene);
	ck_assert(!scratch_has(&scene.s, "d"));
	/* it has not ended: it can still get another signal */
	ck_assert_int_eq(waitpid(scene.perf, NULL, WNOHANG), 0);
	ck_assert_int_eq(kill(scene.perf, SIGUSR1), 0);
	ck_assert_int_eq(WTERMSIG(ended(scene.perf)), SIGUSR1);
	finish(&scene);
}
END_TEST

/* Without a group to kill, another process may still write: what comes late is removed as well. */
START_TEST(test_late_file_goes)
{
	struct scene scene;

	begin(&scene, TEMPORARY | PERF_HAS_ENDED);
	/* it keeps the directory until the file has come */
	ck_assert_int_eq(symlink("/", scratch_path(&scene.s, "d/other")), 0);
	ck_assert_int_eq(kill(scene.us, SIGKILL), 0);
	ended(scene.us);
	while (scratch_has(&scene.s, "d/perf.data"))
		usleep(1000);
	scratch_put(&scene.s, "d/perf.data", "late");
	ck_assert_int_eq(unlink(scratch_path(&scene.s, "d/other")), 0);
	ended(scene.guard);
	ck_assert(!scratch_has(&scene.s, "d"));
	ck_assert_int_eq(kill(scene.perf, SIGKILL), 0);
	ended(scene.perf);
	finish(&scene);
}
END_TEST

/* A process between fork and exec holds our end of the socket open: no end-of-file comes then. */
START_TEST(test_our_end_is_held_open)
{
	struct scene scene;

	begin(&scene, TEMPORARY | PERF_KEEPS_OUR_FILES);
	kill_us(&scene);
	ck_assert_int_eq(WTERMSIG(ended(scene.perf)), SIGKILL);
	ck_assert(!scratch_has(&scene.s, "d"));
	finish(&scene);
}
END_TEST

/* perf's own children, when a script stands in its place and has ended. */
START_TEST(test_whole_group_goes)
{
	struct scene scene;
	int status;
	pid_t pid;

	begin(&scene, PERF_FORKS);
	kill_us(&scene);
	for (unsigned int n = 0; (pid = waitpid(-1, &status, 0)) > 0; n++) {
		ck_assert_uint_lt(n, 2);
		ck_assert(pid == scene.perf || WTERMSIG(status) == SIGKILL);
	}
	ck_assert_int_eq(errno, ECHILD);
	finish(&scene);
}
END_TEST

START_TEST(test_signals_do_not_end_it)
{
	struct scene scene;

	begin(&scene, TEMPORARY);
	for (int sig = 1; sig < 32; sig++) {
		if (sig != SIGKILL && sig != SIGSTOP)
			ck_assert_int_eq(kill(scene.guard, sig), 0);
	}
	kill_us(&scene);
	ended(scene.perf);
	ck_assert(!scratch_has(&scene.s, "d"));
	finish(&scene);
}
END_TEST

/* A shell that reads our output sees its end when we close it, guard or no guard. */
START_TEST(test_keeps_nothing_open)
{
	struct scene scene;
	char path[64], link[200], c;
	ssize_t n;

	/* what stands in for perf has our standard output, and so must be gone first */
	begin(&scene, 0);
	ck_assert_int_eq(kill(scene.perf, SIGKILL), 0);
	ck_assert_int_eq(read(scene.out, &c, 1), 0);
	/* until it has closed the others as well */
	snprintf(path, sizeof(path), "test $(ls /proc/%d/fd | wc -l) = 6", (int)scene.guard);
	while (scratch_run(&scene.s, path) != 0)
		usleep(10000);
	for (int fd = 0; fd < 3; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)scene.guard, fd);
		n = readlink(path, link, sizeof(link) - 1);
		ck_assert_int_gt(n, 0);
		link[n] = '\0';
		ck_assert_str_eq(link, "/dev/null");
	}
	ck_assert_int_eq(getpgid(scene.guard), scene.guard);
	kill_us(&scene);
	ended(scene.perf);
	finish(&scene);
}
END_TEST

START_TEST(test_goodbye)
{
	struct guard *guard, *second;
	struct scratch s;
	pid_t pid, perf = fork();
	int fd;

	if (perf == 0)
		be_perf(0);
	setpgid(perf, perf);
	scratch_init(&s);
	scratch_put(&s, "perf.data", "data");
	fd = open(s.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(guard_start(fd, s.dir, &guard, NULL), 0);
	ck_assert_int_eq(guard_start(fd, s.dir, &second, NULL), 0);
	pid = guard_pid(guard);
	guard_watch(guard, perf);
	guard_end(guard);
	ck_assert_int_eq(waitpid(pid, NULL, 0), -1);
	ck_assert_int_eq(errno, ECHILD);
	ck_assert(scratch_holds(&s, "perf.data", "data"));
	ck_assert_int_eq(kill(perf, SIGUSR1), 0);
	ck_assert_int_eq(WTERMSIG(ended(perf)), SIGUSR1);
	/* one that was killed does not take us along */
	ck_assert_int_eq(kill(guard_pid(second), SIGKILL), 0);
	ended(guard_pid(second));
	guard_watch(second, 0);
	guard_end(second);
	guard_end(NULL);
	close(fd);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("guard", test_perf_and_directory_go, test_given_directory_stays, test_other_files_stay,
	   test_ended_perf_is_not_killed, test_late_file_goes, test_our_end_is_held_open,
	   test_whole_group_goes, test_signals_do_not_end_it, test_keeps_nothing_open, test_goodbye)
