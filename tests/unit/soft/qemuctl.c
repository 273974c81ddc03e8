/* SPDX-License-Identifier: MIT */
#include "soft/qemuctl.h"

#include "soft/unixaddr.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct scratch scratch;
static struct qemuctl *ctl;

/* The plugin's end. */
static int plug_in(void)
{
	struct sockaddr_un address;
	int dir, fd = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert_int_eq(unixaddr_set(&address, qemuctl_path(ctl), &dir), 0);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	if (dir >= 0)
		close(dir);
	return fd;
}

static void begin(void)
{
	struct err err = ERR_INIT;

	scratch_init(&scratch);
	ck_assert_msg(qemuctl_open(scratch.dir, &ctl, &err) == 0, "%s", err.msg);
}

static void end(void)
{
	qemuctl_close(ctl);
	ck_assert_uint_eq(scratch_count(&scratch), 0);
	scratch_fini(&scratch);
}

static void put(int fd, const char *text)
{
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static bool is_readable(void)
{
	struct pollfd fd = { .fd = qemuctl_fd(ctl), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

static struct qemuctl_message next(enum qemuctl_kind kind)
{
	struct qemuctl_message m;

	qemuctl_next(ctl, &m);
	ck_assert_int_eq(m.kind, kind);
	return m;
}

START_TEST(test_messages)
{
	struct qemuctl_message m;
	int fd;

	begin();
	ck_assert(!is_readable());
	next(QEMUCTL_NOTHING);
	fd = plug_in();
	ck_assert(is_readable());
	put(fd, "hello 1234 1\nhit 16058960679912 1235 4000001178 0 ff\ndone\n");
	m = next(QEMUCTL_HELLO);
	ck_assert(m.pid == 1234 && m.image == 1);
	m = next(QEMUCTL_HIT);
	ck_assert(m.time == 16058960679912 && m.pid == 1235 && m.ip == 0x4000001178);
	ck_assert(m.di == 0 && m.si == 0xff);
	next(QEMUCTL_DONE);
	next(QEMUCTL_NOTHING);
	ck_assert(!is_readable());
	put(fd, "bye 424526 77052 34 2 32780 0.095\nexec 2\n");
	m = next(QEMUCTL_BYE);
	ck_assert(m.stats.instructions == 424526 && m.stats.branches == 77052);
	ck_assert(m.stats.syscalls == 34 && m.stats.threads == 2 && m.stats.bytes == 32780);
	ck_assert(m.stats.seconds > 0.0949 && m.stats.seconds < 0.0951);
	m = next(QEMUCTL_EXEC);
	ck_assert_uint_eq(m.image, 2);
	put(fd, "untraced it is\x1b[2J setuid\nfailed cannot create x\n");
	m = next(QEMUCTL_UNTRACED);
	ck_assert_str_eq(m.why, "it is?[2J setuid");
	m = next(QEMUCTL_FAILED);
	ck_assert_str_eq(m.why, "cannot create x");
	close(fd);
	next(QEMUCTL_GONE);
	next(QEMUCTL_NOTHING);
	end();
}
END_TEST

/* Another program of the same process connects anew, perhaps before the end was read. */
START_TEST(test_next_connection)
{
	int first, second;

	begin();
	first = plug_in();
	put(first, "hello 1 0\nhalf a li");
	second = plug_in();
	put(second, "hello 2 1\n");
	ck_assert_int_eq(next(QEMUCTL_HELLO).pid, 1);
	next(QEMUCTL_NOTHING);
	close(first);
	ck_assert(is_readable());
	next(QEMUCTL_GONE);
	ck_assert(is_readable());
	ck_assert_int_eq(next(QEMUCTL_HELLO).pid, 2);
	close(second);
	end();
}
END_TEST

START_TEST(test_asking)
{
	struct err err = ERR_INIT;
	char got[32] = "";
	int fd;

	begin();
	ck_assert_int_eq(qemuctl_snapshot(ctl, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "does not run under QEMU"));
	fd = plug_in();
	ck_assert_int_eq(qemuctl_snapshot(ctl, &err), 0);
	ck_assert_int_eq(qemuctl_stop(ctl, &err), 0);
	ck_assert_int_eq(recv(fd, got, sizeof(got) - 1, 0), 14);
	ck_assert_str_eq(got, "snapshot\nstop\n");
	close(fd);
	/* whether it has gone shows in the sending, or in the reading; it does not end us */
	qemuctl_stop(ctl, &err);
	qemuctl_stop(ctl, &err);
	next(QEMUCTL_GONE);
	end();
}
END_TEST

START_TEST(test_hostile_lines)
{
	static const char *const bad[] = {
		"\n",
		" \n",
		"hello\n",
		"hello x 0\n",
		"hello 99999999999 0\n",
		"hello 1 0 0\n",
		"hello -1 0\n",
		"hit 1 2 3 4\n",
		"hit 1 2 3 4 5 6\n",
		"hit 1 2 0x3 4 5\n",
		"bye 1 2 3 4 5\n",
		"bye 1 2 3 4 5 1.x\n",
		"bye 1 2 3 4 5 .5\n",
		"bye 1 2 3 4 18446744073709551616 0.5\n",
		"exec\n",
		"exec 4294967296\n",
		"donee\n",
		"done x\n",
		"DONE\n",
		"nothing\n",
		"gone\n",
	};
	char junk[5000];
	int fd;

	begin();
	fd = plug_in();
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct qemuctl_message m;

		put(fd, bad[i]);
		qemuctl_next(ctl, &m);
		ck_assert_msg(m.kind == QEMUCTL_NOTHING, "%s: %d", bad[i], m.kind);
	}
	/* an endless line, the end of which looks like one of its own */
	memset(junk, 'x', sizeof(junk));
	ck_assert_int_eq(write(fd, junk, sizeof(junk)), sizeof(junk));
	put(fd, " \nhello 7 0\n");
	ck_assert_int_eq(next(QEMUCTL_HELLO).pid, 7);
	memset(junk, '\0', sizeof(junk));
	ck_assert_int_eq(write(fd, junk, 2048), 2048);
	next(QEMUCTL_NOTHING);
	put(fd, "done\ndone\n");
	next(QEMUCTL_DONE);
	next(QEMUCTL_NOTHING);
	close(fd);
	end();
}
END_TEST

/* An address of a socket has room for 107 bytes only (unix(7)). */
START_TEST(test_long_path)
{
	char directory[400];
	struct err err = ERR_INIT;
	int fd;

	scratch_init(&scratch);
	snprintf(directory, sizeof(directory), "%s/%0150d", scratch.dir, 1);
	ck_assert_int_eq(mkdir(directory, 0700), 0);
	ck_assert_msg(qemuctl_open(directory, &ctl, &err) == 0, "%s", err.msg);
	fd = plug_in();
	put(fd, "hello 5 0\n");
	ck_assert_int_eq(next(QEMUCTL_HELLO).pid, 5);
	close(fd);
	qemuctl_close(ctl);
	ck_assert_int_eq(rmdir(directory), 0);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_cannot_listen)
{
	struct err err = ERR_INIT;

	ck_assert_int_eq(qemuctl_open("/nonexistent", &ctl, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "/nonexistent/qemu.socket"));
	qemuctl_close(NULL);
}
END_TEST

START_TEST(test_nobody_else)
{
	struct stat st;
	mode_t mask = umask(0);
	int fd;

	begin();
	umask(mask);
	ck_assert_int_eq(stat(qemuctl_path(ctl), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	if (geteuid() == 0) {
		/* were the file another's as well */
		ck_assert_int_eq(chmod(qemuctl_path(ctl), 0666), 0);
		ck_assert_int_eq(chmod(scratch.dir, 0755), 0);
		ck_assert_int_eq(seteuid(65534), 0);
		fd = plug_in();
		ck_assert_int_eq(seteuid(0), 0);
		put(fd, "hello 1 0\n");
		next(QEMUCTL_NOTHING);
		close(fd);
		/* the next one is listened to */
		fd = plug_in();
		put(fd, "hello 1 0\n");
		next(QEMUCTL_HELLO);
		close(fd);
	}
	end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { test_messages,    test_next_connection,
				       test_asking,      test_hostile_lines,
				       test_long_path,   test_cannot_listen,
				       test_nobody_else, NULL };

	return suite_run("qemuctl", tests);
}
