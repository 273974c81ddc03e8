/* SPDX-License-Identifier: MIT */
#include "perf/record.h"

#include "perf/complaint.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>

/* What each stand-in for perf begins with: its data file has something in it. */
#define BEGIN \
	"data=$3; cd ${data%/*}; say() { echo $* >>log; }; ack() { printf 'ack\\n\\0' >&4; }\n"
#define WRITE "echo x >$data\n"
/* It does what it is told until it is told to stop. */
#define OBEY \
	"while read -r c <&3; do say $c; ack; [ $c = stop ] && { echo yy >>$data; exit 0; }; done\n"
/* On TERM and INT it says so and ends by that signal, as perf does. */
#define DIE_OF(sig) \
	"trap 'say " sig "; echo yy >>$data; trap - " sig "; kill -" sig " $$' " sig "\n"
#define FOREVER "while :; do sleep 0.01; done\n"
/* It waits for the test, which says with a file of that name that it may go on. */
#define UNTIL_GO "while ! [ -e go ]; do sleep 0.01; done\n"

static struct scratch s;
static struct err err;
static char lines[4096], data[200], perf[200];
static size_t n_lines;
static pid_t self;
static struct perf_record_settings settings;

static void on_stderr(void *ctx, struct str line)
{
	size_t at = strlen(lines);

	ck_assert_ptr_eq(ctx, lines);
	n_lines++;
	if (at + line.n + 2 > sizeof(lines))
		return;
	memcpy(lines + at, line.p, line.n);
	strcpy(lines + at + line.n, "\n");
}

static void set_up(void)
{
	scratch_init(&s);
	/* what a shell finds ignored it cannot trap */
	signal(SIGINT, SIG_DFL);
	lines[0] = '\0';
	n_lines = 0;
	err = (struct err)ERR_INIT;
	self = getpid();
	strcpy(data, scratch_path(&s, "perf.data"));
}

static struct perf_record *begin(void)
{
	struct perf_record *rec = NULL;

	ck_assert_msg(perf_record_start(&settings, on_stderr, lines, &rec, &err) == 0, "%s",
		      err.msg);
	return rec;
}

/* A perf of that version that is this shell script, and waits for a trigger with PT. */
static struct perf_record *start(unsigned int major, unsigned int minor, const char *script)
{
	char text[2000];

	set_up();
	strcpy(perf, scratch_path(&s, "perf"));
	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	scratch_put(&s, "perf", text);
	scratch_put(&s, "log", "");
	ck_assert_int_eq(chmod(perf, 0755), 0);
	settings = (struct perf_record_settings){
		.perf = perf,
		.version = { .major = major, .minor = minor },
		.data = data,
		.mode = PERF_PT,
		.scope = "u",
		.event = "",
		.ids = &self,
		.n_ids = 1,
		.snapshot = PERF_SNAPSHOT_ON_REQUEST,
	};
	return begin();
}

/* Once round the caller's loop. */
static enum perf_record_state turn(struct perf_record *rec)
{
	struct pollfd fds[PERF_RECORD_FDS];
	int timeout;

	perf_record_poll(rec, fds, &timeout);
	poll(fds, PERF_RECORD_FDS, timeout);
	return perf_record_step(rec);
}

/* Until perf is there; a perf that never is ends in the suite's own limit. */
static void until(struct perf_record *rec, enum perf_record_state state)
{
	enum perf_record_state now = perf_record_step(rec);

	while (now != state) {
		ck_assert_msg(now != PERF_ENDED, "it has ended: %s", lines);
		now = turn(rec);
	}
}

static int finish(struct perf_record *rec)
{
	int failed = perf_record_finish(rec, &err);

	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	return failed;
}

static void log_is(const char *want)
{
	char *got = scratch_get(scratch_path(&s, "log"), NULL);

	ck_assert_str_eq(got, want);
	free(got);
}

static void says(const char *part)
{
	ck_assert_msg(strstr(err.msg, part) != NULL, "'%s' does not say '%s'", err.msg, part);
}

