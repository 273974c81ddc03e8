/* SPDX-License-Identifier: MIT */
#include "soft/plugin/follow.h"

#include "base/xalloc.h"
#include "soft/image.h"
#include "soft/plugin/api.h"
#include "soft/plugin/guest.h"
#include "soft/plugin/link.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct call {
	char *path;
	char **argv, **env;
};

static void call_fini(struct call *c)
{
	free(c->path);
	guest_free_texts(c->argv);
	guest_free_texts(c->env);
}

/* The path of the plugin itself. */
static const char *own_path(void)
{
	Dl_info info;

	return dladdr((const void *)&qemu_plugin_version, &info) ? info.dli_fname : NULL;
}

static char *path_of_qemu(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return n > 0 ? xmemdup0(path, (size_t)n) : NULL;
}

/* false: errno. */
static bool run(const struct session *s, const struct call *call, const char *program,
		char *const args[])
{
	char *qemu = path_of_qemu(), *comm = image_comm(call->path), **command;
	const char *plugin = own_path();
	struct qemuargs next = s->args;

	next.image++;
	next.comm = comm;
	next.taken = s->taken;
	if (!qemu || !plugin) {
		free(comm);
		free(qemu);
		return false;
	}
	command = qemuargs_command(&next, qemu, plugin, program, args);
	execve(qemu, command, call->env);
	qemuargs_free(command);
	free(comm);
	free(qemu);
	return false;
}

static void follow(struct session *s, const struct call *call)
{
	struct err err = ERR_INIT;
	char *program, **args;

	switch (image_find(call->path, call->argv, &program, &args, &err)) {
	case IMAGE_NONE: return;
	case IMAGE_OTHER:
		link_say(s->link, "untraced %s", err.msg);
		session_end(s);
		return;
	case IMAGE_FINE: break;
	}
	if (session_end(s)) {
		link_say(s->link, "exec %u", s->args.image + 1);
		run(s, call, program, args);
		link_say(s->link, "untraced QEMU cannot be started for %s: %s", call->path,
			 strerror(errno));
	}
	image_free(program, args);
}

/* For the program, /proc/self/exe is itself; for us it would be QEMU. */
static void not_qemu(struct call *call)
{
	char own[40], *path;

	snprintf(own, sizeof(own), "/proc/%d/exe", (int)getpid());
	if (!call->path ||
	    (strcmp(call->path, "/proc/self/exe") != 0 &&
	     strcmp(call->path, "/proc/thread-self/exe") != 0 && strcmp(call->path, own) != 0))
		return;
	path = (char *)qemu_plugin_path_to_binary();
	if (!path)
		return;
	free(call->path);
	call->path = path;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/*
 * A descriptor's name (fexecve(3)) may mean nothing any more when QEMU looks for it: the file's own
 * is taken. false: it has none.
 */
static bool name_file(struct call *call)
{
	char path[PATH_MAX];

	if ((strncmp(call->path, "/proc/", 6) != 0 && strncmp(call->path, "/dev/fd/", 8) != 0) ||
	    access(call->path, F_OK) < 0)
		return true;
	if (!realpath(call->path, path) || !is_same_file(call->path, path))
		return false;
	free(call->path);
	call->path = xstrdup(path);
	return true;
}

static void follow_call(struct session *s, struct call *call)
{
	if (name_file(call)) {
		follow(s, call);
		return;
	}
	link_say(s->link, "untraced %s is a file without a name", call->path);
	session_end(s);
}

void follow_exec(struct session *s, uint64_t path, uint64_t argv, uint64_t env)
{
	struct call call = { .path = guest_text(s->base, path, PATH_MAX),
			     .argv = guest_texts(s->base, argv),
			     .env = guest_texts(s->base, env) };

	not_qemu(&call);
	if (call.path && call.argv && call.env)
		follow_call(s, &call);
	call_fini(&call);
}
