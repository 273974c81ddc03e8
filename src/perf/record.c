/* SPDX-License-Identifier: MIT */
#include "perf/record.h"

#include "base/monotonic.h"
#include "base/xalloc.h"
#include "perf/control.h"
#include "perf/datafile.h"
#include "perf/process.h"
#include "perf/sigcaught.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define START_MS  60000
#define ANSWER_MS 8000
#define STOP_MS   60000
/* Without a control channel: when events are on, and when a snapshot is written, is guessed. */
#define SETTLE_MS 500
/* How often is looked at what no file descriptor tells. */
#define ASK_MS    50
#define NAME_MS   5
#define GROWTH_MS 1000
/* perf names a data file by the time, in steps of 10 ms: two snapshots must not get one name. */
#define APART_MS 20

struct perf_record {
	struct perf_record_settings settings;
	struct perf_record_limits limits;
	struct perf_process *process;
	struct control control;
	enum perf_record_state state;
	unsigned command; /* the one whose answer is waited for */
	int64_t since;    /* when the state began, in ms */
	int64_t deadline; /* when patience with it ends */
	bool stop_wanted;
	bool recorded; /* it has come as far as that */
	int told;      /* the signal that it was told to end with; 0: none */
	bool killed, out_of_patience;
	size_t snapshots;
	size_t names;   /* data files that had their name before this snapshot */
	int64_t named;  /* when there was one more; 0: not yet */
	uint64_t bytes; /* of the data file, when last looked at */
};

static void enter(struct perf_record *rec, enum perf_record_state state, unsigned int patience)
{
	rec->state = state;
	rec->since = monotonic_ms();
	rec->deadline = rec->since + patience;
}

static int start(struct perf_record *rec, struct perf_process_args *args, struct err *err)
{
	const struct perf_record_settings *s = &rec->settings;
	char **argv = perf_record_argv(s, 3, 4);
	int failed = 0;

	args->argv = argv;
	if (perf_record_has_control(s)) {
		failed = control_open(&rec->control, err);
		args->pass = rec->control.pass;
		args->n_pass = 2;
	}
	failed = failed || perf_process_start(args, &rec->process, err) ? -1 : 0;
	perf_record_argv_free(argv);
	return failed;
}

static void record_free(struct perf_record *rec)
{
	perf_process_free(rec->process);
	control_close(&rec->control);
	free(rec);
}

int perf_record_start(const struct perf_record_settings *settings,
		      void (*on_stderr)(void *ctx, struct str line), void *ctx,
		      struct perf_record **out, struct err *err)
{
	struct perf_record *rec = xcalloc(1, sizeof(*rec));
	struct perf_process_args args = {
		.mode = settings->mode,
		.on_stderr = on_stderr,
		.ctx = ctx,
	};

	rec->settings = *settings;
	rec->control = CONTROL_NONE;
	if (start(rec, &args, err)) {
		record_free(rec);
		return -1;
	}
	control_started(&rec->control);
	perf_record_limit(rec, &(struct perf_record_limits){ .start = 0 });
	/* both are answered when events are on; "ping" came with 5.12 */
	if (perf_record_has_control(settings))
		rec->command = control_send(
			&rec->control,
			perf_version_at_least(&settings->version, 5, 12) ? "ping" : "enable");
	*out = rec;
	return 0;
}

void perf_record_limit(struct perf_record *rec, const struct perf_record_limits *limits)
{
	rec->limits = (struct perf_record_limits){
		.start = limits->start ? limits->start : START_MS,
		.answer = limits->answer ? limits->answer : ANSWER_MS,
		.stop = limits->stop ? limits->stop : STOP_MS,
	};
	enter(rec, PERF_STARTING, rec->limits.start);
}

pid_t perf_record_pid(const struct perf_record *rec)
{
	return perf_process_pid(rec->process);
}

/* How often something is to be looked at that no file descriptor tells, in ms; -1: nothing is. */
static int period(const struct perf_record *rec)
{
	if (rec->state == PERF_SNAPSHOTTING && rec->settings.multi_snapshot)
		return NAME_MS;
	if (!perf_process_tells_end(rec->process))
		return ASK_MS;
	if (rec->state == PERF_STARTING && !perf_record_has_control(&rec->settings))
		return ASK_MS;
	if (rec->state == PERF_SNAPSHOTTING &&
	    perf_record_snapshot_request(&rec->settings) != PERF_REQUEST_CONTROL)
		return ASK_MS;
	return rec->state == PERF_STOPPING ? GROWTH_MS : -1;
}

