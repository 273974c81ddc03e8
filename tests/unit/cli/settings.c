/* SPDX-License-Identifier: MIT */
#include "cli/settings.h"

#include "support/suite.h"

#include <string.h>

/* Environment variables are set before the call. */
static int begin(struct settings *settings, const struct options *options, struct err *err)
{
	*err = (struct err)ERR_INIT;
	if (settings_begin(settings, options, err) < 0)
		return -1;
	return settings_input(settings, options, err);
}

static struct settings both(const struct options *options, const struct recording *recording)
{
	struct settings settings;
	struct err err;

	ck_assert_msg(begin(&settings, options, &err) == 0, "%s", err.msg);
	ck_assert_msg(settings_recording(&settings, options, recording, &err) == 0, "%s", err.msg);
	return settings;
}

START_TEST(test_one_recording)
{
	struct options none = OPTIONS_INIT, two = OPTIONS_INIT;
	struct settings settings;
	struct err err;

	ck_assert_int_eq(begin(&settings, &none, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.hint, "-working-directory"));
	two.arg = "a";
	two.working_directory = "b";
	ck_assert_int_eq(begin(&settings, &two, &err), -1);
	two.arg = NULL;
	ck_assert_int_eq(begin(&settings, &two, &err), 0);
	ck_assert_str_eq(settings.input, "b");
}
END_TEST

START_TEST(test_contradictions)
{
	struct options options = OPTIONS_INIT;
	struct recording rec = { 0 };
	struct settings settings;
	struct err err;

	options.arg = "perf.data";
	options.include_kernel = options.kernel_only = true;
	ck_assert_int_eq(begin(&settings, &options, &err), -1);
	options.include_kernel = options.kernel_only = false;
	options.last.kind = WHEN_PERCENT;
	options.before.kind = WHEN_CLOCK;
	ck_assert_int_eq(begin(&settings, &options, &err), -1);
	options.last.kind = WHEN_NONE;
	ck_assert_int_eq(begin(&settings, &options, &err), 0);
	options.callgraph_mode = "dwarf";
	ck_assert_int_eq(begin(&settings, &options, &err), 0);
	ck_assert_int_eq(settings_recording(&settings, &options, &rec, &err), -1);
	options.sampling = true;
	ck_assert_int_eq(settings_recording(&settings, &options, &rec, &err), 0);
}
END_TEST

/* perf could not read it: it has another standard input, and none of our open files. */
START_TEST(test_inputs_that_are_no_recordings)
{
	const char *const inputs[] = { "-", "/dev/stdin", "/dev/fd/7", "/dev/null" };
	struct options options = OPTIONS_INIT;
	struct settings settings;
	struct err err;

	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		options.arg = inputs[i];
		ck_assert_int_eq(begin(&settings, &options, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.msg, inputs[i]));
	}
	options.arg = "/";
	ck_assert_int_eq(begin(&settings, &options, &err), 0);
	options.arg = "/nonexistent/perf.data";
	ck_assert_int_eq(begin(&settings, &options, &err), 0);
}
END_TEST

START_TEST(test_output_names)
{
	struct options options = OPTIONS_INIT;
	struct settings settings;
	struct err err;

	options.arg = "perf.data";
	options.output = "x.txt";
	ck_assert_int_eq(begin(&settings, &options, &err), -1);
	options.output = "x.sexp";
	ck_assert_int_eq(begin(&settings, &options, &err), -1);
	options.output = "x.fxt";
	ck_assert_int_eq(begin(&settings, &options, &err), 0);
}
END_TEST

START_TEST(test_rules)
{
	struct options options = OPTIONS_INIT;
	struct recording rec = { 0 };
	struct settings s;

	options.arg = "perf.data";
	s = both(&options, &rec);
	ck_assert(!s.reference && !s.reference_times && s.inlined);
	options.stacks = "reference";
	s = both(&options, &rec);
	ck_assert(s.reference && !s.reference_times && !s.inlined);
	options.inlined = "on";
	options.time_spread = "reference";
	s = both(&options, &rec);
	ck_assert(s.reference && s.reference_times && s.inlined);
	options.stacks = "true";
	options.inlined = "off";
	s = both(&options, &rec);
	ck_assert(!s.reference && !s.inlined);
	options.inlined = NULL;
	options.sampling = true;
	s = both(&options, &rec);
	ck_assert(!s.inlined);
}
END_TEST

