/* SPDX-License-Identifier: MIT */
#include "perf/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int control_open(struct control *c, struct err *err)
{
	int commands[2], answers[2];

	*c = CONTROL_NONE;
	if (pipe2(commands, O_CLOEXEC))
		return err_errno(err, "cannot make a pipe to control perf");
	c->pass[0] = commands[0];
	c->commands = commands[1];
	if (pipe2(answers, O_CLOEXEC)) {
		err_errno(err, "cannot make a pipe to control perf");
		control_close(c);
		return -1;
	}
	c->answers = answers[0];
	c->pass[1] = answers[1];
	/* of the two open files that are ours alone */
	fcntl(c->commands, F_SETFL, O_NONBLOCK);
	fcntl(c->answers, F_SETFL, O_NONBLOCK);
	return 0;
}

void control_started(struct control *c)
{
	/* the other one stays open: a pipe that somebody can read makes no SIGPIPE */
	close_fd(&c->pass[1]);
}

unsigned control_send(struct control *c, const char *command)
{
	char line[32];
	int n = snprintf(line, sizeof(line), "%s\n", command);
	ssize_t put;

	c->sent++;
	do
		put = write(c->commands, line, (size_t)n);
	while (put < 0 && errno == EINTR);
	/* a pipe that is full is not being read: no answer will come either */
	return c->sent;
}

void control_take(struct control *c)
{
	char buf[512];
	ssize_t n;

	if (c->answers < 0)
		return;
	do
		n = read(c->answers, buf, sizeof(buf));
	while (n < 0 && errno == EINTR);
	for (ssize_t i = 0; i < n; i++)
		c->answered += buf[i] == '\n';
	if (n == 0)
		close_fd(&c->answers);
}

bool control_is_answered(const struct control *c, unsigned number)
{
	return c->answered >= number;
}

bool control_has_ended(const struct control *c)
{
	return c->commands >= 0 && c->answers < 0;
}

void control_close(struct control *c)
{
	close_fd(&c->pass[0]);
	close_fd(&c->pass[1]);
	close_fd(&c->commands);
	close_fd(&c->answers);
}
