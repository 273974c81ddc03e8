/* SPDX-License-Identifier: MIT */
/* What the plugin does with real programs; what its tracer makes of what it says has its own test.
 */
#include "record/emulation.h"

#include "base/child.h"
#include "record/target.h"
#include "soft/qemuargs.h"
#include "support/emulation.h"
#include "support/suite.h"

#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

START_TEST(test_command)
{
	const struct qemu qemu = { .path = (char[]){ "/q" }, .plugin = (char[]){ "/p,so" } };
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "true" }, NULL };
	struct emulation_settings settings;
	struct qemuargs args;
	char **command, *texts[16], *next;
	size_t n = 0;

	set_up();
	settings = settings_of(65536, true);
	settings.multi_thread = true;
	settings.time = RECORDER_REAL;
	command = emulation_command(e, &qemu, &settings, argv, &err);
	ck_assert_msg(command != NULL, "%s", err.msg);
	ck_assert_str_eq(command[0], "/q");
	ck_assert_str_eq(command[1], "-plugin");
	ck_assert(strncmp(command[2], "/p,,so,", 7) == 0);
	for (next = command[2] + 7; next && n < 16;)
		texts[n++] = strsep(&next, ",");
	ck_assert_msg(qemuargs_read(&args, texts, n, &err) == 0, "%s", err.msg);
	ck_assert_str_eq(args.out, scratch_path(&s, "perf.data"));
	ck_assert_str_eq(args.control, scratch_path(&s, "qemu.socket"));
	ck_assert_str_eq(args.comm, "sh");
	ck_assert_int_eq(args.time, RECORDER_REAL);
	ck_assert_uint_eq(args.ring, 65536);
	ck_assert(args.multi && args.multi_thread && args.trigger);
	ck_assert_uint_eq(args.trigger_at, 0x1234);
	ck_assert_str_eq(args.trigger_file, "/bin/sh");
	ck_assert_str_eq(command[3], "-0");
	ck_assert_str_eq(command[4], "sh");
	ck_assert_int_eq(access(command[5], X_OK), 0);
	ck_assert_str_eq(command[6], "-c");
	ck_assert_str_eq(command[7], "true");
	ck_assert_ptr_null(command[8]);
	qemuargs_free(command);
	emulation_free(e);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_no_command)
{
	const struct qemu qemu = { .path = (char[]){ "/q" }, .plugin = (char[]){ "/p" } };
	char *argv[] = { (char[]){ "mt-test-no-such-program" }, NULL };
	struct emulation_settings settings;

	set_up();
	settings = settings_of(0, false);
	ck_assert_ptr_null(emulation_command(e, &qemu, &settings, argv, &err));
	ck_assert_str_eq(err.msg, "cannot run mt-test-no-such-program: No such file or directory");
	scratch_put(&s, "text", "no program\n");
	ck_assert_int_eq(chmod(scratch_path(&s, "text"), 0755), 0);
	argv[0] = (char *)scratch_path(&s, "text");
	ck_assert_ptr_null(emulation_command(e, &qemu, &settings, argv, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "/text cannot be executed: Exec format error"));
	emulation_free(e);
	emulation_free(NULL);
	ck_assert_int_eq(emulation_new("/nonexistent", &listener, &e, &err), -1);
	scratch_fini(&s);
}
END_TEST

/* ---- with QEMU ---- */

