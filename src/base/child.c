/* SPDX-License-Identifier: MIT */
#include "base/child.h"

#include "base/closerange.h"
#include "base/str.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* As execvp(3) does when PATH is not set. */
#define DEFAULT_PATH "/bin:/usr/bin"

/* Whether path is a file that may be executed; errno says why not. */
static bool is_program(const char *path)
{
	struct stat st;

	if (stat(path, &st) || access(path, X_OK))
		return false;
	if (S_ISREG(st.st_mode))
		return true;
	errno = EACCES;
	return false;
}

/* Whether everybody could have made, or may change, what is there. */
static bool is_open_to_all(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 || (st.st_mode & S_IWOTH);
}

/* The file of that name in an entry of PATH. NULL: it is not there, or may not be used; errno. */
static char *find_in(const char *entry, size_t n, const char *name, bool careful)
{
	char *dir = n ? xmemdup0(entry, n) : xstrdup(".");
	char *file = xasprintf("%s/%s", dir, name);
	bool found = is_program(file);

	if (found && careful && (*dir != '/' || is_open_to_all(dir) || is_open_to_all(file))) {
		found = false;
		errno = EACCES;
	}
	free(dir);
	if (found)
		return file;
	free(file);
	return NULL;
}

static char *find(const char *name, bool careful)
{
	const char *path = getenv("PATH"), *end;
	int why = ENOENT;

	if (strchr(name, '/'))
		return is_program(name) ? xstrdup(name) : NULL;
	for (path = path ? path : DEFAULT_PATH; *name; path = end + 1) {
		char *file;

		end = strchrnul(path, ':');
		file = find_in(path, (size_t)(end - path), name, careful);
		if (file)
			return file;
		if (errno != ENOENT && errno != ENOTDIR)
			why = errno;
		if (!*end)
			break;
	}
	errno = why;
	return NULL;
}

char *child_find(const char *name)
{
	return find(name, false);
}

char *child_find_tool(const char *name)
{
	return find(name, geteuid() == 0);
}

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return strncmp(a, b, n) == 0 && b[n] == '=';
}

/* Our environment with env in it. The strings are borrowed; free the array only. */
static char **environment(const char *const env[])
{
	size_t n = 0, extra = 0, to = 0;
	char **merged;

	while (environ && environ[n])
		n++;
	while (env[extra])
		extra++;
	merged = xcalloc(n + extra + 1, sizeof(*merged));
	for (size_t i = 0; i < n; i++) {
		bool replaced = false;

		for (size_t j = 0; j < extra; j++)
			replaced = replaced || same_name(env[j], environ[i]);
		if (!replaced)
			merged[to++] = environ[i];
	}
	for (size_t j = 0; j < extra; j++)
		merged[to++] = (char *)env[j];
	return merged;
}

/* The files that are handed on get numbers below it. */
#define FIRST_FREE (STDERR_FILENO + 1 + CHILD_PASS_MAX)

/* What the new process needs; all made before the fork. The files have numbers from FIRST_FREE. */
struct plan {
	const char *path;
	char *const *argv;
	char **env;
	pid_t parent;
	int in;
	int out[2], err[2], failed[2]; /* read end, write end */
	int pass[CHILD_PASS_MAX];      /* copies of what is handed on */
	size_t n_pass;
};

static void close_all(int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

/*
 * A copy of fd that exec closes, above all numbers that the new process gives away: dup2() onto
 * itself would leave it to be closed, and dup2() onto another one would take that one's place.
 */
static int copy_above(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE);

	if (copy < 0 && errno == EINVAL)
		errno = EMFILE; /* so it is told when the limit is below FIRST_FREE (fcntl(2)) */
	return copy;
}

static int make_pipe(int fds[2])
{
	int low[2];

	if (pipe2(low, O_CLOEXEC))
		return -1;
	for (int i = 0; i < 2; i++)
		fds[i] = copy_above(low[i]);
	close_all(low, 2);
	return fds[0] < 0 || fds[1] < 0 ? -1 : 0;
}

static int copy_passed(struct plan *p, const int *pass, size_t n)
{
	for (; p->n_pass < n; p->n_pass++) {
		p->pass[p->n_pass] = copy_above(pass[p->n_pass]);
		if (p->pass[p->n_pass] < 0)
			return -1;
	}
	return 0;
}

/* Gives the files the numbers that the program expects. Async-signal-safe. */
static int put_in_place(const struct plan *p)
{
	if (dup2(p->in, STDIN_FILENO) < 0 || dup2(p->out[1], STDOUT_FILENO) < 0 ||
	    dup2(p->err[1], STDERR_FILENO) < 0)
		return -1;
	for (size_t i = 0; i < p->n_pass; i++)
		if (dup2(p->pass[i], STDERR_FILENO + 1 + (int)i) < 0)
			return -1;
	return 0;
}