START_TEST(test_control)
{
	struct perf_record *rec = start(6, 1, BEGIN WRITE OBEY);

	/* it does nothing before perf records */
	perf_record_snapshot(rec);
	until(rec, PERF_RECORDING);
	for (size_t i = 1; i < 4; i++) {
		perf_record_snapshot(rec);
		until(rec, PERF_RECORDING);
		ck_assert_uint_eq(perf_record_snapshots(rec), i);
	}
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_int_eq(perf_record_step(rec), PERF_ENDED);
	ck_assert_msg(finish(rec) == 0, "%s", err.msg);
	log_is("ping\nsnapshot\nsnapshot\nsnapshot\nstop\n");
	scratch_fini(&s);
}
END_TEST

/* Of --snapshot=e, the end is the snapshot. */
START_TEST(test_snapshot_at_end)
{
	struct perf_record *rec;

	rec = start(6, 1, BEGIN WRITE "sleep 0.2\n" OBEY);
	settings.snapshot = PERF_SNAPSHOT_AT_END;
	ck_assert_int_eq(finish(rec), 0);
	rec = begin();
	until(rec, PERF_RECORDING);
	perf_record_snapshot(rec);
	ck_assert_uint_eq(perf_record_snapshots(rec), 0);
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_uint_eq(perf_record_snapshots(rec), 1);
	ck_assert_int_eq(finish(rec), 0);
	log_is("ping\nstop\n");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_5_10)
{
	struct perf_record *rec = start(5, 10, BEGIN WRITE DIE_OF("INT") DIE_OF("TERM") OBEY);

	until(rec, PERF_RECORDING);
	perf_record_snapshot(rec);
	until(rec, PERF_RECORDING);
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_uint_eq(perf_record_snapshots(rec), 1);
	ck_assert_int_eq(finish(rec), 0);
	log_is("enable\nsnapshot\nTERM\n");

	settings.snapshot = PERF_SNAPSHOT_AT_END;
	rec = begin();
	until(rec, PERF_RECORDING);
	perf_record_snapshot(rec);
	until(rec, PERF_ENDED);
	ck_assert_uint_eq(perf_record_snapshots(rec), 1);
	ck_assert_int_eq(finish(rec), 0);
	log_is("enable\nsnapshot\nTERM\nenable\nINT\n");
	scratch_fini(&s);
}
END_TEST

/* Without control, the handlers are waited for: before that a signal would kill it. */
START_TEST(test_signals)
{
	struct perf_record *rec = start(
		5, 4,
		BEGIN WRITE "sleep 0.7; say early; trap 'say USR2' USR2\n" DIE_OF("TERM") FOREVER);

	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), 0);
	log_is("early\nTERM\n");

	rec = begin();
	until(rec, PERF_RECORDING);
	perf_record_snapshot(rec);
	/* it waits for the snapshot */
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_uint_eq(perf_record_snapshots(rec), 1);
	ck_assert_int_eq(finish(rec), 0);
	log_is("early\nTERM\nearly\nUSR2\nTERM\n");
	scratch_fini(&s);
}
END_TEST

/* Each snapshot is done when its file has got a name, and the end waits for the last. */
START_TEST(test_multi_snapshot)
{
	struct perf_record *rec = start(
		6, 1,
		BEGIN WRITE
		"n=10; trap 'sleep 0.1; mv $data $data.20261129204922$n; say $n; n=$((n+1)); echo x >$data' USR2\n"
		"while :; do read -r c <&3 && { say $c; ack; [ $c = stop ] && exit 0; }; done");

	perf_record_kill(rec);
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), 0);
	scratch_put(&s, "log", "");
	settings.multi_snapshot = true;
	rec = begin();
	until(rec, PERF_RECORDING);
	for (size_t i = 1; i < 3; i++) {
		perf_record_snapshot(rec);
		until(rec, PERF_RECORDING);
		ck_assert_uint_eq(perf_record_snapshots(rec), i);
	}
	perf_record_snapshot(rec);
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_uint_eq(perf_record_snapshots(rec), 3);
	ck_assert_int_eq(finish(rec), 0);
	log_is("ping\n10\n11\n12\nstop\n");
	scratch_fini(&s);
}
END_TEST