START_TEST(test_the_recording_speaks_where_flags_do_not)
{
	struct options options = OPTIONS_INIT;
	struct recording plain = { 0 };
	struct recording rec = {
		.mode = (char[]){ "sampling" },
		.scope = (char[]){ "uk" },
		.callgraph = (char[]){ "lbr" },
		.executable = (char[]){ "/bin/x" },
	};
	struct settings s;

	options.arg = "perf.data";
	s = both(&options, &plain);
	ck_assert_int_eq(s.mode, PERF_PT);
	ck_assert_int_eq(s.scope, SCOPE_USER);
	ck_assert(!s.stitch_lbr);
	ck_assert_ptr_null(s.executable);
	s = both(&options, &rec);
	ck_assert_int_eq(s.mode, PERF_SAMPLING);
	ck_assert_int_eq(s.scope, SCOPE_USER_AND_KERNEL);
	ck_assert(s.stitch_lbr);
	ck_assert_str_eq(s.executable, "/bin/x");
	rec.scope = (char[]){ "k" };
	ck_assert_int_eq(both(&options, &rec).scope, SCOPE_KERNEL);
	rec.scope = (char[]){ "u" };
	ck_assert_int_eq(both(&options, &rec).scope, SCOPE_USER);
	rec.callgraph = (char[]){ "lbr-no-stitch" };
	ck_assert(!both(&options, &rec).stitch_lbr);
}
END_TEST

START_TEST(test_flags_win)
{
	struct options options = OPTIONS_INIT;
	struct recording rec = {
		.mode = (char[]){ "intel_pt" },
		.scope = (char[]){ "u" },
		.callgraph = (char[]){ "dwarf" },
		.executable = (char[]){ "/bin/x" },
	};
	struct settings s;

	options.arg = "perf.data";
	options.sampling = true;
	options.kernel_only = true;
	options.callgraph_mode = "lbr";
	options.executable = "/bin/y";
	s = both(&options, &rec);
	ck_assert_int_eq(s.mode, PERF_SAMPLING);
	ck_assert_int_eq(s.scope, SCOPE_KERNEL);
	ck_assert(s.stitch_lbr);
	ck_assert_str_eq(s.executable, "/bin/y");
	options.kernel_only = false;
	options.include_kernel = true;
	ck_assert_int_eq(both(&options, &rec).scope, SCOPE_USER_AND_KERNEL);
}
END_TEST

START_TEST(test_environment)
{
	struct options options = OPTIONS_INIT;
	struct recording plain = { 0 };
	struct settings s;

	options.arg = "perf.data";
	unsetenv("MAGIC_TRACE_PERF_PATH");
	unsetenv("MAGIC_TRACE_SKIP_TX_HANDLING");
	unsetenv("MAGIC_TRACE_DEBUG");
	s = both(&options, &plain);
	ck_assert_str_eq(s.perf, "perf");
	ck_assert(!s.skip_tx && !s.mark_inferred && !s.print_events && !s.print_perf_commands);
	setenv("MAGIC_TRACE_PERF_PATH", "/opt/perf", 1);
	setenv("MAGIC_TRACE_SKIP_TX_HANDLING", "1", 1);
	s = both(&options, &plain);
	ck_assert_str_eq(s.perf, "/opt/perf");
	ck_assert(s.skip_tx && !s.mark_inferred && !s.print_events && !s.print_perf_commands);
	setenv("MAGIC_TRACE_DEBUG", "1", 1);
	s = both(&options, &plain);
	ck_assert(s.mark_inferred && s.print_events && s.print_perf_commands);
	/* Empty is not set. */
	setenv("MAGIC_TRACE_PERF_PATH", "", 1);
	setenv("MAGIC_TRACE_DEBUG", "", 1);
	s = both(&options, &plain);
	ck_assert_str_eq(s.perf, "perf");
	ck_assert(!s.mark_inferred);
}
END_TEST

SUITE_MAIN("settings", test_one_recording, test_contradictions, test_inputs_that_are_no_recordings,
	   test_output_names, test_rules, test_the_recording_speaks_where_flags_do_not,
	   test_flags_win, test_environment)
