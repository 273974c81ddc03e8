/* SPDX-License-Identifier: MIT */
/* With real processes, which go on afterwards. */
#include "record/stepping.h"

#include "base/procfs.h"
#include "support/lateinit.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "support/target.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <time.h>

/*
 * Two threads, one of which calls hit() all the time, with a number and the counter's value. With
 * an argument it forks a child that does so, or executes itself, again, when it is told to.
 */
static const char source[] = "#include <pthread.h>\n"
			     "#include <stdio.h>\n"
			     "#include <string.h>\n"
			     "#include <unistd.h>\n"
			     "#include <x86intrin.h>\n"
			     "volatile long sum;\n"
			     "void hit(long when, long what) { sum += what + (when != 0); }\n"
			     "void calls(void)\n"
			     "{\n"
			     "	for (int i = 0; i < 100; i++)\n"
			     "		hit(0, 21);\n"
			     "	hit((long)__rdtsc(), 42);\n"
			     "}\n"
			     "void *other(void *p)\n"
			     "{\n"
			     "	for (;;)\n"
			     "		calls();\n"
			     "	return p;\n"
			     "}\n"
			     "int main(int argc, char **argv)\n"
			     "{\n"
			     "	char line[9];\n"
			     "	pthread_t t;\n"
			     "	pthread_create(&t, NULL, other, NULL);\n"
			     "	printf(\"hit %lx\\nready\\n\", (long)hit);\n"
			     "	fflush(stdout);\n"
			     "	while (fgets(line, 9, stdin)) {\n"
			     "		if (argc > 1 && !strcmp(argv[1], \"exec\"))\n"
			     "			execv(argv[0], argv);\n"
			     "		if (argc > 1 && fork() == 0)\n"
			     "			other(NULL);\n"
			     "		puts(\"ready\");\n"
			     "		fflush(stdout);\n"
			     "	}\n"
			     "	return 0;\n"
			     "}\n";

static char name[] = "test", *command[] = { name, NULL };
static struct scratch s;
static struct target t;
static struct stepping *stepping;
static struct tracer tracer;
static struct hit_source source_of_hits;
static char data[600];

static void begin(const char *argument)
{
	char program[600], word[8] = "";
	char *argv[] = { program, NULL, NULL };

	scratch_init(&s);
	scratch_put(&s, "p.c", source);
	ck_assert_int_eq(scratch_run(&s, "gcc -O1 -fno-inline -static -pthread -o p p.c"), 0);
	strcpy(data, scratch_path(&s, "perf.data"));
	strcpy(program, scratch_path(&s, "p"));
	if (argument) {
		strcpy(word, argument);
		argv[1] = word;
	}
	target_start_in(&t, argv, NULL, NULL);
	target_wait(&t);
	stepping = stepping_new();
	source_of_hits = stepping_hits(stepping);
}

/* What it says when it is asked shows that it goes on. */
static void end(void)
{
	target_step(&t);
	ck_assert_int_eq(waitpid(t.pid, NULL, WNOHANG), 0);
	stepping_free(stepping);
	target_stop(&t);
	scratch_fini(&s);
}

static struct stepping_settings settings(void)
{
	return (struct stepping_settings){
		.data = data,
		.pid = t.pid,
		.ring = 65536,
		.multi_thread = true,
		.command_line = command,
	};
}

static void start(const struct stepping_settings *of)
{
	struct err err = ERR_INIT;

	ck_assert_msg(stepping_start(stepping, of, &tracer, &err) == 0, "%s", err.msg);
}

static enum tracer_state one_turn(void)
{
	struct pollfd fds[TRACER_FDS];
	int timeout;

	tracer.ops->poll(tracer.self, fds, &timeout);
	poll(fds, TRACER_FDS, timeout);
	return tracer.ops->step(tracer.self);
}

/* Until it is in that state, which it is said to come to. */
static void drive_to(enum tracer_state wanted)
{
	enum tracer_state state;

	do
		state = one_turn();
	while (state != wanted && state != TRACER_ENDED);
	ck_assert_int_eq(state, wanted);
}

static struct hit drive_to_hit(void)
{
	struct hit hit;

