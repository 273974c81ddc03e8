/* SPDX-License-Identifier: MIT */
#include "perf/process.h"

#include "perf/complaint.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

static struct scratch s;
static struct err err;
static char lines[4096]; /* what came on standard error, a line each */
static size_t n_lines;

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

/* A perf that is this shell script. */
static struct perf_process *start_with(const char *script, const int *pass, size_t n)
{
	char text[1000], path[200];
	char *const argv[] = { path, (char *)"record", NULL };
	struct perf_process_args args = {
		.argv = argv,
		.mode = PERF_SAMPLING,
		.pass = pass,
		.n_pass = n,
		.on_stderr = on_stderr,
		.ctx = lines,
	};
	struct perf_process *p = NULL;

	scratch_init(&s);
	lines[0] = '\0';
	n_lines = 0;
	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	scratch_put(&s, "perf", text);
	strcpy(path, scratch_path(&s, "perf"));
	ck_assert_int_eq(chmod(path, 0755), 0);
	ck_assert_msg(perf_process_start(&args, &p, &err) == 0, "%s", err.msg);
	return p;
}

static struct perf_process *start(const char *script)
{
	return start_with(script, NULL, 0);
}

static void end(struct perf_process *p)
{
	perf_process_free(p);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	scratch_fini(&s);
}

static const char *all_of(struct perf_process *p)
{
	static char buf[4096];
	size_t n = 0;
	ssize_t got;

	while ((got = perf_process_read(p, buf + n, sizeof(buf) - 1 - n, &err)) > 0)
		n += (size_t)got;
	ck_assert_int_eq(got, 0);
	buf[n] = '\0';
	return buf;
}

START_TEST(test_output_complaints_and_files)
{
	int fds[2];
	struct perf_process *p;

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], "handed\n", 7), 7);
	close(fds[1]);
	p = start_with("echo $PAGER $LC_ALL $1; cat <&3; echo careful >&2; exit 3", fds, 1);
	ck_assert_str_eq(all_of(p), "cat C record\nhanded\n");
	ck_assert_int_eq(perf_process_reap(p), W_EXITCODE(3, 0));
	ck_assert_str_eq(lines, "careful\n");
	end(p);
	close(fds[0]);
}
END_TEST

START_TEST(test_failure_has_perfs_words)
{
	struct perf_process *p =
		start("echo 'ERROR: kcore is not readable.' >&2; echo 'and so on' >&2; exit 255");

	ck_assert(perf_process_wait(p, 50000));
	perf_process_reap(p);
	ck_assert_int_eq(perf_process_fail(p, &err, "no %s", "luck"), -1);
	ck_assert_str_eq(err.msg, "no luck: ERROR: kcore is not readable.");
	ck_assert_ptr_nonnull(strstr(err.hint, "NO_KCORE"));
	end(p);

	p = start("echo 'it broke' >&2; echo >&2; exit 1");
	ck_assert(perf_process_wait(p, 50000));
	perf_process_reap(p);
	perf_process_fail(p, &err, "no luck");
	ck_assert_str_eq(err.msg, "no luck: it broke");
	ck_assert_str_eq(err.hint, "");
	end(p);

	/* its end is seen first, its words after that */
	p = start("echo 'it broke again' >&2; exit 1");
	while (!perf_process_ended(p))
		poll(NULL, 0, 1);
	perf_process_reap(p);
	perf_process_fail(p, &err, "no luck");
	ck_assert_str_eq(err.msg, "no luck: it broke again");
	end(p);

	p = start("exit 1");
	ck_assert(perf_process_wait(p, 50000));
	perf_process_reap(p);
	perf_process_fail(p, &err, "no luck");
	ck_assert_str_eq(err.msg, "no luck");
	end(p);
}
END_TEST

START_TEST(test_wait_has_an_end)
{
	struct perf_process *p = start("trap '' TERM INT HUP; sleep 100 & sleep 100");

	ck_assert(!perf_process_wait(p, 20));
	ck_assert(!perf_process_ended(p));
	ck_assert_int_eq(perf_process_reap(p), SIGKILL);
	end(p);
}
END_TEST

static struct perf_process *to_stop;

static void stop(int sig)
{
	(void)sig;
	perf_process_stop(to_stop);
}

START_TEST(test_stop_from_a_signal_handler)
{
	struct sigaction sa = { .sa_handler = stop };
	struct itimerval soon = { .it_value = { .tv_usec = 50000 } };
	char buf[16];

	to_stop = start("exec sleep 100");
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	ck_assert_int_eq(perf_process_read(to_stop, buf, sizeof(buf), &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "stopped"));
	ck_assert(perf_process_stopped(to_stop));
	ck_assert(perf_process_wait(to_stop, 50000));
	end(to_stop);

	to_stop = start("exec >&-; trap '' TERM; sleep 100 & sleep 100");
	setitimer(ITIMER_REAL, &soon, NULL);
	ck_assert(perf_process_wait(to_stop, 50000));
	end(to_stop);
}
END_TEST

