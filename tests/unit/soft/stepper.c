/* SPDX-License-Identifier: MIT */
/*
 * What is recorded is compared with what was executed in tests/e2e/soft-branches.py; here is what
 * the interface promises.
 */
#include "soft/stepper.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "support/target.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] = "#include <stdio.h>\n"
			     "volatile long sum;\n"
			     "void hit(void) { sum++; }\n"
			     "int main(void)\n"
			     "{\n"
			     "	char line[9];\n"
			     "	printf(\"hit %lx\\nready\\n\", (long)hit);\n"
			     "	fflush(stdout);\n"
			     "	for (;;) {\n"
			     "		for (int i = 0; i < 1000; i++)\n"
			     "			hit();\n"
			     "		if (sum < 0 && fgets(line, 9, stdin))\n"
			     "			return 0;\n"
			     "	}\n"
			     "}\n";

static char name[] = "test", *command[] = { name, NULL };
static struct scratch s;
static struct target t;

struct seen {
	unsigned int polls, stop_at, hits;
	enum stepper_wish on_hit;
};

static enum stepper_wish count_polls(void *ctx)
{
	struct seen *seen = ctx;

	seen->polls++;
	if (seen->stop_at && seen->polls >= seen->stop_at)
		return STEPPER_STOP;
	return STEPPER_GO_ON;
}

static enum stepper_wish count_hits(void *ctx, pid_t tid, uint64_t address)
{
	struct seen *seen = ctx;

	ck_assert_int_eq(tid, t.pid);
	ck_assert_uint_eq(address, target_value(&t, "hit"));
	return ++seen->hits == 3 ? STEPPER_STOP : seen->on_hit;
}

static void begin(void)
{
	scratch_init(&s);
	scratch_put(&s, "p.c", source);
	ck_assert_int_eq(scratch_run(&s, "gcc -O1 -fno-inline -o p p.c"), 0);
	target_start(&t, scratch_path(&s, "p"));
}

static void end(void)
{
	ck_assert_int_eq(waitpid(t.pid, NULL, WNOHANG), 0); /* it runs on */
	target_stop(&t);
	scratch_fini(&s);
}

static struct recorder_config recorder_to(const char *file)
{
	return (struct recorder_config){ .path = scratch_path(&s, file), .command_line = command };
}

START_TEST(test_stopped_by_poll)
{
	struct recorder_config recorder;
	struct seen seen = { .stop_at = 5 };
	struct stepper_config config = { .multi_thread = true,
					 .hooks = { .poll = count_polls, .ctx = &seen } };
	struct stepper *stepper;
	struct recorder_stats stats;
	struct sigaction before, after;
	cpu_set_t ours, theirs, now;
	struct err err = ERR_INIT;

	begin();
	sched_getaffinity(0, sizeof(ours), &ours);
	sched_getaffinity(t.pid, sizeof(theirs), &theirs);
	sigaction(SIGRTMAX, NULL, &before);
	recorder = recorder_to("perf.data");
	config.pid = t.pid;
	config.recorder = &recorder;
	ck_assert_msg(stepper_attach(&config, &stepper, &err) == 0, "%s", err.msg);
	sched_getaffinity(t.pid, sizeof(now), &now);
	ck_assert_int_eq(CPU_COUNT(&now), 1);
	ck_assert_int_eq(stepper_run(stepper), STEPPER_STOPPED);
	ck_assert_uint_eq(seen.polls, 5);
	ck_assert_int_eq(stepper_close(stepper, true, &stats, &err), 0);
	ck_assert_uint_gt(stats.instructions, 0);
	ck_assert_uint_eq(stats.threads, 1);
	/* all is as it was */
	sched_getaffinity(0, sizeof(now), &now);
	ck_assert(CPU_EQUAL(&now, &ours));
	sched_getaffinity(t.pid, sizeof(now), &now);
	ck_assert(CPU_EQUAL(&now, &theirs));
	sigaction(SIGRTMAX, NULL, &after);
	ck_assert(after.sa_handler == before.sa_handler);
	end();
}
END_TEST

START_TEST(test_stopped_at_address)
{
	struct recorder_config recorder;
	struct seen seen = { .on_hit = STEPPER_SNAPSHOT };
	struct stepper_config config = {
		.hooks = { .poll = count_polls, .reached = count_hits, .ctx = &seen }
	};
	struct stepper *stepper;
	struct recorder_stats stats;
	struct err err = ERR_INIT;
	uint64_t address;

	begin();
	address = target_value(&t, "hit");
	recorder = recorder_to("perf.data");
	recorder.ring = 65536;
	config.pid = t.pid;
	config.addresses = &address;
	config.n_addresses = 1;
	config.recorder = &recorder;
	ck_assert_msg(stepper_attach(&config, &stepper, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(stepper_run(stepper), STEPPER_STOPPED);
	ck_assert_uint_gt(stepper_time(stepper), 0);
	stepper_detach(stepper);
	ck_assert_int_eq(stepper_close(stepper, false, &stats, &err), 0);
	ck_assert_uint_eq(seen.hits, 3);
	/* a snapshot at each of the first two; it may have been at the first when it was attached
	 * to */
	ck_assert_int_eq(scratch_run(&s, "n=$(perf report -D -i perf.data 2>err | "
					 "grep -c 'AUXTRACE size'); test $n = 1 -o $n = 2"),
			 0);
	end();
}
END_TEST

START_TEST(test_ended)
{
	struct recorder_config recorder;
	struct seen seen = { 0 };
	struct stepper_config config = { .hooks = { .poll = count_polls, .ctx = &seen } };
	struct stepper *stepper;
	struct err err = ERR_INIT;
	int status;

	begin();
	recorder = recorder_to("perf.data");
	config.pid = t.pid;
	config.recorder = &recorder;
	ck_assert_msg(stepper_attach(&config, &stepper, &err) == 0, "%s", err.msg);
	kill(t.pid, SIGKILL);
	ck_assert_int_eq(stepper_run(stepper), STEPPER_ENDED);
	status = stepper_status(stepper);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert_int_eq(stepper_close(stepper, true, NULL, &err), 0);
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_refused)
{
	struct recorder_config recorder;
	struct seen seen = { 0 };
	struct stepper_config config = { .pid = 0x7fffffff,
					 .hooks = { .poll = count_polls, .ctx = &seen } };
	struct stepper *stepper;
	struct err err = ERR_INIT;

	begin();
	recorder = recorder_to("perf.data");
	config.recorder = &recorder;
	ck_assert_int_eq(stepper_attach(&config, &stepper, &err), -1);
	ck_assert_msg(strstr(err.msg, "no process 2147483647") != NULL, "%s", err.msg);
	recorder.path = "/dev/null/x";
	config.pid = t.pid;
	ck_assert_int_eq(stepper_attach(&config, &stepper, &err), -1);
	ck_assert_msg(strstr(err.msg, "/dev/null/x") != NULL, "%s", err.msg);
	end();
}
END_TEST

SUITE_MAIN("soft/stepper", test_stopped_by_poll, test_stopped_at_address, test_ended, test_refused)