/* What it had written by then is none. */
START_TEST(test_kill_takes_no_snapshot)
{
	struct perf_record *rec = start(6, 1, BEGIN WRITE OBEY);

	perf_record_kill(rec);
	ck_assert_int_eq(finish(rec), 0);
	settings.snapshot = PERF_SNAPSHOT_AT_END;
	rec = begin();
	until(rec, PERF_RECORDING);
	perf_record_kill(rec);
	until(rec, PERF_ENDED);
	ck_assert_uint_eq(perf_record_snapshots(rec), 0);
	ck_assert_int_eq(finish(rec), 0);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_full_execution_has_no_snapshot)
{
	struct perf_record *rec = start(6, 1, BEGIN WRITE OBEY);

	perf_record_kill(rec);
	ck_assert_int_eq(finish(rec), 0);
	scratch_put(&s, "log", "");
	settings.snapshot = PERF_SNAPSHOT_NEVER;
	rec = begin();
	until(rec, PERF_RECORDING);
	perf_record_snapshot(rec);
	ck_assert_int_eq(perf_record_step(rec), PERF_RECORDING);
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_uint_eq(perf_record_snapshots(rec), 0);
	ck_assert_int_eq(finish(rec), 0);
	log_is("ping\nstop\n");
	scratch_fini(&s);
}
END_TEST

/* A perf that never says a word. */
START_TEST(test_silence)
{
	struct perf_record *rec = start(6, 1, "echo hello >&2; exec sleep 100");

	perf_record_limit(rec, &(struct perf_record_limits){ .start = 200 });
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("did not begin to record");
	/* no handler for the signals, ever; and told to stop meanwhile */
	settings.version.minor = 2;
	settings.version.major = 5;
	rec = begin();
	perf_record_limit(rec, &(struct perf_record_limits){ .answer = 200 });
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("did not begin to record");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_early_death)
{
	struct perf_record *rec =
		start(6, 1, "echo 'Permission error mapping pages.' >&2; echo more >&2; exit 255");

	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("could not record (exit status 255): Permission error mapping pages.");
	ck_assert_ptr_nonnull(strstr(err.hint, "-snapshot-size"));
	ck_assert_str_eq(lines, "Permission error mapping pages.\nmore\n");
	scratch_fini(&s);

	rec = start(6, 1, "exit 0");
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("ended before it recorded");
	scratch_fini(&s);

	rec = start(5, 4, "echo 'it broke' >&2; kill -SEGV $$");
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("killed by signal 11");
	says("before it recorded: it broke");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_death_while_recording)
{
	struct perf_record *rec = start(
		6, 1,
		BEGIN WRITE
		"read -r c <&3; ack\n" UNTIL_GO
		"echo 'failed to write perf data, error: No space left on device' >&2; exit 255");

	until(rec, PERF_RECORDING);
	scratch_put(&s, "go", "");
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("failed while it recorded (exit status 255)");
	says("No space left");
	ck_assert_ptr_nonnull(strstr(err.hint, "-working-directory"));
	scratch_fini(&s);

	/* also when it was told to stop before that, and when a signal that is not ours ends it */
	rec = start(6, 1,
		    BEGIN WRITE
		    "read -r c <&3; ack; read -r c <&3; ack; echo 'disk on fire' >&2; exit 1");
	until(rec, PERF_RECORDING);
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("disk on fire");
	scratch_fini(&s);
	rec = start(6, 1, BEGIN WRITE OBEY);
	until(rec, PERF_RECORDING);
	kill(perf_record_pid(rec), SIGTERM);
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("signal 15");
	says("while it recorded");
	scratch_fini(&s);
}
END_TEST

/* Its targets have ended: before it could answer, and later. */
START_TEST(test_ends_of_itself)
{
	struct perf_record *rec = start(6, 1, BEGIN WRITE "exit 0");

	until(rec, PERF_ENDED);
	perf_record_stop(rec);
	perf_record_kill(rec);
	ck_assert_int_eq(finish(rec), 0);
	scratch_fini(&s);

	rec = start(6, 1, BEGIN WRITE "read -r c <&3; ack; exec 3<&- 4>&-\n" UNTIL_GO "exit 0");
	until(rec, PERF_RECORDING);
	until(rec, PERF_STOPPING);
	/* too late: nobody reads it, and no signal comes of it */
	perf_record_snapshot(rec);
	perf_record_stop(rec);
	scratch_put(&s, "go", "");
	until(rec, PERF_ENDED);
	ck_assert_uint_eq(perf_record_snapshots(rec), 0);
	ck_assert_int_eq(finish(rec), 0);
	scratch_fini(&s);
}
END_TEST