START_TEST(test_signals_reach_it)
{
	struct perf_process *p =
		start("trap 'echo got >&2; exit 7' USR2; echo ready; while :; do sleep 0.01; done");
	char buf[16];

	ck_assert_int_eq(perf_process_read(p, buf, sizeof(buf), &err), 6);
	perf_process_signal(p, SIGUSR2);
	ck_assert(perf_process_wait(p, 50000));
	ck_assert_int_eq(perf_process_reap(p), W_EXITCODE(7, 0));
	ck_assert_ptr_nonnull(strstr(lines, "got\n"));
	end(p);
}
END_TEST

/* For a caller that polls: neither pipe blocks perf, however much it writes. One line has the
 * count. */
START_TEST(test_poll_and_drain)
{
	struct perf_process *p = start("seq 100000; seq 100000 >&2; seq 100000");
	struct pollfd fds[PERF_PROCESS_FDS];

	while (!perf_process_ended(p)) {
		perf_process_poll(p, fds);
		poll(fds, PERF_PROCESS_FDS, perf_process_tells_end(p) ? -1 : 50);
		perf_process_drain(p);
	}
	ck_assert_int_eq(perf_process_reap(p), 0);
	ck_assert_uint_eq(n_lines, COMPLAINTS_SHOWN + 1);
	end(p);
}
END_TEST

/* The end is told to a caller that polls for nothing else, and freeing it without reaping is fine.
 */
START_TEST(test_end_is_polled)
{
	struct perf_process *p = start("sleep 100");
	struct pollfd fds[PERF_PROCESS_FDS];

	perf_process_poll(p, fds);
	ck_assert_int_eq(poll(fds + 2, perf_process_tells_end(p), 0), 0);
	kill(perf_process_pid(p), SIGKILL);
	ck_assert_int_eq(poll(fds + 2, perf_process_tells_end(p), -1), perf_process_tells_end(p));
	end(p);
	perf_process_free(NULL);
}
END_TEST

/* In a directory that is everybody's, another user may have put it there: child_find_tool(). */
START_TEST(test_root_runs_no_perf_of_others)
{
	char path[200];
	char *const argv[] = { (char *)"perf", (char *)"record", NULL };
	struct perf_process_args args = { .argv = argv, .mode = PERF_SAMPLING };
	struct perf_process *p = NULL;

	if (geteuid() != 0)
		return;
	scratch_init(&s);
	scratch_put(&s, "perf", "#!/bin/sh\n");
	strcpy(path, s.dir);
	ck_assert_int_eq(scratch_run(&s, "chmod 755 perf && chmod 1777 ."), 0);
	ck_assert_int_eq(setenv("PATH", path, 1), 0);
	ck_assert_int_eq(perf_process_start(&args, &p, &err), -1);
	ck_assert_str_eq(err.msg, "cannot run perf: Permission denied");
	ck_assert_ptr_nonnull(strstr(err.hint, "root runs no perf that everybody may change"));
	ck_assert_int_eq(setenv("PATH", "/bin:/usr/bin", 1), 0);
	scratch_fini(&s);
}
END_TEST

/* It need not wait for a reader that is busy: much fits into its pipe. */
START_TEST(test_pipe_is_large)
{
	static char buf[1 << 20];
	struct perf_process *p = start("head -c 900000 /dev/zero; echo written >&2; exit 7");
	size_t n = 0;
	ssize_t got;

	while (n_lines == 0)
		perf_process_wait(p, 1000);
	while ((got = perf_process_read(p, buf, sizeof(buf), &err)) > 0)
		n += (size_t)got;
	ck_assert_int_eq(got, 0);
	ck_assert_uint_eq(n, 900000);
	ck_assert_int_eq(perf_process_reap(p), W_EXITCODE(7, 0));
	end(p);
}
END_TEST

START_TEST(test_missing)
{
	char *const argv[] = { (char *)"no-such-perf", NULL };
	struct perf_process_args args = { .argv = argv };
	struct perf_process *p;

	ck_assert_int_eq(perf_process_start(&args, &p, &err), -1);
	ck_assert_str_eq(err.msg, "cannot run no-such-perf: No such file or directory");
	ck_assert_ptr_nonnull(strstr(err.hint, "linux-perf"));
}
END_TEST

SUITE_MAIN("process", test_output_complaints_and_files, test_failure_has_perfs_words,
	   test_wait_has_an_end, test_stop_from_a_signal_handler, test_signals_reach_it,
	   test_poll_and_drain, test_end_is_polled, test_pipe_is_large, test_missing,
	   test_root_runs_no_perf_of_others)
