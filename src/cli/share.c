/* SPDX-License-Identifier: MIT */
#include "cli/share.h"

#include "base/child.h"
#include "cli/settings.h"
#include "cli/words.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define VARIABLE "MAGIC_TRACE_SHARE_COMMAND"

const char *share_command(struct err *err)
{
	const char *command = settings_variable(VARIABLE);
	char **words;

	if (!command) {
		err_set(err, "-share runs the command in " VARIABLE ", which is not set");
		err_hint(err, "for example: export " VARIABLE "='cp -t /srv/traces'");
		return NULL;
	}
	/* found now, not when all the work is done */
	words = words_split(command, NULL, err);
	if (!words) {
		err_prefix(err, "-share runs the command in " VARIABLE ", which is no command");
		err_hint(err, "it is words, which may be quoted; what takes a shell goes into a "
			      "script");
		return NULL;
	}
	words_free(words);
	return command;
}

/* Starts it with the signals that we have changed as they were; 0 or an errno. */
static int start(pid_t *pid, char *const argv[])
{
	char *path = child_find_tool(argv[0]);
	posix_spawnattr_t attr;
	sigset_t changed;
	int why;

	if (!path)
		return errno;
	sigemptyset(&changed);
	sigaddset(&changed, SIGPIPE);
	sigaddset(&changed, SIGUSR2);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &changed);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	/* not posix_spawnp(3), which hands what the kernel does not take to sh */
	why = posix_spawn(pid, path, NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	free(path);
	return why;
}

static int judge(const char *command, const char *path, int status, struct err *err)
{
	if (WIFSIGNALED(status))
		return err_set(err, "%s was not shared: `%s` was killed by signal %d (%s)", path,
			       command, WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (status)
		return err_set(err, "%s was not shared: `%s` exited with status %d", path, command,
			       WEXITSTATUS(status));
	return 0;
}

int share(const char *command, const char *path, struct err *err)
{
	char **argv = words_split(command, path, err);
	int status = 0;
	pid_t pid = -1;

	if (!argv)
		return err_prefix(err, "%s was not shared", path);
	errno = start(&pid, argv);
	words_free(argv);
	if (errno)
		return err_errno(err, "%s was not shared: cannot run `%s`", path, command);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_errno(err, "cannot wait for %s", command);
	}
	return judge(command, path, status, err);
}
