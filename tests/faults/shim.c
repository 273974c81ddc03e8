/* SPDX-License-Identifier: MIT */
/*
 * An object for LD_PRELOAD that has the calls by which magic-trace, and the libraries that it is
 * linked with, ask for something that may be refused: each is a point that can be made to fail
 * (faultpoint.h). What the C library does inside itself, as fopen(3) its open(2), is not seen.
 */
#include "faultpoint.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Its next definition is looked for once: not in a child of a process that has threads. */
#define REAL(name)                                                        \
	static __typeof__(name) *real_##name;                             \
	static void __attribute__((constructor)) find_##name(void)        \
	{                                                                 \
		if (!real_##name)                                         \
			*(void **)&real_##name = dlsym(RTLD_NEXT, #name); \
	}

/* A function that tells of failure by a value, and by errno why. */
#define POINT(type, name, failed, params, ...)           \
	REAL(name)                                       \
	type name params                                 \
	{                                                \
		int how = fault_point(#name);            \
                                                         \
		find_##name();                           \
		if (how <= 0)                            \
			return real_##name(__VA_ARGS__); \
		errno = how;                             \
		return failed;                           \
	}

/* One that moves n bytes, and may move fewer; `point` is what the point is called. */
#define MOVES(name, point, params, ...)                  \
	REAL(name)                                       \
	ssize_t name params                              \
	{                                                \
		int how = fault_point(point);            \
                                                         \
		find_##name();                           \
		if (how == FAULT_END)                    \
			return 0;                        \
		if (how == FAULT_SHORT && n > 1)         \
			n /= 2;                          \
		if (how <= 0)                            \
			return real_##name(__VA_ARGS__); \
		errno = how;                             \
		return -1;                               \
	}

/* One whose last argument, a number or an address, may be missing. */
#define VARIADIC(type, name, params, last, ...)               \
	REAL(name)                                            \
	type name params                                      \
	{                                                     \
		int how = fault_point(#name);                 \
		va_list ap;                                   \
		long arg;                                     \
                                                              \
		va_start(ap, last);                           \
		arg = va_arg(ap, long);                       \
		va_end(ap);                                   \
		find_##name();                                \
		if (how <= 0)                                 \
			return real_##name(__VA_ARGS__, arg); \
		errno = how;                                  \
		return -1;                                    \
	}

REAL(syscall)

/* One that we write to has room for what we write, and all of it: pipe(7). */
static int is_pipe(int fd)
{
	int saved = errno, size;

	find_syscall();
	size = (int)real_syscall(SYS_fcntl, fd, F_GETPIPE_SZ, 0);

	errno = saved;
	return size > 0;
}

MOVES(read, "read", (int fd, void *p, size_t n), fd, p, n)
MOVES(write, is_pipe(fd) ? "write to a pipe" : "write", (int fd, const void *p, size_t n), fd, p, n)
MOVES(pread, "pread", (int fd, void *p, size_t n, off_t at), fd, p, n, at)
MOVES(pwrite, "pwrite", (int fd, const void *p, size_t n, off_t at), fd, p, n, at)
MOVES(recv, "recv", (int fd, void *p, size_t n, int flags), fd, p, n, flags)
MOVES(send, "send", (int fd, const void *p, size_t n, int flags), fd, p, n, flags)
MOVES(sendfile, "sendfile", (int to, int from, off_t *at, size_t n), to, from, at, n)

VARIADIC(int, open, (const char *path, int flags, ...), flags, path, flags)
VARIADIC(int, openat, (int dir, const char *path, int flags, ...), flags, dir, path, flags)
VARIADIC(int, fcntl, (int fd, int what, ...), what, fd, what)
VARIADIC(int, ioctl, (int fd, unsigned long what, ...), what, fd, what)

POINT(int, access, -1, (const char *path, int mode), path, mode)
POINT(int, accept4, -1, (int fd, struct sockaddr *a, socklen_t *n, int flags), fd, a, n, flags)
POINT(int, bind, -1, (int fd, const struct sockaddr *a, socklen_t n), fd, a, n)
POINT(int, chmod, -1, (const char *path, mode_t mode), path, mode)
POINT(int, dup2, -1, (int from, int to), from, to)
POINT(int, epoll_create1, -1, (int flags), flags)
POINT(int, epoll_ctl, -1, (int e, int op, int fd, struct epoll_event *ev), e, op, fd, ev)
POINT(int, epoll_wait, -1, (int e, struct epoll_event *ev, int n, int ms), e, ev, n, ms)
POINT(int, eventfd, -1, (unsigned int n, int flags), n, flags)
POINT(int, execve, -1, (const char *path, char *const *argv, char *const *env), path, argv, env)
POINT(int, faccessat, -1, (int dir, const char *path, int mode, int how_), dir, path, mode, how_)
POINT(int, fchmod, -1, (int fd, mode_t mode), fd, mode)
POINT(int, flock, -1, (int fd, int what), fd, what)
POINT(pid_t, fork, -1, (void), )
POINT(int, fstat, -1, (int fd, struct stat *st), fd, st)
POINT(int, fstatat, -1, (int dir, const char *path, struct stat *st, int f), dir, path, st, f)
POINT(int, fstatvfs, -1, (int fd, struct statvfs *st), fd, st)
POINT(char *, getcwd, NULL, (char *p, size_t n), p, n)
POINT(int, getrlimit, -1, (__rlimit_resource_t what, struct rlimit *limit), what, limit)
POINT(int, kill, -1, (pid_t pid, int sig), pid, sig)
POINT(int, linkat, -1, (int a, const char *from, int b, const char *to, int flags), a, from, b, to,
      flags)
POINT(int, listen, -1, (int fd, int n), fd, n)
POINT(off_t, lseek, -1, (int fd, off_t at, int whence), fd, at, whence)
POINT(int, lstat, -1, (const char *path, struct stat *st), path, st)
POINT(int, memfd_create, -1, (const char *name, unsigned int flags), name, flags)
POINT(int, mkdir, -1, (const char *path, mode_t mode), path, mode)
POINT(char *, mkdtemp, NULL, (char *path), path)
POINT(int, mkostemp, -1, (char *path, int flags), path, flags)
POINT(int, nanosleep, -1, (const struct timespec *t, struct timespec *left), t, left)
POINT(int, pipe2, -1, (int fds[2], int flags), fds, flags)
POINT(int, poll, -1, (struct pollfd * fds, nfds_t n, int ms), fds, n, ms)
POINT(ssize_t, process_vm_readv, -1,
      (pid_t pid, const struct iovec *a, unsigned long n, const struct iovec *b, unsigned long m,
       unsigned long flags),
      pid, a, n, b, m, flags)
POINT(ssize_t, readlink, -1, (const char *path, char *p, size_t n), path, p, n)
POINT(char *, realpath, NULL, (const char *path, char *p), path, p)
POINT(int, rename, -1, (const char *from, const char *to), from, to)
POINT(int, renameat, -1, (int a, const char *from, int b, const char *to), a, from, b, to)
POINT(int, rmdir, -1, (const char *path), path)
POINT(int, setrlimit, -1, (__rlimit_resource_t what, const struct rlimit *limit), what, limit)
POINT(int, signalfd, -1, (int fd, const sigset_t *set, int flags), fd, set, flags)
POINT(int, socket, -1, (int domain, int type, int protocol), domain, type, protocol)
POINT(int, socketpair, -1, (int domain, int type, int protocol, int fds[2]), domain, type, protocol,
      fds)
POINT(int, stat, -1, (const char *path, struct stat *st), path, st)
POINT(int, statvfs, -1, (const char *path, struct statvfs *st), path, st)
POINT(int, timer_create, -1, (clockid_t clock, struct sigevent *ev, timer_t *t), clock, ev, t)
POINT(int, timer_settime, -1,
      (timer_t t, int flags, const struct itimerspec *a, struct itimerspec *b), t, flags, a, b)
POINT(int, unlink, -1, (const char *path), path)
POINT(int, unlinkat, -1, (int dir, const char *path, int flags), dir, path, flags)
POINT(int, waitid, -1, (idtype_t what, id_t id, siginfo_t *info, int flags), what, id, info, flags)
POINT(pid_t, waitpid, -1, (pid_t pid, int *status, int flags), pid, status, flags)

POINT(void *, calloc, NULL, (size_t n, size_t size), n, size)
POINT(void *, malloc, NULL, (size_t n), n)
POINT(void *, mmap, MAP_FAILED, (void *at, size_t n, int prot, int flags, int fd, off_t off), at, n,
      prot, flags, fd, off)
POINT(void *, realloc, NULL, (void *p, size_t n), p, n)
POINT(int, vasprintf, -1, (char **p, const char *fmt, va_list ap), p, fmt, ap)

POINT(int, fclose, EOF, (FILE * f), f)
POINT(FILE *, fdopen, NULL, (int fd, const char *mode), fd, mode)
POINT(int, fflush, EOF, (FILE * f), f)
POINT(FILE *, fopen, NULL, (const char *path, const char *mode), path, mode)
POINT(FILE *, open_memstream, NULL, (char **p, size_t *n), p, n)
POINT(DIR *, opendir, NULL, (const char *path), path)
POINT(struct dirent *, readdir, NULL, (DIR * dir), dir)

REAL(ptrace)
long ptrace(enum __ptrace_request what, ...)
{
	int how = fault_point("ptrace");
	void *arg[3];
	va_list ap;

	va_start(ap, what);
	for (int i = 0; i < 3; i++)
		arg[i] = va_arg(ap, void *);
	va_end(ap);
	find_ptrace();
	if (how <= 0)
		return real_ptrace(what, arg[0], arg[1], arg[2]);
	errno = how;
	return -1;
}

long syscall(long number, ...)
{
	int how = fault_point("syscall");
	long arg[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	find_syscall();
	if (how <= 0)
		return real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
	errno = how;
	return -1;
}

/* It returns what others have in errno. */
REAL(pthread_create)
int pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	int how = fault_point("pthread_create");

	find_pthread_create();
	return how > 0 ? how : real_pthread_create(t, attr, fn, arg);
}
