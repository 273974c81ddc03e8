/* SPDX-License-Identifier: MIT */
/*
 * target: a program that a test has compiled and runs. It prints lines "NAME HEX", which are the
 * truth that the test compares with, then "ready", and waits; each line it is sent makes it do its
 * next step and print again.
 */
#ifndef MT_TESTS_SUPPORT_TARGET_H
#define MT_TESTS_SUPPORT_TARGET_H

#include <check.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct target {
	pid_t pid;
	FILE *out, *in;
	char said[8192];
};

/* Reads up to the line "ready". */
static inline void target_wait(struct target *t)
{
	char line[512];
	size_t used = strlen(t->said);

	while (fgets(line, sizeof(line), t->out)) {
		if (strcmp(line, "ready\n") == 0)
			return;
		ck_assert_uint_lt(used + strlen(line), sizeof(t->said));
		strcpy(t->said + used, line);
		used += strlen(line);
	}
	ck_abort_msg("the program has ended, saying: %s", t->said);
}

/* Starts argv; before() (may be NULL) runs in the child and may refuse with a non-zero result. */
static inline void target_start_in(struct target *t, char *const argv[], int (*before)(void *ctx),
				   void *ctx)
{
	int from[2], to[2];

	*t = (struct target){ 0 };
	ck_assert_int_eq(pipe(from) | pipe(to), 0);
	t->pid = fork();
	ck_assert_int_ge(t->pid, 0);
	if (t->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(to[0], 0);
		dup2(from[1], 1);
		close(from[0]);
		close(to[1]);
		if (!before || before(ctx) == 0)
			execv(argv[0], argv);
		_exit(127);
	}
	close(from[1]);
	close(to[0]);
	t->out = fdopen(from[0], "r");
	t->in = fdopen(to[1], "w");
}

static inline void target_start(struct target *t, const char *path)
{
	char program[512];
	char *argv[] = { program, NULL };

	ck_assert_uint_lt(strlen(path), sizeof(program));
	strcpy(program, path);
	target_start_in(t, argv, NULL, NULL);
	target_wait(t);
}

/* Its next step. */
static inline void target_step(struct target *t)
{
	fputs("go\n", t->in);
	fflush(t->in);
	target_wait(t);
}

/* The number that it has printed behind a name, the last time that it has. */
static inline uint64_t target_value(const struct target *t, const char *name)
{
	size_t n = strlen(name);
	const char *found = NULL;

	for (const char *line = t->said; *line; line = strchr(line, '\n') + 1)
		if (strncmp(line, name, n) == 0 && line[n] == ' ')
			found = line + n + 1;
	ck_assert_msg(found != NULL, "the program has not said %s: %s", name, t->said);
	return strtoull(found, NULL, 16);
}

static inline void target_stop(struct target *t)
{
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	fclose(t->out);
	fclose(t->in);
}

#endif