/* A snapshot that is not answered; and when the answer comes late, it is not taken for another. */
START_TEST(test_snapshot_is_not_answered)
{
	struct perf_record *rec = start(
		6, 1,
		BEGIN WRITE
		"read -r c <&3; ack; read -r c <&3; read -r c <&3; ack; touch late; " FOREVER);

	perf_record_limit(rec, &(struct perf_record_limits){ .answer = 200 });
	until(rec, PERF_RECORDING);
	perf_record_snapshot(rec);
	until(rec, PERF_RECORDING);
	ck_assert_uint_eq(perf_record_snapshots(rec), 0);
	perf_record_snapshot(rec);
	while (!scratch_has(&s, "late"))
		turn(rec);
	until(rec, PERF_RECORDING);
	ck_assert_uint_eq(perf_record_snapshots(rec), 0);
	perf_record_kill(rec);
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), 0);
	scratch_fini(&s);
}
END_TEST

/* "stop" is not answered: SIGTERM, which it obeys. */
START_TEST(test_stop_is_not_answered)
{
	struct perf_record *rec =
		start(6, 1, BEGIN WRITE DIE_OF("TERM") "read -r c <&3; ack; " FOREVER);

	perf_record_limit(rec, &(struct perf_record_limits){ .answer = 100 });
	until(rec, PERF_RECORDING);
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_msg(finish(rec) == 0, "%s", err.msg);
	log_is("TERM\n");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_never_exits)
{
	const struct perf_record_limits limits = { .answer = 100, .stop = 300 };
	struct perf_record *rec;

	rec = start(6, 1, BEGIN WRITE "trap : TERM INT; while :; do read -r c <&3 && ack; done");
	perf_record_limit(rec, &limits);
	until(rec, PERF_RECORDING);
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("did not end");
	scratch_fini(&s);

	rec = start(5, 4, BEGIN WRITE "trap : TERM USR2; " FOREVER);
	perf_record_limit(rec, &limits);
	until(rec, PERF_RECORDING);
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("did not end");
	scratch_fini(&s);

	/* it has closed the channel */
	rec = start(6, 1, BEGIN WRITE "read -r c <&3; ack; exec 3<&- 4>&-; " FOREVER);
	perf_record_limit(rec, &limits);
	until(rec, PERF_RECORDING);
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("did not end");
	scratch_fini(&s);
}
END_TEST

/* As long as it writes, it may take longer than the limit. */
START_TEST(test_writes_for_long)
{
	struct perf_record *rec = start(
		6, 1,
		BEGIN WRITE
		"read -r c <&3; ack; read -r c <&3; ack\n"
		"for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo more >>$data; sleep 0.2; done; exit 0");

	perf_record_limit(rec, &(struct perf_record_limits){ .stop = 1500 });
	until(rec, PERF_RECORDING);
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_msg(finish(rec) == 0, "%s", err.msg);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_full_pipes_and_noise)
{
	struct perf_record *rec = start(
		6, 1,
		BEGIN WRITE
		"seq 20000 >&2; seq 100000; echo '[ perf record: Woken up 1 times to write data ]' >&2\n"
		"echo 'libperf: Miscounted nr_mmaps 2 vs 1' >&2\n" OBEY);

	until(rec, PERF_RECORDING);
	ck_assert_uint_eq(n_lines, COMPLAINTS_SHOWN);
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), 0);
	ck_assert_uint_eq(n_lines, COMPLAINTS_SHOWN + 1);
	scratch_fini(&s);
}
END_TEST

/* In every state it can be ended at once, with all its group. */
START_TEST(test_finish_at_any_time)
{
	struct perf_record *rec = start(6, 1, BEGIN WRITE "sleep 100 & " OBEY);

	ck_assert_int_eq(finish(rec), 0);
	rec = begin();
	until(rec, PERF_RECORDING);
	ck_assert_int_eq(finish(rec), 0);
	rec = begin();
	until(rec, PERF_RECORDING);
	perf_record_kill(rec);
	ck_assert_int_eq(finish(rec), 0);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_missing)
{
	struct perf_record *rec;

	set_up();
	settings = (struct perf_record_settings){
		.perf = "no-such-perf",
		.version = { .major = 6 },
		.data = data,
		.scope = "u",
		.event = "",
		.ids = &self,
		.n_ids = 1,
	};
	ck_assert_int_eq(perf_record_start(&settings, NULL, NULL, &rec, &err), -1);
	says("cannot run no-such-perf");
	ck_assert_ptr_nonnull(strstr(err.hint, "linux-perf"));
	scratch_fini(&s);
}
END_TEST