	while (source_of_hits.ops->read(source_of_hits.self, &hit, 1) == 0)
		one_turn();
	return hit;
}

static void finish(void)
{
	struct err err = ERR_INIT;

	ck_assert_msg(tracer.ops->finish(tracer.self, &err) == 0, "%s", err.msg);
}

static void stop_and_finish(void)
{
	tracer.ops->stop(tracer.self);
	drive_to(TRACER_ENDED);
	finish();
}

static void add(pid_t pid, bool all_threads)
{
	struct err err = ERR_INIT;

	ck_assert_msg(source_of_hits.ops->add(source_of_hits.self, pid, target_value(&t, "hit"),
					      all_threads, &err) == 0,
		      "%s", err.msg);
}

static void arm(void)
{
	source_of_hits.ops->arm(source_of_hits.self);
}

/*
 * perf makes branches of a file, without an error: many; or the last goes to hit(), if `to`, which
 * may be soon after the recording has begun, or after the hit before.
 */
static void expect_decoded(const char *file, bool to)
{
	char line[600];

	snprintf(line, sizeof(line),
		 "perf script -i %s --itrace=be --ns -F tid,ip,addr,event >out 2>err && "
		 "! grep -q error out && test $(grep -c branches out) -ge %d && "
		 "{ test %d = 0 || tail -n 1 out | grep -q %lx; }",
		 file, to ? 1 : 10, to, target_value(&t, "hit"));
	ck_assert_int_eq(scratch_run(&s, line), 0);
}

static pid_t tracer_pid(pid_t pid)
{
	uint64_t v = 0;

	procfs_status(pid, "TracerPid:", false, &v);
	return (pid_t)v;
}

START_TEST(test_stopped)
{
	struct stepping_settings of;
	struct recorder_stats stats;
	cpu_set_t before, after;
	pid_t child;

	begin(NULL);
	sched_getaffinity(t.pid, sizeof(before), &before);
	of = settings();
	start(&of);
	ck_assert(tracer.end_is_snapshot);
	ck_assert_int_eq(tracer.ops->group(tracer.self), 0);
	drive_to(TRACER_RECORDING);
	ck_assert(!stepping_stats(stepping, &stats));
	child = tracer_pid(t.pid);
	ck_assert_int_eq(getpgid(child), child);
	/* what ends others does not end it */
	kill(child, SIGTERM);
	kill(child, SIGINT);
	kill(child, SIGHUP);
	usleep(200000);
	tracer.ops->snapshot(tracer.self);
	drive_to(TRACER_ENDED);
	ck_assert_uint_eq(tracer.ops->snapshots(tracer.self), 1);
	finish();
	ck_assert(stepping_stats(stepping, &stats));
	ck_assert_uint_gt(stats.instructions, 1000);
	ck_assert_uint_eq(stats.threads, 2);
	ck_assert(kill(child, 0) < 0 && errno == ESRCH);
	ck_assert_int_eq(tracer_pid(t.pid), 0);
	sched_getaffinity(t.pid, sizeof(after), &after);
	ck_assert(CPU_EQUAL(&before, &after));
	expect_decoded("perf.data", false);
	end();
}
END_TEST

