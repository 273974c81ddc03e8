/* SPDX-License-Identifier: MIT */
/* What the command itself was given is the truth. */
#include "cli/share.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static struct scratch s;
static struct err err;

/* A script ./command, which is started in the directory of the test. */
static void command(const char *script)
{
	scratch_put(&s, "command", script);
	ck_assert_int_eq(chmod(scratch_path(&s, "command"), 0755), 0);
}

static void set_up(void)
{
	scratch_init(&s);
	ck_assert_int_eq(chdir(s.dir), 0);
	err = (struct err)ERR_INIT;
}

START_TEST(test_the_variable)
{
	unsetenv("MAGIC_TRACE_SHARE_COMMAND");
	ck_assert_ptr_null(share_command(&err));
	ck_assert_ptr_nonnull(strstr(err.msg, "MAGIC_TRACE_SHARE_COMMAND"));
	setenv("MAGIC_TRACE_SHARE_COMMAND", "", 1);
	ck_assert_ptr_null(share_command(&err));
	setenv("MAGIC_TRACE_SHARE_COMMAND", "cp 'a", 1);
	ck_assert_ptr_null(share_command(&err));
	ck_assert_ptr_nonnull(strstr(err.msg, "MAGIC_TRACE_SHARE_COMMAND, which is no command: a "
					      "quotation does not end"));
	setenv("MAGIC_TRACE_SHARE_COMMAND", "cp -t /srv", 1);
	ck_assert_str_eq(share_command(&err), "cp -t /srv");
}
END_TEST

START_TEST(test_the_path_is_one_argument)
{
	static const char *const paths[] = { "t.fxt.gz", "a b 'c' \"d\" $HOME `e` \\ ;&|*\n.fxt",
					     "-n" };

	set_up();
	command("#!/bin/sh\nprintf '%s.' \"$@\" >got\n");
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		ck_assert_msg(share("./command 'a  b'", paths[i], &err) == 0, "%s", err.msg);
		ck_assert_int_eq(setenv("path", paths[i], 1), 0);
		ck_assert_int_eq(scratch_run(&s, "printf '%s.' 'a  b' \"$path\" | cmp - got"), 0);
	}
	scratch_fini(&s);
}
END_TEST

/* Neither the command, nor a file that the kernel does not run, is read by a shell. */
START_TEST(test_no_shell)
{
	set_up();
	command("echo \"$@\" >got\n");
	ck_assert_int_eq(share("./command a", "t.fxt", &err), -1);
	ck_assert_str_eq(err.msg, "t.fxt was not shared: cannot run `./command a`: Exec format "
				  "error");
	command("#!/bin/sh\necho \"$@\" >got\n");
	ck_assert_int_eq(
		share("./command $(touch planted) >planted ;touch planted #", "t.fxt", &err), 0);
	ck_assert(!scratch_has(&s, "planted"));
	ck_assert(scratch_holds(&s, "got", "$(touch planted) >planted ;touch planted # t.fxt\n"));
	scratch_fini(&s);
}
END_TEST

START_TEST(test_failures)
{
	set_up();
	command("#!/bin/sh\nexit 3\n");
	ck_assert_int_eq(share("./command", "t.fxt", &err), -1);
	ck_assert_str_eq(err.msg, "t.fxt was not shared: `./command` exited with status 3");
	ck_assert_int_eq(share("./nonexistent", "t.fxt", &err), -1);
	ck_assert_str_eq(err.msg,
			 "t.fxt was not shared: cannot run `./nonexistent`: No such file or "
			 "directory");
	ck_assert_int_eq(share("'", "t.fxt", &err), -1);
	ck_assert_str_eq(err.msg, "t.fxt was not shared: a quotation does not end");
	command("#!/bin/sh\nkill -TERM $$\n");
	ck_assert_int_eq(share("./command", "t.fxt", &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "was killed by signal 15 ("));
	/* they were waited for */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	scratch_fini(&s);
}
END_TEST

/* Those that we have changed: see cli/interrupt and record/signals. */
START_TEST(test_default_signals)
{
	set_up();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	command("#!/bin/sh\ngrep SigIgn /proc/$$/status >got\n");
	ck_assert_int_eq(share("./command", "t.fxt", &err), 0);
	ck_assert_int_eq(scratch_run(&s, "read name mask <got && "
					 "[ $((0x$mask & (1 << 12 | 1 << 11))) = 0 ]"),
			 0);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("share", test_the_variable, test_the_path_is_one_argument, test_no_shell, test_failures,
	   test_default_signals)
