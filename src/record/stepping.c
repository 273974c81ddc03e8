/* SPDX-License-Identifier: MIT */
#include "record/stepping.h"

#include "base/monotonic.h"
#include "base/xalloc.h"
#include "record/stepchild.h"
#include "record/stephits.h"
#include "record/stepwire.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_MS  60000
#define ANSWER_MS 8000
#define STOP_MS   60000
/* So long it may take to let go of the target, before it is risked. */
#define KILL_MS 10000

struct stepping {
	struct stephits hits;
	/* Of this run: */
	struct stepwire wire;
	pid_t child;
	bool multi;
	enum tracer_state state;
	int64_t deadline; /* when patience with the state ends, ms */
	bool recorded;    /* it has come as far as that */
	bool killing;     /* it was told to stop, and has 10 s for it */
	bool impatient;   /* because it took too long */
	bool killed;
	size_t snapshots; /* that were asked for; those of hits not counted */
	bool has_ended, has_stats;
	struct recorder_stats stats;
	struct err failure;
};

struct stepping *stepping_new(void)
{
	struct stepping *s = xcalloc(1, sizeof(*s));

	s->wire.fd = -1;
	s->hits.wire = &s->wire;
	s->state = TRACER_ENDED;
	return s;
}

static void enter(struct stepping *s, enum tracer_state state, int64_t patience)
{
	s->state = state;
	s->deadline = monotonic_ms() + patience;
}

static void order(struct stepping *s, enum stepwire_kind kind)
{
	const struct stepwire_message message = { .kind = kind };

	stepwire_send(&s->wire, &message);
}

/* ---- snapshots ---- */

static void take_taken(struct stepping *s, bool by_hit)
{
	if (by_hit) {
		stephits_taken(&s->hits);
		return;
	}
	s->snapshots++;
	if (s->state == TRACER_SNAPSHOTTING)
		enter(s, TRACER_RECORDING, 0);
}

static void begin_stop(struct stepping *s, int64_t patience)
{
	if (s->state == TRACER_ENDED)
		return;
	if (s->state != TRACER_STOPPING)
		order(s, STEPWIRE_STOP);
	enter(s, TRACER_STOPPING, patience);
}

static void ops_snapshot(void *self)
{
	struct stepping *s = self;

	if (s->state != TRACER_RECORDING)
		return;
	if (!s->multi) {
		begin_stop(s, STOP_MS);
		return;
	}
	/* that of a hit is there already */
	enter(s, TRACER_SNAPSHOTTING, s->hits.claimed ? 0 : ANSWER_MS);
	if (!s->hits.claimed)
		order(s, STEPWIRE_SNAPSHOT);
	s->hits.claimed = 0;
}

/* ---- the process ---- */

/* why: errno of the socket; 0: it was closed. */
static void explain_end(struct stepping *s, int status, int why)
{
	if (why) {
		errno = why;
		err_errno(&s->failure, "the socket to the process that steps");
		return;
	}
	if (WIFSIGNALED(status))
		err_set(&s->failure, "the process that steps was killed by signal %d (%s) %s",
			WTERMSIG(status), strsignal(WTERMSIG(status)),
			s->recorded ? "while it recorded" : "before it recorded");
	else
		err_set(&s->failure, "the process that steps ended (exit status %d) %s",
			WEXITSTATUS(status),
			s->recorded ? "while it recorded" : "before it recorded");
	err_hint(&s->failure, "with it the process that it stepped may have ended (SIGTRAP)");
}

/* It has closed its socket, which is the last that it does, or was killed. */
static void take_end(struct stepping *s, int why)
{
	int status = 0;
	pid_t r;

	/* when the socket has failed otherwise, it ends when it sees nobody at the other end */
	stepwire_close(&s->wire);
	do
		r = waitpid(s->child, &status, 0);
	while (r < 0 && errno == EINTR);
	if (!s->has_ended && !s->killed)
		explain_end(s, r < 0 ? 0 : status, why);
	s->child = 0;
	/* what is there when it ends is the one snapshot */
	s->snapshots += !s->multi && s->has_stats && !s->failure.msg[0];
	enter(s, TRACER_ENDED, 0);
}

static void take(struct stepping *s, const struct stepwire_message *m)
{
	switch (m->kind) {
	case STEPWIRE_ATTACHED:
		s->recorded = true;
		if (s->state == TRACER_STARTING)
			enter(s, TRACER_RECORDING, 0);
		break;
	case STEPWIRE_HIT:
	case STEPWIRE_EXECUTED: stephits_take(&s->hits, m); break;
	case STEPWIRE_TAKEN: take_taken(s, m->flag); break;
	case STEPWIRE_ENDED:
		s->has_ended = true;
		s->has_stats = m->flag;
		s->stats = m->stats;
		s->failure = m->err;
		begin_stop(s, STOP_MS);
		break;
	default: break;
	}
}

static void take_messages(struct stepping *s)
{
	struct stepwire_message message;
	int r;

	if (s->child == 0)
		return;
	while ((r = stepwire_receive(&s->wire, &message)) > 0)
		take(s, &message);
	if (r < 0)
		take_end(s, errno);
}

/* ---- tracer ---- */

/* When something is to be done though nothing is told, in ms from now; -1: never. */
static int64_t patience(const struct stepping *s)
{
	int64_t left = s->deadline - monotonic_ms();

	if (stephits_any(&s->hits) || s->state == TRACER_ENDED)
		return 0;
	if (s->state == TRACER_RECORDING)
		return -1;
	return left > 0 ? left : 0;
}