/* The plugin lies in the build directory, above the directory of the unit tests. */
static bool find_qemu(struct qemu *qemu)
{
	char path[PATH_MAX], own[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	ck_assert_int_gt(n, 0);
	own[n] = '\0';
	snprintf(path, sizeof(path), "%s/../../../magic-trace-qemu.so", dirname(own));
	*qemu = (struct qemu){ .path = child_find("qemu-x86_64"), .plugin = strdup(path) };
	if (qemu->path && access(path, R_OK) == 0)
		return true;
	puts("SKIP emulation/qemu: qemu-x86_64 is not installed, or the plugin is not built");
	qemu_fini(qemu);
	return false;
}

/* Starts a shell command under QEMU; NULL: there is none. */
static struct target *run(const char *script, const struct emulation_settings *settings)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char *)script, NULL };
	struct target_options options = { .name = argv[0] };
	struct target *target;
	struct qemu qemu;
	char **command;
	sigset_t none;

	set_up();
	if (!find_qemu(&qemu)) {
		emulation_free(e);
		scratch_fini(&s);
		return NULL;
	}
	ck_assert_int_eq(chdir(s.dir), 0);
	command = emulation_command(e, &qemu, settings, argv, &err);
	ck_assert_msg(command != NULL, "%s", err.msg);
	sigemptyset(&none);
	options.mask = &none;
	ck_assert_msg(target_start(command, &options, &target, &err) == 0, "%s", err.msg);
	qemuargs_free(command);
	qemu_fini(&qemu);
	tracer = emulation_tracer(e, target_pid(target));
	step_to(TRACER_RECORDING);
	ck_assert_int_eq(target_resume(target, &err), 0);
	return target;
}

static void wait_for_file(const char *name)
{
	while (!scratch_has(&s, name)) {
		tracer.ops->step(tracer.self);
		usleep(1000);
	}
}

static void drive_to(enum tracer_state state)
{
	struct pollfd fds[TRACER_FDS];
	int ms;

	while (tracer.ops->step(tracer.self) != state) {
		tracer.ops->poll(tracer.self, fds, &ms);
		poll(fds, TRACER_FDS, ms);
	}
}

static void expect_end(struct target *target, int status)
{
	struct pollfd p = { .fd = target_fd(target), .events = POLLIN };

	while (target_step(target) != TARGET_ENDED)
		poll(&p, 1, -1);
	ck_assert_int_eq(target_status(target), status);
	target_free(target);
	emulation_free(e);
	ck_assert_int_eq(chdir("/"), 0);
	scratch_fini(&s);
}

static bool is_whole(const char *name)
{
	char *data = scratch_get(scratch_path(&s, name), NULL);
	bool whole = strncmp(data, "PERFILE2", 8) == 0;

	free(data);
	return whole;
}

/* The data file's path is not known before the scratch directory is: so it is relative. */
static const struct emulation_settings everything = { .data = "perf.data", .multi_thread = true };
static const struct emulation_settings snapshotting = { .data = "perf.data",
							.ring = 1 << 20,
							.multi_snapshot = true };

START_TEST(test_qemu_to_the_end)
{
	struct target *target = run("exit 7", &everything);
	struct recorder_stats stats;

	if (!target)
		return;
	drive_to(TRACER_ENDED);
	finishes("");
	ck_assert(emulation_stats(e, &stats));
	ck_assert_uint_gt(stats.instructions, 10000);
	ck_assert_uint_eq(stats.threads, 1);
	ck_assert(is_whole("perf.data"));
	expect_end(target, W_EXITCODE(7, 0));
}
END_TEST

START_TEST(test_qemu_exec)
{
	struct target *target = run("exec sh -c 'exit 8'", &everything);

	if (!target)
		return;
	drive_to(TRACER_ENDED);
	finishes("");
	ck_assert(is_whole("perf.data") && is_whole("perf.data.000001000000"));
	expect_end(target, W_EXITCODE(8, 0));
}
END_TEST

/* Told to stop, it runs on: and so it does when we close the socket without a word. */
START_TEST(test_qemu_stop)
{
	struct target *target =
		run("echo >began; while ! [ -e go ]; do :; done; exit 9", &everything);

	if (!target)
		return;
	wait_for_file("began");
	tracer.ops->stop(tracer.self);
	drive_to(TRACER_ENDED);
	finishes("");
	ck_assert(is_whole("perf.data"));
	scratch_put(&s, "go", "");
	expect_end(target, W_EXITCODE(9, 0));
}
END_TEST

/* Whether the file is complete when it is looked at is a matter of time. */
START_TEST(test_qemu_given_up)
{
	struct target *target =
		run("echo >began; while ! [ -e go ]; do :; done; exit 9", &everything);

	if (!target)
		return;
	wait_for_file("began");
	tracer.ops->kill(tracer.self);
	if (tracer.ops->finish(tracer.self, &err) == 0)
		ck_assert(is_whole("perf.data") && strstr(warnings, "was given up"));
	else
		ck_assert(!scratch_has(&s, "perf.data") && strstr(err.msg, "was given up"));
	scratch_put(&s, "go", "");
	expect_end(target, W_EXITCODE(9, 0));
}
END_TEST

