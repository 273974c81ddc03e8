/* SPDX-License-Identifier: MIT */
/* fzf is a script here: what a user would do, and what can go wrong. The real one comes last. */
#include "cli/choose.h"

#include "base/child.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "support/terminal.h"

#include <signal.h>
#include <sys/wait.h>

static struct scratch scratch;
static char screen[65536];

/* A PATH in which fzf is this script; NULL: there is none. */
static void set_up(const char *script)
{
	char path[512];

	scratch_init(&scratch);
	ck_assert_int_eq(scratch_run(&scratch, "mkdir bin"), 0);
	if (script) {
		scratch_put(&scratch, "bin/fzf", script);
		ck_assert_int_eq(chmod(scratch_path(&scratch, "bin/fzf"), 0755), 0);
	}
	snprintf(path, sizeof(path), "%s/bin%s", scratch.dir, script ? ":/bin:/usr/bin" : "");
	ck_assert_int_eq(setenv("PATH", path, 1), 0);
}

static void tear_down(void)
{
	ck_assert_int_eq(setenv("PATH", "/bin:/usr/bin", 1), 0);
	scratch_fini(&scratch);
}

static void write_fruit(void *ctx, FILE *to)
{
	(void)ctx;
	fputs("apple\nbanana\ncherry pie\n", to);
}

/* More than a pipe holds. */
static void write_much(void *ctx, FILE *to)
{
	(void)ctx;
	for (int i = 0; i < 1000000 && !ferror(to); i++)
		fprintf(to, "line %d\n", i);
}

/* Writes what came of it into files; 0 when something was chosen. */
static int ask(void (*write)(void *ctx, FILE *to))
{
	struct choose question = {
		.prompt = "fruit> ",
		.header = "KIND OF FRUIT",
		.flag = "-fruit NAME",
		.write = write,
	};
	struct err err = ERR_INIT;
	struct sigaction pipe;
	char *chosen;
	int failed = choose(&question, &chosen, &err);

	/* as it was, and nobody is left */
	if (sigaction(SIGPIPE, NULL, &pipe) || pipe.sa_handler != SIG_DFL)
		return 9;
	if (waitpid(-1, NULL, WNOHANG) != -1)
		return 8;
	if (!failed) {
		scratch_put(&scratch, "chosen", chosen);
		free(chosen);
		return 0;
	}
	scratch_put(&scratch, "message", err.msg);
	scratch_put(&scratch, "hint", err.hint);
	return 1;
}

static int ask_fruit(void)
{
	return ask(write_fruit);
}

static int ask_much(void)
{
	return ask(write_much);
}

static void gives(const char *script, const char *line)
{
	set_up(script);
	ck_assert_int_eq(terminal_run(ask_fruit, NULL, screen, sizeof(screen)), 0);
	ck_assert(scratch_holds(&scratch, "chosen", line));
	tear_down();
}

static void fails(const char *script, const char *message)
{
	char *hint;

	set_up(script);
	ck_assert_int_eq(terminal_run(ask_fruit, NULL, screen, sizeof(screen)), 1);
	ck_assert_msg(scratch_holds(&scratch, "message", message), "%s", message);
	hint = scratch_get(scratch_path(&scratch, "hint"), NULL);
	ck_assert_ptr_nonnull(strstr(hint, "-fruit NAME"));
	free(hint);
	tear_down();
}

START_TEST(test_a_line_is_chosen)
{
	gives("#!/bin/sh\nsed -n 2p\n", "banana");
	gives("#!/bin/sh\ntail -n 1\n", "cherry pie");
	/* FZF_DEFAULT_OPTS=--print-query */
	gives("#!/bin/sh\necho ban\nsed -n 2p\n", "banana");
}
END_TEST