/* What the samples of the real perf are to be in. */
static void __attribute__((noinline)) burn_time_here(const struct timespec *end)
{
	volatile unsigned int work = 0;
	struct timespec now;

	do {
		for (int i = 0; i < 100000; i++)
			work++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end->tv_sec ||
		 (now.tv_sec == end->tv_sec && now.tv_nsec < end->tv_nsec));
}

static pid_t target(int seconds)
{
	struct timespec end;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid)
		return pid;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	burn_time_here(&end);
	_exit(0);
}

/* Whether the test goes on with the real perf, sampling pid into a ring. */
static bool real(const pid_t *pid)
{
	set_up();
	settings = (struct perf_record_settings){
		.perf = "perf",
		.data = data,
		.mode = PERF_SAMPLING,
		.scope = "u",
		.event = "cpu-clock",
		.freq = 1000,
		.callgraph = "fp",
		.ids = pid,
		.n_ids = 1,
		.snapshot = PERF_SNAPSHOT_AT_END,
	};
	if (perf_version_get("perf", &settings.version, &err) == 0 &&
	    scratch_run(&s, "perf record -q -e cpu-clock -o try true >log 2>&1") == 0)
		return true;
	printf("SKIP record/real perf: perf cannot record here\n");
	scratch_fini(&s);
	return false;
}

/* As finish(); the target is not counted. */
static int finish_real(struct perf_record *rec, pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	return finish(rec);
}

/* The process's own time on a CPU, ms. */
static int64_t worked(pid_t pid)
{
	clockid_t clock;
	struct timespec ts;

	ck_assert_int_eq(clock_getcpuclockid(pid, &clock), 0);
	ck_assert_int_eq(clock_gettime(clock, &ts), 0);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Until the target has worked so long, however busy the machine is: there are samples of it then.
 */
static void go_on_for(struct perf_record *rec, pid_t pid, int64_t ms)
{
	int64_t end = worked(pid) + ms;

	do {
		struct pollfd fds[PERF_RECORD_FDS];
		int timeout;

		perf_record_poll(rec, fds, &timeout);
		poll(fds, PERF_RECORD_FDS, 10);
		perf_record_step(rec);
	} while (worked(pid) < end);
}

/* Every data file has stacks, and all of them are named. */
static void is_named(const char *files)
{
	char command[500];

	snprintf(command, sizeof(command),
		 "for f in %s; do perf script -i $f -F ip,sym 2>>log >stacks || exit 1;"
		 "grep -q burn_time_here stacks || exit 2; done",
		 files);
	ck_assert_int_eq(scratch_run(&s, command), 0);
}

START_TEST(test_real_perf)
{
	static const struct {
		const char *callgraph;
		bool multi_thread;
		enum perf_snapshot snapshot;
	} ways[] = {
		{ "fp", false, PERF_SNAPSHOT_AT_END },
		{ "dwarf", true, PERF_SNAPSHOT_AT_END },
		{ "fp", true, PERF_SNAPSHOT_NEVER },
		{ "dwarf", false, PERF_SNAPSHOT_NEVER },
	};
	struct perf_record *rec;
	pid_t pid = 0;

	if (!real(&pid))
		return;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		settings.callgraph = ways[i].callgraph;
		settings.multi_thread = ways[i].multi_thread;
		settings.snapshot = ways[i].snapshot;
		settings.data_pages = 16;
		pid = target(100);
		rec = begin();
		until(rec, PERF_RECORDING);
		go_on_for(rec, pid, 200);
		perf_record_stop(rec);
		until(rec, PERF_ENDED);
		ck_assert_uint_eq(perf_record_snapshots(rec),
				  ways[i].snapshot == PERF_SNAPSHOT_AT_END);
		ck_assert_msg(finish_real(rec, pid) == 0, "%s", err.msg);
		is_named("perf.data");
	}
	/* "[ perf record: Captured and wrote ..." and the like were left out */
	ck_assert_msg(strstr(lines, "[ perf record") == NULL, "%s", lines);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_real_perf_and_its_target_ends)
{
	struct perf_record *rec;
	pid_t pid = 0;

	if (!real(&pid))
		return;
	pid = target(100);
	rec = begin();
	until(rec, PERF_RECORDING);
	go_on_for(rec, pid, 100);
	kill(pid, SIGKILL);
	until(rec, PERF_ENDED);
	ck_assert_msg(finish_real(rec, pid) == 0, "%s", err.msg);
	is_named("perf.data");

	/* it had ended before */
	rec = begin();
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("could not record");
	says("No such process");
	ck_assert_ptr_nonnull(strstr(err.hint, "ended before"));
	scratch_fini(&s);
}
END_TEST

