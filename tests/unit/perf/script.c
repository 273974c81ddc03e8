/* SPDX-License-Identifier: MIT */
#include "perf/script.h"

#include "perf/complaint.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

static struct scratch s;
static char output[1 << 20];  /* what perf printed */
static char complaints[8192]; /* what it complained of, a line each, as far as there is room */
static size_t n_complaints;
static struct err err;

static void on_stderr(void *ctx, struct str line)
{
	size_t at = strlen(complaints);

	ck_assert_ptr_eq(ctx, &n_complaints);
	n_complaints++;
	if (at + line.n + 2 > sizeof(complaints))
		return;
	memcpy(complaints + at, line.p, line.n);
	strcpy(complaints + at + line.n, "\n");
}

static struct perf_script_args args(const char *perf)
{
	complaints[0] = '\0';
	n_complaints = 0;
	err = (struct err)ERR_INIT;
	return (struct perf_script_args){
		.perf = perf,
		.data = "some.data",
		.mode = PERF_PT,
		.on_stderr = on_stderr,
		.ctx = &n_complaints,
	};
}

/* A perf that is this shell script. */
static struct perf_script_args fake(const char *script)
{
	static char text[4096];

	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	scratch_put(&s, "perf", text);
	ck_assert_int_eq(chmod(scratch_path(&s, "perf"), 0755), 0);
	return args(scratch_path(&s, "perf"));
}

static struct perf_script *start(const struct perf_script_args *a)
{
	struct perf_script *ps = NULL;

	ck_assert_msg(perf_script_start(a, &ps, &err) == 0, "%s", err.msg);
	return ps;
}

/* Reads all that perf prints; what the last read returned. */
static ssize_t read_all(struct perf_script *ps)
{
	struct input in = perf_script_input(ps);
	size_t n = 0;
	ssize_t got;

	while ((got = in.read(in.ctx, output + n, sizeof(output) - 1 - n, &err)) > 0)
		n += (size_t)got;
	output[n] = '\0';
	return got;
}

/* Runs it to its end; what perf_script_finish returned. */
static int run(const struct perf_script_args *a)
{
	struct perf_script *ps = start(a);

	ck_assert_int_eq(read_all(ps), 0);
	return perf_script_finish(ps, &err);
}

static void says(const char *part)
{
	ck_assert_msg(strstr(err.msg, part) != NULL, "'%s' does not say '%s'", err.msg, part);
}

static void argv_is(const struct perf_script_args *a, const char *want)
{
	char **argv = perf_script_argv(a), line[1000] = "";

	for (size_t i = 0; argv[i]; i++)
		strcat(strcat(line, i ? " " : ""), argv[i]);
	ck_assert_str_eq(line, want);
	perf_script_argv_free(argv);
}

START_TEST(test_argv)
{
	struct perf_script_args a = args("perf");

	argv_is(&a,
		"perf script -i some.data --ns --itrace=bep -F pid,tid,time,flags,ip,addr,sym,symoff,synth,dso,event,period");
	a.filter = "/f.so";
	a.cookie = 0xab;
	argv_is(&a,
		"perf script -i some.data --ns --itrace=bep -F pid,tid,time,flags,ip,addr,sym,symoff,synth,dso,event,period --dlfilter=/f.so --dlarg=2 --dlarg=00000000000000ab --show-mmap-events --show-task-events --show-bpf-events");
	a.all = true;
	argv_is(&a,
		"perf script -i some.data --ns --itrace=bep -F pid,tid,time,flags,ip,addr,sym,symoff,synth,dso,event,period --dlfilter=/f.so --dlarg=2 --dlarg=00000000000000ab --dlarg=all --show-mmap-events --show-task-events --show-bpf-events");
	a.from = 5;
	a.to = INT64_MAX;
	argv_is(&a,
		"perf script -i some.data --ns --itrace=bep -F pid,tid,time,flags,ip,addr,sym,symoff,synth,dso,event,period --time=0.000000005,9223372036.854775807 --dlfilter=/f.so --dlarg=2 --dlarg=00000000000000ab --dlarg=all --dlarg=part --dlarg=0000000000000005 --dlarg=7fffffffffffffff --show-mmap-events --show-task-events --show-bpf-events");
	a.from = a.to = 0;
	a.all = false;
	a.spool = 5;
	argv_is(&a,
		"perf script -i some.data --ns --itrace=bep -F pid,tid,time,flags,ip,addr,sym,symoff,synth,dso,event,period --dlfilter=/f.so --dlarg=2 --dlarg=00000000000000ab --dlarg=spool --show-mmap-events --show-task-events --show-bpf-events");
	a.spool = 0;
	a.filter = NULL;
	a.symfs = "/x";
	a.stitch_lbr = true;
	argv_is(&a,
		"perf script -i some.data --ns --itrace=bep -F pid,tid,time,flags,ip,addr,sym,symoff,synth,dso,event,period --symfs=/x");
	a.mode = PERF_SAMPLING;
	argv_is(&a,
		"perf script -i some.data --ns -F pid,tid,time,ip,sym,symoff,dso,event,period --stitch-lbr --symfs=/x");
	perf_script_argv_free(NULL);
}
END_TEST

