/* SPDX-License-Identifier: MIT */
#include "record/jitcopy.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

/* A process whose root is the scratch directory's "root". */
static pid_t start_inside(struct scratch *s)
{
	const char *root = scratch_path(s, "root");
	int tell[2];
	pid_t pid;
	char c;

	ck_assert_int_eq(pipe(tell), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (chroot(root) < 0 || chdir("/") < 0)
			_exit(1);
		close(tell[0]);
		(void)!write(tell[1], "x", 1);
		pause();
		_exit(0);
	}
	close(tell[1]);
	ck_assert_int_eq(read(tell[0], &c, 1), 1);
	close(tell[0]);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* What is copied of a process's map; NULL: nothing. */
static char *copied(struct scratch *s, pid_t pid)
{
	int dir = open(scratch_path(s, "dir"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[64];

	ck_assert_int_ge(dir, 0);
	jitcopy(dir, pid);
	close(dir);
	snprintf(name, sizeof(name), "dir/recording-%d.map", (int)pid);
	return scratch_has(s, name) ? scratch_get(scratch_path(s, name), NULL) : NULL;
}

static void check(struct scratch *s, pid_t pid, const char *text)
{
	char *got = copied(s, pid);

	if (text) {
		ck_assert_ptr_nonnull(got);
		ck_assert_str_eq(got, text);
	} else {
		ck_assert_ptr_null(got);
	}
	free(got);
}

/* Runs a command, in which $P is the process. */
static void run(struct scratch *s, const char *command, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)pid);
	setenv("P", text, 1);
	ck_assert_int_eq(scratch_run(s, command), 0);
}

static pid_t begin(struct scratch *s)
{
	scratch_init(s);
	ck_assert_int_eq(scratch_run(s, "mkdir -p dir root/tmp root/other"), 0);
	return start_inside(s);
}

START_TEST(test_copied)
{
	struct scratch s;
	pid_t pid = begin(&s);

	check(&s, pid, NULL);
	run(&s, "echo 10 20 f >root/tmp/perf-$P.map", pid);
	check(&s, pid, "10 20 f\n");
	/* what is there is not written over */
	run(&s, "echo 10 20 g >root/tmp/perf-$P.map", pid);
	check(&s, pid, "10 20 f\n");
	stop(pid);
	scratch_fini(&s);
}
END_TEST

/* /tmp may be a link, which leads where the process would come to. */
START_TEST(test_stays_in_the_root)
{
	struct scratch s;
	pid_t pid = begin(&s);

	ck_assert_int_eq(scratch_run(&s, "rmdir root/tmp && ln -s /other root/tmp"), 0);
	run(&s, "echo 10 20 f >root/other/perf-$P.map", pid);
	check(&s, pid, "10 20 f\n");
	stop(pid);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_no_plain_file)
{
	struct scratch s;
	pid_t pid = begin(&s);

	run(&s, "echo secret >root/x && ln -s /x root/tmp/perf-$P.map", pid);
	check(&s, pid, NULL);
	run(&s, "rm root/tmp/* && mkfifo root/tmp/perf-$P.map", pid);
	check(&s, pid, NULL);
	run(&s, "rm root/tmp/* && mkdir root/tmp/perf-$P.map", pid);
	check(&s, pid, NULL);
	stop(pid);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_of_another_user)
{
	struct scratch s;
	pid_t pid = begin(&s);

	run(&s, "echo 10 20 f >root/tmp/perf-$P.map && chown 12345 root/tmp/*", pid);
	check(&s, pid, NULL);
	stop(pid);
	scratch_fini(&s);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { test_copied, test_stays_in_the_root, test_no_plain_file,
				       test_of_another_user, NULL };

	/* chroot and chown are for root only */
	if (geteuid() != 0) {
		puts("SKIP record/jitcopy: not root");
		return EXIT_SUCCESS;
	}
	return suite_run("jitcopy", tests);
}