START_TEST(test_real_perf_multi_snapshot)
{
	struct perf_record *rec;
	pid_t pid = 0;

	if (!real(&pid))
		return;
	settings.snapshot = PERF_SNAPSHOT_ON_REQUEST;
	settings.multi_snapshot = true;
	pid = target(100);
	rec = begin();
	until(rec, PERF_RECORDING);
	for (size_t i = 1; i < 4; i++) {
		go_on_for(rec, pid, 100);
		perf_record_snapshot(rec);
		until(rec, PERF_RECORDING);
		ck_assert_uint_eq(perf_record_snapshots(rec), i);
	}
	/* the end comes at once, and must not take the last one's name */
	perf_record_snapshot(rec);
	perf_record_stop(rec);
	until(rec, PERF_ENDED);
	ck_assert_uint_eq(perf_record_snapshots(rec), 4);
	ck_assert_msg(finish_real(rec, pid) == 0, "%s", err.msg);
	ck_assert_int_eq(
		scratch_run(&s, "[ $(ls perf.data.2* | wc -l) = 5 ] && ! [ -e perf.data ]"), 0);
	is_named("$(ls perf.data.2* | head -4)");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_real_perf_without_space)
{
	struct perf_record *rec;
	pid_t pid = 0;

	if (!real(&pid))
		return;
	ck_assert_int_eq(scratch_run(&s, "mkdir small"), 0);
	if (mount("none", scratch_path(&s, "small"), "tmpfs", 0, "size=256k")) {
		printf("SKIP record/no space: a tmpfs cannot be mounted\n");
		scratch_fini(&s);
		return;
	}
	strcpy(data, scratch_path(&s, "small/perf.data"));
	settings.callgraph = "dwarf";
	settings.snapshot = PERF_SNAPSHOT_NEVER;
	pid = target(100);
	rec = begin();
	until(rec, PERF_ENDED);
	ck_assert_int_eq(umount(scratch_path(&s, "small")), 0);
	ck_assert_int_eq(finish_real(rec, pid), -1);
	says("No space left");
	ck_assert_ptr_nonnull(strstr(err.hint, "-working-directory"));
	scratch_fini(&s);
}
END_TEST

START_TEST(test_real_perf_refuses)
{
	struct perf_record *rec;

	if (!real(&self))
		return;
	settings.event = "no-such-event";
	rec = begin();
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("event syntax error");
	says("no-such-event");
	/* not the list of all options */
	ck_assert_ptr_null(strstr(lines, "--event"));
	settings.event = "cpu-clock";
	settings.data = "/nonexistent/perf.data";
	rec = begin();
	until(rec, PERF_ENDED);
	ck_assert_int_eq(finish(rec), -1);
	says("/nonexistent/perf.data");
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("record", test_control, test_snapshot_at_end, test_5_10, test_signals,
	   test_multi_snapshot, test_kill_takes_no_snapshot, test_full_execution_has_no_snapshot,
	   test_silence, test_early_death, test_death_while_recording, test_ends_of_itself,
	   test_snapshot_is_not_answered, test_stop_is_not_answered, test_never_exits,
	   test_writes_for_long, test_full_pipes_and_noise, test_finish_at_any_time, test_missing,
	   test_real_perf, test_real_perf_and_its_target_ends, test_real_perf_multi_snapshot,
	   test_real_perf_without_space, test_real_perf_refuses)
