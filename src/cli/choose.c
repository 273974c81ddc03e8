/* SPDX-License-Identifier: MIT */
#include "cli/choose.h"

#include "base/child.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A line is a path or a command line; more is no answer. */
#define ANSWER_MAX 65536
/* What fzf exits with (fzf(1)). */
#define FZF_NO_MATCH    1
#define FZF_INTERRUPTED 130
/* Our own: it could not be run. */
#define EXIT_NO_EXEC 127

/* fzf while it runs. */
struct finder {
	pid_t pid;
	int terminal;
	int in[2], out[2]; /* read end, write end */
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * The new process. It stays in our process group: the terminal belongs to that one. It draws on
 * standard error, which has to be the terminal.
 */
static void __attribute__((noreturn))
become(const struct finder *f, const char *path, char *const argv[])
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;

	sigemptyset(&none);
	sigaction(SIGPIPE, &dfl, NULL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(f->in[0], STDIN_FILENO) >= 0 && dup2(f->out[1], STDOUT_FILENO) >= 0 &&
	    dup2(f->terminal, STDERR_FILENO) >= 0)
		execv(path, argv);
	_exit(EXIT_NO_EXEC);
}

static int start(struct finder *f, const char *path, char *const argv[], struct err *err)
{
	f->terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (f->terminal < 0)
		return err_set(err, "there is no terminal to choose on");
	if (pipe2(f->in, O_CLOEXEC) || pipe2(f->out, O_CLOEXEC))
		return err_errno(err, "cannot make pipes for fzf");
	f->pid = fork();
	if (f->pid < 0)
		return err_errno(err, "cannot start fzf");
	if (f->pid == 0)
		become(f, path, argv);
	close_fd(&f->in[0]);
	close_fd(&f->out[1]);
	return 0;
}

/* Writes the list; fzf may have ended before it is complete. */
static void feed(struct finder *f, const struct choose *question)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	FILE *to = fdopen(f->in[1], "w");

	sigaction(SIGPIPE, &ignore, &before);
	if (to) {
		f->in[1] = -1;
		question->write(question->ctx, to);
		fclose(to);
	}
	close_fd(&f->in[1]);
	sigaction(SIGPIPE, &before, NULL);
}

/* All that fzf prints, up to a limit. */
static char *read_answer(int fd)
{
	char *answer = xmalloc(ANSWER_MAX);
	size_t n = 0;

	while (n < ANSWER_MAX - 1) {
		ssize_t got = read(fd, answer + n, ANSWER_MAX - 1 - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	answer[n] = '\0';
	return answer;
}

/* The last line: before it fzf prints what was typed, when FZF_DEFAULT_OPTS asks for it. */
static const char *last_line(char *answer)
{
	size_t n = strlen(answer);
	char *newline;

	while (n && answer[n - 1] == '\n')
		answer[--n] = '\0';
	newline = strrchr(answer, '\n');
	return newline ? newline + 1 : answer;
}

static int wait_for(pid_t pid)
{
	int status;
	pid_t r;

	do
		r = waitpid(pid, &status, 0);
	while (r < 0 && errno == EINTR);
	return r < 0 ? W_EXITCODE(EXIT_NO_EXEC, 0) : status;
}

static int judge(int status, const char *line, struct err *err)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	if (code == 0 && *line)
		return 0;
	if (code == 0 || code == FZF_NO_MATCH || code == FZF_INTERRUPTED)
		return err_set(err, "nothing was chosen");
	if (code == EXIT_NO_EXEC)
		return err_set(err, "fzf cannot be run");
	if (code < 0)
		return err_set(err, "fzf was ended by signal %d (%s)", WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	return err_set(err, "fzf failed with status %d", code);
}

static int ask(struct finder *f, const struct choose *question, char **chosen, struct err *err)
{
	char *answer;
	const char *line;
	int failed;

	feed(f, question);
	answer = read_answer(f->out[0]);
	close_fd(&f->out[0]);
	line = last_line(answer);
	failed = judge(wait_for(f->pid), line, err);
	if (!failed)
		*chosen = xstrdup(line);
	free(answer);
	return failed;
}

/* Starts fzf with its arguments, and asks. */
static int run(struct finder *f, const char *path, const struct choose *question, char **chosen,
	       struct err *err)
{
	char *name = xstrdup("fzf"), *single = xstrdup("--no-multi");
	char *prompt = xasprintf("--prompt=%s", question->prompt);
	char *header = question->header ? xasprintf("--header=%s", question->header) : NULL;
	char *const argv[] = { name, single, prompt, header, NULL };
	int failed = start(f, path, argv, err);

	if (!failed)
		failed = ask(f, question, chosen, err);
	free(name);
	free(single);
	free(prompt);
	free(header);
	return failed;
}

int choose(const struct choose *question, char **chosen, struct err *err)
{
	struct finder f = { .pid = -1, .terminal = -1, .in = { -1, -1 }, .out = { -1, -1 } };
	char *path = child_find_tool("fzf");
	int failed;

	if (!path) {
		err_set(err, "there is no fzf in PATH to choose with");
		return err_hint(err, "give %s, or install the package fzf", question->flag);
	}
	failed = run(&f, path, question, chosen, err);
	if (failed)
		err_hint(err, "%s makes choosing unnecessary", question->flag);
	close_fd(&f.terminal);
	for (int i = 0; i < 2; i++) {
		close_fd(&f.in[i]);
		close_fd(&f.out[i]);
	}
	free(path);
	return failed;
}
