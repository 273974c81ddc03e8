/* SPDX-License-Identifier: MIT */
/* What /proc says of the program is the truth. Each test is a process of its own. */
#include "record/target.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

static struct scratch s;
static struct err err;
static sigset_t none;
static const struct target_options usual = { .mask = &none };

static void set_up(void)
{
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	err = (struct err)ERR_INIT;
	scratch_init(&s);
	ck_assert_int_eq(chdir(s.dir), 0);
}

static struct target *start(const char *script)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char *)script, NULL };
	struct target *target = NULL;

	ck_assert_msg(target_start(argv, &usual, &target, &err) == 0, "%s", err.msg);
	return target;
}

static void resume(struct target *target)
{
	ck_assert_msg(target_resume(target, &err) == 0, "%s", err.msg);
}

/* Waits for its end. */
static int end_of(struct target *target)
{
	struct pollfd p = { .fd = target_fd(target), .events = POLLIN };

	while (target_step(target) != TARGET_ENDED)
		poll(&p, 1, -1);
	return target_status(target);
}

static void on_signal(int sig)
{
	(void)sig;
}

/* A line of /proc/PID/status behind its name and the white space; "" when there is none. */
static const char *status_line(pid_t pid, const char *name)
{
	static char line[256];
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':') {
			fclose(file);
			return line + strlen(name) + 1 + strspn(line + strlen(name) + 1, " \t");
		}
	}
	if (file)
		fclose(file);
	return "";
}

static char state_of(pid_t pid)
{
	return status_line(pid, "State")[0];
}

static void wait_for_state(pid_t pid, char state)
{
	while (state_of(pid) != state)
		usleep(1000);
}

static void wait_for_file(const char *name)
{
	while (!scratch_has(&s, name))
		usleep(1000);
}

/* All children were waited for. */
static void no_child_left(void)
{
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG | __WALL), -1);
	ck_assert_int_eq(errno, ECHILD);
}

static void cannot_run(const char *program, const char *why)
{
	char *argv[] = { (char *)program, NULL };
	struct target *target = NULL;
	char message[512];

	snprintf(message, sizeof(message), "cannot run %s: %s", program, why);
	ck_assert_int_eq(target_start(argv, &usual, &target, &err), -1);
	ck_assert_str_eq(err.msg, message);
	no_child_left();
}

START_TEST(test_what_cannot_be_run)
{
	set_up();
	cannot_run("./nonexistent", strerror(ENOENT));
	cannot_run("mt-test-no-such-program", strerror(ENOENT));
	ck_assert_ptr_nonnull(strstr(err.hint, "./mt-test-no-such-program"));
	cannot_run("/", strerror(EACCES));
	scratch_put(&s, "plain", "#!/bin/sh\n");
	cannot_run("./plain", strerror(EACCES));
	scratch_put(&s, "garbage", "\177ELF");
	ck_assert_int_eq(chmod(scratch_path(&s, "garbage"), 0755), 0);
	cannot_run("./garbage", strerror(ENOEXEC));
	scratch_put(&s, "lost", "#!/nonexistent/sh\n");
	ck_assert_int_eq(chmod(scratch_path(&s, "lost"), 0755), 0);
	cannot_run("./lost", strerror(ENOENT));
	scratch_fini(&s);
}
END_TEST

/* Whether a shell command succeeds in the scratch directory; $pid is that of the program. */
static bool holds(const struct target *target, const char *command)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)target_pid(target));
	setenv("pid", pid, 1);
	return scratch_run(&s, command) == 0;
}

START_TEST(test_it_is_stopped_until_it_is_let_run)
{
	struct target *target;
	pid_t pid;

	set_up();
	target = start("touch ran; exit 7");
	pid = target_pid(target);
	ck_assert_int_eq(target_step(target), TARGET_STOPPED);
	ck_assert_int_eq(state_of(pid), 't');
	ck_assert(holds(target, "[ $(cat /proc/$pid/comm) = sh ]"));
	ck_assert(holds(target, "tr '\\0' ' ' </proc/$pid/cmdline | "
				"grep -qx 'sh -c touch ran; exit 7 '"));
	ck_assert_int_eq(getpgid(pid), getpgrp());
	ck_assert(!scratch_has(&s, "ran"));
	resume(target);
	ck_assert_int_eq(end_of(target), W_EXITCODE(7, 0));
	ck_assert(scratch_has(&s, "ran"));
	target_signal(target, SIGTERM);
	target_free(target);
	no_child_left();
	scratch_fini(&s);
}
END_TEST

