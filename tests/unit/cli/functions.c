/* SPDX-License-Identifier: MIT */
/* A script stands in for fzf: it chooses by a pattern. The functions are those of a C++ program. */
#include "cli/functions.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "support/terminal.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scratch scratch;
static pid_t program;
static char screen[4096];

/* Chooses, and prints what was chosen or why not. */
static int ask(void)
{
	struct err err = ERR_INIT;
	char *function;

	if (functions_choose(program, &function, &err) < 0) {
		printf("<%s>\n", err.msg);
		fflush(stdout);
		return 1;
	}
	printf("<%s>\n", function);
	fflush(stdout);
	free(function);
	return 0;
}

static void start(void)
{
	int fds[2];
	char byte;

	scratch_init(&scratch);
	scratch_put(
		&scratch, "a.cc",
		"#include <unistd.h>\n"
		"namespace market { void add(int) {} void add(char) {} }\n"
		"extern \"C\" void other() asm(\"der\\342\\200\\256red\");\n"
		"void other() {}\n"
		"int main() { market::add(1); market::add('c'); return (int)write(1, \"r\", 1) +"
		" pause(); }\n");
	scratch_put(&scratch, "fzf", "#!/bin/sh\nexec grep -m 1 \"$CHOICE\"\n");
	ck_assert_int_eq(scratch_run(&scratch, "chmod +x fzf && g++ -o a a.cc"), 0);
	ck_assert_int_eq(pipe(fds), 0);
	program = fork();
	if (program == 0) {
		dup2(fds[1], STDOUT_FILENO);
		execl(scratch_path(&scratch, "a"), "a", (char *)NULL);
		_exit(127);
	}
	ck_assert_int_eq(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	close(fds[1]);
	setenv("PATH", scratch_path(&scratch, ".:/bin:/usr/bin"), 1);
}

static void stop(void)
{
	kill(program, SIGKILL);
	waitpid(program, NULL, 0);
	setenv("PATH", "/bin:/usr/bin", 1);
	scratch_fini(&scratch);
}

START_TEST(test_raw_and_demangled)
{
	start();
	setenv("CHOICE", "market.*c", 1);
	ck_assert_int_eq(terminal_run(ask, NULL, screen, sizeof(screen)), 0);
	ck_assert_msg(strstr(screen, "<_ZN6market3addEc>"), "%s", screen);
	setenv("MAGIC_TRACE_FZF_DEMANGLE_SYMBOLS", "1", 1);
	ck_assert_int_eq(terminal_run(ask, NULL, screen, sizeof(screen)), 0);
	ck_assert_msg(strstr(screen, "<market::add(char)>"), "%s", screen);
	unsetenv("MAGIC_TRACE_FZF_DEMANGLE_SYMBOLS");
	stop();
}
END_TEST

START_TEST(test_none)
{
	start();
	setenv("CHOICE", "no such function", 1);
	ck_assert_int_eq(terminal_run(ask, NULL, screen, sizeof(screen)), 1);
	ck_assert_msg(strstr(screen, "nothing was chosen"), "%s", screen);
	/* U+202E is in its name */
	setenv("CHOICE", "^der[^e]", 1);
	ck_assert_int_eq(terminal_run(ask, NULL, screen, sizeof(screen)), 1);
	ck_assert_msg(strstr(screen, "nothing was chosen"), "%s", screen);
	ck_assert_int_eq(scratch_run(&scratch, "nm a | grep -q ' T der'"), 0);
	stop();
}
END_TEST

SUITE_MAIN("functions", test_raw_and_demangled, test_none)
