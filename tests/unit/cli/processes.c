/* SPDX-License-Identifier: MIT */
/* A /proc that the test writes, and the real one. */
#include "cli/processes.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "support/terminal.h"

#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>

static struct scratch scratch;

/* A process with this state and these flags, which has used 125 seconds (with 100 ticks each). */
static void put_process(int pid, const char *comm, char state, const char *flags, const char *args,
			size_t n)
{
	char name[64], text[512];
	FILE *file;

	snprintf(name, sizeof(name), "mkdir %d", pid);
	ck_assert_int_eq(scratch_run(&scratch, name), 0);
	snprintf(name, sizeof(name), "%d/stat", pid);
	snprintf(text, sizeof(text),
		 "%d (%s) %c 1 %d %d 34816 -1 %s 5 6 7 8 %ld %ld 9 9 20 0 1 0 4 5 6 7\n", pid, comm,
		 state, pid, pid, flags, 100 * sysconf(_SC_CLK_TCK), 25 * sysconf(_SC_CLK_TCK));
	scratch_put(&scratch, name, text);
	snprintf(name, sizeof(name), "%d/cmdline", pid);
	file = fopen(scratch_path(&scratch, name), "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(args, 1, n, file), n);
	ck_assert_int_eq(fclose(file), 0);
}

#define ARGS(literal) literal, sizeof(literal)
#define NO_ARGS       "", 0
#define USER          "4194304"  /* 0x400000: PF_RANDOMIZE */
#define KERNEL        "69238880" /* 0x4208060: with PF_KTHREAD */

static void set_up(void)
{
	char self[32];

	scratch_init(&scratch);
	put_process(1200, "server", 'S', USER, ARGS("/srv/server\0-port\080"));
	put_process(7, "kworker/0:1", 'I', KERNEL, NO_ARGS);
	put_process(31, "gone", 'Z', USER, NO_ARGS);
	put_process(32, "a) R (b", 'R', USER, NO_ARGS);
	put_process(33, "odd", 'R', USER, ARGS("odd\0\x1b[31m\xff"));
	ck_assert_int_eq(scratch_run(&scratch, "mkdir 40 sys 50x 0; echo garbage >40/stat"), 0);
	snprintf(self, sizeof(self), "%d", getpid());
	put_process(getpid(), "self", 'R', USER, ARGS(self));
}

START_TEST(test_which_are_listed)
{
	struct processes p;
	struct err err = ERR_INIT;

	set_up();
	ck_assert_int_eq(processes_read(scratch.dir, false, &p, &err), 0);
	ck_assert_uint_eq(p.n, 3);
	ck_assert_int_eq(p.list[0].pid, 32);
	ck_assert_str_eq(p.list[0].command, "[a) R (b]");
	ck_assert_int_eq(p.list[1].pid, 33);
	ck_assert_int_eq(p.list[2].pid, 1200);
	ck_assert_str_eq(p.list[2].command, "/srv/server -port 80");
	ck_assert_uint_eq(p.list[2].cpu_seconds, 125);
	ck_assert_uint_eq(p.list[2].uid, getuid());
	processes_free(&p);
	ck_assert_int_eq(processes_read(scratch.dir, true, &p, &err), 0);
	ck_assert_uint_eq(p.n, 4);
	ck_assert_int_eq(p.list[0].pid, 7);
	ck_assert_str_eq(p.list[0].command, "[kworker/0:1]");
	processes_free(&p);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_lines)
{
	const struct passwd *user = getpwuid(getuid());
	char *text, want[512], name[16] = "";
	struct processes p;
	struct err err = ERR_INIT;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	set_up();
	if (user)
		snprintf(name, sizeof(name), "%.12s", user->pw_name);
	else
		snprintf(name, sizeof(name), "%u", getuid());
	ck_assert_int_eq(processes_read(scratch.dir, false, &p, &err), 0);
	processes_write(&p, to);
	ck_assert_int_eq(fclose(to), 0);
	snprintf(want, sizeof(want),
		 "     32 %-12s     2:05 [a) R (b]\n"
		 "     33 %-12s     2:05 odd \\x1b[31m\\xff\n"
		 "   1200 %-12s     2:05 /srv/server -port 80\n",
		 name, name, name);
	ck_assert_str_eq(text, want);
	/* the columns are under their names */
	ck_assert_ptr_eq(strstr(processes_header(), "COMMAND") -
				 strlen("     32 root             2:05 "),
			 processes_header());
	free(text);
	processes_free(&p);
	scratch_fini(&scratch);
}
END_TEST

/* No /proc/PID/cmdline fills memory. */
START_TEST(test_long_command)
{
	static char args[1 << 20];
	struct processes p;
	struct err err = ERR_INIT;

	scratch_init(&scratch);
	memset(args, 'x', sizeof(args));
	put_process(9, "long", 'S', USER, args, sizeof(args));
	ck_assert_int_eq(processes_read(scratch.dir, false, &p, &err), 0);
	ck_assert_uint_eq(p.n, 1);
	ck_assert_uint_lt(strlen(p.list[0].command), 4096);
	ck_assert_uint_gt(strlen(p.list[0].command), 1000);
	processes_free(&p);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_no_proc)
{
	struct processes p;
	struct err err = ERR_INIT;

	ck_assert_int_eq(processes_read("/nowhere/proc", false, &p, &err), -1);
	ck_assert_str_eq(err.msg, "/nowhere/proc: No such file or directory");
	processes_free(&p);
}
END_TEST

static const struct process *find(const struct processes *p, pid_t pid)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->list[i].pid == pid)
			return &p->list[i];
	}
	return NULL;
}