START_TEST(test_it_knows_our_pid)
{
	struct target *target;
	char want[64];

	set_up();
	target = start("echo $MAGIC_TRACE_PID $PPID >pids");
	resume(target);
	ck_assert_int_eq(end_of(target), 0);
	snprintf(want, sizeof(want), "%d %d\n", (int)getpid(), (int)getpid());
	ck_assert(scratch_holds(&s, "pids", want));
	target_free(target);
	scratch_fini(&s);
}
END_TEST

/* Of the pipes of its start, and of the pidfd, it has none. */
START_TEST(test_it_has_no_file_of_ours)
{
	struct target *target;

	set_up();
	/* what this test has itself inherited is inherited by it as well */
	ck_assert_int_eq(scratch_run(&s, "exec ls /proc/self/fd | wc -l >before"), 0);
	target = start("exit 0");
	/* ls has its directory open */
	ck_assert(holds(target, "[ $(ls /proc/$pid/fd | wc -l) = $(($(cat before) - 1)) ]"));
	target_free(target);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_a_signal_ends_it)
{
	struct target *target;

	set_up();
	target = start("while :; do sleep 0.01; done");
	resume(target);
	target_signal(target, SIGTERM);
	ck_assert_int_eq(end_of(target), W_EXITCODE(0, SIGTERM));
	target_free(target);
	no_child_left();
	scratch_fini(&s);
}
END_TEST

/* One that comes while it is stopped waits for it. */
START_TEST(test_a_signal_while_it_is_held)
{
	struct target *target;

	set_up();
	target = start("touch ran; sleep 1000");
	target_signal(target, SIGTERM);
	ck_assert_int_eq(state_of(target_pid(target)), 't');
	ck_assert_int_eq(target_step(target), TARGET_STOPPED);
	resume(target);
	ck_assert_int_eq(end_of(target), W_EXITCODE(0, SIGTERM));
	ck_assert(!scratch_has(&s, "ran"));
	target_free(target);
	scratch_fini(&s);
}
END_TEST

/* ^Z of a shell before it runs: it is stopped then, and goes on when it is told to. */
START_TEST(test_stopped_while_it_is_held)
{
	struct target *target;

	set_up();
	target = start("touch ran");
	target_signal(target, SIGSTOP);
	resume(target);
	wait_for_state(target_pid(target), 'T');
	ck_assert_int_eq(target_step(target), TARGET_RUNNING);
	ck_assert(!scratch_has(&s, "ran"));
	target_signal(target, SIGCONT);
	ck_assert_int_eq(end_of(target), 0);
	ck_assert(scratch_has(&s, "ran"));
	target_free(target);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_stopped_while_it_runs)
{
	struct target *target;

	set_up();
	target = start("touch began; while ! [ -e go ]; do sleep 0.01; done; exit 4");
	resume(target);
	wait_for_file("began");
	target_signal(target, SIGSTOP);
	wait_for_state(target_pid(target), 'T');
	ck_assert_int_eq(target_step(target), TARGET_RUNNING);
	scratch_put(&s, "go", "");
	ck_assert_int_eq(state_of(target_pid(target)), 'T');
	target_signal(target, SIGCONT);
	ck_assert_int_eq(end_of(target), W_EXITCODE(4, 0));
	target_free(target);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_freed_before_it_runs)
{
	struct target *target;

	set_up();
	target = start("touch ran");
	target_free(target);
	no_child_left();
	ck_assert(!scratch_has(&s, "ran"));
	scratch_fini(&s);
}
END_TEST

