/* SPDX-License-Identifier: MIT */
#include "cli/parse.h"

#include "cli/flags.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

/* Reads up to four arguments; good until the next call. */
static int parse_args(enum command_id command, struct options *options, struct err *err,
		      const char *a, const char *b, const char *c, const char *d)
{
	static const char *args[5];
	int n = 0;

	memcpy(args, (const char *[]){ a, b, c, d }, 4 * sizeof(*args));
	while (n < 4 && args[n])
		n++;
	options_fini(options);
	*options = (struct options)OPTIONS_INIT;
	*err = (struct err)ERR_INIT;
	return parse(command, n, (char **)args, options, err);
}

#define PARSE2(a, b)       parse_args(COMMAND_DECODE, &options, &err, a, b, NULL, NULL)
#define PARSE4(a, b, c, d) parse_args(COMMAND_DECODE, &options, &err, a, b, c, d)

static const char *a_value(const struct flag *flag)
{
	switch (flag->kind) {
	case FLAG_CHOICE: return flag->choices[0];
	case FLAG_JOBS:
	case FLAG_DEPTH: return "17";
	case FLAG_FILTER: return "f:g";
	case FLAG_SIZE: return "2M";
	case FLAG_SECONDS: return "1.5";
	case FLAG_WHEN:
	case FLAG_LENGTH: return "3us";
	case FLAG_FD: return "2";
	case FLAG_PIDS: return "11,12";
	case FLAG_EVENTS: return "cache-misses";
	case FLAG_RESOLUTION: return "High";
	default: return "some/path";
	}
}

static void check_field(const struct flag *flag, const struct options *options)
{
	const void *field = (const char *)options + flag->field;

	switch (flag->kind) {
	case FLAG_SWITCH: ck_assert(*(const bool *)field); break;
	case FLAG_JOBS:
	case FLAG_DEPTH: ck_assert_uint_eq(*(const uint32_t *)field, 17); break;
	case FLAG_FILTER: ck_assert_str_eq(((const struct filter_arg *)field)->stop, "g"); break;
	case FLAG_SIZE: ck_assert_uint_eq(*(const uint64_t *)field, 2097152); break;
	case FLAG_SECONDS: ck_assert_uint_eq(*(const uint64_t *)field, 1500000000); break;
	case FLAG_WHEN:
	case FLAG_LENGTH: ck_assert_uint_eq(((const struct when *)field)->value, 3000); break;
	case FLAG_FD: ck_assert_int_eq(*(const int *)field, 2); break;
	case FLAG_PIDS: ck_assert_int_eq(((const struct pid_list *)field)->pids[1], 12); break;
	case FLAG_EVENTS: ck_assert(((const struct extra_events *)field)->cache_misses); break;
	case FLAG_RESOLUTION:
		ck_assert_int_eq(((const struct resolution *)field)->kind, RESOLUTION_HIGH);
		break;
	default: ck_assert_str_eq(*(const char *const *)field, a_value(flag));
	}
}

/* -name value, --name value, -name=value, --name=value; or -name and --name. */
static void check_forms(enum command_id command, const struct flag *flag, const char *name)
{
	struct options options = OPTIONS_INIT;
	struct err err;
	char arg[200];

	for (int dashes = 1; dashes <= 2; dashes++) {
		snprintf(arg, sizeof(arg), "%.*s%s", dashes, "--", name);
		ck_assert_msg(parse_args(command, &options, &err, arg,
					 flag->value ? a_value(flag) : NULL, NULL, NULL) == 0,
			      "%s: %s", arg, err.msg);
		check_field(flag, &options);
		snprintf(arg, sizeof(arg), "%.*s%s=%s", dashes, "--", name, a_value(flag));
		if (!flag->value) {
			ck_assert_int_eq(parse_args(command, &options, &err, arg, NULL, NULL, NULL),
					 -1);
			ck_assert_ptr_nonnull(strstr(err.msg, "no value"));
			continue;
		}
		ck_assert_int_eq(parse_args(command, &options, &err, arg, NULL, NULL, NULL), 0);
		check_field(flag, &options);
		/* Without its value: at the end, before --, before another flag, empty. */
		snprintf(arg, sizeof(arg), "%.*s%s", dashes, "--", name);
		ck_assert_int_eq(parse_args(command, &options, &err, arg, NULL, NULL, NULL), -1);
		ck_assert_ptr_nonnull(strstr(err.msg, "needs a value"));
		ck_assert_int_eq(parse_args(command, &options, &err, arg, "--", NULL, NULL), -1);
		ck_assert_int_eq(parse_args(command, &options, &err, arg, "-help", NULL, NULL), -1);
		ck_assert_int_eq(parse_args(command, &options, &err, arg, "", NULL, NULL), -1);
	}
	options_fini(&options);
}

START_TEST(test_every_flag_in_every_form)
{
	size_t n;
	const struct flag *flags = flags_table(&n);

	for (size_t i = 0; i < n; i++) {
		for (enum command_id id = 0; id < COMMANDS; id++) {
			if (!(flags[i].commands & 1u << id))
				continue;
			check_forms(id, &flags[i], flags[i].name);
			if (flags[i].alias)
				check_forms(id, &flags[i], flags[i].alias);
		}
	}
}
END_TEST

