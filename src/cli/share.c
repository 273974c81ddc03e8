/* SPDX-License-Identifier: MIT */
#include "cli/share.h"

#include "base/xalloc.h"
#include "cli/settings.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *share_command(struct err *err)
{
	const char *command = settings_variable("MAGIC_TRACE_SHARE_COMMAND");

	if (!command) {
		err_set(err, "-share runs the command in MAGIC_TRACE_SHARE_COMMAND, which is not "
			     "set");
		err_hint(err, "for example: export MAGIC_TRACE_SHARE_COMMAND='cp -t /srv/traces'");
	}
	return command;
}

int share(const char *command, const char *path, struct err *err)
{
	/* the path as an argument of its own: no byte of it means anything to the shell */
	char *script = xasprintf("%s \"$1\"", command);
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGPIPE, SIG_DFL);
		signal(SIGUSR2, SIG_DFL);
		execl("/bin/sh", "sh", "-c", script, "sh", path, (char *)NULL);
		_exit(127);
	}
	free(script);
	if (pid < 0)
		return err_errno(err, "cannot start %s", command);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_errno(err, "cannot wait for %s", command);
	}
	if (WIFSIGNALED(status))
		return err_set(err, "%s was not shared: `%s` was killed by signal %d (%s)", path,
			       command, WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (status)
		return err_set(err, "%s was not shared: `%s` exited with status %d", path, command,
			       WEXITSTATUS(status));
	return 0;
}
