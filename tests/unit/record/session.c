/* SPDX-License-Identifier: MIT */
/*
 * Whole recordings with a stand-in for perf, a shell script that logs what it is told; what is run
 * and recorded logs what it does in the same file: so the order of it all is seen. Intel PT, which
 * the machine need not have.
 */
#include "record/session.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

/* What each stand-in begins with: its data file has something in it. */
#define BEGIN \
	"data=$3; say() { echo $* >>log; }; ack() { printf 'ack\\n\\0' >&4; }; echo x >$data\n"
/* It does what it is told until it is told to stop. */
#define OBEY    "while read -r c <&3; do say $c; ack; [ $c = stop ] && exit 0; done\n"
#define FOREVER "exec sleep 1000\n"

static struct scratch s;
static struct err err, warned;
static char said[4096], perf[200];
static const char *cue; /* when this is said, SIGTERM is sent to us */
static struct plan plan;
static struct record_options options;
static struct session_result result;
static struct recording *rec;
static struct workdir *dir;

static void on_say(void *ctx, const char *line)
{
	(void)ctx;
	strncat(said, line, sizeof(said) - strlen(said) - 2);
	strcat(said, "\n");
	if (cue && strstr(line, cue))
		kill(getpid(), SIGTERM);
}

static void on_warn(void *ctx, const struct err *what)
{
	(void)ctx;
	warned = *what;
}

static void on_perf_line(void *ctx, struct str line)
{
	(void)ctx;
	(void)line;
}

static void set_up(const char *script, char *const *command)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR2, SIGCHLD };
	char text[2000];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		signal(all[i], SIG_DFL);
	scratch_init(&s);
	ck_assert_int_eq(chdir(s.dir), 0);
	setenv("TMPDIR", s.dir, 1);
	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	scratch_put(&s, "perf", text);
	ck_assert_int_eq(chmod("perf", 0755), 0);
	scratch_put(&s, "log", "");
	strcpy(perf, scratch_path(&s, "perf"));
	options = (struct record_options){
		.perf = perf, .command = command, .ready_fd = -1, .scope = "u"
	};
	plan.perf = (struct perf_record_settings){
		.perf = perf,
		.version = { .major = 6, .minor = 1 },
		.mode = PERF_PT,
		.scope = "u",
		.event = "",
		.snapshot = PERF_SNAPSHOT_AT_END,
	};
	rec = recording_new();
	ck_assert_msg(workdir_open(NULL, &dir, &err) == 0, "%s", err.msg);
}

static const struct listener listener = {
	.say = on_say,
	.warn = on_warn,
	.perf_line = on_perf_line,
};

static int record(void)
{
	struct session_config config = {
		.options = &options,
		.plan = &plan,
		.dir = dir,
		.listener = listener,
		.recording = rec,
	};

	return session_record(&config, &result, &err);
}

/* Nothing is left, neither a process nor a file but those of set_up and those named in `also`. */
static void tear_down(unsigned int also)
{
	session_result_fini(&result);
	recording_free(rec);
	workdir_close(dir);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG | __WALL), -1);
	ck_assert_int_eq(errno, ECHILD);
	ck_assert_uint_eq(scratch_count(&s), 2 + also);
	scratch_fini(&s);
}

static void log_is(const char *want)
{
	char *got = scratch_get(scratch_path(&s, "log"), NULL);

	ck_assert_str_eq(got, want);
	free(got);
}

static void ended_with(int status)
{
	ck_assert(session_wait(&listener, &result));
	ck_assert_int_eq(target_status(result.program), status);
}

#define COMMAND(script) ((char *[]){ (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ script }, NULL })

/* The program runs when perf records, and its end is the snapshot. */
START_TEST(test_the_end_is_the_snapshot)
{
	set_up(BEGIN OBEY, COMMAND("echo ran >>log; exit 3"));
	ck_assert_msg(record() == 0, "%s", err.msg);
	log_is("ping\nran\nstop\n");
	ended_with(W_EXITCODE(3, 0));
	ck_assert_ptr_nonnull(strstr(said, "[ Snapshot taken. ]\n[ Finished recording. ]\n"));
	ck_assert(!rec->part);
	ck_assert_ptr_nonnull(rec->executable);
	tear_down(0);
}
END_TEST