/* run takes what follows -- for the program, flags or not; attach for its command. */
START_TEST(test_programs)
{
	struct options options = OPTIONS_INIT;
	struct err err;

	ck_assert_int_eq(parse_args(COMMAND_RUN, &options, &err, "-sampling", "--", "ls", "-o"), 0);
	ck_assert(options.sampling);
	ck_assert_ptr_null(options.arg);
	ck_assert_str_eq(options.rest[0], "ls");
	ck_assert_str_eq(options.rest[1], "-o");
	ck_assert_int_eq(parse_args(COMMAND_RUN, &options, &err, "ls", "-sampling", "--", "--"), 0);
	ck_assert(options.sampling);
	ck_assert_str_eq(options.arg, "ls");
	ck_assert_str_eq(options.rest[0], "--");
	ck_assert_int_eq(parse_args(COMMAND_RUN, &options, &err, "ls", "--", NULL, NULL), 0);
	ck_assert_ptr_null(options.rest);
	ck_assert_int_eq(parse_args(COMMAND_RUN, &options, &err, "ls", "dir", NULL, NULL), -1);
	ck_assert_str_eq(err.hint, "arguments of the program go behind --: run ls -- dir");
	ck_assert_int_eq(parse_args(COMMAND_ATTACH, &options, &err, "ls", NULL, NULL, NULL), -1);
	ck_assert_ptr_nonnull(strstr(err.hint, "--"));
	ck_assert_int_eq(parse_args(COMMAND_ATTACH, &options, &err, "-p", "7", "--", "ls"), 0);
	ck_assert_str_eq(options.rest[0], "ls");
	ck_assert_int_eq(parse_args(COMMAND_DECODE, &options, &err, "--", "-x", NULL, NULL), 0);
	ck_assert_str_eq(options.arg, "-x");
	options_fini(&options);
}
END_TEST

START_TEST(test_unknown_flag)
{
	struct options options = OPTIONS_INIT;
	struct err err;

	ck_assert_int_eq(PARSE2("-ouput", "x.fxt"), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "-ouput"));
	ck_assert_str_eq(err.hint, "did you mean -output?");
	ck_assert_int_eq(PARSE2("--trace-inlcude-kernel=1", NULL), -1);
	ck_assert_str_eq(err.hint, "did you mean -trace-include-kernel?");
	ck_assert_int_eq(PARSE2("-zzzzzzzzzzzzzzzzzz", NULL), -1);
	ck_assert_ptr_nonnull(strstr(err.hint, "magic-trace help decode"));
	/* Flags of other commands are not known to this one. */
	ck_assert_int_eq(PARSE2("-man", NULL), -1);
	ck_assert_int_eq(PARSE2("---output", "x"), -1);
	ck_assert_int_eq(PARSE2("-=x", NULL), -1);
}
END_TEST

START_TEST(test_the_last_counts)
{
	struct options options = OPTIONS_INIT;
	struct err err;

	ck_assert_int_eq(PARSE4("-o", "a.fxt", "--output=b.fxt", "-sampling"), 0);
	ck_assert_str_eq(options.output, "b.fxt");
	ck_assert(options.sampling);
}
END_TEST

START_TEST(test_defaults)
{
	struct options options = OPTIONS_INIT;
	struct err err;

	ck_assert_int_eq(PARSE2(NULL, NULL), 0);
	ck_assert_str_eq(options.output, "trace.fxt.gz");
	ck_assert_uint_eq(options.max_depth, 500);
	ck_assert_ptr_null(options.arg);
}
END_TEST

START_TEST(test_arguments)
{
	struct options options = OPTIONS_INIT;
	struct err err;

	ck_assert_int_eq(PARSE4("perf.data", "-sampling", NULL, NULL), 0);
	ck_assert_str_eq(options.arg, "perf.data");
	ck_assert(options.sampling);
	ck_assert_int_eq(PARSE4("-sampling", "--", "-sampling", NULL), 0);
	ck_assert_str_eq(options.arg, "-sampling");
	ck_assert_int_eq(PARSE2("--", "--"), 0);
	ck_assert_str_eq(options.arg, "--");
	ck_assert_int_eq(PARSE2("-", NULL), 0);
	ck_assert_str_eq(options.arg, "-");
	ck_assert_int_eq(PARSE2("a", "b"), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "'b'"));
	ck_assert_int_eq(parse_args(COMMAND_VERSION, &options, &err, "x", NULL, NULL, NULL), -1);
}
END_TEST

START_TEST(test_values_of_a_kind)
{
	static const char *const depths[] = { "0",    "-1", "+1",         "1x",
					      "0x10", " 1", "4294967296", "99999999999999999999",
					      "None" };
	struct options options = OPTIONS_INIT;
	struct err err;

	for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
		ck_assert_int_eq(PARSE2("-max-depth", depths[i]), -1);
		ck_assert_ptr_nonnull(strstr(err.msg, "none"));
	}
	ck_assert_int_eq(PARSE2("-max-depth", "4294967295"), 0);
	ck_assert_uint_eq(options.max_depth, 4294967295u);
	ck_assert_int_eq(PARSE2("-max-depth", "none"), 0);
	ck_assert_uint_eq(options.max_depth, 0);
	ck_assert_int_eq(PARSE2("-callgraph-mode", "frame"), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "lbr, lbr-no-stitch, dwarf, fp"));
	ck_assert_int_eq(PARSE2("-filter=(a b)", NULL), 0);
	ck_assert_str_eq(options.filter.start, "a");
	ck_assert_int_eq(PARSE2("-filter=a=b:c", NULL), 0);
	ck_assert_str_eq(options.filter.start, "a=b");
	options_fini(&options);
}
END_TEST

SUITE_MAIN("parse", test_every_flag_in_every_form, test_unknown_flag, test_programs,
	   test_the_last_counts, test_defaults, test_arguments, test_values_of_a_kind)