START_TEST(test_qemu_snapshots)
{
	struct target *target =
		run("echo >began; while ! [ -e go ]; do :; done; exit 9", &snapshotting);

	if (!target)
		return;
	wait_for_file("began");
	for (size_t i = 1; i <= 2; i++) {
		tracer.ops->snapshot(tracer.self);
		drive_to(TRACER_RECORDING);
		ck_assert_uint_eq(snapshots(), i);
	}
	ck_assert(is_whole("perf.data") && is_whole("perf.data.000000000001"));
	scratch_put(&s, "go", "");
	drive_to(TRACER_ENDED);
	finishes("");
	/* what came behind the last is none */
	ck_assert(!scratch_has(&s, "perf.data.000000000002"));
	expect_end(target, W_EXITCODE(9, 0));
}
END_TEST

/* A program that calls twice what lies behind a mark, and where that lies in its file. */
static void put_program(const char *path, uint64_t *offset)
{
	char command[1000], *data, *found;
	size_t n;

	snprintf(command, sizeof(command),
		 "echo 'asm(\".ascii \\\"MARKofHIT\\\"; .globl f; f: ret\"); void f(void); "
		 "int main(void) { f(); f(); return 4; }' | gcc -x c -o %s -",
		 path);
	ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c): the test's own */
	data = scratch_get(path, &n);
	found = memmem(data, n, "MARKofHIT", strlen("MARKofHIT"));
	ck_assert_ptr_nonnull(found);
	*offset = (uint64_t)(found - data) + strlen("MARKofHIT");
	free(data);
}

static void expect_hits(struct emulation_settings settings, size_t want)
{
	struct scratch programs;
	struct target *target;
	struct hit hits[4];
	char command[600];
	size_t n = 0;

	scratch_init(&programs);
	settings.trigger_file = scratch_path(&programs, "p");
	put_program(settings.trigger_file, &settings.trigger_at);
	snprintf(command, sizeof(command), "exec %s", settings.trigger_file);
	target = run(command, &settings);
	if (target) {
		drive_to(TRACER_ENDED);
		/* each has a snapshot of its own: they come one by one */
		while (n < 4 && read_hits(hits + n, 4 - n))
			n++;
		ck_assert_uint_eq(n, want);
		for (size_t i = 0; i < want; i++) {
			ck_assert(hits[i].pid == target_pid(target) && hits[i].time > 0);
			ck_assert_int_eq(hits[i].tid, hits[i].pid);
			ck_assert_uint_eq(hits[i].ip % 4096, settings.trigger_at % 4096);
		}
		finishes("");
		ck_assert(is_whole("perf.data.000001000000"));
		ck_assert_int_eq(scratch_has(&s, "perf.data.000001000001"), want == 2);
		ck_assert(!scratch_has(&s, "perf.data.000001000002"));
		expect_end(target, W_EXITCODE(4, 0));
	}
	scratch_fini(&programs);
}

START_TEST(test_qemu_hits)
{
	struct emulation_settings settings = snapshotting;

	expect_hits(settings, 2);
	settings.multi_snapshot = false;
	expect_hits(settings, 1);
}
END_TEST

START_TEST(test_qemu_killed)
{
	struct target *target =
		run("echo >began; exec sh -c 'echo >again; while :; do :; done'", &everything);

	if (!target)
		return;
	wait_for_file("again");
	target_signal(target, SIGKILL);
	drive_to(TRACER_ENDED);
	finishes("QEMU was killed, or failed");
	ck_assert(is_whole("perf.data"));
	ck_assert(!scratch_has(&s, "perf.data.000001000000"));
	expect_end(target, W_EXITCODE(0, SIGKILL));
}
END_TEST

SUITE_MAIN("emulation", test_command, test_no_command, test_qemu_to_the_end, test_qemu_exec,
	   test_qemu_stop, test_qemu_given_up, test_qemu_snapshots, test_qemu_hits,
	   test_qemu_killed)