START_TEST(test_the_real_proc)
{
	struct processes p;
	struct err err = ERR_INIT;
	int ready[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		execlp("sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	close(ready[1]);
	/* ends when exec has closed the other end */
	ck_assert_int_eq(read(ready[0], &byte, 1), 0);
	ck_assert_int_eq(processes_read("/proc", false, &p, &err), 0);
	ck_assert_ptr_null(find(&p, getpid()));
	ck_assert_ptr_nonnull(find(&p, pid));
	ck_assert_str_eq(find(&p, pid)->command, "sleep 1000");
	ck_assert_uint_eq(find(&p, pid)->uid, geteuid());
	ck_assert_ptr_null(find(&p, 2)); /* kthreadd, where it is seen */
	processes_free(&p);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
	/* a zombie */
	ck_assert_int_eq(processes_read("/proc", false, &p, &err), 0);
	ck_assert_ptr_null(find(&p, pid));
	processes_free(&p);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(ready[0]);
}
END_TEST

static pid_t choose_with(const char *script, struct err *err)
{
	char path[512];
	pid_t pid = -1;

	scratch_init(&scratch);
	scratch_put(&scratch, "fzf", script);
	ck_assert_int_eq(chmod(scratch_path(&scratch, "fzf"), 0755), 0);
	snprintf(path, sizeof(path), "%s:/bin:/usr/bin", scratch.dir);
	ck_assert_int_eq(setenv("PATH", path, 1), 0);
	if (processes_choose(false, &pid, err) < 0)
		pid = -1;
	scratch_fini(&scratch);
	return pid;
}

/* What the process in the terminal exits with: 0 when it got the right answers. */
static int choosing(void)
{
	struct err err = ERR_INIT;

	/* the test's own parent is in the list */
	if (choose_with("#!/bin/sh\ngrep \"^ *$(cut -d' ' -f4 /proc/$PPID/stat) \"\n", &err) !=
	    getppid())
		return 1;
	if (choose_with("#!/bin/sh\ncat >/dev/null\necho nonsense\n", &err) != -1 ||
	    !strstr(err.msg, "'nonsense'"))
		return 2;
	if (choose_with("#!/bin/sh\ncat >/dev/null\nexit 130\n", &err) != -1 ||
	    strcmp(err.msg, "nothing was chosen") != 0 || !strstr(err.hint, "-pid PID"))
		return 3;
	return 0;
}

START_TEST(test_choose)
{
	static char screen[4096];

	ck_assert_int_eq(terminal_run(choosing, NULL, screen, sizeof(screen)), 0);
}
END_TEST

SUITE_MAIN("processes", test_which_are_listed, test_lines, test_long_command, test_no_proc,
	   test_the_real_proc, test_choose)
