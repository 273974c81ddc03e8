/* SPDX-License-Identifier: MIT */
/*
 * softstep: records a program, or a process, with the stepper: for tests.
 *
 *   softstep -o PERF.DATA [options] -- PROGRAM [ARGUMENT ...]
 *   softstep -o PERF.DATA [options] -p PID
 *
 * Prints the summary on standard error. Exits with the status of the program; 99: it failed itself.
 */
#include "soft/stepper.h"

#include "support/lateinit.h"
#include "support/stacklog.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FAILED 99

static const char usage[] =
	"usage: softstep -o FILE [options] (-p PID | -- PROGRAM [ARGUMENT ...])\n"
	"  -b FILE    log of branches\n"
	"  -k FILE    log of what changes stacks (tests/support/stacklog.h)\n"
	"  -t TIME    virtual, real or instructions\n"
	"  -r BYTES   ring; -R: and what it holds at the end is written\n"
	"  -s N       a snapshot each N instructions\n"
	"  -x N       stop after N instructions\n"
	"  -d MS      stop after so many ms\n"
	"  -1         the first thread only      -f  children too\n"
	"  -C         per CPU                    -n  no return compression\n"
	"  -m         MTC packets                -T N  bits in a TNT packet\n"
	"  -z N       psb_period                 -q N  instructions of a turn\n"
	"  -F KIND,AT,LENGTH   a fault: overflow, truncated or cut\n"
	"  -a ADDRESS stop before the instruction there (hex)\n"
	"  -i         begin at the program's _init, behind what the dynamic linker does\n"
	"  -H         the process is held by another tracer; a line \"ready\" then\n";

static volatile sig_atomic_t interrupted;

struct wishes {
	uint64_t snapshot_each, stop_after;
	int64_t ms;
	uint64_t polls;
	struct timespec began;
	bool reached;
};

static void on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

static void die(const char *what)
{
	fprintf(stderr, "softstep: %s: %s\n", what, strerror(errno));
	exit(FAILED);
}

static uint64_t number(const char *text, int base)
{
	char *end;
	uint64_t v = strtoull(text, &end, base);

	if (end == text || *end) {
		fprintf(stderr, "softstep: %s: not a number\n%s", text, usage);
		exit(FAILED);
	}
	return v;
}

static struct stepper *the_stepper;

static enum stepper_wish poll_wishes(void *ctx)
{
	struct wishes *w = ctx;
	struct recorder_stats stats;
	struct timespec now;

	if (interrupted)
		return STEPPER_STOP;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (w->ms &&
	    (now.tv_sec - w->began.tv_sec) * 1000 + (now.tv_nsec - w->began.tv_nsec) / 1000000 >=
		    w->ms)
		return STEPPER_STOP;
	recorder_stats(stepper_recorder(the_stepper), &stats);
	if (w->stop_after && stats.instructions >= w->stop_after)
		return STEPPER_STOP;
	if (w->snapshot_each && stats.instructions / w->snapshot_each > w->polls) {
		w->polls = stats.instructions / w->snapshot_each;
		return STEPPER_SNAPSHOT;
	}
	return STEPPER_GO_ON;
}

static enum stepper_wish reached(void *ctx, pid_t tid, uint64_t address)
{
	struct wishes *w = ctx;

	fprintf(stderr, "softstep: thread %d is at %" PRIx64 "\n", tid, address);
	w->reached = true;
	return STEPPER_STOP;
}

/* The program, seized by us, at its exec. */
static pid_t start(char *const argv[], bool fixed)
{
	int go[2], status;
	char byte;
	pid_t pid;

	if (pipe(go) < 0)
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		close(go[1]);
		prctl(PR_SET_PDEATHSIG, 0);
		if (fixed)
			personality(ADDR_NO_RANDOMIZE);
		if (read(go[0], &byte, 1) == 1) {
			close(go[0]);
			execvp(argv[0], argv);
		}
		_exit(127);
	}
	close(go[0]);
	if (ptrace(PTRACE_SEIZE, pid, NULL, (long)PTRACE_O_TRACEEXEC) < 0)
		die("PTRACE_SEIZE");
	if (write(go[1], "", 1) != 1)
		die("pipe");
	close(go[1]);
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	if (!WIFSTOPPED(status)) {
		fprintf(stderr, "softstep: %s: it cannot be run\n", argv[0]);
		exit(FAILED);
	}
	return pid;
}

static void set_fault(struct recorder_fault *fault, char *text)
{
	static const char *const kinds[] = { [RECORDER_OVERFLOW] = "overflow",
					     [RECORDER_TRUNCATED] = "truncated",
					     [RECORDER_CUT] = "cut" };
	char *at = strchr(text, ','), *length = at ? strchr(at + 1, ',') : NULL;

	if (!length) {
		fputs(usage, stderr);
		exit(FAILED);
	}
	*at++ = '\0';
	*length++ = '\0';
	fault->at = number(at, 10);
	fault->length = number(length, 10);
	for (size_t i = 1; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(text, kinds[i]) == 0)
			fault->kind = (enum recorder_fault_kind)i;
}

static enum recorder_time time_named(const char *name)
{
	static const char *const names[] = { "virtual", "real", "instructions" };