/* Without --snapshot=e it is asked for. */
START_TEST(test_a_snapshot_is_asked_for_at_the_end)
{
	set_up(BEGIN OBEY, COMMAND("echo ran >>log"));
	plan.perf.snapshot = PERF_SNAPSHOT_ON_REQUEST;
	ck_assert_msg(record() == 0, "%s", err.msg);
	log_is("ping\nran\nsnapshot\nstop\n");
	ck_assert_uint_eq(result.snapshots, 1);
	tear_down(0);
}
END_TEST

/* A function of libc that sh does not call: whether a breakpoint could be set there. */
static bool record_with_trigger(int want)
{
	int r;

	plan.perf.snapshot = PERF_SNAPSHOT_ON_REQUEST;
	options.trigger = "gnu_get_libc_version";
	r = record();
	if (r < 0 && strstr(err.msg, "breakpoint")) {
		printf("SKIP session: %s\n", err.msg);
		tear_down(0);
		return false;
	}
	ck_assert_msg(r == want, "%s", err.msg);
	return true;
}

/* A program that ends is snapshot at its end, and the snapshot is none of a hit. */
START_TEST(test_a_trigger_that_is_not_called)
{
	set_up(BEGIN OBEY, COMMAND("echo ran >>log"));
	if (!record_with_trigger(0))
		return;
	log_is("ping\nran\nsnapshot\nstop\n");
	ck_assert_ptr_nonnull(strstr(said, "[ Snapshot taken. ]\n[ gnu_get_libc_version was not "
					   "called; this is how it ended. ]\n"));
	ck_assert_uint_eq(rec->n_hits, 0);
	tear_down(0);
}
END_TEST

/* One that runs on is not. */
START_TEST(test_a_trigger_that_is_not_called_in_time)
{
	set_up(BEGIN OBEY, COMMAND("while ! [ -e go ]; do sleep 0.01; done; exit 2"));
	options.duration = 1000000;
	if (!record_with_trigger(-1))
		return;
	log_is("ping\nstop\n");
	ck_assert_str_eq(err.msg, "gnu_get_libc_version was not called: no snapshot was taken");
	scratch_put(&s, "go", "");
	ended_with(W_EXITCODE(2, 0));
	tear_down(1);
}
END_TEST

/* A perf that does not answer is asked once, however long that takes (8 s). */
START_TEST(test_a_last_snapshot_that_is_not_taken)
{
	const char *is_long = getenv("MT_LONG");

	if (!is_long || !*is_long)
		return;
	set_up(BEGIN "while read -r c <&3; do say $c; [ $c = snapshot ] || ack; "
		     "[ $c = stop ] && exit 0; done\n",
	       COMMAND("echo ran >>log"));
	plan.perf.snapshot = PERF_SNAPSHOT_ON_REQUEST;
	ck_assert_msg(record() == 0, "%s", err.msg);
	log_is("ping\nran\nsnapshot\nstop\n");
	ck_assert_ptr_nonnull(strstr(warned.msg, "did not take the snapshot"));
	ck_assert_uint_eq(result.snapshots, 0);
	tear_down(0);
}
END_TEST

START_TEST(test_the_program_asks_for_a_snapshot)
{
	set_up(BEGIN OBEY, COMMAND("kill -USR2 $MAGIC_TRACE_PID; "
				   "while ! [ -e go ]; do sleep 0.01; done; exit 4"));
	plan.perf.snapshot = PERF_SNAPSHOT_ON_REQUEST;
	ck_assert_msg(record() == 0, "%s", err.msg);
	log_is("ping\nsnapshot\nstop\n");
	ck_assert_uint_eq(result.snapshots, 1);
	ck_assert_int_eq(target_step(result.program), TARGET_RUNNING);
	scratch_put(&s, "go", "");
	ended_with(W_EXITCODE(4, 0));
	ck_assert_ptr_nonnull(strstr(said, "[ Waiting for process "));
	tear_down(1);
}
END_TEST