/* Nothing of ours is kept open, or locked, by the other process. */
START_TEST(test_nothing_inherited)
{
	struct stepping_settings of;
	int lock, again, ends[2];
	char byte;

	begin(NULL);
	lock = open(s.dir, O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(flock(lock, LOCK_EX | LOCK_NB), 0);
	ck_assert_int_eq(pipe(ends), 0);
	of = settings();
	start(&of);
	drive_to(TRACER_RECORDING);
	close(lock);
	again = open(s.dir, O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(flock(again, LOCK_EX | LOCK_NB), 0);
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	close(again);
	stop_and_finish();
	end();
}
END_TEST

START_TEST(test_hit_ends)
{
	struct stepping_settings of;
	struct hit hit;

	begin(NULL);
	add(t.pid, true);
	arm();
	of = settings();
	start(&of);
	hit = drive_to_hit();
	ck_assert_int_eq(hit.pid, t.pid);
	ck_assert_int_ne(hit.tid, t.pid);
	ck_assert_uint_eq(hit.ip, target_value(&t, "hit"));
	ck_assert(hit.arg == 21 || hit.arg == 42);
	ck_assert_int_gt(hit.time, 0);
	ck_assert_int_eq(hit.passed, 0); /* it is no time of the recording's */
	drive_to(TRACER_ENDED);
	ck_assert_uint_eq(tracer.ops->snapshots(tracer.self), 1);
	finish();
	end();
}
END_TEST

/* Off, or for the first thread, which does not come there, there is no hit. */
START_TEST(test_no_hit)
{
	struct stepping_settings of;
	struct hit hit;

	begin(NULL);
	add(t.pid, false);
	arm();
	of = settings();
	start(&of);
	drive_to(TRACER_RECORDING);
	usleep(100000);
	source_of_hits.ops->disarm(source_of_hits.self);
	add(t.pid, true);
	usleep(100000);
	stop_and_finish();
	ck_assert_uint_eq(source_of_hits.ops->read(source_of_hits.self, &hit, 1), 0);
	end();
}
END_TEST

START_TEST(test_many_snapshots)
{
	struct stepping_settings of;
	struct hit rest;
	char line[80];
	int64_t before;
	struct timespec now;

	/* the first time that is passed may be from before the recording */
	clock_gettime(CLOCK_MONOTONIC, &now);
	before = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	begin(NULL);
	of = settings();
	of.multi_snapshot = true;
	of.time = RECORDER_REAL;
	start(&of);
	ck_assert(!tracer.end_is_snapshot);
	drive_to(TRACER_RECORDING);
	/* more than the socket takes at once */
	for (pid_t i = 0; i < 500; i++)
		ck_assert_int_eq(source_of_hits.ops->add(source_of_hits.self, t.pid,
							 0x1000 + (uint64_t)i, true, NULL),
				 0);
	add(t.pid, true);
	arm();
	for (size_t i = 0; i < 3; i++) {
		struct hit hit = drive_to_hit();

		source_of_hits.ops->disarm(source_of_hits.self);
		ck_assert_int_gt(hit.time, before);
		ck_assert(hit.passed == 0 || (hit.passed > before && hit.passed <= hit.time));
		ck_assert_int_eq(hit.passed != 0, hit.arg == 42);
		before = hit.time;
		ck_assert_uint_eq(tracer.ops->snapshots(tracer.self), i + 1);
		tracer.ops->snapshot(tracer.self);
		drive_to(TRACER_RECORDING);
		ck_assert_uint_eq(tracer.ops->snapshots(tracer.self), i + 1);
		arm();
	}
	tracer.ops->snapshot(tracer.self);
	drive_to(TRACER_RECORDING);
	ck_assert_uint_eq(tracer.ops->snapshots(tracer.self), 4);
	tracer.ops->stop(tracer.self);
	drive_to(TRACER_ENDED);
	/* none of those that nobody has heard of is without its file */
	while (source_of_hits.ops->read(source_of_hits.self, &rest, 1))
		;
	snprintf(line, sizeof(line), "test $(ls perf.data* | wc -l) = %zu",
		 tracer.ops->snapshots(tracer.self));
	finish();
	ck_assert_int_eq(scratch_run(&s, line), 0);
	expect_decoded("perf.data", true);
	for (unsigned int i = 1; i < 4; i++) {
		char *file = recorder_file_name("perf.data", 0, i);

		/* the last one was not by a hit, but came when it came */
		if (i < 3)
			expect_decoded(file, true);
		free(file);
	}
	end();
}
END_TEST

/* A snapshot that is complete before it is asked for: who waits for it is not left waiting. */
START_TEST(test_snapshot_at_once)
{
	struct stepping_settings of;
	struct pollfd fds[TRACER_FDS];
	int timeout;

	begin(NULL);
	add(t.pid, true);
	of = settings();
	of.multi_snapshot = true;
	start(&of);
	drive_to(TRACER_RECORDING);
	arm();
	drive_to_hit();
	/* the file behind it shows that it is complete; its message may take a moment more */
	while (scratch_count(&s) < 4)
		usleep(1000);
	usleep(50000);
	tracer.ops->poll(tracer.self, fds, &timeout);
	if (poll(fds, TRACER_FDS, 0) > 0)
		tracer.ops->step(tracer.self);
	tracer.ops->snapshot(tracer.self);
	drive_to(TRACER_RECORDING);
	ck_assert_uint_eq(tracer.ops->snapshots(tracer.self), 1);
	stop_and_finish();
	end();
}
END_TEST

/* A child that it makes has its addresses; one that executes has them no more. */
START_TEST(test_children)
{
	struct stepping_settings of;
	struct hit hit;

	begin("fork");
	add(t.pid, true);
	of = settings();
	of.follow_fork = of.multi_snapshot = true;
	start(&of);
	drive_to(TRACER_RECORDING);
	target_step(&t);
	do {
		arm();
		hit = drive_to_hit();
	} while (hit.pid == t.pid);
	ck_assert_int_eq(hit.tid, hit.pid);
	kill(hit.pid, SIGKILL);
	stop_and_finish();
	end();
}
END_TEST

START_TEST(test_executed)
{
	struct stepping_settings of;
	pid_t pid = 0;

	begin("exec");
	add(t.pid, true);
	of = settings();
	start(&of);
	drive_to(TRACER_RECORDING);
	fputs("go\n", t.in);
	fflush(t.in);
	while (!source_of_hits.ops->executed(source_of_hits.self, &pid))
		one_turn();
	ck_assert_int_eq(pid, t.pid);
	ck_assert(!source_of_hits.ops->executed(source_of_hits.self, &pid));
	target_wait(&t);
	add(t.pid, true);
	arm();
	ck_assert_int_eq(drive_to_hit().pid, t.pid);
	drive_to(TRACER_ENDED);
	finish();
	end();
}
END_TEST

/* A program that we hold at its exec, its addresses always the same. */
static pid_t start_held(const char *path)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(path, "program", (char *)NULL);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSTOPPED(status));
	return pid;
}