START_TEST(test_all_goes_well)
{
	struct perf_script_args a;

	scratch_init(&s);
	a = fake("echo \"$PAGER $LC_ALL $1 $2 $3\"; echo careful >&2; printf last >&2");
	ck_assert_int_eq(run(&a), 0);
	ck_assert_str_eq(output, "cat C script -i some.data\n");
	ck_assert_str_eq(complaints, "careful\nlast\n");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_perf_is_missing)
{
	struct perf_script_args a = args("no-such-perf");
	struct perf_script *ps;

	ck_assert_int_eq(perf_script_start(&a, &ps, &err), -1);
	ck_assert_str_eq(err.msg, "cannot run no-such-perf: No such file or directory");
	ck_assert_ptr_nonnull(strstr(err.hint, "linux-perf"));
	ck_assert_ptr_nonnull(strstr(err.hint, "linux-tools-$(uname -r)"));
	ck_assert_ptr_nonnull(strstr(err.hint, "MAGIC_TRACE_PERF_PATH"));
	a = args("/etc/passwd");
	ck_assert_int_eq(perf_script_start(&a, &ps, &err), -1);
	says("Permission denied");
}
END_TEST

/* A script whose interpreter is not there passes for a program until it is run. */
START_TEST(test_perf_cannot_be_run)
{
	struct perf_script_args a;
	struct perf_script *ps;

	scratch_init(&s);
	a = fake("");
	scratch_put(&s, "perf", "#!/nonexistent/shell\n");
	ck_assert_int_eq(perf_script_start(&a, &ps, &err), -1);
	says("No such file or directory");
	ck_assert_ptr_nonnull(strstr(err.hint, "linux-perf"));
	scratch_fini(&s);
}
END_TEST

START_TEST(test_exits_half_way)
{
	struct perf_script_args a;

	scratch_init(&s);
	a = fake("echo one; echo 'it broke' >&2; echo >&2; exit 1");
	ck_assert_int_eq(run(&a), -1);
	ck_assert_str_eq(output, "one\n");
	says("exit status 1");
	says("some.data");
	says(": it broke");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_prints_only_errors)
{
	struct perf_script_args a;

	scratch_init(&s);
	a = fake("echo 'incompatible file format' >&2; exit 255");
	ck_assert_int_eq(run(&a), -1);
	ck_assert_str_eq(output, "");
	says("exit status 255");
	ck_assert_ptr_nonnull(strstr(err.hint, "perf.data"));
	scratch_fini(&s);
}
END_TEST

START_TEST(test_is_killed)
{
	struct perf_script_args a;

	scratch_init(&s);
	a = fake("echo one; kill -SEGV $$");
	ck_assert_int_eq(run(&a), -1);
	ck_assert_str_eq(output, "one\n");
	says("signal 11");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_does_not_end)
{
	struct perf_script_args a;

	scratch_init(&s);
	a = fake("echo one; echo wait >&2; exec >&-; sleep 100");
	a.patience_ms = 50;
	ck_assert_int_eq(run(&a), -1);
	ck_assert_str_eq(output, "one\n");
	says("did not end");
	says("wait");
	scratch_fini(&s);
}
END_TEST

/* More on standard error than a pipe holds, before and after the output. */
START_TEST(test_floods_standard_error)
{
	struct perf_script_args a;

	scratch_init(&s);
	a = fake(
		"i=0; while [ $i -lt 20000 ]; do echo complaint $i; i=$((i+1)); done >&2; echo one; exec >&-;"
		"i=0; while [ $i -lt 20000 ]; do echo complaint $i; i=$((i+1)); done >&2; exit 3");
	ck_assert_int_eq(run(&a), -1);
	ck_assert_str_eq(output, "one\n");
	ck_assert_uint_eq(n_complaints, COMPLAINTS_SHOWN + 1);
	says("exit status 3");
	says("complaint 19999");
	scratch_fini(&s);
}
END_TEST

/* A child of perf's that lives on with both pipes open does not hold us up. */
START_TEST(test_leaves_a_child_behind)
{
	struct perf_script_args a;

	scratch_init(&s);
	a = fake("echo one; echo two >&2; sleep 100 & exit 0");
	ck_assert_int_eq(run(&a), 0);
	ck_assert_str_eq(output, "one\n");
	ck_assert_str_eq(complaints, "two\n");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_output_not_wanted)
{
	struct perf_script_args a;
	struct perf_script *ps;
	struct input in;

	scratch_init(&s);
	a = fake("echo one; sleep 100");
	ps = start(&a);
	in = perf_script_input(ps);
	ck_assert_int_eq(in.read(in.ctx, output, sizeof(output), &err), 4);
	ck_assert_int_eq(perf_script_finish(ps, &err), -1);
	says("not read to the end");
	/* not even begun */
	ps = start(&a);
	ck_assert_int_eq(perf_script_finish(ps, &err), -1);
	scratch_fini(&s);
}
END_TEST

static struct perf_script *to_stop;

static void stop(int sig)
{
	(void)sig;
	perf_script_stop(to_stop);
}