static void ops_poll(const void *self, struct pollfd fds[TRACER_FDS], int *timeout)
{
	const struct stepping *s = self;

	for (size_t i = 0; i < TRACER_FDS; i++)
		fds[i].fd = -1;
	fds[0] = (struct pollfd){
		.fd = s->wire.fd,
		.events = (short)(s->wire.n ? POLLIN | POLLOUT : POLLIN),
	};
	*timeout = (int)patience(s);
}

/* It is told to end, and killed if it does not. */
static void begin_kill(struct stepping *s)
{
	if (s->killing || s->state == TRACER_ENDED)
		return;
	s->killing = true;
	begin_stop(s, KILL_MS);
}

static void ops_kill(void *self)
{
	begin_kill(self);
}

static void out_of_patience(struct stepping *s)
{
	s->impatient = true;
	begin_kill(s);
}

static void look_at_stop(struct stepping *s)
{
	if (monotonic_ms() < s->deadline)
		return;
	if (s->killed) {
		/* in the kernel, not to be woken: nobody waits for that */
		stepwire_close(&s->wire);
		s->child = 0;
		enter(s, TRACER_ENDED, 0);
		return;
	}
	if (!s->killing) {
		out_of_patience(s);
		return;
	}
	s->killed = true;
	kill(s->child, SIGKILL);
	s->deadline = monotonic_ms() + KILL_MS;
}

static enum tracer_state ops_step(void *self)
{
	struct stepping *s = self;

	if (s->state == TRACER_ENDED)
		return TRACER_ENDED;
	stepwire_flush(&s->wire);
	take_messages(s);
	if (s->state == TRACER_STOPPING)
		look_at_stop(s);
	else if (s->state == TRACER_STARTING && monotonic_ms() >= s->deadline)
		out_of_patience(s);
	else if (s->state == TRACER_SNAPSHOTTING && monotonic_ms() >= s->deadline)
		enter(s, TRACER_RECORDING, 0);
	return s->state;
}

static size_t ops_snapshots(const void *self)
{
	const struct stepping *s = self;

	return s->snapshots + s->hits.snapshots;
}

static void ops_stop(void *self)
{
	struct stepping *s = self;

	if (s->state != TRACER_STOPPING)
		begin_stop(s, STOP_MS);
}

static pid_t ops_group(const void *self)
{
	(void)self;
	return 0;
}

static void end_it(struct stepping *s)
{
	struct pollfd fds[TRACER_FDS];
	int timeout;

	begin_kill(s);
	while (ops_step(s) != TRACER_ENDED) {
		/* they would keep us from waiting */
		stephits_forget(&s->hits);
		ops_poll(s, fds, &timeout);
		poll(fds, TRACER_FDS, timeout);
	}
}

static int judge(struct stepping *s, struct err *err)
{
	if (s->impatient && !s->recorded)
		return err_set(err, "the process that steps did not begin to record within %d s",
			       START_MS / 1000);
	if (s->impatient || (s->killed && !s->has_ended))
		return err_set(err,
			       "the process that steps did not end %d s after it was told to, and "
			       "was killed",
			       (s->impatient ? STOP_MS : KILL_MS) / 1000);
	if (s->failure.msg[0] == '\0')
		return 0;
	if (err)
		*err = s->failure;
	return -1;
}

static int ops_finish(void *self, struct err *err)
{
	struct stepping *s = self;

	end_it(s);
	return judge(s, err);
}

/* ---- its life ---- */

static const struct tracer_ops tracer_ops = {
	.poll = ops_poll,
	.step = ops_step,
	.snapshot = ops_snapshot,
	.snapshots = ops_snapshots,
	.stop = ops_stop,
	.kill = ops_kill,
	.finish = ops_finish,
	.group = ops_group,
};

struct hit_source stepping_hits(struct stepping *s)
{
	return stephits_source(&s->hits);
}

static void begin_run(struct stepping *s, const struct stepping_settings *settings)
{
	s->multi = settings->multi_snapshot;
	s->recorded = s->killing = s->impatient = s->killed = false;
	s->has_ended = s->has_stats = false;
	s->snapshots = 0;
	s->failure = (struct err)ERR_INIT;
	stephits_begin(&s->hits, s->multi, settings->time == RECORDER_REAL);
	enter(s, TRACER_STARTING, START_MS);
}

int stepping_start(struct stepping *s, const struct stepping_settings *settings,
		   struct tracer *tracer, struct err *err)
{
	struct stepchild_config config = {
		.settings = settings,
		.aims = &s->hits.aims,
		.armed = s->hits.armed,
		.parent = getpid(),
	};
	int ends[2];

	if (settings->pid == config.parent)
		return err_set(err, "process %d is magic-trace itself", (int)settings->pid);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_errno(err, "cannot make a socket");
	s->wire.fd = ends[0];
	config.socket = ends[1];
	s->child = stepchild_start(&config);
	close(ends[1]);
	if (s->child < 0) {
		s->child = 0;
		err_errno(err, "cannot start the process that steps");
		stepwire_close(&s->wire);
		return -1;
	}
	begin_run(s, settings);
	*tracer = (struct tracer){
		.ops = &tracer_ops,
		.self = s,
		.name = "the process that steps",
		.end_is_snapshot = !s->multi,
		.hits_have_snapshots = s->multi,
		.end_answers = true,
	};
	return 0;
}

bool stepping_stats(const struct stepping *s, struct recorder_stats *stats)
{
	if (s->state != TRACER_ENDED || !s->has_stats)
		return false;
	*stats = s->stats;
	return true;
}

void stepping_free(struct stepping *s)
{
	if (!s)
		return;
	end_it(s);
	stephits_fini(&s->hits);
	free(s);
}
