/* SPDX-License-Identifier: MIT */
#include "cli/functions.h"

#include "base/utf8.h"
#include "cli/choose.h"
#include "cli/settings.h"
#include "symbol/demangle.h"
#include "symbol/locate.h"

#include <stdbool.h>
#include <stdio.h>

struct functions {
	pid_t pid;
	FILE *to;
	bool demangle;
	struct err err;
};

static bool write_function(void *ctx, const char *name)
{
	struct functions *f = ctx;
	char shown[4 * DEMANGLE_NAME_MAX];

	/* the whole name with its parameters selects it as well, and only it */
	if (f->demangle && demangle(name, DEMANGLE_FULL, shown, sizeof(shown)))
		name = shown;
	/* what fzf's terminal must not be shown, or takes several lines, is not there to be chosen
	 */
	if (!utf8_is_plain(str_of(name)))
		return true;
	return fprintf(f->to, "%s\n", name) > 0;
}

static void write_functions(void *ctx, FILE *to)
{
	struct functions *f = ctx;

	f->to = to;
	locate_functions(f->pid, write_function, f, &f->err);
}

int functions_choose(pid_t pid, char **function, struct err *err)
{
	struct functions functions = {
		.pid = pid,
		.demangle = settings_variable("MAGIC_TRACE_FZF_DEMANGLE_SYMBOLS"),
	};
	struct choose question = {
		.prompt = "function> ",
		.flag = "-trigger FUNCTION",
		.write = write_functions,
		.ctx = &functions,
	};

	if (choose(&question, function, err) == 0)
		return 0;
	if (functions.err.msg[0])
		*err = functions.err;
	return -1;
}