/* A signal's handler ends a read that waits. */
START_TEST(test_stop)
{
	struct sigaction sa = { .sa_handler = stop };
	struct itimerval soon = { .it_value = { .tv_usec = 50000 } };
	struct perf_script_args a;

	scratch_init(&s);
	a = fake("echo one; trap '' TERM INT; sleep 100 & sleep 100");
	to_stop = start(&a);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	ck_assert_int_eq(read_all(to_stop), -1);
	ck_assert_str_eq(output, "one\n");
	says("stopped");
	ck_assert_int_eq(perf_script_finish(to_stop, &err), 0);
	scratch_fini(&s);
}
END_TEST

/* ... and the wait for a perf that has closed its output. */
START_TEST(test_stop_while_waiting)
{
	struct sigaction sa = { .sa_handler = stop };
	struct itimerval soon = { .it_value = { .tv_usec = 50000 } };
	struct perf_script_args a;

	scratch_init(&s);
	a = fake("echo one; exec >&-; trap '' TERM INT; sleep 100 & sleep 100");
	a.patience_ms = 90000;
	to_stop = start(&a);
	ck_assert_int_eq(read_all(to_stop), 0);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	perf_script_wait(to_stop);
	perf_script_wait(to_stop);
	ck_assert_int_eq(perf_script_finish(to_stop, &err), 0);
	scratch_fini(&s);
}
END_TEST

/* A wait of its own changes nothing in what is said of perf's end. */
START_TEST(test_wait)
{
	struct perf_script_args a;
	struct perf_script *ps;

	scratch_init(&s);
	a = fake("echo one; exec >&-; echo two >&2; exit 3");
	ps = start(&a);
	ck_assert_int_eq(read_all(ps), 0);
	perf_script_wait(ps);
	ck_assert_int_eq(perf_script_finish(ps, &err), -1);
	says("exit status 3");
	says(": two");
	a = fake("exec >&-; sleep 100");
	a.patience_ms = 50;
	ps = start(&a);
	ck_assert_int_eq(read_all(ps), 0);
	perf_script_wait(ps);
	ck_assert_int_eq(perf_script_finish(ps, &err), -1);
	says("did not end");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_stop_before_reading_and_after)
{
	struct perf_script_args a;

	scratch_init(&s);
	a = fake("echo one; exec sleep 100");
	to_stop = start(&a);
	perf_script_stop(to_stop);
	perf_script_stop(to_stop);
	ck_assert_int_eq(read_all(to_stop), -1);
	ck_assert_int_eq(perf_script_finish(to_stop, &err), 0);
	a = fake("echo one");
	to_stop = start(&a);
	ck_assert_int_eq(read_all(to_stop), 0);
	perf_script_stop(to_stop);
	ck_assert_int_eq(perf_script_finish(to_stop, &err), 0);
	scratch_fini(&s);
}
END_TEST

/* Through the reader of text, from the real perf, when it can record here. */
START_TEST(test_real_perf)
{
	struct perf_script_args a;
	struct intern *names = intern_new(0);
	struct perf_text *text = perf_text_new(PERF_SAMPLING, names, NULL, NULL);
	struct perf_script *ps;
	struct event ev;
	char data[200];
	uint64_t frames = 0;

	scratch_init(&s);
	if (scratch_run(
		    &s,
		    "perf record -q -F 999 -e cpu-clock -g -o perf.data sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done' >log 2>&1")) {
		printf("SKIP script/record: perf cannot record here\n");
		scratch_fini(&s);
		return;
	}
	strcpy(data, scratch_path(&s, "perf.data"));
	a = args("perf");
	a.data = data;
	a.mode = PERF_SAMPLING;
	ps = start(&a);
	perf_text_input(text, perf_script_input(ps));
	while (perf_text_next(text, &ev, &err) == 1) {
		ck_assert_int_eq(ev.kind, EVENT_SAMPLE);
		frames += ev.sample.n;
	}
	ck_assert_msg(perf_script_finish(ps, &err) == 0, "%s", err.msg);
	ck_assert_uint_gt(perf_text_stats(text)->events, 0);
	ck_assert_uint_gt(frames, 0);
	ck_assert_uint_eq(perf_text_stats(text)->lost, 0);

	/* asked for branches, perf refuses, and the hint says why */
	a = args("perf");
	a.data = data;
	ck_assert_int_eq(run(&a), -1);
	says("exit status");
	ck_assert_ptr_nonnull(strstr(err.hint, "-sampling"));

	a.data = "/nonexistent/perf.data";
	ck_assert_int_eq(run(&a), -1);
	says("No such file");
	a.data = "/etc/passwd";
	ck_assert_int_eq(run(&a), -1);
	perf_text_free(text);
	intern_free(names);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("script", test_argv, test_all_goes_well, test_perf_is_missing, test_perf_cannot_be_run,
	   test_exits_half_way, test_prints_only_errors, test_is_killed, test_does_not_end,
	   test_floods_standard_error, test_leaves_a_child_behind, test_output_not_wanted,
	   test_stop, test_stop_while_waiting, test_wait, test_stop_before_reading_and_after,
	   test_real_perf)
