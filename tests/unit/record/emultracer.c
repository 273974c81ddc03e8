/* SPDX-License-Identifier: MIT */
/* The plugin's part is played by the test, which says what soft/qemuctl.h has. */
#include "record/emultracer.h"

#include "base/monotonic.h"
#include "soft/qemuargs.h"
#include "soft/unixaddr.h"
#include "support/emulation.h"
#include "support/suite.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define HEAD "PERFILE2 and so on"

static pid_t pid;

/* ---- the process ---- */

static void begin(size_t ring, bool multi)
{
	const struct qemu qemu = { .path = (char[]){ "qemu" }, .plugin = (char[]){ "plugin" } };
	char *argv[] = { (char[]){ "sh" }, NULL };
	struct emulation_settings settings;
	char **command;

	set_up();
	settings = settings_of(ring, multi);
	command = emulation_command(e, &qemu, &settings, argv, &err);
	ck_assert_msg(command != NULL, "%s", err.msg);
	qemuargs_free(command);
	pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	tracer = emulation_tracer(e, pid);
	ck_assert_int_eq(tracer.ops->group(tracer.self), 0);
}

static void end_process(void)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
}

static void tear_down(void)
{
	emulation_free(e);
	ck_assert(!scratch_has(&s, "qemu.socket"));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	scratch_fini(&s);
}

/* ---- the plugin ---- */

static int plug_in(const char *lines)
{
	struct sockaddr_un address;
	int dir, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(unixaddr_set(&address, scratch_path(&s, "qemu.socket"), &dir), 0);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	if (dir >= 0)
		close(dir);
	ck_assert_int_eq(write(fd, lines, strlen(lines)), (ssize_t)strlen(lines));
	return fd;
}

static void say(int fd, const char *lines)
{
	ck_assert_int_eq(write(fd, lines, strlen(lines)), (ssize_t)strlen(lines));
}

/* What it has been told, all at once. */
static void expect_told(int fd, const char *want)
{
	char got[64] = "";

	ck_assert_int_ge(recv(fd, got, sizeof(got) - 1, MSG_DONTWAIT), *want ? 0 : -1);
	ck_assert_str_eq(got, want);
}

static void put(const char *name, bool whole)
{
	scratch_put(&s, name, whole ? HEAD : "");
}

/* ---- what drives it ---- */

static int timeout(void)
{
	struct pollfd fds[TRACER_FDS];
	int ms;

	tracer.ops->poll(tracer.self, fds, &ms);
	return ms;
}

/* Whether it would be woken now. */
static bool wakes(void)
{
	struct pollfd fds[TRACER_FDS];
	int ms;

	tracer.ops->poll(tracer.self, fds, &ms);
	return ms == 0 || poll(fds, TRACER_FDS, 0) > 0;
}

/* ---- tests ---- */

START_TEST(test_a_program_that_ends)
{
	struct recorder_stats stats;
	int fd;

	begin(0, false);
	ck_assert(tracer.end_is_snapshot && tracer.end_answers);
	step_to(TRACER_RECORDING);
	ck_assert_int_eq(timeout(), -1);
	ck_assert(!wakes());
	fd = plug_in("hello 5 0\n");
	ck_assert(wakes());
	step_to(TRACER_RECORDING);
	ck_assert(!wakes());
	put("perf.data", true);
	say(fd, "bye 424526 77052 34 2 32780 0.5\n");
	close(fd);
	step_to(TRACER_RECORDING);
	ck_assert(!emulation_stats(e, &stats));
	end_process();
	ck_assert(wakes());
	step_to(TRACER_ENDED);
	step_to(TRACER_ENDED);
	ck_assert(emulation_stats(e, &stats));
	ck_assert(stats.instructions == 424526 && stats.branches == 77052 && stats.threads == 2);
	finishes("");
	ck_assert(scratch_holds(&s, "perf.data", HEAD));
	tear_down();
}
END_TEST