START_TEST(test_freed_while_it_runs)
{
	struct target *target;
	int status;
	pid_t pid;

	set_up();
	target = start("while ! [ -e go ]; do sleep 0.01; done; exit 5");
	pid = target_pid(target);
	resume(target);
	target_free(target);
	ck_assert_str_eq(status_line(pid, "TracerPid"), "0\n");
	scratch_put(&s, "go", "");
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, W_EXITCODE(5, 0));
	scratch_fini(&s);
}
END_TEST

/* ---- run to an address ---- */

/* The entry point that the kernel has told the program, see getauxval(3). */
static uint64_t entry_of(pid_t pid)
{
	Elf64_auxv_t entries[64];
	char path[64];
	uint64_t entry = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	fd = open(path, O_RDONLY);
	n = read(fd, entries, sizeof(entries));
	close(fd);
	ck_assert_int_gt(n, 0);
	for (size_t i = 0; i < (size_t)n / sizeof(entries[0]); i++) {
		if (entries[i].a_type == AT_ENTRY)
			entry = entries[i].a_un.a_val;
	}
	ck_assert_uint_ne(entry, 0);
	return entry;
}

START_TEST(test_run_to_the_entry_point)
{
	struct user_regs_struct regs;
	struct target *target;
	uint64_t entry;
	pid_t pid;

	set_up();
	target = start("touch ran");
	pid = target_pid(target);
	entry = entry_of(pid);
	ck_assert(!holds(target, "grep -q libc /proc/$pid/maps"));
	ck_assert_msg(target_run_to(target, entry, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(target_step(target), TARGET_STOPPED);
	ck_assert_int_eq(state_of(pid), 't');
	ck_assert_int_eq(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	ck_assert_uint_eq(regs.rip, entry);
	/* what it is linked with is there, and none of its own has run */
	ck_assert(holds(target, "grep -q libc /proc/$pid/maps"));
	ck_assert(!scratch_has(&s, "ran"));
	resume(target);
	ck_assert_int_eq(end_of(target), 0);
	ck_assert(scratch_has(&s, "ran"));
	target_free(target);
	scratch_fini(&s);
}
END_TEST

/* A signal meets the program on its way, and it is freed where it has been brought. */
START_TEST(test_a_signal_on_the_way)
{
	struct target *target;
	uint64_t entry;

	set_up();
	target = start("touch ran");
	entry = entry_of(target_pid(target));
	target_signal(target, SIGCHLD);
	ck_assert_msg(target_run_to(target, entry, &err) == 0, "%s", err.msg);
	target_free(target);
	no_child_left();
	ck_assert(!scratch_has(&s, "ran"));
	target = start("touch ran");
	entry = entry_of(target_pid(target));
	target_signal(target, SIGTERM);
	ck_assert_int_eq(target_run_to(target, entry, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "ended before"));
	ck_assert_int_eq(target_step(target), TARGET_ENDED);
	ck_assert_int_eq(target_status(target), W_EXITCODE(0, SIGTERM));
	target_free(target);
	no_child_left();
	scratch_fini(&s);
}
END_TEST

START_TEST(test_an_address_that_is_not_reached)
{
	struct target *target;

	set_up();
	target = start("exit 6");
	ck_assert_int_eq(target_run_to(target, 0x1000, &err), -1);
	ck_assert_str_eq(err.msg, "sh ended before its libraries were loaded");
	ck_assert_int_eq(target_status(target), W_EXITCODE(6, 0));
	target_free(target);
	no_child_left();
	scratch_fini(&s);
}
END_TEST

/* ---- when we die ---- */

/* Another process in our place, killed when it has a target; that one is left to the test. */
static pid_t orphan(bool let_run)
{
	pid_t us, pid = 0;
	int ends[2];

	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	us = fork();
	if (us == 0) {
		struct target *target = start("touch began; "
					      "while ! [ -e go ]; do sleep 0.01; done; exit 8");

		if (let_run)
			resume(target);
		pid = target_pid(target);
		if (write(ends[1], &pid, sizeof(pid)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	close(ends[0]);
	kill(us, SIGKILL);
	ck_assert_int_eq(waitpid(us, NULL, 0), us);
	return pid;
}

static void check_orphan(bool let_run)
{
	int status;
	pid_t pid;

	set_up();
	pid = orphan(let_run);
	wait_for_file("began");
	ck_assert_str_eq(status_line(pid, "TracerPid"), "0\n");
	scratch_put(&s, "go", "");
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, W_EXITCODE(8, 0));
	scratch_fini(&s);
}

START_TEST(test_we_are_killed_while_it_is_held)
{
	check_orphan(false);
}
END_TEST

START_TEST(test_we_are_killed_while_it_runs)
{
	check_orphan(true);
}
END_TEST

/* ---- what it is handed ---- */

/* What comes from now on to standard output goes to a file. */
static void print_to(const char *name)
{
	int fd = open(scratch_path(&s, name), O_WRONLY | O_CREAT, 0600);

	dup2(fd, STDOUT_FILENO);
	close(fd);
}

/* The mask is the one that is given, what was ignored stays so, what was caught is not. */
START_TEST(test_signals_are_as_they_were)
{
	char *argv[] = { (char[]){ "grep" }, (char[]){ "Sig[BIC]" },
			 (char[]){ "/proc/self/status" }, NULL };
	struct target *target;
	sigset_t mask, all;
	const struct target_options options = { .mask = &mask };
	pid_t plain;

	set_up();
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigaddset(&mask, SIGWINCH);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	plain = fork();
	if (plain == 0) {
		print_to("want");
		execvp(argv[0], argv);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(plain, NULL, 0), plain);
	signal(SIGHUP, on_signal);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	print_to("got");
	ck_assert_msg(target_start(argv, &options, &target, &err) == 0, "%s", err.msg);
	resume(target);
	ck_assert_int_eq(end_of(target), 0);
	ck_assert_int_eq(scratch_run(&s, "grep -q SigIgn want && diff want got >&2"), 0);
	target_free(target);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_more_environment)
{
	const char *const more[] = { "mt_one=1 = one", "mt_two=", NULL };
	const struct target_options options = { .mask = &none, .env = more };
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
			 (char[]){ "echo \"$mt_one\" ${mt_two-unset} $mt_three "
				   "$MAGIC_TRACE_PID >env" },
			 NULL };
	struct target *target;
	char want[64];

	set_up();
	setenv("mt_one", "0", 1);
	setenv("mt_three", "3", 1);
	ck_assert_msg(target_start(argv, &options, &target, &err) == 0, "%s", err.msg);
	resume(target);
	ck_assert_int_eq(end_of(target), 0);
	snprintf(want, sizeof(want), "1 = one 3 %d\n", (int)getpid());
	ck_assert(scratch_holds(&s, "env", want));
	ck_assert_str_eq(getenv("mt_one"), "0");
	target_free(target);
	scratch_fini(&s);
}
END_TEST

/* Where the kernel has put things, and what lies on the stack, is the same each time. */
START_TEST(test_without_address_randomisation)
{
	const struct target_options options = { .mask = &none, .no_aslr = true };
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
			 (char[]){ "cut -d' ' -f1,2 /proc/self/maps; cat /proc/self/personality; "
				   "cut -d' ' -f 29 /proc/self/stat; env | grep MAGIC_TRACE_PID" },
			 NULL };
	struct target *target;

	set_up();
	setenv("MAGIC_TRACE_PID", "12", 1);
	for (int i = 0; i < 2; i++) {
		print_to(i ? "second" : "first");
		ck_assert_msg(target_start(argv, &options, &target, &err) == 0, "%s", err.msg);
		resume(target);
		/* of grep, which finds nothing */
		ck_assert_int_eq(end_of(target), W_EXITCODE(1, 0));
		target_free(target);
	}
	ck_assert_int_eq(scratch_run(&s, "grep -q r-xp first && grep -q 40000 first && "
					 "diff first second >&2"),
			 0);
	scratch_fini(&s);
}
END_TEST

/* It reads nothing of ours, writes nothing to us, and its output goes where it is told to. */
START_TEST(test_quiet)
{
	struct target_options options = { .mask = &none, .quiet = true };
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
			 (char[]){ "cat; echo out; readlink /proc/self/fd/0; echo err >&2" },
			 NULL };
	struct target *target;

	set_up();
	for (int i = 0; i < 2; i++) {
		options.out =
			i ? open(scratch_path(&s, "out"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : 0;
		print_to("ours");
		dup2(STDOUT_FILENO, STDERR_FILENO);
		ck_assert_msg(target_start(argv, &options, &target, &err) == 0, "%s", err.msg);
		ck_assert(holds(target, "[ $(readlink /proc/$pid/fd/2) = /dev/null ]"));
		resume(target);
		ck_assert_int_eq(end_of(target), 0);
		target_free(target);
		ck_assert(scratch_holds(&s, "ours", ""));
	}
	ck_assert(scratch_holds(&s, "out", "out\n/dev/null\n"));
	close(options.out);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_another_name)
{
	const struct target_options options = { .mask = &none, .name = "the program" };
	char *argv[] = { (char[]){ "./nonexistent" }, NULL };
	struct target *target;

	set_up();
	ck_assert_int_eq(target_start(argv, &options, &target, &err), -1);
	ck_assert_str_eq(err.msg, "cannot run the program: No such file or directory");
	scratch_fini(&s);
}
END_TEST

/* ---- run to its end ---- */

START_TEST(test_run_to_exit)
{
	struct target *target;

	set_up();
	target = start("touch ran; exit 3");
	ck_assert_msg(target_run_to_exit(target, 0x1000, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(target_step(target), TARGET_STOPPED);
	ck_assert(scratch_has(&s, "ran"));
	ck_assert(holds(target, "grep -q libc /proc/$pid/maps"));
	target_free(target);
	no_child_left();
	scratch_fini(&s);
}
END_TEST

static void does_not_come_to_its_exit(struct target *target, uint64_t limit, const char *why)
{
	ck_assert_int_eq(target_run_to_exit(target, limit, &err), -1);
	ck_assert_str_eq(err.msg, why);
	target_free(target);
	no_child_left();
	ck_assert(!scratch_has(&s, "ran"));
}

START_TEST(test_not_to_its_exit)
{
	struct target *target;

	set_up();
	does_not_come_to_its_exit(start("exec touch ran"), 0x1000, "sh executed another program");
	does_not_come_to_its_exit(start("kill -KILL $$; touch ran"), 0x1000,
				  "sh was ended by signal 9");
	does_not_come_to_its_exit(start("kill -TERM $$; touch ran"), 0x1000,
				  "sh was ended by signal 15");
	target = start("touch ran");
	does_not_come_to_its_exit(target, entry_of(target_pid(target)), "sh was about to run");
	scratch_fini(&s);
}
END_TEST

/* A child that somebody else has waited for has ended, however that was. */
START_TEST(test_reaped_by_somebody_else)
{
	struct target *target;

	set_up();
	target = start("exit 1");
	resume(target);
	ck_assert_int_eq(waitpid(target_pid(target), NULL, 0), target_pid(target));
	ck_assert_int_eq(target_step(target), TARGET_ENDED);
	target_free(target);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("target", test_what_cannot_be_run, test_it_is_stopped_until_it_is_let_run,
	   test_it_knows_our_pid, test_it_has_no_file_of_ours, test_a_signal_ends_it,
	   test_a_signal_while_it_is_held, test_stopped_while_it_is_held,
	   test_stopped_while_it_runs, test_freed_before_it_runs, test_freed_while_it_runs,
	   test_run_to_the_entry_point, test_a_signal_on_the_way,
	   test_an_address_that_is_not_reached, test_we_are_killed_while_it_is_held,
	   test_we_are_killed_while_it_runs, test_signals_are_as_they_were, test_more_environment,
	   test_without_address_randomisation, test_quiet, test_another_name, test_run_to_exit,
	   test_not_to_its_exit, test_reaped_by_somebody_else)