	for (size_t i = 0; i < 3; i++)
		if (strcmp(name, names[i]) == 0)
			return (enum recorder_time)i;
	fputs(usage, stderr);
	exit(FAILED);
}

struct options {
	struct stepper_config stepper;
	struct recorder_config recorder;
	struct packet_config packets;
	struct wishes wishes;
	uint64_t address;
	bool rest, late;
	const char *stacks; /* NULL: no such log */
	struct stacklog log;
	struct stepdeed_watcher watcher;
};

static void parse(struct options *o, int argc, char **argv)
{
	struct recorder_config *r = &o->recorder;
	int c;

	while ((c = getopt(argc, argv, "+o:b:k:t:r:Rs:x:d:1fCnmT:z:q:F:a:iHp:")) != -1)
		switch (c) {
		case 'o': r->path = optarg; break;
		case 'b': r->log = optarg; break;
		case 'k': o->stacks = optarg; break;
		case 't': r->time = time_named(optarg); break;
		case 'r': r->ring = number(optarg, 10); break;
		case 'R': o->rest = true; break;
		case 's': o->wishes.snapshot_each = number(optarg, 10); break;
		case 'x': o->wishes.stop_after = number(optarg, 10); break;
		case 'd': o->wishes.ms = (int64_t)number(optarg, 10); break;
		case '1': o->stepper.multi_thread = false; break;
		case 'f': o->stepper.follow_fork = true; break;
		case 'C': r->per_cpu = true; break;
		case 'n': o->packets.ret_compression = false; break;
		case 'm': o->packets.mtc = true; break;
		case 'T': o->packets.tnt_max = (unsigned int)number(optarg, 10); break;
		case 'z': o->packets.psb_period = (unsigned int)number(optarg, 10); break;
		case 'q': o->stepper.turn = (unsigned int)number(optarg, 10); break;
		case 'F': set_fault(&r->fault, optarg); break;
		case 'a': o->address = number(optarg, 16); break;
		case 'i': o->late = true; break;
		case 'H': o->stepper.held = true; break;
		case 'p': o->stepper.pid = (pid_t)number(optarg, 10); break;
		default: fputs(usage, stderr); exit(FAILED);
		}
	if (!r->path || (optind >= argc) == (o->stepper.pid == 0)) {
		fputs(usage, stderr);
		exit(FAILED);
	}
}

static int record(struct options *o, bool run)
{
	struct recorder_stats stats;
	struct err err = ERR_INIT;
	enum stepper_end end;
	char text[300];
	int status;

	if (stepper_attach(&o->stepper, &the_stepper, &err) < 0) {
		fprintf(stderr, "softstep: %s\n%s\n", err.msg, err.hint);
		return FAILED;
	}
	if (o->stepper.held) {
		puts("ready");
		fflush(stdout);
	}
	end = stepper_run(the_stepper);
	stepper_detach(the_stepper);
	status = stepper_status(the_stepper);
	if (stepper_close(the_stepper, o->rest || !o->recorder.ring, &stats, &err) < 0) {
		fprintf(stderr, "softstep: %s\n", err.msg);
		return FAILED;
	}
	if (o->stacks && !stacklog_close(&o->log))
		die(o->stacks);
	recorder_summary(&stats, text, sizeof(text));
	fprintf(stderr, "softstep: %s\n", text);
	if (end == STEPPER_NOT_64_BIT)
		fputs("softstep: it is not 64-bit any more\n", stderr);
	if (end != STEPPER_ENDED && run)
		waitpid(o->stepper.pid, &status, 0);
	if (!run)
		return 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void watch_stacks(struct options *o)
{
	if (!stacklog_open(&o->log, o->stacks))
		die(o->stacks);
	o->watcher = (struct stepdeed_watcher){ .did = stacklog_did, .ctx = &o->log };
	o->stepper.watcher = &o->watcher;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_interrupt };
	struct options o = {
		.stepper = { .multi_thread = true, .hooks.poll = poll_wishes },
		.packets = RECORDER_PACKETS,
	};
	char name[] = "softstep", *fixed[] = { name, NULL };
	bool run;

	parse(&o, argc, argv);
	run = o.stepper.pid == 0;
	o.recorder.command_line = o.recorder.time == RECORDER_INSTRUCTIONS ? fixed : argv;
	o.recorder.pt = &o.packets;
	o.stepper.recorder = &o.recorder;
	o.stepper.hooks.ctx = &o.wishes;
	o.stepper.poll_each = o.wishes.snapshot_each || o.wishes.stop_after ? 1000 : 0;
	if (o.address) {
		o.stepper.addresses = &o.address;
		o.stepper.n_addresses = 1;
		o.stepper.hooks.reached = reached;
	}
	if (o.stacks)
		watch_stacks(&o);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	clock_gettime(CLOCK_MONOTONIC, &o.wishes.began);
	if (run)
		o.stepper.pid = start(argv + optind, o.recorder.time == RECORDER_INSTRUCTIONS);
	if (o.late && run && !lateinit_run(o.stepper.pid))
		die(argv[optind]);
	return record(&o, run);
}