void perf_record_poll(const struct perf_record *rec, struct pollfd fds[PERF_RECORD_FDS],
		      int *timeout)
{
	int64_t left = rec->deadline - monotonic_ms();
	int every = period(rec);

	perf_process_poll(rec->process, fds);
	fds[PERF_PROCESS_FDS] = (struct pollfd){ .fd = rec->control.answers, .events = POLLIN };
	if (rec->state == PERF_RECORDING)
		left = -1;
	else if (left < 0 || rec->state == PERF_ENDED)
		left = 0;
	*timeout = every >= 0 && (left < 0 || left > every) ? every : (int)left;
}

/* Whether the signals that it will be sent would not simply kill it. */
static bool has_handlers(const struct perf_record *rec)
{
	pid_t pid = perf_record_pid(rec);

	if (perf_record_snapshot_request(&rec->settings) == PERF_REQUEST_SIGUSR2 &&
	    !signal_is_caught(pid, SIGUSR2))
		return false;
	return signal_is_caught(pid, SIGTERM);
}

static bool is_recording(const struct perf_record *rec)
{
	if (perf_record_has_control(&rec->settings))
		return control_is_answered(&rec->control, rec->command);
	return monotonic_ms() - rec->since >= SETTLE_MS && has_handlers(rec);
}

/* Whether the snapshot is complete. */
static bool is_taken(struct perf_record *rec)
{
	if (rec->settings.multi_snapshot) {
		if (!rec->named && datafile_count_named(rec->settings.data) > rec->names)
			rec->named = monotonic_ms();
		return rec->named && monotonic_ms() - rec->named >= APART_MS;
	}
	if (perf_record_snapshot_request(&rec->settings) == PERF_REQUEST_CONTROL)
		return control_is_answered(&rec->control, rec->command);
	return monotonic_ms() - rec->since >= SETTLE_MS;
}

static void ask(struct perf_record *rec, enum perf_request request, const char *command)
{
	static const int signals[] = {
		[PERF_REQUEST_CONTROL] = 0,
		[PERF_REQUEST_SIGINT] = SIGINT,
		[PERF_REQUEST_SIGTERM] = SIGTERM,
		[PERF_REQUEST_SIGUSR2] = SIGUSR2,
	};

	if (request == PERF_REQUEST_CONTROL)
		rec->command = control_send(&rec->control, command);
	else
		perf_process_signal(rec->process, signals[request]);
	if (request == PERF_REQUEST_SIGINT || request == PERF_REQUEST_SIGTERM)
		rec->told = signals[request];
}

static void begin_stop(struct perf_record *rec, enum perf_request request)
{
	enter(rec, PERF_STOPPING, rec->limits.stop);
	rec->bytes = datafile_bytes(rec->settings.data);
	ask(rec, request, "stop");
}

static void out_of_patience(struct perf_record *rec)
{
	rec->out_of_patience = true;
	perf_process_signal(rec->process, SIGKILL);
	rec->deadline = monotonic_ms() + rec->limits.stop;
}

/* As long as it writes, it is given time. */
static void look_at_stop(struct perf_record *rec)
{
	uint64_t bytes = datafile_bytes(rec->settings.data);
	int64_t now = monotonic_ms();

	if (bytes != rec->bytes)
		rec->deadline = now + rec->limits.stop;
	rec->bytes = bytes;
	if (!rec->told && !control_has_ended(&rec->control) &&
	    !control_is_answered(&rec->control, rec->command) &&
	    now - rec->since >= rec->limits.answer)
		ask(rec, PERF_REQUEST_SIGTERM, NULL);
	if (now >= rec->deadline)
		out_of_patience(rec);
}

static void look_at_snapshot(struct perf_record *rec)
{
	bool taken = is_taken(rec);

	if (!taken && monotonic_ms() < rec->deadline)
		return;
	rec->snapshots += taken;
	enter(rec, PERF_RECORDING, 0);
}

static void look_at_start(struct perf_record *rec)
{
	if (is_recording(rec)) {
		rec->recorded = true;
		enter(rec, PERF_RECORDING, 0);
	} else if (monotonic_ms() >= rec->deadline) {
		out_of_patience(rec);
	}
}

/* Its targets may have ended before it could answer. */
static bool has_written(const struct perf_record *rec)
{
	return rec->recorded || datafile_bytes(rec->settings.data) > 0 ||
	       datafile_count_named(rec->settings.data) > 0;
}

static void look_at_end(struct perf_record *rec)
{
	/* it may have ended just after it had given the snapshot its name */
	if (rec->state == PERF_SNAPSHOTTING && rec->settings.multi_snapshot)
		rec->snapshots += datafile_count_named(rec->settings.data) > rec->names + 1;
	rec->snapshots += perf_record_ends_with_snapshot(&rec->settings) && has_written(rec) &&
			  !rec->killed && !rec->out_of_patience;
	enter(rec, PERF_ENDED, 0);
}