/* All that it has said before its end is heard. */
START_TEST(test_much_is_said_at_the_end)
{
	char lines[1000 * sizeof("hit 1 2 3 0 0\n")], *end = lines;
	struct hit hits[1001];
	struct recorder_stats stats;
	int fd, steps = 0;

	begin(4096, true);
	fd = plug_in("hello 5 0\n");
	for (int i = 0; i < 1000; i++)
		end = stpcpy(end, "hit 1 2 3 0 0\n");
	say(fd, lines);
	put("perf.data", true);
	say(fd, "bye 1 2 3 4 5 6.0\n");
	close(fd);
	end_process();
	while (tracer.ops->step(tracer.self) != TRACER_ENDED) {
		ck_assert(wakes());
		ck_assert_int_lt(++steps, 1000);
	}
	ck_assert_uint_eq(snapshots(), 0);
	for (size_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(read_hits(hits, 1001), 1);
	ck_assert_uint_eq(read_hits(hits, 1001), 0);
	ck_assert_uint_eq(snapshots(), 1000);
	ck_assert(emulation_stats(e, &stats));
	finishes("");
	tear_down();
}
END_TEST

/* Programs that are executed one after another count together. */
START_TEST(test_exec)
{
	struct recorder_stats stats;
	int fd;

	begin(0, false);
	fd = plug_in("hello 5 0\nbye 10 20 30 1 50 0.5\nexec 1\n");
	put("perf.data", true);
	close(fd);
	step_to(TRACER_RECORDING);
	fd = plug_in("hello 5 1\n");
	step_to(TRACER_RECORDING);
	tracer.ops->stop(tracer.self);
	expect_told(fd, "stop\n");
	step_to(TRACER_STOPPING);
	say(fd, "bye 1 2 3 1 5 0.25\n");
	put("perf.data.000001000000", true);
	step_to(TRACER_STOPPING);
	say(fd, "done\n");
	step_to(TRACER_ENDED);
	ck_assert(emulation_stats(e, &stats));
	ck_assert(stats.instructions == 11 && stats.branches == 22 && stats.syscalls == 33);
	ck_assert(stats.threads == 1 && stats.bytes == 55 && stats.seconds == 0.75);
	finishes("");
	close(fd);
	tear_down();
}
END_TEST

/* To stop it while it executes another program is to stop that. */
START_TEST(test_stop_at_exec)
{
	int fd;

	begin(0, false);
	fd = plug_in("hello 5 0\n");
	step_to(TRACER_RECORDING);
	tracer.ops->stop(tracer.self);
	tracer.ops->stop(tracer.self);
	expect_told(fd, "stop\n");
	put("perf.data", true);
	say(fd, "bye 10 20 30 1 50 0.5\nexec 1\ndone\n");
	step_to(TRACER_STOPPING);
	close(fd);
	step_to(TRACER_STOPPING);
	fd = plug_in("hello 5 1\n");
	step_to(TRACER_STOPPING);
	expect_told(fd, "stop\n");
	put("perf.data.000001000000", true);
	say(fd, "bye 1 2 3 1 5 0.25\ndone\n");
	step_to(TRACER_ENDED);
	finishes("");
	close(fd);
	tear_down();
}
END_TEST

START_TEST(test_stop_before_it_is_there)
{
	int fd;

	begin(0, false);
	tracer.ops->stop(tracer.self);
	step_to(TRACER_STOPPING);
	ck_assert_int_gt(timeout(), 0);
	ck_assert_int_le(timeout(), 8000);
	fd = plug_in("hello 5 0\n");
	step_to(TRACER_STOPPING);
	expect_told(fd, "stop\n");
	put("perf.data", true);
	say(fd, "bye 1 2 3 1 5 0.25\ndone\n");
	step_to(TRACER_ENDED);
	finishes("");
	close(fd);
	tear_down();
}
END_TEST

START_TEST(test_it_never_came)
{
	begin(0, false);
	tracer.ops->stop(tracer.self);
	end_process();
	step_to(TRACER_ENDED);
	fails("QEMU ended before it recorded process", "-software-engine step");
	tear_down();
}
END_TEST

/* Nobody comes, and nothing ends. */
START_TEST(test_patience)
{
	int64_t before = monotonic_ms();

	begin(0, false);
	tracer.ops->stop(tracer.self);
	while (tracer.ops->step(tracer.self) == TRACER_STOPPING) {
		ck_assert_int_le(timeout(), 8000);
		poll(NULL, 0, timeout());
	}
	ck_assert_int_ge(monotonic_ms() - before, 8000);
	step_to(TRACER_ENDED);
	fails("QEMU did not begin to record process", "-software-engine step");
	tear_down();
}
END_TEST

START_TEST(test_first_hit_ends_it)
{
	struct hit hits[4];
	int fd;

	begin(4096, false);
	fd = plug_in("hello 5 0\nhit 16058960679912 77 4000001178 0 0\n");
	step_to(TRACER_STOPPING);
	ck_assert_int_eq(timeout(), 0);
	ck_assert_uint_eq(read_hits(hits, 4), 1);
	ck_assert(hits[0].time == 16058960679912 && hits[0].tid == 77 && hits[0].pid == pid);
	ck_assert(hits[0].ip == 0x4000001178 && hits[0].passed == 0 && hits[0].arg == 0);
	ck_assert_uint_eq(read_hits(hits, 4), 0);
	ck_assert_int_gt(timeout(), 0);
	put("perf.data", true);
	say(fd, "bye 1 2 3 1 5 0.25\n");
	step_to(TRACER_ENDED);
	finishes("");
	close(fd);
	tear_down();
}
END_TEST

/* When snapshots are no files of their own, one is the end. */
START_TEST(test_a_snapshot_ends_it)
{
	int fd;

	begin(4096, false);
	fd = plug_in("hello 5 0\n");
	step_to(TRACER_RECORDING);
	tracer.ops->snapshot(tracer.self);
	expect_told(fd, "stop\n");
	put("perf.data", true);
	say(fd, "bye 1 2 3 1 5 0.25\ndone\n");
	step_to(TRACER_ENDED);
	finishes("");
	close(fd);
	tear_down();
}
END_TEST

START_TEST(test_snapshots)
{
	int fd;

	begin(4096, true);
	ck_assert(!tracer.end_is_snapshot && !tracer.end_answers);
	tracer.ops->snapshot(tracer.self);
	step_to(TRACER_SNAPSHOTTING);
	fd = plug_in("hello 5 0\n");
	step_to(TRACER_SNAPSHOTTING);
	expect_told(fd, "snapshot\n");
	tracer.ops->snapshot(tracer.self);
	expect_told(fd, "");
	ck_assert_int_gt(timeout(), 0);
	say(fd, "done\n");
	step_to(TRACER_RECORDING);
	ck_assert_uint_eq(snapshots(), 1);
	tracer.ops->snapshot(tracer.self);
	expect_told(fd, "snapshot\n");
	/* the program ends meanwhile: it takes none any more */
	put("perf.data", true);
	say(fd, "bye 1 2 3 1 5 0.25\ndone\n");
	step_to(TRACER_RECORDING);
	ck_assert_uint_eq(snapshots(), 1);
	close(fd);
	end_process();
	step_to(TRACER_ENDED);
	tracer.ops->snapshot(tracer.self);
	step_to(TRACER_ENDED);
	finishes("");
	tear_down();
}
END_TEST

/* Each hit has been written: it is not asked for, unless hits were not looked at. */
START_TEST(test_snapshots_of_hits)
{
	struct hit_source source;
	struct hit hits[4];
	int fd;

	begin(4096, true);
	source = emulation_hits(e);
	ck_assert_int_eq(source.ops->fd(source.self), -1);
	ck_assert_ptr_null(source.ops->free);
	ck_assert_int_eq(source.ops->add(source.self, pid, 1, true, &err), 0);
	fd = plug_in("hello 5 0\nhit 1 2 3 0 0\nhit 4 5 6 0 0\n");
	step_to(TRACER_RECORDING);
	ck_assert_uint_eq(read_hits(hits, 1), 1);
	ck_assert_int_eq(hits[0].time, 1);
	ck_assert_uint_eq(read_hits(hits, 4), 1);
	ck_assert_int_eq(hits[0].time, 4);
	source.ops->disarm(source.self);
	tracer.ops->snapshot(tracer.self);
	expect_told(fd, "");
	ck_assert(wakes());
	step_to(TRACER_RECORDING);
	ck_assert_uint_eq(snapshots(), 2);
	say(fd, "hit 7 8 9 0 0\n");
	step_to(TRACER_RECORDING);
	ck_assert_uint_eq(read_hits(hits, 4), 1);
	source.ops->arm(source.self);
	tracer.ops->snapshot(tracer.self);
	expect_told(fd, "snapshot\n");
	say(fd, "done\n");
	step_to(TRACER_RECORDING);
	ck_assert_uint_eq(snapshots(), 4);
	ck_assert(!source.ops->executed(source.self, &(pid_t){ 0 }));
	close(fd);
	tear_down();
}
END_TEST

START_TEST(test_killed)
{
	int fd;

	begin(0, false);
	fd = plug_in("hello 5 0\n");
	put("perf.data", false);
	step_to(TRACER_RECORDING);
	close(fd);
	end_process();
	step_to(TRACER_ENDED);
	fails("QEMU was killed, or failed, while it recorded process", "-software-engine step");
	ck_assert(!scratch_has(&s, "perf.data"));
	tear_down();
}
END_TEST

/* What was written before is there; what has no end is not. */
START_TEST(test_killed_with_files_before)
{
	int fd;

	begin(4096, true);
	put("perf.data", true);
	close(plug_in("hello 5 0\nbye 1 2 3 1 5 0.25\nexec 1\n"));
	step_to(TRACER_RECORDING);
	fd = plug_in("hello 5 1\nhit 1 2 3 0 0\n");
	put("perf.data.000001000000", true);
	put("perf.data.000001000001", false);
	step_to(TRACER_RECORDING);
	close(fd);
	end_process();
	step_to(TRACER_ENDED);
	finishes("QEMU was killed, or failed, while it recorded process");
	ck_assert(scratch_has(&s, "perf.data"));
	ck_assert(scratch_has(&s, "perf.data.000001000000"));
	ck_assert(!scratch_has(&s, "perf.data.000001000001"));
	tear_down();
}
END_TEST

START_TEST(test_untraced)
{
	int fd;

	begin(0, false);
	put("perf.data", true);
	fd = plug_in("hello 5 0\nuntraced it is setuid\n");
	step_to(TRACER_RECORDING);
	say(fd, "bye 1 2 3 1 5 0.25\n");
	step_to(TRACER_ENDED);
	finishes("is not recorded: it is setuid");
	close(fd);
	tear_down();
}
END_TEST

/* QEMU could be started for the next program, but ended before it recorded it. */
START_TEST(test_the_next_never_came)
{
	begin(0, false);
	put("perf.data", true);
	close(plug_in("hello 5 0\nbye 1 2 3 1 5 0.25\nexec 1\n"));
	step_to(TRACER_RECORDING);
	end_process();
	step_to(TRACER_ENDED);
	finishes("executed another program, which is not recorded: QEMU ended before it did");
	tear_down();
}
END_TEST

START_TEST(test_failed)
{
	begin(0, false);
	close(plug_in("hello 5 0\nfailed cannot create x\n"));
	step_to(TRACER_RECORDING);
	end_process();
	step_to(TRACER_ENDED);
	fails("cannot be used: cannot create x", "");
	tear_down();
}
END_TEST

/* A file may look as if it were whole: the one that failed is removed, the one before is not. */
START_TEST(test_failed_with_files_before)
{
	struct recorder_stats stats;
	int fd;

	begin(0, false);
	put("perf.data", true);
	close(plug_in("hello 5 0\nbye 1 2 3 1 5 0.25\nexec 1\n"));
	step_to(TRACER_RECORDING);
	put("perf.data.000001000000", true);
	fd = plug_in("hello 5 1\nfailed no space\nbye 10 2 3 1 5 0.25\n");
	step_to(TRACER_ENDED);
	ck_assert(emulation_stats(e, &stats));
	ck_assert_uint_eq(stats.instructions, 1);
	finishes("cannot be used: no space");
	ck_assert(scratch_has(&s, "perf.data"));
	ck_assert(!scratch_has(&s, "perf.data.000001000000"));
	close(fd);
	tear_down();
}
END_TEST

START_TEST(test_given_up)
{
	char byte;
	int fd;

	begin(0, false);
	fd = plug_in("hello 5 0\n");
	put("perf.data", false);
	step_to(TRACER_RECORDING);
	tracer.ops->stop(tracer.self);
	tracer.ops->kill(tracer.self);
	tracer.ops->kill(tracer.self);
	step_to(TRACER_ENDED);
	expect_told(fd, "stop\n");
	ck_assert_int_eq(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
	fails("was given up before QEMU said that it was complete", "");
	ck_assert_int_eq(kill(pid, 0), 0);
	close(fd);
	tear_down();
}
END_TEST

START_TEST(test_no_process)
{
	begin(0, false);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	tracer = emulation_tracer(e, pid);
	step_to(TRACER_ENDED);
	fails("cannot watch process", "");
	emulation_free(e);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("emultracer", test_a_program_that_ends, test_much_is_said_at_the_end, test_exec,
	   test_stop_at_exec, test_stop_before_it_is_there, test_it_never_came, test_patience,
	   test_first_hit_ends_it, test_a_snapshot_ends_it, test_snapshots, test_snapshots_of_hits,
	   test_killed, test_killed_with_files_before, test_untraced, test_the_next_never_came,
	   test_failed, test_failed_with_files_before, test_given_up, test_no_process)