/* The first is the program's, the second ends the recording. */
START_TEST(test_signals_under_run)
{
	set_up(BEGIN OBEY, COMMAND("trap 'echo term >>log' TERM; kill -TERM $MAGIC_TRACE_PID; "
				   "while ! grep -q term log; do sleep 0.01; done; "
				   "kill -TERM $MAGIC_TRACE_PID; "
				   "while ! [ -e go ]; do sleep 0.01; done"));
	ck_assert_msg(record() == 0, "%s", err.msg);
	log_is("ping\nterm\nstop\n");
	ck_assert(result.impatient);
	/* nobody waits then */
	ck_assert(!session_wait(&listener, &result));
	target_signal(result.program, SIGKILL);
	ck_assert_int_eq(waitpid(target_pid(result.program), NULL, 0), target_pid(result.program));
	tear_down(0);
}
END_TEST

/* While the program is waited for it gets the first one; the second ends the waiting. */
START_TEST(test_signals_while_it_is_waited_for)
{
	pid_t pid;

	set_up(BEGIN OBEY, COMMAND("trap 'echo term >>log; kill -TERM $MAGIC_TRACE_PID' TERM; "
				   "kill -USR2 $MAGIC_TRACE_PID; "
				   "while :; do sleep 0.01; done"));
	ck_assert_msg(record() == 0, "%s", err.msg);
	cue = "[ Waiting for process ";
	ck_assert(!session_wait(&listener, &result));
	log_is("ping\nstop\nterm\n");
	pid = target_pid(result.program);
	session_result_fini(&result);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	tear_down(0);
}
END_TEST

START_TEST(test_attach)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (;;)
			pause();
	}
	set_up(BEGIN OBEY, NULL);
	options.pids = &pid;
	options.n_pids = 1;
	cue = "[ Attached. Press Ctrl-C to stop recording. ]";
	ck_assert_msg(record() == 0, "%s", err.msg);
	log_is("ping\nstop\n");
	ck_assert_ptr_nonnull(strstr(said, "[ Got signal, detaching... ]\n[ Snapshot taken. ]\n"));
	ck_assert_ptr_null(result.program);
	ck_assert(session_wait(&listener, &result));

	/* it is in the recording, and still runs */
	ck_assert_ptr_nonnull(recording_command_line(rec, pid));
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	tear_down(0);
}
END_TEST

START_TEST(test_attach_while_a_command_runs)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (;;)
			pause();
	}
	set_up(BEGIN OBEY, COMMAND("echo ran >>log; exit 6"));
	options.pids = &pid;
	options.n_pids = 1;
	ck_assert_msg(record() == 0, "%s", err.msg);
	log_is("ping\nran\nstop\n");
	ended_with(W_EXITCODE(6, 0));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	tear_down(0);
}
END_TEST

START_TEST(test_without_kcore)
{
	set_up("for a; do [ $a = --kcore ] && { echo no kcore >&2; exit 1; }; done\n" BEGIN OBEY,
	       COMMAND("echo ran >>log"));
	plan.perf.kcore = true;
	plan.perf.scope = "uk";
	ck_assert_msg(record() == 0, "%s", err.msg);
	log_is("ping\nran\nstop\n");
	ck_assert_ptr_nonnull(strstr(warned.msg, "without --kcore"));
	ck_assert_ptr_nonnull(strstr(warned.msg, "no kcore"));
	tear_down(0);
}
END_TEST

/* What was not to be recorded is not run. */
START_TEST(test_perf_cannot_record)
{
	set_up("echo the reason >&2; exit 7", COMMAND("echo ran >>log"));
	ck_assert_int_eq(record(), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "the reason"));
	ck_assert_ptr_null(result.program);
	log_is("");
	tear_down(0);
}
END_TEST

