/* SPDX-License-Identifier: MIT */
#include "soft/qemuargs.h"

#include "support/suite.h"

#include <string.h>

static char *const one[] = { (char *)"prog", (char *)"-x", (char *)"a b", NULL };

static void expect_words(char **command, const char *const *words)
{
	size_t n = 0;

	for (; words[n]; n++) {
		ck_assert_ptr_nonnull(command[n]);
		ck_assert_str_eq(command[n], words[n]);
	}
	ck_assert_ptr_null(command[n]);
	qemuargs_free(command);
}

START_TEST(test_command)
{
	const struct qemuargs args = { .out = "perf.data" };
	const char *const words[] = { "/q/qemu-x86_64",
				      "-plugin",
				      "/l/p.so,out=perf.data,time=virtual",
				      "-0",
				      "prog",
				      "/bin/prog",
				      "-x",
				      "a b",
				      NULL };

	expect_words(qemuargs_command(&args, "/q/qemu-x86_64", "/l/p.so", "/bin/prog", one), words);
}
END_TEST

START_TEST(test_all_arguments)
{
	const struct qemuargs args = {
		.out = "o",
		.log = "l",
		.control = "c",
		.comm = "name",
		.time = RECORDER_INSTRUCTIONS,
		.ring = 65536,
		.trigger = true,
		.trigger_at = 0x1178,
		.trigger_file = "f",
		.multi_thread = true,
		.multi = true,
		.image = 3,
		.taken = true,
	};
	static const char plugin[] =
		"p,out=o,log=l,control=c,comm=name,time=instructions,ring=65536,trigger=1178,"
		"trigger-file=f,multi-thread=on,multi=on,taken=on,image=3";
	const char *const words[] = { "q",    "-seed", "1",  "-plugin", plugin, "-0",
				      "prog", "prog",  "-x", "a b",     NULL };

	expect_words(qemuargs_command(&args, "q", "p", "prog", one), words);
}
END_TEST

/* QEMU takes ",," for a comma, and what begins with a dash for an option. */
START_TEST(test_odd_paths)
{
	const struct qemuargs args = { .out = "a,b=c\n,", .time = RECORDER_REAL };
	char *const nothing[] = { NULL };
	const char *const words[] = { "q",  "-plugin", "p,,q,out=a,,b=c\n,,,time=real",
				      "-0", "-prog",   "./-prog",
				      NULL };

	expect_words(qemuargs_command(&args, "q", "p,q", "-prog", nothing), words);
}
END_TEST

START_TEST(test_read)
{
	char *texts[] = { (char *)"out=a,b=c",       (char *)"time=instructions",
			  (char *)"ring=4096",       (char *)"trigger=0x40aF",
			  (char *)"trigger-file=/f", (char *)"multi=on",
			  (char *)"image=2",         (char *)"log=l",
			  (char *)"control=s=t",     (char *)"comm=name",
			  (char *)"taken=on",        (char *)"multi-thread=on" };
	struct qemuargs args;
	struct err err = ERR_INIT;

	ck_assert_int_eq(qemuargs_read(&args, texts, sizeof(texts) / sizeof(*texts), &err), 0);
	ck_assert_str_eq(args.out, "a,b=c");
	ck_assert_int_eq(args.time, RECORDER_INSTRUCTIONS);
	ck_assert_uint_eq(args.ring, 4096);
	ck_assert(args.trigger && args.multi && args.taken && args.multi_thread);
	ck_assert_uint_eq(args.trigger_at, 0x40af);
	ck_assert_str_eq(args.trigger_file, "/f");
	ck_assert_uint_eq(args.image, 2);
	ck_assert_str_eq(args.log, "l");
	ck_assert_str_eq(args.control, "s=t");
	ck_assert_str_eq(args.comm, "name");
}
END_TEST

START_TEST(test_read_refuses)
{
	static const char *const bad[] = {
		"",
		"out",
		"out=",
		"=x",
		"outs=x",
		"ring=",
		"ring=12x",
		"ring=-1",
		"time=",
		"time=virtually",
		"multi=",
		"trigger=",
		"trigger=0x",
		"image=x",
		"trigger=11112222333344445",
		"ring=x",
		"multi=true",
		"multi-thread=1",
		"taken=",
		"image=99999999999",
		"ring=18446744073709551615",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char *texts[] = { (char *)"out=x", (char *)bad[i] };
		struct qemuargs args;
		struct err err = ERR_INIT;

		ck_assert_msg(qemuargs_read(&args, texts, 2, &err) == -1, "%s", bad[i]);
		ck_assert_ptr_nonnull(strstr(err.msg, "no argument of the plugin"));
	}
}
END_TEST

START_TEST(test_read_wants_a_file)
{
	char *texts[] = { (char *)"ring=4096" };
	struct qemuargs args;
	struct err err = ERR_INIT;

	ck_assert_int_eq(qemuargs_read(&args, texts, 1, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "out=FILE"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { test_command, test_all_arguments, test_odd_paths,
				       test_read,    test_read_refuses,  test_read_wants_a_file,
				       NULL };

	return suite_run("qemuargs", tests);
}