/* The new process: only what signal-safety(7) allows, since other threads may hold locks. */
static void __attribute__((noreturn)) become(const struct plan *p)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;
	int why;

	setpgid(0, 0);
	/* if our parent ended before this took effect, nobody would be told */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() != p->parent)
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	sigaction(SIGPIPE, &dfl, NULL);
	sigaction(SIGCHLD, &dfl, NULL);
	/* what we inherited from others; a kernel that cannot do this leaves it open */
	syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_CLOEXEC);
	if (put_in_place(p) == 0)
		execve(p->path, p->argv, p->env);
	why = errno;
	if (write(p->failed[1], &why, sizeof(why)) < 0)
		_exit(126);
	_exit(127);
}

/* 0 when the program runs; else the errno of what kept it from it. */
static int why_not(int fd)
{
	int why;
	ssize_t n;

	do
		n = read(fd, &why, sizeof(why));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(why) ? why : 0;
}

static int open_empty(void)
{
	int low = open("/dev/null", O_RDONLY | O_CLOEXEC), fd;

	if (low < 0)
		return -1;
	fd = copy_above(low);
	close(low);
	return fd;
}

static int no_files(struct err *err, const char *what, const char *path)
{
	err_errno(err, "cannot %s %s", what, path);
	if (errno == EMFILE)
		err_hint(err, "the limit of open files is too low: ulimit -n 256");
	return -1;
}

static int launch(struct child *c, struct plan *p, const int *pass, size_t n_pass, struct err *err)
{
	p->in = open_empty();
	if (p->in < 0 || make_pipe(p->out) || make_pipe(p->err) || make_pipe(p->failed))
		return no_files(err, "make pipes for", p->path);
	if (copy_passed(p, pass, n_pass))
		return no_files(err, "hand files to", p->path);
	c->pid = fork();
	if (c->pid < 0)
		return err_errno(err, "cannot start %s", p->path);
	if (c->pid == 0)
		become(p);
	/* also here, so that it is done before the first child_kill; one of the two is late */
	setpgid(c->pid, c->pid);
	close(p->failed[1]);
	p->failed[1] = -1;
	errno = why_not(p->failed[0]);
	if (errno) {
		int why = errno;

		waitpid(c->pid, NULL, 0);
		errno = why;
		return err_errno(err, "cannot run %s", p->path);
	}
	return 0;
}

int child_start(struct child *c, const char *path, char *const argv[], const char *const env[],
		const int *pass, size_t n_pass, struct err *err)
{
	struct plan p = {
		.path = path,
		.argv = argv,
		.parent = getpid(),
		.in = -1,
		.out = { -1, -1 },
		.err = { -1, -1 },
		.failed = { -1, -1 },
	};
	int failed, why;

	*c = (struct child){ .pid = -1, .out = -1, .err = -1, .ended_fd = -1 };
	if (n_pass > CHILD_PASS_MAX) {
		errno = EINVAL;
		return err_errno(err, "cannot hand %zu files to %s", n_pass, path);
	}
	p.env = environment(env);
	failed = launch(c, &p, pass, n_pass, err);
	why = errno;
	if (!failed) {
		c->out = p.out[0];
		c->err = p.err[0];
		p.out[0] = p.err[0] = -1;
		c->ended_fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
		atomic_store(&c->group, c->pid);
	}
	close_all(&p.in, 1);
	close_all(p.out, 2);
	close_all(p.err, 2);
	close_all(p.failed, 2);
	close_all(p.pass, p.n_pass);
	free(p.env);
	errno = why;
	return failed;
}

void child_kill(struct child *c, int sig)
{
	pid_t group = atomic_load(&c->group);
	int saved = errno;

	if (group > 0)
		kill(-group, sig);
	errno = saved;
}

bool child_ended(const struct child *c)
{
	siginfo_t info = { .si_pid = 0 };
	int failed;

	do
		failed = waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT);
	while (failed && errno == EINTR);
	return failed || info.si_pid;
}

int child_reap(struct child *c)
{
	siginfo_t info;
	int status, failed;

	do
		failed = waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT);
	while (failed && errno == EINTR);
	/* as long as it is not reaped, its number means no other process */
	if (!failed)
		child_kill(c, SIGKILL);
	atomic_store(&c->group, 0);
	do
		failed = waitpid(c->pid, &status, 0) < 0;
	while (failed && errno == EINTR);
	if (failed)
		status = W_EXITCODE(127, 0);
	if (c->out >= 0)
		close(c->out);
	if (c->err >= 0)
		close(c->err);
	if (c->ended_fd >= 0)
		close(c->ended_fd);
	c->out = c->err = c->ended_fd = -1;
	return status;
}
