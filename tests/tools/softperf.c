/* SPDX-License-Identifier: MIT */
/*
 * softperf: stands in for perf on a machine without Intel PT.
 *
 * `softperf record ... -e intel_pt//u ...` writes the perf.data of a CPU that has it, by stepping
 * the process, and obeys the control channel and the signals as perf record does. Whatever else it
 * is asked for, the perf in PATH does. Its clock is the real one. One process; no kernel code; no
 * --switch-output.
 */
#include "base/procfs.h"
#include "soft/stepper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAILED     255
#define RING_BYTES ((size_t)4 << 20) /* perf's default for root */
#define PAGE_BYTES 4096

struct asked {
	const char *data;
	pid_t pid;
	bool pt, all_threads, snapshots, at_exit;
	size_t ring;
	int control, ack; /* -1: none */
	/* while it records */
	char line[64];
	size_t n;
	bool answer_snapshot; /* the one that was asked for is written by the next poll */
	bool taken;           /* a snapshot was asked for at all */
};

static volatile sig_atomic_t stop, snapshot;

static void on_signal(int sig)
{
	if (sig == SIGUSR2)
		snapshot = 1;
	else
		stop = 1;
}

static void acknowledge(const struct asked *a)
{
	if (a->ack >= 0 && write(a->ack, "ack\n", 5) != 5)
		stop = 1;
}

/* Obeys one command, and says what is wished by it. */
static enum stepper_wish obey(struct asked *a)
{
	if (strcmp(a->line, "snapshot") == 0) {
		a->answer_snapshot = a->taken = true;
		return STEPPER_SNAPSHOT;
	}
	acknowledge(a);
	if (strcmp(a->line, "stop") != 0)
		return STEPPER_GO_ON;
	stop = 1;
	return STEPPER_STOP;
}

static enum stepper_wish read_control(struct asked *a)
{
	char byte;
	ssize_t n;

	while (a->control >= 0 && (n = read(a->control, &byte, 1)) >= 0) {
		if (n == 0)
			return STEPPER_STOP; /* whoever drove us has ended */
		if (byte != '\n') {
			if (a->n < sizeof(a->line) - 1)
				a->line[a->n++] = byte;
			continue;
		}
		a->line[a->n] = '\0';
		a->n = 0;
		enum stepper_wish wish = obey(a);

		if (wish != STEPPER_GO_ON)
			return wish;
	}
	return STEPPER_GO_ON;
}

static enum stepper_wish poll_wishes(void *ctx)
{
	struct asked *a = ctx;

	if (a->answer_snapshot) {
		a->answer_snapshot = false;
		acknowledge(a);
	}
	if (stop)
		return STEPPER_STOP;
	if (snapshot) {
		snapshot = 0;
		a->taken = true;
		return STEPPER_SNAPSHOT;
	}
	return read_control(a);
}

static void parse(struct asked *a, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *next = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(argv[i], "-o") == 0)
			a->data = next;
		else if (strcmp(argv[i], "-t") == 0 || strcmp(argv[i], "-p") == 0)
			a->pid = (pid_t)strtol(next, NULL, 10);
		if (strcmp(argv[i], "-p") == 0)
			a->all_threads = true;
		if (strncmp(argv[i], "--event=intel_pt/", 17) == 0)
			a->pt = true;
		if (strncmp(argv[i], "--snapshot", 10) == 0)
			a->snapshots = true;
		if (strcmp(argv[i], "--snapshot=e") == 0)
			a->at_exit = true;
		if (strncmp(argv[i], "-m,", 3) == 0)
			a->ring = strtoul(argv[i] + 3, NULL, 10) * PAGE_BYTES;
		if (sscanf(argv[i], "--control=fd:%d,%d", &a->control, &a->ack) == 2)
			fcntl(a->control, F_SETFL, O_NONBLOCK);
	}
}

/* Whether it is traced already: by who starts it, and lets go of it when we are ready. */
static bool is_held(pid_t pid)
{
	uint64_t tracer;

	return procfs_status(pid, "TracerPid:", false, &tracer) && tracer != 0;
}

static int record(struct asked *a, char **argv)
{
	struct packet_config packets = RECORDER_PACKETS;
	struct recorder_config recorder = {
		.path = a->data,
		.time = RECORDER_REAL,
		.ring = a->snapshots ? a->ring : 0,
		.command_line = argv,
		.pt = &packets,
	};
	struct stepper_config config = {
		.pid = a->pid,
		.held = is_held(a->pid),
		.multi_thread = a->all_threads,
		.hooks = { .poll = poll_wishes, .ctx = a },
		.recorder = &recorder,
	};
	struct recorder_stats stats;
	struct stepper *stepper;
	struct err err = ERR_INIT;
	char text[300];

	/* decoding begins at a PSB: a small ring has one, too */
	packets.psb_period = 0;
	if (stepper_attach(&config, &stepper, &err) < 0) {
		fprintf(stderr, "softperf: %s\n%s\n", err.msg, err.hint);
		return FAILED;
	}
	stepper_run(stepper);
	if (a->answer_snapshot)
		acknowledge(a);
	/* when it ended unasked, what the ring holds is all that there is */
	if (stepper_close(stepper, !a->snapshots || a->at_exit || !a->taken, &stats, &err) < 0) {
		fprintf(stderr, "softperf: %s\n", err.msg);
		return FAILED;
	}
	recorder_summary(&stats, text, sizeof(text));
	fprintf(stderr, "softperf: %s\n", text);
	return 0;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_signal };
	struct asked asked = { .control = -1, .ack = -1, .ring = RING_BYTES };
	static char perf[] = "perf";

	parse(&asked, argc, argv);
	if (argc < 2 || strcmp(argv[1], "record") != 0 || !asked.pt) {
		argv[0] = perf;
		execvp(perf, argv);
		fprintf(stderr, "softperf: perf: %s\n", strerror(errno));
		return FAILED;
	}
	if (!asked.data || asked.pid <= 0) {
		fputs("softperf: -o FILE and -t TID or -p PID are needed\n", stderr);
		return FAILED;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	return record(&asked, argv);
}