enum perf_record_state perf_record_step(struct perf_record *rec)
{
	if (rec->state == PERF_ENDED)
		return PERF_ENDED;
	perf_process_drain(rec->process);
	control_take(&rec->control);
	if (perf_record_has_control(&rec->settings) && rec->state == PERF_STARTING)
		rec->recorded = is_recording(rec);
	if (perf_process_ended(rec->process)) {
		look_at_end(rec);
		return PERF_ENDED;
	}
	/* what it closes the channel for is its exit: told, or because its targets have ended */
	if (control_has_ended(&rec->control) && rec->state != PERF_STOPPING)
		enter(rec, PERF_STOPPING, rec->limits.stop);
	if (rec->state == PERF_STARTING)
		look_at_start(rec);
	else if (rec->state == PERF_SNAPSHOTTING)
		look_at_snapshot(rec);
	else if (rec->state == PERF_STOPPING)
		look_at_stop(rec);
	if (rec->state == PERF_RECORDING && rec->stop_wanted)
		begin_stop(rec, perf_record_stop_request(&rec->settings));
	return rec->state;
}

void perf_record_snapshot(struct perf_record *rec)
{
	const struct perf_record_settings *s = &rec->settings;

	if (rec->state != PERF_RECORDING || s->snapshot == PERF_SNAPSHOT_NEVER)
		return;
	if (perf_record_ends_with_snapshot(s)) {
		begin_stop(rec, perf_record_snapshot_request(s));
		return;
	}
	rec->named = 0;
	if (s->multi_snapshot)
		rec->names = datafile_count_named(s->data);
	enter(rec, PERF_SNAPSHOTTING, rec->limits.answer);
	ask(rec, perf_record_snapshot_request(s), "snapshot");
}

size_t perf_record_snapshots(const struct perf_record *rec)
{
	return rec->snapshots;
}

void perf_record_stop(struct perf_record *rec)
{
	const struct perf_record_settings *s = &rec->settings;
	int64_t soon = monotonic_ms() + rec->limits.answer;

	rec->stop_wanted = true;
	if (rec->state == PERF_STARTING && rec->deadline > soon)
		rec->deadline = soon;
	if (rec->state == PERF_RECORDING)
		begin_stop(rec, perf_record_ends_with_snapshot(s) ? perf_record_snapshot_request(s)
								  : perf_record_stop_request(s));
}

void perf_record_kill(struct perf_record *rec)
{
	if (rec->state == PERF_ENDED)
		return;
	rec->killed = true;
	perf_process_signal(rec->process, SIGKILL);
	enter(rec, PERF_STOPPING, rec->limits.stop);
}

static int explain_signal(const struct perf_record *rec, int sig, struct err *err)
{
	return perf_process_fail(rec->process, err, "%s was killed by signal %d (%s) %s",
				 rec->settings.perf, sig, strsignal(sig),
				 rec->recorded ? "while it recorded" : "before it recorded");
}

static int explain_patience(const struct perf_record *rec, struct err *err)
{
	const struct perf_record_limits *l = &rec->limits;

	if (rec->recorded)
		return perf_process_fail(rec->process, err,
					 "%s did not end %u s after it was told to, and was killed",
					 rec->settings.perf, l->stop / 1000);
	return perf_process_fail(rec->process, err, "%s did not begin to record within %u s",
				 rec->settings.perf,
				 (rec->stop_wanted ? l->answer : l->start) / 1000);
}

/* Why this end is a failure, in err; 0 when it is none. */
static int judge(const struct perf_record *rec, int status, struct err *err)
{
	const char *perf = rec->settings.perf;

	if (rec->out_of_patience)
		return explain_patience(rec, err);
	if (rec->killed)
		return 0;
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == rec->told ? 0
						     : explain_signal(rec, WTERMSIG(status), err);
	/* a shell that runs perf says so what signal ended it */
	if (rec->told && WEXITSTATUS(status) == 128 + rec->told)
		return 0;
	if (status == 0 && has_written(rec))
		return 0;
	if (status == 0)
		return perf_process_fail(rec->process, err, "%s ended before it recorded", perf);
	if (rec->recorded)
		return perf_process_fail(rec->process, err,
					 "%s failed while it recorded (exit status %d)", perf,
					 WEXITSTATUS(status));
	return perf_process_fail(rec->process, err, "%s could not record (exit status %d)", perf,
				 WEXITSTATUS(status));
}

int perf_record_finish(struct perf_record *rec, struct err *err)
{
	int status, failed;

	if (perf_record_step(rec) != PERF_ENDED)
		rec->killed = true;
	status = perf_process_reap(rec->process);
	failed = judge(rec, status, err);
	record_free(rec);
	return failed;
}
