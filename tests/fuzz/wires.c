/* SPDX-License-Identifier: MIT */
/*
 * wires [CASES [SEED]]: what comes through pipes and sockets from those that we run: perf's answers
 * to commands (perf/control), what the plugin in QEMU says (soft/qemuctl), messages of the stepping
 * process (record/stepwire). The first byte says which; the next ones where the bytes are parted.
 */
#include "perf/control.h"
#include "record/stepwire.h"
#include "soft/qemuctl.h"
#include "support/fuzz.h"

#include <sys/socket.h>
#include <sys/un.h>

static struct qemuctl *ctl;

static void close_ctl(void)
{
	qemuctl_close(ctl);
}

static size_t piece(const struct fuzz_bytes *bytes, uint64_t part)
{
	size_t n = (size_t)part % 61 + 1;

	return n < bytes->n ? n : bytes->n;
}

static void check_control(struct fuzz_bytes bytes, uint64_t part)
{
	struct control c;
	unsigned lines = 0, number;
	int perf;

	MUST(control_open(&c, NULL) == 0);
	perf = dup(c.pass[1]);
	control_started(&c);
	number = control_send(&c, "snapshot");
	MUST(!control_is_answered(&c, number) && !control_has_ended(&c));
	while (bytes.n) {
		size_t n = piece(&bytes, part);

		MUST(write(perf, bytes.p, n) == (ssize_t)n);
		control_take(&c);
		for (size_t i = 0; i < n; i++)
			lines += bytes.p[i] == '\n';
		MUST(control_is_answered(&c, number) == (lines > 0));
		bytes.p += n;
		bytes.n -= n;
	}
	close(perf);
	control_take(&c);
	MUST(control_has_ended(&c));
	control_close(&c);
}

static int connect_plugin(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", qemuctl_path(ctl));
	MUST(fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	return fd;
}

static void check_message(const struct qemuctl_message *m)
{
	MUST(m->kind <= QEMUCTL_GONE && m->pid >= 0);
	MUST(strlen(m->why) < sizeof(m->why));
	for (const char *p = m->why; *p; p++)
		MUST((unsigned char)*p >= ' ' && *p != 0x7f);
	MUST(m->kind != QEMUCTL_BYE || m->stats.seconds >= 0);
}

static void check_plugin(struct fuzz_bytes bytes, uint64_t part)
{
	struct qemuctl_message m;
	size_t messages = 0, size = bytes.n;
	int fd;

	if (!ctl) {
		MUST(qemuctl_open(fuzz_dir(), &ctl, NULL) == 0);
		atexit(close_ctl);
	}
	fd = connect_plugin();
	while (bytes.n) {
		size_t n = piece(&bytes, part);

		MUST(send(fd, bytes.p, n, MSG_NOSIGNAL) == (ssize_t)n);
		for (qemuctl_next(ctl, &m); m.kind != QEMUCTL_NOTHING; qemuctl_next(ctl, &m)) {
			check_message(&m);
			MUST(m.kind != QEMUCTL_GONE);
			messages++;
		}
		bytes.p += n;
		bytes.n -= n;
	}
	/* each is a line */
	MUST(messages <= size);
	close(fd);
	qemuctl_next(ctl, &m);
	MUST(m.kind == QEMUCTL_GONE);
	qemuctl_next(ctl, &m);
	MUST(m.kind == QEMUCTL_NOTHING);
}

static void check_stepping(struct fuzz_bytes bytes, uint64_t part)
{
	struct stepwire wire = { .fd = -1 };
	struct stepwire_message message;
	int fds[2], got;

	MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
	wire.fd = fds[0];
	MUST(stepwire_receive(&wire, &message) == 0);
	/* the other end is a process of ours: what it says is believed, unless it is cut */
	if (part & 1)
		got = send(fds[1], bytes.p, bytes.n, MSG_NOSIGNAL) < 0 ? -2 : -1;
	else
		got = 1;
	if (got == 1) {
		memset(&message, (int)(part >> 1), sizeof(message));
		memcpy(&message, bytes.p, bytes.n < sizeof(message) ? bytes.n : sizeof(message));
		MUST(send(fds[1], &message, sizeof(message), MSG_NOSIGNAL) > 0);
	} else if (bytes.n == sizeof(message)) {
		got = 1;
	}
	if (got != -2)
		MUST(stepwire_receive(&wire, &message) == got);
	close(fds[1]);
	stepwire_close(&wire);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	uint64_t choice = fuzz_take(&bytes, 1), part = fuzz_take(&bytes, 1);

	/* a pipe has room for so much without anybody reading */
	if (bytes.n > 4096)
		return 0;
	switch (choice % 4) {
	case 0: check_control(bytes, part); break;
	case 1: check_stepping(bytes, part); break;
	default: check_plugin(bytes, part);
	}
	return 0;
}

FUZZ_MAIN("wires", 5000)
