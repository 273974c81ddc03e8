/* SPDX-License-Identifier: MIT */
/* What ends it before anything is run; tests/e2e has the rest. */
#include "cli/record.h"

#include "cli/status.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <fcntl.h>
#include <limits.h>

static struct scratch s;
static struct console console;
static struct options options;

static void set_up(void)
{
	scratch_init(&s);
	ck_assert_int_eq(chdir(s.dir), 0);
	console_init(&console, open("said", O_RDWR | O_CREAT | O_APPEND, 0600));
	/* a perf that tells when it is asked for more than its version */
	scratch_put(&s, "perf",
		    "#!/bin/sh\n[ $1 = record ] && echo >recorded\necho perf version 6.1.0\n");
	ck_assert_int_eq(chmod("perf", 0755), 0);
	setenv("MAGIC_TRACE_PERF_PATH", scratch_path(&s, "perf"), 1);
	unsetenv("MAGIC_TRACE_SHARE_COMMAND");
	setenv("TMPDIR", s.dir, 1);
	options = (struct options)OPTIONS_INIT;
	options.sampling = true;
}

/* That command ends with status and says that; nothing was run or recorded. */
static void ends(int (*command)(const struct options *options, struct console *console), int status,
		 const char *word)
{
	unsigned int before = scratch_count(&s);
	char *said;

	ck_assert_int_eq(command(&options, &console), status);
	said = scratch_get(scratch_path(&s, "said"), NULL);
	ck_assert_msg(strstr(said, word) != NULL, "'%s' does not say '%s'", said, word);
	free(said);
	ck_assert(!scratch_has(&s, "ran") && !scratch_has(&s, "recorded"));
	ck_assert_uint_eq(scratch_count(&s), before);
	scratch_fini(&s);
}

static char *const touch[] = { (char[]){ "touch" }, (char[]){ "ran" }, NULL };

START_TEST(test_no_program)
{
	set_up();
	ends(run_command, STATUS_USAGE, "run needs a program");
}
END_TEST

START_TEST(test_an_output_of_no_kind)
{
	set_up();
	options.rest = touch;
	options.output = "x.txt";
	ends(run_command, STATUS_USAGE, ".fxt");
}
END_TEST

START_TEST(test_an_output_that_cannot_be_written)
{
	set_up();
	options.rest = touch;
	options.output = "nonexistent/x.fxt";
	ends(run_command, STATUS_NONE, "cannot be written to nonexistent/x.fxt");
}
END_TEST

START_TEST(test_an_output_that_is_a_directory)
{
	set_up();
	options.rest = touch;
	ck_assert_int_eq(mkdir("x.fxt", 0700), 0);
	options.output = "x.fxt";
	ends(run_command, STATUS_NONE, "cannot be written to x.fxt: it is a directory");
}
END_TEST

START_TEST(test_an_output_with_too_long_a_name)
{
	char name[NAME_MAX + 10];

	set_up();
	options.rest = touch;
	snprintf(name, sizeof(name), "%0*d.fxt", NAME_MAX, 0);
	options.output = name;
	ends(run_command, STATUS_NONE, "File name too long");
}
END_TEST

START_TEST(test_two_scopes)
{
	set_up();
	options.rest = touch;
	options.include_kernel = options.kernel_only = true;
	ends(run_command, STATUS_USAGE, "-trace-kernel-only");
}
END_TEST

START_TEST(test_a_wrong_trigger)
{
	set_up();
	options.rest = touch;
	options.trigger = "line:nothing";
	ends(run_command, STATUS_USAGE, "-trigger: ");
}
END_TEST

START_TEST(test_share_without_a_command)
{
	set_up();
	options.rest = touch;
	options.share = true;
	ends(run_command, STATUS_USAGE, "MAGIC_TRACE_SHARE_COMMAND");
}
END_TEST

START_TEST(test_no_perf)
{
	set_up();
	options.rest = touch;
	setenv("MAGIC_TRACE_PERF_PATH", "/nonexistent/perf", 1);
	ends(run_command, STATUS_NONE, "cannot run /nonexistent/perf");
}
END_TEST

/* The program's own name is the first argument, whichever way it was given. */
START_TEST(test_no_such_program)
{
	set_up();
	options.arg = "./nonexistent";
	options.rest = touch;
	ends(run_command, STATUS_NONE, "cannot run ./nonexistent");
}
END_TEST

START_TEST(test_attach_to_no_process)
{
	static pid_t pid = 0x7fffffff;

	set_up();
	options.pids = (struct pid_list){ .pids = &pid, .n = 1 };
	options.rest = touch;
	ends(attach_command, STATUS_NONE, "there is no process 2147483647");
}
END_TEST

SUITE_MAIN("record", test_no_program, test_an_output_of_no_kind,
	   test_an_output_that_cannot_be_written, test_an_output_that_is_a_directory,
	   test_an_output_with_too_long_a_name, test_two_scopes, test_a_wrong_trigger,
	   test_share_without_a_command, test_no_perf, test_no_such_program,
	   test_attach_to_no_process)
