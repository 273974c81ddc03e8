/* SPDX-License-Identifier: MIT */
/* What a confined process can do is tried in one, which answers in numbers of errno. */
#include "symbol/confine.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PATH_OF(s) scratch_path(s, "file")

/* errno when it failed, else 0. */
static int why(long result)
{
	return result < 0 ? errno : 0;
}

/* Whether a file has a line that begins so. */
static int has_line(const char *path, const char *wanted)
{
	char line[256];
	FILE *file = fopen(path, "r");
	int found = 0;

	while (file && fgets(line, sizeof(line), file))
		found |= strncmp(line, wanted, strlen(wanted)) == 0;
	if (file)
		fclose(file);
	return found;
}

static bool has_filter(void)
{
	return has_line("/proc/self/status", "Seccomp:\t2\n");
}

/* What was tried, and the numbers. */
struct tried {
	int filter, read, read_file, write, create, truncate, unlink, socket, fork, exec, kill,
		core, out;
	int privileges, dac_override, dac_read_search, sys_admin;
};

/* Whether it has one (proc_pid_status(5)). */
static int capability(int number)
{
	unsigned long long all = 0;
	char line[256];
	FILE *file = fopen("/proc/self/status", "r");

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "CapPrm:", 7) == 0)
			all = strtoull(line + 7, NULL, 16);
	if (file)
		fclose(file);
	return all >> number & 1;
}

/* In the process. */
static void attempt(const char *path, int socket, int fd, bool fetch)
{
	char *const argv[] = { (char *)"true", NULL };
	struct tried tried = { 0 };
	long forked;
	char byte;

	confine(&socket, &fd, fetch);
	tried.filter = has_filter();
	tried.read = why(pread(fd, &byte, 1, 0));
	tried.read_file = why(open(path, O_RDONLY | O_CLOEXEC));
	tried.write = why(pwrite(fd, "x", 1, 0));
	tried.create = why(open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
	tried.truncate = why(truncate(path, 0));
	tried.unlink = why(access(path, F_OK)) ? 0 : why(rmdir("/nowhere"));
	tried.socket = why(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, (int[2]){ 0 }));
	tried.kill = why(kill(getppid(), 0));
	tried.exec = why(execv("/nowhere/true", argv));
	tried.core = has_line("/proc/self/limits", "Max core file size        0 ");
	tried.privileges = has_line("/proc/self/status", "NoNewPrivs:\t1\n");
	tried.dac_override = capability(CAP_DAC_OVERRIDE);
	tried.dac_read_search = capability(CAP_DAC_READ_SEARCH);
	tried.sys_admin = capability(CAP_SYS_ADMIN);
	forked = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
	if (forked == 0)
		_exit(0);
	tried.fork = why(forked);
	send(socket, &tried, sizeof(tried), MSG_NOSIGNAL);
	_exit(0);
}

static struct tried try_all(struct scratch *s, bool fetch)
{
	struct tried tried = { 0 };
	int sockets[2], fd;
	pid_t pid;

	fd = open(PATH_OF(s), O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		attempt(PATH_OF(s), sockets[1], fd, fetch);
	close(sockets[1]);
	ck_assert_int_eq(recv(sockets[0], &tried, sizeof(tried), 0), sizeof(tried));
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(sockets[0]);
	close(fd);
	return tried;
}

START_TEST(test_reading)
{
	struct tried tried;
	struct scratch s;

	scratch_init(&s);
	scratch_put(&s, "file", "text");
	tried = try_all(&s, false);
	ck_assert_int_eq(tried.read, 0);
	ck_assert_int_eq(tried.read_file, 0);
	ck_assert_int_ne(tried.write, 0);
	ck_assert_int_eq(tried.core, 1);
	ck_assert_int_eq(tried.privileges, 1);
	ck_assert_int_eq(tried.dac_override,
			 capability(CAP_DAC_OVERRIDE) && !capability(CAP_DAC_READ_SEARCH));
	ck_assert_int_eq(tried.dac_read_search, capability(CAP_DAC_READ_SEARCH));
	ck_assert_int_eq(tried.sys_admin, 0);
	if (tried.filter) {
		ck_assert_int_eq(tried.create, EPERM);
		ck_assert_int_eq(tried.truncate, EPERM);
		ck_assert_int_eq(tried.unlink, EPERM);
		ck_assert_int_eq(tried.socket, EPERM);
		ck_assert_int_eq(tried.kill, EPERM);
		ck_assert_int_eq(tried.exec, EPERM);
		ck_assert_int_eq(tried.fork, EPERM);
	} else {
		printf("SKIP confine/filter: the kernel has no seccomp filters\n");
	}
	ck_assert(scratch_holds(&s, "file", "text"));
	scratch_fini(&s);
}
END_TEST

/* elfutils may ask servers and write what they send, but not more. */
START_TEST(test_fetching)
{
	struct tried tried;
	struct scratch s;

	scratch_init(&s);
	scratch_put(&s, "file", "text");
	tried = try_all(&s, true);
	ck_assert_int_eq(tried.read, 0);
	ck_assert_int_eq(tried.read_file, 0);
	ck_assert_int_eq(tried.write, 0);
	ck_assert_int_eq(tried.create, 0);
	ck_assert_int_eq(tried.socket, 0);
	ck_assert_int_eq(tried.fork, 0);
	ck_assert_int_eq(tried.privileges, 1);
	ck_assert_int_eq(tried.sys_admin, 0);
	if (tried.filter) {
		ck_assert_int_eq(tried.kill, EPERM);
		ck_assert_int_eq(tried.exec, EPERM);
	}
	scratch_fini(&s);
}
END_TEST

static void lose(int number)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct all[_LINUX_CAPABILITY_U32S_3];

	ck_assert_int_eq(syscall(SYS_capget, &head, all), 0);
	all[0].permitted &= ~CAP_TO_MASK(number);
	all[0].effective &= ~CAP_TO_MASK(number);
	ck_assert_int_eq(syscall(SYS_capset, &head, all), 0);
}

/* Root of a container often has only CAP_DAC_OVERRIDE: what it could read it can read now. */
START_TEST(test_reading_in_a_container)
{
	struct tried tried;
	struct scratch s;

	scratch_init(&s);
	scratch_put(&s, "file", "text");
	lose(CAP_DAC_READ_SEARCH);
	tried = try_all(&s, false);
	ck_assert_int_eq(tried.read_file, 0);
	ck_assert_int_eq(tried.dac_read_search, 0);
	ck_assert_int_eq(tried.dac_override, capability(CAP_DAC_OVERRIDE));
	ck_assert_int_eq(tried.sys_admin, 0);
	ck_assert_int_ne(tried.write, 0);
	scratch_fini(&s);
}
END_TEST

static void burn(int ms)
{
	struct rusage usage;
	long now, end = 0;

	do {
		getrusage(RUSAGE_SELF, &usage);
		now = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
		      (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
		end = end ? end : now + ms;
	} while (now < end);
}

START_TEST(test_cpu)
{
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		for (int i = 0; i < 4; i++) {
			confine_cpu(200);
			burn(100);
		}
		burn(10000);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGPROF);
}
END_TEST

SUITE_MAIN("symbol/confine", test_reading, test_fetching, test_reading_in_a_container, test_cpu)
