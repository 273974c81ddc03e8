/* SPDX-License-Identifier: MIT */
/* Counted time: a program that does the same gives the same file each time. */
#include "soft/stepcalm.h"

#include "soft/stepper.h"
#include "support/lateinit.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* As it is, and disturbed. */
#define TIMES 2

/* Six threads that are killed by the end of the program, asleep or not. */
static const char killed[] = "#include <pthread.h>\n"
			     "#include <unistd.h>\n"
			     "static volatile long sum;\n"
			     "static void *runs(void *p)\n"
			     "{\n"
			     "	while (p)\n"
			     "		sum++;\n"
			     "	for (;;)\n"
			     "		pause();\n"
			     "	return p;\n"
			     "}\n"
			     "int main(void)\n"
			     "{\n"
			     "	pthread_t t;\n"
			     "	for (long i = 0; i < 6; i++)\n"
			     "		pthread_create(&t, NULL, runs, (void *)(i % 2));\n"
			     "	while (sum < 1000)\n"
			     "		;\n"
			     "	return 0;\n"
			     "}\n";

/* Threads that end at once, while others are made and are waited for. */
static const char brief[] = "#include <pthread.h>\n"
			    "static void *nothing(void *p) { return p; }\n"
			    "int main(void)\n"
			    "{\n"
			    "	pthread_t t[2];\n"
			    "	for (int i = 0; i < 12; i++) {\n"
			    "		pthread_create(&t[0], NULL, nothing, NULL);\n"
			    "		pthread_create(&t[1], NULL, nothing, NULL);\n"
			    "		pthread_join(t[0], NULL);\n"
			    "		pthread_join(t[1], NULL);\n"
			    "	}\n"
			    "	return 0;\n"
			    "}\n";

/* Two that send each other more than a pipe takes at once: each wakes the other, then sleeps. */
static const char piped[] = "#include <pthread.h>\n"
			    "#include <unistd.h>\n"
			    "static int ends[2];\n"
			    "static char there[200000], here[200000];\n"
			    "static void *writes(void *p)\n"
			    "{\n"
			    "	return write(ends[1], there, sizeof(there)) < 0 ? NULL : p;\n"
			    "}\n"
			    "int main(void)\n"
			    "{\n"
			    "	pthread_t t;\n"
			    "	size_t n = 0;\n"
			    "	if (pipe(ends) < 0 || pthread_create(&t, NULL, writes, NULL))\n"
			    "		return 1;\n"
			    "	while (n < sizeof(here))\n"
			    "		n += (size_t)read(ends[0], here + n, 70000);\n"
			    "	return pthread_join(t, NULL);\n"
			    "}\n";

/* A thread works while another waits for a child, which is stepped as well. */
static const char vforks[] = "#include <pthread.h>\n"
			     "#include <sys/wait.h>\n"
			     "#include <unistd.h>\n"
			     "static volatile long sum;\n"
			     "static void *works(void *p)\n"
			     "{\n"
			     "	for (int i = 0; i < 2500; i++)\n"
			     "		sum += i;\n"
			     "	return p;\n"
			     "}\n"
			     "int main(void)\n"
			     "{\n"
			     "	pthread_t t;\n"
			     "	pthread_create(&t, NULL, works, NULL);\n"
			     "	for (int i = 0; i < 5; i++) {\n"
			     "		if (vfork() == 0)\n"
			     "			_exit(0);\n"
			     "		wait(NULL);\n"
			     "	}\n"
			     "	return pthread_join(t, NULL);\n"
			     "}\n";

/* What it does hangs on the CPU that it is on. */
static const char cpu[] = "#define _GNU_SOURCE\n"
			  "#include <sched.h>\n"
			  "static volatile long sum;\n"
			  "int main(void)\n"
			  "{\n"
			  "	for (int i = 0; i < 100 * sched_getcpu(); i++)\n"
			  "		sum++;\n"
			  "	return 0;\n"
			  "}\n";

static char name[] = "test", *command[] = { name, NULL };
static struct scratch s;

/* The program at its _init, seized by us, its addresses always the same. */
static pid_t start_seized(void)
{
	int go[2], status;
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		personality(ADDR_NO_RANDOMIZE);
		close(go[1]);
		if (read(go[0], &byte, 1) == 0)
			execl(scratch_path(&s, "program"), "program", (char *)NULL);
		_exit(127);
	}
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACEEXEC), 0);
	close(go[0]);
	close(go[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status >> 8, SIGTRAP | PTRACE_EVENT_EXEC << 8);
	ck_assert(lateinit_run(pid));
	return pid;
}

static enum stepper_wish go_on(void *ctx)
{
	(void)ctx;
	return STEPPER_GO_ON;
}

/* From one CPU or another, of those that there are. */
static void move(bool last)
{
	cpu_set_t all, one;
	int found = -1;

	sched_getaffinity(0, sizeof(all), &all);
	for (int i = 0; i < CPU_SETSIZE && (last || found < 0); i++)
		if (CPU_ISSET(i, &all))
			found = i;
	CPU_ZERO(&one);
	CPU_SET(found, &one);
	sched_setaffinity(0, sizeof(one), &one);
	sched_setaffinity(0, sizeof(all), &all);
}

/* disturb: from another CPU, and a signal that does nothing comes before its first instruction. */
static void record(bool disturb)
{
	const struct recorder_config recorder = {
		.path = scratch_path(&s, "perf.data"),
		.time = RECORDER_INSTRUCTIONS,
		.command_line = command,
	};
	const struct stepper_config config = {
		.pid = start_seized(),
		.multi_thread = true,
		.follow_fork = true,
		.hooks = { .poll = go_on },
		.recorder = &recorder,
	};
	struct stepper *stepper;
	struct err err = ERR_INIT;

	move(disturb);
	if (disturb)
		kill(config.pid, SIGCONT);
	ck_assert_msg(stepper_attach(&config, &stepper, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(stepper_run(stepper), STEPPER_ENDED);
	ck_assert_int_eq(stepper_status(stepper), 0);
	ck_assert_int_eq(stepper_close(stepper, true, NULL, &err), 0);
}

static void expect_reproducible(const char *text)
{
	scratch_init(&s);
	scratch_put(&s, "program.c", text);
	ck_assert_int_eq(scratch_run(&s, "gcc -O1 -static -pthread -o program program.c"), 0);
	record(false);
	ck_assert_int_eq(scratch_run(&s, "mv perf.data first"), 0);
	for (int i = 0; i < TIMES; i++) {
		record(i % 2);
		ck_assert_int_eq(scratch_run(&s, "cmp perf.data first"), 0);
	}
	scratch_fini(&s);
}

START_TEST(test_killed)
{
	expect_reproducible(killed);
}
END_TEST

START_TEST(test_brief)
{
	expect_reproducible(brief);
}
END_TEST

START_TEST(test_piped)
{
	expect_reproducible(piped);
}
END_TEST

/* On whichever CPU we happen to be. */
START_TEST(test_cpu)
{
	expect_reproducible(cpu);
}
END_TEST

START_TEST(test_vfork)
{
	expect_reproducible(vforks);
}
END_TEST

SUITE_MAIN("soft/stepcalm", test_killed, test_brief, test_piped, test_cpu, test_vfork)