START_TEST(test_how_it_is_started)
{
	set_up("#!/bin/sh\n"
	       "cd \"${0%/*}\"\n"
	       "for arg; do echo \"$arg\"; done >../arguments\n"
	       "cat >../list\n"
	       "test -t 2 && test ! -t 1 && ls /proc/$$/fd >../open\n"
	       "cut -d' ' -f5 /proc/$$/stat >../group\n"
	       "cut -d' ' -f5 /proc/$PPID/stat >../ours\n"
	       "echo >&2 drawn\n"
	       "echo apple\n");
	ck_assert_int_eq(terminal_run(ask_fruit, NULL, screen, sizeof(screen)), 0);
	ck_assert(scratch_holds(&scratch, "arguments",
				"--no-multi\n--prompt=fruit> \n--header=KIND OF FRUIT\n"));
	ck_assert(scratch_holds(&scratch, "list", "apple\nbanana\ncherry pie\n"));
	ck_assert_ptr_nonnull(strstr(screen, "drawn"));
	ck_assert(scratch_has(&scratch, "open"));
	/* the terminal belongs to our process group */
	ck_assert_int_eq(scratch_run(&scratch, "cmp -s group ours"), 0);
	tear_down();
}
END_TEST

START_TEST(test_nothing_is_chosen)
{
	fails("#!/bin/sh\ncat >/dev/null\nexit 130\n", "nothing was chosen");
	fails("#!/bin/sh\ncat >/dev/null\nexit 1\n", "nothing was chosen");
	fails("#!/bin/sh\ncat >/dev/null\nexit 0\n", "nothing was chosen");
}
END_TEST

START_TEST(test_fzf_fails)
{
	fails("#!/bin/sh\nexit 2\n", "fzf failed with status 2");
	fails("#!/bin/sh\nkill -KILL $$\n", "fzf was ended by signal 9 (Killed)");
	fails("#!/nowhere/sh\n", "fzf cannot be run");
	/* what it printed before does not count */
	fails("#!/bin/sh\nsed -n 1p\nexit 2\n", "fzf failed with status 2");
}
END_TEST

START_TEST(test_no_fzf)
{
	fails(NULL, "there is no fzf in PATH to choose with");
}
END_TEST

/* The user need not wait for the whole list. */
START_TEST(test_chosen_before_all_is_written)
{
	set_up("#!/bin/sh\nread -r line\necho \"$line\"\n");
	ck_assert_int_eq(terminal_run(ask_much, NULL, screen, sizeof(screen)), 0);
	ck_assert(scratch_holds(&scratch, "chosen", "line 0"));
	tear_down();
}
END_TEST

START_TEST(test_no_terminal)
{
	int status;
	pid_t pid;

	set_up("#!/bin/sh\nsed -n 2p\n");
	pid = fork();
	if (pid == 0) {
		setsid();
		_exit(ask_fruit());
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), 1);
	ck_assert(scratch_holds(&scratch, "message", "there is no terminal to choose on"));
	tear_down();
}
END_TEST

START_TEST(test_the_real_one)
{
	/* it shows how many lines match */
	static const struct terminal_step pie[] = { { "3/3", "pie" },
						    { "1/3", "\r" },
						    { NULL, NULL } };
	static const struct terminal_step escape[] = { { "3/3", "\x1b" }, { NULL, NULL } };
	static const struct terminal_step control_c[] = { { "3/3", "\x03" }, { NULL, NULL } };
	char *fzf = child_find("fzf");

	if (!fzf) {
		puts("SKIP choose/fzf: fzf is not installed");
		return;
	}
	free(fzf);
	scratch_init(&scratch);
	ck_assert_int_eq(terminal_run(ask_fruit, pie, screen, sizeof(screen)), 0);
	ck_assert(scratch_holds(&scratch, "chosen", "cherry pie"));
	ck_assert_ptr_nonnull(strstr(screen, "KIND OF FRUIT"));
	ck_assert_int_eq(terminal_run(ask_fruit, escape, screen, sizeof(screen)), 1);
	ck_assert(scratch_holds(&scratch, "message", "nothing was chosen"));
	ck_assert_int_eq(terminal_run(ask_fruit, control_c, screen, sizeof(screen)), 1);
	ck_assert(scratch_holds(&scratch, "message", "nothing was chosen"));
	scratch_fini(&scratch);
}
END_TEST

SUITE_MAIN("choose", test_a_line_is_chosen, test_how_it_is_started, test_nothing_is_chosen,
	   test_fzf_fails, test_no_fzf, test_chosen_before_all_is_written, test_no_terminal,
	   test_the_real_one)
