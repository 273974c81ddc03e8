/* SPDX-License-Identifier: MIT */
/* With shell scripts for perf; of slices, where they are cut is in slices.c, and the rest in e2e.
 */
#include "cli/scripts.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EVENT "echo '10/11 5.000000001: 1 branches:u: call 1 a+0x0 (/p) => 2 b+0x0 (/p)'"

static struct scratch scratch;
static struct options options = OPTIONS_INIT;
static struct settings settings;
static struct recording recording;
static struct console console;
static struct pipeline pipeline;
static struct scripts scripts;
static struct scripts_end end;
static struct err err;
static char *data[1];
static char said[4000];
static int said_fd;
static unsigned int events;
static int gives_up; /* the reader does, behind the first event: 0 or -1; 1: it does not */

static int read_text(void *ctx, struct err *why)
{
	struct scripts *s = ctx;
	struct event ev;
	int r;

	while ((r = perf_text_next(s->p->text, &ev, why)) > 0) {
		scripts_got_event(s);
		ck_assert(!scripts_repeat(s, &ev));
		events++;
		if (gives_up < 1) {
			err_set(why, "enough");
			return gives_up;
		}
	}
	return r < 0 ? 0 : 1;
}

/* Everything, with a shell script for perf. filter: a path, which nothing is done with; or NULL. */
static void begin(const char *script, const char *filter)
{
	char text[1000];

	scratch_init(&scratch);
	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	scratch_put(&scratch, "perf", text);
	ck_assert_int_eq(chmod(scratch_path(&scratch, "perf"), 0755), 0);
	said_fd = open(scratch_path(&scratch, "said"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(said_fd, 0);
	console_init(&console, said_fd);
	settings = (struct settings){ .perf = strdup(scratch_path(&scratch, "perf")),
				      .mode = PERF_PT,
				      .no_filter = true };
	data[0] = (char *)"perf.data";
	recording = (struct recording){ .data = data, .n_data = 1 };
	pipeline = (struct pipeline){ .console = &console,
				      .options = &options,
				      .settings = &settings,
				      .recording = &recording,
				      .names = intern_new(0) };
	pipeline.text = perf_text_new(PERF_PT, pipeline.names, NULL, NULL);
	scripts = (struct scripts){
		.p = &pipeline, .settings = &settings, .jobs = 1, .read = read_text, .ctx = &scripts
	};
	scripts_open(&scripts);
	ck_assert_ptr_null(scripts.fast.filter);
	scripts.fast.filter = filter ? strdup(filter) : NULL;
	events = 0;
	gives_up = 1;
}

/* What was said so far. */
static const char *words(void)
{
	ssize_t n = pread(said_fd, said, sizeof(said) - 1, 0);

	said[n > 0 ? n : 0] = '\0';
	return said;
}

static void finish(void)
{
	scripts_close(&scripts);
	perf_text_free(pipeline.text);
	intern_free(pipeline.names);
	free((void *)settings.perf);
	close(said_fd);
	scratch_fini(&scratch);
}

START_TEST(test_all_is_read)
{
	begin(EVENT "; echo careful >&2; " EVENT, NULL);
	ck_assert_int_eq(scripts_run(&scripts, 0, &end, &err), 0);
	ck_assert_int_eq(end.read, 1);
	ck_assert_int_eq(end.perf, 0);
	ck_assert_uint_eq(events, 2);
	ck_assert_str_eq(words(), "careful\n");
	ck_assert_ptr_null(scripts.perf);
	finish();
}
END_TEST

START_TEST(test_command_is_printed)
{
	begin(EVENT, NULL);
	settings.print_perf_commands = true;
	ck_assert_int_eq(scripts_run(&scripts, 0, &end, &err), 0);
	ck_assert_ptr_nonnull(strstr(words(), "perf script -i perf.data --ns --itrace=bep -F "));
	finish();
}
END_TEST

START_TEST(test_perf_fails)
{
	begin(EVENT "; echo 'it broke' >&2; exit 3", NULL);
	ck_assert_int_eq(scripts_run(&scripts, 0, &end, &err), 0);
	ck_assert_int_eq(end.read, 1);
	ck_assert_int_eq(end.perf, -1);
	ck_assert_ptr_nonnull(strstr(end.perf_err.msg, "it broke"));
	ck_assert(!end.refused);
	finish();
}
END_TEST

/* The reader has seen enough: perf, which would never end, is stopped. */
START_TEST(test_reader_gives_up)
{
	for (int way = -1; way < 1; way++) {
		begin(EVENT "; exec sleep 1000", NULL);
		gives_up = way;
		ck_assert_int_eq(scripts_run(&scripts, 0, &end, &err), 0);
		ck_assert_int_eq(end.read, way);
		ck_assert_str_eq(end.read_err.msg, "enough");
		ck_assert_uint_eq(events, 1);
		finish();
	}
}
END_TEST

START_TEST(test_no_perf)
{
	begin(EVENT, NULL);
	unlink(settings.perf);
	ck_assert_int_eq(scripts_run(&scripts, 0, &end, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "cannot run"));
	ck_assert_ptr_nonnull(strstr(err.hint, "linux-perf"));
	finish();
}
END_TEST

/* A perf that knows the filter, or does as if: it is not run again, whatever becomes of it. */
START_TEST(test_filter_is_taken)
{
	begin("echo again >&2; " EVENT "; exit 3", "/f.so");
	ck_assert_int_eq(scripts_run(&scripts, 0, &end, &err), 0);
	ck_assert_uint_eq(events, 1);
	ck_assert_int_eq(end.perf, -1);
	ck_assert(!end.refused);
	ck_assert_str_eq(words(), "again\n");
	ck_assert(!scripts.fast.refused);
	finish();
}
END_TEST

START_TEST(test_filter_is_refused)
{
	begin("case \"$*\" in *--dlfilter=*) echo 'unknown option' >&2; exit 129; esac; " EVENT,
	      "/f.so");
	ck_assert_int_eq(scripts_run(&scripts, 0, &end, &err), 0);
	ck_assert_int_eq(end.read, 1);
	ck_assert_int_eq(end.perf, 0);
	ck_assert_uint_eq(events, 1);
	ck_assert_ptr_nonnull(strstr(words(), "perf does not take our filter"));
	ck_assert_ptr_nonnull(strstr(words(), "unknown option"));
	ck_assert(scripts.fast.refused);
	finish();
}
END_TEST

/* It fails without, too: that has nothing to do with the filter. */
START_TEST(test_filter_is_not_to_blame)
{
	begin("echo 'no data' >&2; exit 1", "/f.so");
	ck_assert_int_eq(scripts_run(&scripts, 0, &end, &err), 0);
	ck_assert_int_eq(end.perf, -1);
	ck_assert_ptr_nonnull(strstr(end.perf_err.msg, "no data"));
	ck_assert_ptr_null(strstr(words(), "filter"));
	ck_assert(!scripts.fast.refused);
	finish();
}
END_TEST

SUITE_MAIN("scripts", test_all_is_read, test_command_is_printed, test_perf_fails,
	   test_reader_gives_up, test_no_perf, test_filter_is_taken, test_filter_is_refused,
	   test_filter_is_not_to_blame)
