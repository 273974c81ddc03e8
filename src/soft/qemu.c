/* SPDX-License-Identifier: MIT */
#include "soft/qemu.h"

#include "base/child.h"
#include "base/installed.h"
#include "base/monotonic.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "soft/image.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME        "qemu-x86_64"
#define PLUGIN_NAME "magic-trace-qemu.so"

/* The first that gives plugins what ours needs in user mode. */
#define MAJOR 7
#define MINOR 2

#define PATIENCE_MS 10000
/* More than the list of its options takes. */
#define ANSWER_MAX 16384

/* What there is to do when there is no such QEMU. */
static int remedy(struct err *err)
{
	return err_hint(err,
			"install the package qemu-user (version %d.%d or later); single-stepping "
			"takes none, and is slower",
			MAJOR, MINOR);
}

/* --- asking QEMU --- */

/* Reads what it prints; false: it does not end. */
static bool read_answer(struct child *c, char *answer, size_t *n)
{
	long end = monotonic_ms() + PATIENCE_MS;

	for (;;) {
		struct pollfd fd = { .fd = c->out, .events = POLLIN };
		long left = end - monotonic_ms();
		char more[512];
		ssize_t got;

		if (left <= 0)
			return false;
		if (poll(&fd, 1, (int)left) <= 0)
			continue;
		got = read(c->out, more, sizeof(more));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return true;
		if ((size_t)got > ANSWER_MAX - *n)
			got = (ssize_t)(ANSWER_MAX - *n);
		memcpy(answer + *n, more, (size_t)got);
		*n += (size_t)got;
	}
}

/* What `path option` prints on its standard output; -1 with err. */
static int ask(const char *path, const char *option, char *answer, size_t *n, struct err *err)
{
	char *const argv[] = { (char *)path, (char *)option, NULL };
	const char *const env[] = { "LC_ALL=C", NULL };
	struct child c;
	bool ended;

	*n = 0;
	if (child_start(&c, path, argv, env, NULL, 0, err) < 0)
		return -1;
	ended = read_answer(&c, answer, n);
	if (!ended)
		child_kill(&c, SIGKILL);
	child_reap(&c);
	if (ended)
		return 0;
	err_set(err, "`%s %s` did not end within %d s", path, option, PATIENCE_MS / 1000);
	return remedy(err);
}

bool qemu_parse_version(struct str text, unsigned int *major, unsigned int *minor)
{
	static const char words[] = NAME " version ";
	uint64_t a, b;

	if (!str_starts(text, STR(words)))
		return false;
	text = str_skip(text, sizeof(words) - 1);
	if (!num_dec(&text, &a) || !str_starts(text, STR(".")))
		return false;
	text = str_skip(text, 1);
	if (!num_dec(&text, &b) || a > UINT_MAX || b > UINT_MAX)
		return false;
	*major = (unsigned int)a;
	*minor = (unsigned int)b;
	return true;
}

static int check_version(struct qemu *qemu, struct err *err)
{
	char answer[ANSWER_MAX];
	struct str text = { .p = answer };

	if (ask(qemu->path, "--version", answer, &text.n, err) < 0)
		return -1;
	if (!qemu_parse_version(text, &qemu->major, &qemu->minor)) {
		err_set(err, "`%s --version` names no version", qemu->path);
		return remedy(err);
	}
	if (qemu->major > MAJOR || (qemu->major == MAJOR && qemu->minor >= MINOR))
		return 0;
	err_set(err, "%s is version %u.%u, which is too old", qemu->path, qemu->major, qemu->minor);
	return remedy(err);
}

/* A QEMU that was built without plugins has no such option in its help. */
static int check_plugins(const struct qemu *qemu, struct err *err)
{
	char answer[ANSWER_MAX];
	size_t n;

	if (ask(qemu->path, "-h", answer, &n, err) < 0)
		return -1;
	if (memmem(answer, n, "\n-plugin ", strlen("\n-plugin ")))
		return 0;
	err_set(err, "%s was built without plugins", qemu->path);
	return remedy(err);
}

/* --- finding --- */

static char *find_plugin(struct err *err)
{
	char *path = installed_find(PLUGIN_NAME, err);

	if (!path)
		err_hint(err, "`make` makes it; single-stepping takes none, and is slower");
	return path;
}

int qemu_find(struct qemu *qemu, struct err *err)
{
	*qemu = (struct qemu){ .path = child_find_tool(NAME) };
	if (!qemu->path) {
		err_set(err, "there is no " NAME " in PATH");
		return remedy(err);
	}
	if (check_version(qemu, err) == 0 && check_plugins(qemu, err) == 0) {
		qemu->plugin = find_plugin(err);
		if (qemu->plugin)
			return 0;
	}
	qemu_fini(qemu);
	return -1;
}

void qemu_fini(struct qemu *qemu)
{
	free(qemu->path);
	free(qemu->plugin);
	*qemu = (struct qemu){ .path = NULL };
}

char **qemu_command(const struct qemu *qemu, const struct qemuargs *args, const char *path,
		    char *const argv[], struct err *err)
{
	char *program, **its, **command;
	enum image_kind kind = image_find(path, argv, &program, &its, err);

	if (kind == IMAGE_OTHER && !err->hint[0])
		err_hint(err, "what QEMU cannot run may still be single-stepped, or sampled");
	if (kind != IMAGE_FINE)
		return NULL;
	command = qemuargs_command(args, qemu->path, qemu->plugin, program, its);
	image_free(program, its);
	return command;
}
