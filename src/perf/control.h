/* SPDX-License-Identifier: MIT */
/*
 * control: the two pipes of perf's --control=fd:CTL,ACK (perf-record(1)). A command is a line; perf
 * answers "ack", a newline and a NUL to each that it knows, in order, from its main loop.
 */
#ifndef MT_PERF_CONTROL_H
#define MT_PERF_CONTROL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct control {
	int pass[2];   /* perf's ends: commands, answers; -1 when closed here */
	int commands;  /* where we write; -1: there is no channel */
	int answers;   /* where we read; -1: perf has closed it, or there is no channel */
	unsigned sent; /* commands so far */
	unsigned answered;
};

/* No channel: for a perf that has none. Nothing can be sent. */
#define CONTROL_NONE                \
	((struct control){          \
		.pass = { -1, -1 }, \
		.commands = -1,     \
		.answers = -1,      \
		.sent = 0,          \
	})

/* Makes the pipes, all ends closed on exec. 0, or -1 with err. Close with control_close. */
int control_open(struct control *c, struct err *err);

/* perf has its ends: closes ours of the answers, so that its end is seen. */
void control_started(struct control *c);

/*
 * Sends a command, without waiting; its number, for control_is_answered. To a perf that has ended
 * it goes nowhere, without SIGPIPE: the end shows in the answers.
 */
unsigned control_send(struct control *c, const char *command);

/* Takes the answers that have arrived, without waiting. */
void control_take(struct control *c);

bool control_is_answered(const struct control *c, unsigned number);

/* Whether perf has closed its end, which it does only by exiting. */
bool control_has_ended(const struct control *c);

void control_close(struct control *c);

#endif