/* Perf ends without a word when it may not read what a process has mapped. */
START_TEST(test_perf_says_nothing)
{
	pid_t init = 1;

	if (open("/proc/1/maps", O_RDONLY | O_CLOEXEC) >= 0 || errno != EACCES) {
		printf("SKIP session: process 1 has no secrets for us\n");
		return;
	}
	set_up("exit 255", NULL);
	options.pids = &init;
	options.n_pids = 1;
	ck_assert_int_eq(record(), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "could not record (exit status 255): no permission "
					      "to look at what process 1 has mapped"));
	ck_assert_ptr_nonnull(strstr(err.hint, "CAP_SYS_PTRACE"));
	tear_down(0);
}
END_TEST

START_TEST(test_no_such_program)
{
	set_up(BEGIN OBEY, ((char *[]){ (char[]){ "./nonexistent" }, NULL }));
	ck_assert_int_eq(record(), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "cannot run ./nonexistent"));
	log_is("");
	tear_down(0);
}
END_TEST

/* Then what it has written is a part, and the program runs on. */
START_TEST(test_perf_dies)
{
	set_up(BEGIN "read -r c <&3; ack; while ! [ -s log ]; do sleep 0.01; done; kill -KILL $$",
	       COMMAND("echo ran >>log; while ! [ -e go ]; do sleep 0.01; done; exit 5"));
	ck_assert_msg(record() == 0, "%s", err.msg);
	ck_assert(rec->part);
	ck_assert_ptr_nonnull(strstr(warned.msg, "was killed by signal 9"));
	ck_assert_str_eq(rec->reason, warned.msg);
	scratch_put(&s, "go", "");
	ended_with(W_EXITCODE(5, 0));
	tear_down(1);
}
END_TEST

/* The first one comes before perf records; at the third it is killed. */
START_TEST(test_a_perf_that_hangs)
{
	set_up("kill -TERM $PPID\n" FOREVER, COMMAND("echo ran >>log"));
	cue = "ing";
	ck_assert_int_eq(record(), -1);
	ck_assert_str_eq(err.msg, "stopped before anything was recorded");
	ck_assert_ptr_nonnull(strstr(said, "[ Got signal, detaching... ]\n[ Waiting for "));
	ck_assert_ptr_nonnull(strstr(said, "perf to write what it has."));
	log_is("");
	tear_down(0);
}
END_TEST

START_TEST(test_ready)
{
	int ends[2];
	char line[64] = "", want[64];

	set_up(BEGIN OBEY, COMMAND("echo $$ >pid"));
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	options.ready_fd = ends[1];
	ck_assert_msg(record() == 0, "%s", err.msg);
	snprintf(want, sizeof(want), "recording %d\n", (int)target_pid(result.program));
	ck_assert_int_eq(read(ends[0], line, sizeof(line) - 1), (int)strlen(want));
	ck_assert_str_eq(line, want);
	/* and it is closed */
	ck_assert_int_eq(read(ends[0], line, sizeof(line)), 0);
	snprintf(want, sizeof(want), "%d\n", (int)target_pid(result.program));
	ck_assert(scratch_holds(&s, "pid", want));
	tear_down(1);
}
END_TEST

/* It ends neither by itself nor by a signal. */
START_TEST(test_duration)
{
	set_up(BEGIN OBEY, COMMAND("while ! [ -e go ]; do sleep 0.01; done; exit 2"));
	options.duration = 1000000;
	ck_assert_msg(record() == 0, "%s", err.msg);
	log_is("ping\nstop\n");
	ck_assert_int_eq(target_step(result.program), TARGET_RUNNING);
	scratch_put(&s, "go", "");
	ended_with(W_EXITCODE(2, 0));
	tear_down(1);
}
END_TEST

SUITE_MAIN("session", test_the_end_is_the_snapshot, test_a_snapshot_is_asked_for_at_the_end,
	   test_a_trigger_that_is_not_called, test_a_trigger_that_is_not_called_in_time,
	   test_a_last_snapshot_that_is_not_taken, test_the_program_asks_for_a_snapshot,
	   test_signals_under_run, test_signals_while_it_is_waited_for, test_attach,
	   test_attach_while_a_command_runs, test_without_kcore, test_perf_cannot_record,
	   test_perf_says_nothing, test_no_such_program, test_perf_dies, test_a_perf_that_hangs,
	   test_ready, test_duration)