static volatile char sink;

/* A program that a tracer holds at its exec, here us. */
START_TEST(test_held)
{
	struct stepping_settings of;
	struct recorder_stats stats;
	int status;

	begin(NULL);
	of = settings();
	of.held = true;
	of.ring = 0;
	scratch_put(&s, "seven.c", "int main(void) { return 7; }\n");
	ck_assert_int_eq(scratch_run(&s, "gcc -static -o seven seven.c"), 0);
	of.pid = start_held(scratch_path(&s, "seven"));
	start(&of);
	drive_to(TRACER_RECORDING);
	ptrace(PTRACE_DETACH, of.pid, NULL, NULL);
	drive_to(TRACER_ENDED);
	finish();
	ck_assert(stepping_stats(stepping, &stats));
	ck_assert_uint_gt(stats.instructions, 1000);
	ck_assert_int_eq(waitpid(of.pid, &status, 0), of.pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	expect_decoded("perf.data", false);
	end();
}
END_TEST

static const char threads[] = "#include <pthread.h>\n"
			      "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n"
			      "static pthread_barrier_t barrier;\n"
			      "static long sum;\n"
			      "static void *adds(void *p)\n"
			      "{\n"
			      "	pthread_barrier_wait(&barrier);\n"
			      "	for (int i = 0; i < 50; i++) {\n"
			      "		pthread_mutex_lock(&mutex);\n"
			      "		sum += (long)p;\n"
			      "		pthread_mutex_unlock(&mutex);\n"
			      "	}\n"
			      "	return p;\n"
			      "}\n"
			      "int main(void)\n"
			      "{\n"
			      "	pthread_t t[4];\n"
			      "	pthread_barrier_init(&barrier, NULL, 4);\n"
			      "	for (long i = 0; i < 4; i++)\n"
			      "		pthread_create(&t[i], NULL, adds, (void *)i);\n"
			      "	for (int i = 0; i < 4; i++)\n"
			      "		pthread_join(t[i], NULL);\n"
			      "	return sum != 300;\n"
			      "}\n";

/* Counted time: four threads that wait for each other give the same file each time. */
START_TEST(test_reproducible)
{
	struct stepping_settings of;
	int status;

	begin(NULL);
	scratch_put(&s, "threads.c", threads);
	ck_assert_int_eq(scratch_run(&s, "gcc -O1 -static -pthread -o threads threads.c"), 0);
	of = settings();
	of.held = true;
	of.ring = 0;
	of.time = RECORDER_INSTRUCTIONS;
	for (int i = 0; i < 3; i++) {
		of.pid = start_held(scratch_path(&s, "threads"));
		ck_assert(lateinit_run(of.pid));
		start(&of);
		drive_to(TRACER_RECORDING);
		ptrace(PTRACE_DETACH, of.pid, NULL, NULL);
		drive_to(TRACER_ENDED);
		finish();
		ck_assert_int_eq(waitpid(of.pid, &status, 0), of.pid);
		ck_assert_int_eq(status, 0);
		ck_assert_int_eq(
			scratch_run(&s, i == 0 ? "cp perf.data first" : "cmp perf.data first"), 0);
	}
	end();
}
END_TEST

/* Killed while it is held: nobody waits for what will not come. */
START_TEST(test_held_and_killed)
{
	struct stepping_settings of;
	int status;

	begin(NULL);
	of = settings();
	of.held = true;
	of.pid = start_held("/bin/true");
	start(&of);
	drive_to(TRACER_RECORDING);
	kill(of.pid, SIGKILL);
	ck_assert_int_eq(waitpid(of.pid, &status, 0), of.pid);
	drive_to(TRACER_ENDED);
	finish();
	end();
}
END_TEST

START_TEST(test_refused)
{
	struct stepping_settings of;
	struct recorder_stats stats;
	struct err err = ERR_INIT;

	begin(NULL);
	of = settings();
	of.pid = 0x7fffffff;
	ck_assert_int_eq(source_of_hits.ops->add(source_of_hits.self, of.pid, 1, true, &err), -1);
	start(&of);
	while (one_turn() != TRACER_ENDED)
		;
	ck_assert_int_eq(tracer.ops->finish(tracer.self, &err), -1);
	ck_assert_msg(strstr(err.msg, "no process 2147483647") != NULL, "%s", err.msg);
	ck_assert(!stepping_stats(stepping, &stats));
	/* and again, with another one */
	of = settings();
	start(&of);
	drive_to(TRACER_RECORDING);
	stop_and_finish();
	end();
}
END_TEST

/* The stepping process is killed: which the target may not survive. */
START_TEST(test_child_killed)
{
	struct stepping_settings of;
	struct err err = ERR_INIT;

	begin(NULL);
	of = settings();
	start(&of);
	drive_to(TRACER_RECORDING);
	kill(tracer_pid(t.pid), SIGKILL);
	drive_to(TRACER_ENDED);
	ck_assert_int_eq(tracer.ops->finish(tracer.self, &err), -1);
	ck_assert_msg(strstr(err.msg, "killed by signal 9") != NULL, "%s", err.msg);
	stepping_free(stepping);
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

/* We are killed: the stepping process lets go of it. 10 times, each at some other moment. */
START_TEST(test_parent_killed)
{
	struct stepping_settings of;
	int ready[2];
	char byte;

	/* the stepping process comes to us then, so that its end can be waited for */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	begin(NULL);
	of = settings();
	for (int i = 0; i < 10; i++) {
		pid_t child, stepper;

		ck_assert_int_eq(pipe(ready), 0);
		child = fork();
		if (child == 0) {
			start(&of);
			drive_to(TRACER_RECORDING);
			sink = (char)write(ready[1], "x", 1);
			for (;;)
				one_turn();
		}
		close(ready[1]);
		ck_assert_int_eq(read(ready[0], &byte, 1), 1);
		close(ready[0]);
		stepper = tracer_pid(t.pid);
		ck_assert_int_gt(stepper, 0);
		usleep((useconds_t)i * 7000);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		ck_assert_int_eq(waitpid(stepper, NULL, 0), stepper);
		target_step(&t);
		ck_assert_int_eq(waitpid(t.pid, NULL, WNOHANG), 0);
	}
	end();
}
END_TEST

SUITE_MAIN("record/stepping", test_stopped, test_nothing_inherited, test_hit_ends, test_no_hit,
	   test_many_snapshots, test_snapshot_at_once, test_children, test_executed, test_held,
	   test_reproducible, test_held_and_killed, test_refused, test_child_killed,
	   test_parent_killed)
