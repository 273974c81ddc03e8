/* SPDX-License-Identifier: MIT */
/* What is recorded is read back by perf. (recthread.c and recflow.c are tested here too.) */
#include "soft/recorder.h"

#include "soft/recflow.h"
#include "soft/recthread.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

static const struct insn nothing = { .kind = INSN_OTHER };
static const struct insn jump = { .kind = INSN_JMP_IND, .length = 2 };
static const struct insn call = { .kind = INSN_SYSCALL, .length = 2 };
static char name[] = "test", *command[] = { name, NULL };

static struct scratch s;
static struct recorder *rec;

static struct recorder_config config_of(enum recorder_time time)
{
	return (struct recorder_config){
		.time = time, .command_line = command, .pid = 4000, .comm = "main"
	};
}

static void open_rec(struct recorder_config config)
{
	struct err err = ERR_INIT;

	scratch_init(&s);
	config.path = scratch_path(&s, "perf.data");
	config.log = scratch_path(&s, "log");
	ck_assert_msg(recorder_open(&config, &rec, &err) == 0, "%s", err.msg);
}

static struct recorder_stats close_rec(bool rest)
{
	struct recorder_stats stats;
	struct err err = ERR_INIT;

	ck_assert_msg(recorder_close(rec, rest, &stats, &err) == 0, "%s", err.msg);
	return stats;
}

/* Whether perf's list of records, with blanks squeezed, is this (unless NULL); it is in "out". */
static void expect_records(const char *pattern, const char *want)
{
	char line[600];
	char *got;

	snprintf(line, sizeof(line),
		 "perf script -i perf.data --show-task-events --show-mmap-events "
		 "-F pid,tid,time,event --ns 2>err | grep -E '%s' | tr -s ' ' >out; true",
		 pattern);
	ck_assert_int_eq(scratch_run(&s, line), 0);
	got = scratch_get(scratch_path(&s, "out"), NULL);
	if (want)
		ck_assert_str_eq(got, want);
	free(got);
}

static void expect_log(const char *want)
{
	char *got = scratch_get(scratch_path(&s, "log"), NULL);

	ck_assert_str_eq(got, want);
	free(got);
}

static struct perfdata_mapping file_at(uint64_t start)
{
	return (struct perfdata_mapping){
		.start = start, .size = 0x1000, .read = true, .execute = true, .path = "/x"
	};
}

START_TEST(test_threads_and_mappings)
{
	const struct perfdata_mapping a = file_at(0x1000), b = file_at(0x8000);
	struct recorder_thread *t, *u, *child;
	struct recorder_stats stats;

	open_rec(config_of(RECORDER_INSTRUCTIONS));
	t = recorder_thread_new(rec, 4000, 4000, "main");
	recorder_thread_map(t, &a);
	recorder_thread_map(t, &a);
	recorder_run(t);
	recorder_executed(t, 0x1000, 10, 0x1020, call, 0);
	recorder_syscall_began(t);
	u = recorder_thread_clone(t, 4000, 4001);
	recorder_syscall_ended(t);
	recorder_thread_map(t, &b);
	recorder_run(u);
	ck_assert(recorder_is_outside(t) && recorder_is_outside(u));
	recorder_executed(u, 0x1100, 5, 0x1110, nothing, 0x1114);
	ck_assert(!recorder_is_outside(u));
	recorder_thread_map(u, &b);
	recorder_thread_comm(u, "worker");
	recorder_thread_comm(u, "worker");
	child = recorder_thread_clone(u, 5000, 5000);
	recorder_thread_map(child, &b);
	recorder_thread_unmap(child, 0x8800, 1);
	recorder_thread_map(child, &b);
	recorder_run(child);
	ck_assert(recorder_is_outside(u)); /* it is another's turn */
	recorder_thread_exec(child, "other");
	recorder_thread_map(child, &a);
	recorder_thread_end(child);
	recorder_thread_end(u);
	recorder_run(t);
	recorder_executed(t, 0x1022, 1, 0x1022, nothing, 0x1024);
	stats = close_rec(true);
	/* numbers in order of appearance; a system call of 300 ns; mappings in its middle, and once
	 */
	expect_records("RECORD_(COMM|FORK|EXIT)",
		       " 1/1 0.000000000: PERF_RECORD_COMM: main:1/1\n"
		       " 1/1 1.000000010: PERF_RECORD_FORK(1:2):(1:1)\n"
		       " 1/2 1.000000010: PERF_RECORD_COMM: main:1/2\n"
		       " 1/2 1.000000315: PERF_RECORD_COMM: worker:1/2\n"
		       " 1/2 1.000000315: PERF_RECORD_FORK(3:3):(1:2)\n"
		       " 3/3 1.000000315: PERF_RECORD_COMM: worker:3/3\n"
		       " 3/3 1.000000315: PERF_RECORD_COMM exec: other:3/3\n"
		       " 3/3 1.000000315: PERF_RECORD_EXIT(3:3):(3:3)\n"
		       " 1/2 1.000000315: PERF_RECORD_EXIT(1:2):(1:2)\n");
	expect_records(
		"RECORD_MMAP",
		" 1/1 0.000000000: PERF_RECORD_MMAP2 1/1: [0x1000(0x1000) @ 0 00:00 0 0]: r-xp /x\n"
		" 1/1 1.000000160: PERF_RECORD_MMAP2 1/1: [0x8000(0x1000) @ 0 00:00 0 0]: r-xp /x\n"
		" 3/3 1.000000315: PERF_RECORD_MMAP2 3/3: [0x8000(0x1000) @ 0 00:00 0 0]: r-xp /x\n"
		" 3/3 1.000000315: PERF_RECORD_MMAP2 3/3: [0x1000(0x1000) @ 0 00:00 0 0]: r-xp /x\n");
	expect_log("1 tr_strt 0 1000 1000000000\n"
		   "1 tr_end_syscall 1020 0 1000000010\n"
		   "2 tr_strt 0 1100 1000000310\n"
		   "2 tr_end_async 1114 0 1000000315\n"
		   "1 tr_strt 0 1022 1000000315\n"
		   "1 tr_end_async 1024 0 1000000316\n");
	ck_assert_uint_eq(stats.instructions, 16);
	ck_assert_uint_eq(stats.branches, 6);
	ck_assert_uint_eq(stats.syscalls, 1);
	ck_assert_uint_eq(stats.threads, 3);
	scratch_fini(&s);
}
END_TEST

/* Lines "OFFSET SIZE" of the AUX data, and how many of them begin with a PSB. */
static void expect_aux(const char *want, unsigned int psbs)
{
	char *got;

	ck_assert_int_eq(scratch_run(&s,
				     "perf report -D -i perf.data 2>err >dump; "
				     "sed -n 's/.*AUXTRACE size: \\(0x[0-9a-f]*\\)  offset: "
				     "\\(0x[0-9a-f]*\\)  .*/\\2 \\1/p' dump >out; "
				     "grep -Ec '^\\. +0*00000000: +02 82 02 82' dump >psbs; true"),
			 0);
	got = scratch_get(scratch_path(&s, "out"), NULL);
	if (want)
		ck_assert_str_eq(got, want);
	free(got);
	got = scratch_get(scratch_path(&s, "psbs"), NULL);
	ck_assert_uint_eq(strtoul(got, NULL, 10), psbs);
	free(got);
}

static void jump_about(struct recorder_thread *t, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		recorder_executed(t, 0x1000, 1, 0x1000, jump, i % 2 ? 0x1000 : 0x123451000);
}

START_TEST(test_ring)
{
	struct packet_config packets = RECORDER_PACKETS;
	struct recorder_config config = config_of(RECORDER_INSTRUCTIONS);
	struct recorder_stats stats;
	struct recorder_thread *t;
	char *dump;

	packets.psb_period = 0; /* each 2 KiB */
	config.pt = &packets;
	config.ring = 8192;
	open_rec(config);
	t = recorder_thread_new(rec, 4000, 4000, "main");
	recorder_run(t);
	recorder_settle(t); /* nobody has asked */
	jump_about(t, 30000);
	recorder_snapshot(rec);
	recorder_settle(t);
	recorder_settle(t);
	jump_about(t, 100);
	recorder_snapshot(rec);
	jump_about(t, 100);
	stats = close_rec(false);
	ck_assert_uint_gt(stats.bytes, 100000);
	/* two of them; the second whole; what came last is not there */
	expect_aux(NULL, 2);
	dump = scratch_get(scratch_path(&s, "out"), NULL);
	ck_assert_uint_gt(strtoul(dump, NULL, 16), 50000);
	ck_assert_uint_le(strtoul(strchr(dump, ' '), NULL, 16), 8192);
	ck_assert_uint_gt(strtoul(strchr(dump, ' '), NULL, 16), 8192 - 2500);
	free(dump);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_ring_and_rest)
{
	struct recorder_config config = config_of(RECORDER_INSTRUCTIONS);
	struct recorder_thread *t, *u;

	config.ring = 65536;
	open_rec(config);
	t = recorder_thread_new(rec, 4000, 4000, "main");
	u = recorder_thread_clone(t, 4000, 4001);
	recorder_run(u);
	jump_about(u, 10);
	recorder_thread_end(u);
	recorder_run(t);
	jump_about(t, 10);
	close_rec(true);
	expect_aux(NULL, 2);
	scratch_fini(&s);

	/* nothing is asked for: nothing is there */
	open_rec(config);
	t = recorder_thread_new(rec, 4000, 4000, "main");
	jump_about(t, 10);
	close_rec(false);
	expect_aux("", 0);
	scratch_fini(&s);
}
END_TEST

/* What threads that have ended had was written: that of others is kept instead. */
START_TEST(test_ended_and_settled)
{
	struct recorder_config config = config_of(RECORDER_INSTRUCTIONS);
	struct recorder_thread *t, *last = NULL;
	char *out;

	config.ring = 20000;
	open_rec(config);
	t = recorder_thread_new(rec, 4000, 4000, "main");
	for (int i = 1; i <= 50; i++) {
		last = recorder_thread_clone(t, 4000, 4000 + i);
		recorder_run(last);
		jump_about(last, 4000);
		recorder_thread_end(last);
		if (i > 40)
			continue;
		recorder_snapshot(rec);
		recorder_settle(last);
	}
	recorder_snapshot(rec);
	recorder_settle(last);
	recorder_snapshot(rec);
	recorder_settle(last); /* there is nothing any more */
	close_rec(true);
	ck_assert_int_eq(scratch_run(&s, "perf report -D -i perf.data 2>err | "
					 "grep -c 'AUXTRACE size' >out"),
			 0);
	out = scratch_get(scratch_path(&s, "out"), NULL);
	ck_assert_str_eq(out, "50\n");
	free(out);
	scratch_fini(&s);
}
END_TEST

/* Threads that have ended are many: what they had in their rings is bounded. */
START_TEST(test_many_threads)
{
	struct recorder_config config = config_of(RECORDER_INSTRUCTIONS);
	struct recorder_stats stats;
	struct recorder_thread *t;
	char *out;

	config.ring = 20000;
	open_rec(config);
	t = recorder_thread_new(rec, 4000, 4000, "main");
	for (int i = 1; i <= 100; i++) {
		struct recorder_thread *u = recorder_thread_clone(t, 4000, 4000 + i);

		recorder_run(u);
		jump_about(u, 4000);
		recorder_thread_end(u);
	}
	stats = close_rec(true);
	ck_assert_uint_eq(stats.threads, 101);
	ck_assert_uint_eq(stats.instructions, 400000);
	ck_assert_int_eq(scratch_run(&s, "test $(stat -c %s perf.data) -lt 500000"), 0);
	ck_assert_int_eq(scratch_run(&s, "perf report -D -i perf.data 2>err | "
					 "grep -c 'AUXTRACE size' >out"),
			 0);
	out = scratch_get(scratch_path(&s, "out"), NULL);
	ck_assert_uint_ge(strtoul(out, NULL, 10), 16);
	free(out);
	scratch_fini(&s);
}
END_TEST

/* Two indirect jumps at 0x401000 and 0x401010. */
static struct perfdata_mapping assemble(void)
{
	scratch_put(&s, "prog.s",
		    "	.globl here\n"
		    "here:	jmp	*%rax\n"
		    "	.size	here, .-here\n"
		    "	.balign	16\n"
		    "there:	jmp	*%rax\n"
		    "	.size	there, .-there\n"
		    "	.section .note.GNU-stack\n");
	ck_assert_int_eq(scratch_run(&s, "gcc -nostdlib -static -no-pie -Wl,-Ttext=0x401000 "
					 "-Wl,-ehere prog.s -o prog && readelf -SW prog | "
					 "grep -Eq ' \\.text +PROGBITS +0+401000 0+1000 '"),
			 0);
	return (struct perfdata_mapping){
		.start = 0x401000,
		.size = 0x1000,
		.offset = 0x1000,
		.read = true,
		.execute = true,
		.path = scratch_path(&s, "prog"),
	};
}

/* Jumps forth and back n times, in turns of its own. */
static void jump_in_prog(struct recorder_thread *t, unsigned int n)
{
	recorder_run(t);
	for (unsigned int i = 0; i < n; i++) {
		recorder_executed(t, 0x401000, 1, 0x401000, jump, 0x401010);
		recorder_executed(t, 0x401010, 1, 0x401010, jump, 0x401000);
	}
}

static void next_file(void)
{
	struct err err = ERR_INIT;

	recorder_snapshot(rec);
	ck_assert_msg(recorder_next_file(rec, &err) == 0, "%s", err.msg);
}

/* What perf makes of a file by itself: names and functions, with how often; and no complaint. */
static void expect_decoded(const char *file, const char *want)
{
	char line[600], *got;

	snprintf(line, sizeof(line),
		 "perf script -i %s --itrace=be -F comm,tid,flags,ip,sym,addr 2>&1 | tr -s ' ' | "
		 "sort | uniq -c | tr -s ' ' >out",
		 file);
	ck_assert_int_eq(scratch_run(&s, line), 0);
	got = scratch_get(scratch_path(&s, "out"), NULL);
	ck_assert_str_eq(got, want);
	free(got);
}

#define JUMPS(n, who)                                      \
	" " n " " who " jmp 401000 here => 401010 there\n" \
	" " n " " who " jmp 401010 there => 401000 here\n"

static void check_split(bool per_cpu)
{
	static const char first[] = "perf.data", second[] = "perf.data.000000000001",
			  third[] = "perf.data.000000000002";
	struct recorder_config config = config_of(RECORDER_INSTRUCTIONS);
	struct recorder_thread *t, *u, *ends;
	struct perfdata_mapping prog;
	struct recorder_stats stats;

	config.ring = 65536;
	config.split = true;
	config.per_cpu = per_cpu;
	open_rec(config);
	prog = assemble();
	t = recorder_thread_new(rec, 4000, 4000, "main");
	recorder_thread_map(t, &prog);
	u = recorder_thread_clone(t, 4000, 4001);
	recorder_thread_comm(u, "worker");
	ends = recorder_thread_clone(t, 4000, 4002);
	jump_in_prog(ends, 5);
	recorder_thread_end(ends);
	jump_in_prog(u, 7);
	jump_in_prog(t, 9);
	next_file();
	jump_in_prog(t, 20);
	next_file();
	ck_assert(scratch_has(&s, third));
	stats = close_rec(false);
	ck_assert_uint_eq(stats.instructions, 2 * (5 + 7 + 9 + 20));
	ck_assert(!scratch_has(&s, third));
	expect_decoded(
		first,
		JUMPS("9",
		      "main 1") " 1 main 1 tr end async 401000 here => 0 "
				"[unknown]\n"
				" 1 main 1 tr strt 0 [unknown] => 401000 here\n" JUMPS(
					"5",
					"main 3") " 1 main 3 tr end async 401000 here => 0 "
						  "[unknown]\n"
						  " 1 main 3 tr strt 0 [unknown] => 401000 here\n" JUMPS(
							  "7",
							  "worker 2") " 1 worker 2 tr end async 401000 here => 0 "
								      "[unknown]\n"
								      " 1 worker 2 tr strt 0 [unknown] => 401000 "
								      "here\n");
	expect_decoded(second, JUMPS("20", "main 1") " 1 main 1 tr end async 401000 here => 0 "
						     "[unknown]\n"
						     " 1 main 1 tr strt 0 [unknown] => 401000 "
						     "here\n");
	/* of what has ended nothing is told any more */
	ck_assert_int_eq(scratch_run(&s, "mv perf.data.000000000001 perf.data"), 0);
	expect_records("RECORD_(COMM|FORK|EXIT|MMAP2)", NULL);
	ck_assert_int_eq(scratch_run(&s, "grep -q COMM:.main:1/1$ out && grep -q COMM:.worker:1/2$ "
					 "out && grep -q 'MMAP2.*/prog$' out && "
					 "test $(wc -l <out) = 3"),
			 0);
	scratch_fini(&s);
}

START_TEST(test_split)
{
	check_split(false);
	check_split(true);
}
END_TEST

/* What comes behind the last snapshot has a file, if it is wanted. */
START_TEST(test_split_and_rest)
{
	struct recorder_config config = config_of(RECORDER_INSTRUCTIONS);
	struct recorder_thread *t;

	config.ring = 65536;
	config.split = true;
	config.image = 12;
	open_rec(config);
	t = recorder_thread_new(rec, 4000, 4000, "main");
	jump_about(t, 10);
	next_file();
	jump_about(t, 10);
	close_rec(true);
	ck_assert(scratch_has(&s, "perf.data.000012000000"));
	ck_assert(scratch_has(&s, "perf.data.000012000001"));
	ck_assert(scratch_has(&s, "log.000012000000"));
	ck_assert_uint_eq(scratch_count(&s), 3);
	scratch_fini(&s);

	/* nothing at all: no file */
	open_rec(config);
	recorder_thread_new(rec, 4000, 4000, "main");
	close_rec(true);
	ck_assert_uint_eq(scratch_count(&s), 1);
	scratch_fini(&s);

	/* without a ring, or when it is not asked for: one file */
	config.ring = 0;
	for (int i = 0; i < 2; i++) {
		open_rec(config);
		t = recorder_thread_new(rec, 4000, 4000, "main");
		jump_about(t, 10);
		next_file();
		jump_about(t, 10);
		close_rec(true);
		ck_assert_uint_eq(scratch_count(&s), 2);
		scratch_fini(&s);
		config.ring = 65536;
		config.split = false;
	}
}
END_TEST

/* The next file cannot be made: this one is complete, and nothing more is written. */
START_TEST(test_split_fails)
{
	struct recorder_config config = config_of(RECORDER_INSTRUCTIONS);
	struct perfdata_mapping prog;
	struct recorder_thread *t;
	struct err err = ERR_INIT;

	config.ring = 65536;
	config.split = true;
	open_rec(config);
	prog = assemble();
	ck_assert_int_eq(scratch_run(&s, "mkdir perf.data.000000000001"), 0);
	t = recorder_thread_new(rec, 4000, 4000, "main");
	recorder_thread_map(t, &prog);
	jump_in_prog(t, 3);
	recorder_snapshot(rec);
	ck_assert_int_eq(recorder_next_file(rec, &err), -1);
	ck_assert_msg(strstr(err.msg, "perf.data.000000000001") != NULL, "%s", err.msg);
	recorder_thread_comm(recorder_thread_clone(t, 4000, 4001), "other");
	jump_in_prog(t, 4);
	close_rec(true);
	expect_decoded("perf.data", JUMPS("3", "main 1") " 1 main 1 tr end async 401000 here => 0 "
							 "[unknown]\n"
							 " 1 main 1 tr strt 0 [unknown] => 401000 "
							 "here\n");
	scratch_fini(&s);
}
END_TEST

/* When there are as many files as there may be, what follows is dropped. */
START_TEST(test_split_full)
{
	struct recorder_config config = config_of(RECORDER_INSTRUCTIONS);
	struct perfdata_mapping prog;
	struct recorder_thread *t;

	config.ring = 65536;
	config.split = true;
	open_rec(config);
	prog = assemble();
	t = recorder_thread_new(rec, 4000, 4000, "main");
	recorder_thread_map(t, &prog);
	for (unsigned int i = 0; i + 1 < RECORDER_FILES; i++)
		next_file();
	jump_in_prog(t, 3);
	next_file();
	recorder_thread_comm(recorder_thread_clone(t, 4000, 4001), "other");
	jump_in_prog(t, 4);
	next_file();
	jump_in_prog(t, 5);
	close_rec(true);
	ck_assert(!scratch_has(&s, "perf.data.000000001000"));
	expect_decoded("perf.data.000000000999",
		       JUMPS("3", "main 1") " 1 main 1 tr end async 401000 here => 0 "
					    "[unknown]\n"
					    " 1 main 1 tr strt 0 [unknown] => 401000 "
					    "here\n");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_has_fd)
{
	struct recorder_config config = config_of(RECORDER_INSTRUCTIONS);
	unsigned int n = 0;
	struct err err = ERR_INIT;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	config.ring = 65536;
	config.split = true;
	open_rec(config);
	ck_assert_int_gt(fd, 2);
	ck_assert(!recorder_has_fd(rec, 0, (unsigned int)fd));
	ck_assert(recorder_has_fd(rec, (unsigned int)fd, ~0u));
	for (unsigned int i = 0; i < 1 << 16; i++)
		n += recorder_has_fd(rec, i, i);
	ck_assert_uint_eq(n, 2);
	/* a file that is complete is open no more: the log is */
	ck_assert_int_eq(scratch_run(&s, "mkdir perf.data.000000000001"), 0);
	ck_assert_int_eq(recorder_next_file(rec, &err), -1);
	for (unsigned int i = n = 0; i < 1 << 16; i++)
		n += recorder_has_fd(rec, i, i);
	ck_assert_uint_eq(n, 1);
	close_rec(false);
	close(fd);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_file_names)
{
	static const struct {
		unsigned int image, n;
		const char *name;
	} names[] = { { 0, 0, "/a/b" },
		      { 0, 1, "/a/b.000000000001" },
		      { 0, 999999, "/a/b.000000999999" },
		      { 1, 0, "/a/b.000001000000" },
		      { 12, 345, "/a/b.000012000345" } };
	char *last = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *file = recorder_file_name("/a/b", names[i].image, names[i].n);

		ck_assert_str_eq(file, names[i].name);
		ck_assert(!last || strcmp(last, file) < 0);
		free(last);
		last = file;
	}
	free(last);
}
END_TEST

START_TEST(test_times)
{
	struct recorder_thread *t;
	uint64_t began, ended;

	/* virtual: what a system call takes counts, but not what instructions take */
	open_rec(config_of(RECORDER_VIRTUAL));
	t = recorder_thread_new(rec, 4000, 4000, "main");
	began = recorder_thread_time(t);
	usleep(2000);
	recorder_executed(t, 0x1000, 7, 0x1000, call, 0);
	ck_assert_uint_eq(recorder_thread_time(t), began + 7);
	recorder_syscall_began(t);
	usleep(2000);
	recorder_syscall_ended(t);
	ended = recorder_thread_time(t);
	ck_assert_uint_ge(ended, began + 7 + 2000000);
	close_rec(true);
	scratch_fini(&s);

	open_rec(config_of(RECORDER_REAL));
	t = recorder_thread_new(rec, 4000, 4000, "main");
	began = recorder_thread_time(t);
	ck_assert_uint_ge(began, ended - 2000100);
	usleep(2000);
	recorder_executed(t, 0x1000, 1, 0x1000, nothing, 0x1001);
	ck_assert_uint_ge(recorder_thread_time(t), began + 2000000);
	close_rec(true);
	scratch_fini(&s);
}
END_TEST

static void *make_threads(void *arg)
{
	struct recorder_thread *parent = arg;

	for (int i = 0; i < 20; i++) {
		struct recorder_thread *t = recorder_thread_clone(parent, 4000, gettid() * 100 + i);

		jump_about(t, 1000);
		recorder_thread_end(t);
	}
	jump_about(parent, 100000);
	return NULL;
}

START_TEST(test_at_the_same_time)
{
	struct recorder_stats stats;
	pthread_t threads[3];

	open_rec(config_of(RECORDER_VIRTUAL));
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, make_threads,
			       recorder_thread_new(rec, 4000, 4000 + i, "main"));
	for (int i = 0; i < 50; i++)
		recorder_snapshot(rec);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	stats = close_rec(true);
	ck_assert_uint_eq(stats.threads, 63);
	ck_assert_uint_eq(stats.instructions, 3 * 120000);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_abandoned)
{
	struct recorder_thread *t;
	int status;
	pid_t pid;

	open_rec(config_of(RECORDER_INSTRUCTIONS));
	t = recorder_thread_new(rec, 4000, 4000, "main");
	jump_about(t, 1);
	pid = fork();
	if (pid == 0) {
		jump_about(t, 100);
		recorder_abandon(rec);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	close_rec(true);
	expect_log("1 tr_strt 0 1000 1000000000\n"
		   "1 jmp 1000 123451000 1000000001\n"
		   "1 tr_end_async 123451000 0 1000000001\n");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_failures)
{
	struct recorder_config config = config_of(RECORDER_VIRTUAL);
	struct err err = ERR_INIT;

	config.path = "/dev/null/perf.data";
	ck_assert_int_eq(recorder_open(&config, &rec, &err), -1);
	ck_assert_msg(strstr(err.msg, config.path) != NULL, "%s", err.msg);
	config.path = "/tmp/never-made-by-a-test";
	config.log = "/dev/null/log";
	ck_assert_int_eq(recorder_open(&config, &rec, &err), -1);
	ck_assert_msg(strstr(err.msg, config.log) != NULL, "%s", err.msg);
}
END_TEST

START_TEST(test_summary)
{
	const struct recorder_stats stats = { .instructions = 3000,
					      .branches = 200,
					      .syscalls = 4,
					      .bytes = 99,
					      .threads = 1,
					      .seconds = 2 };
	char text[400];

	recorder_summary(&stats, text, sizeof(text));
	ck_assert_str_eq(text, "3,000 instructions, 200 branches, 4 system calls of 1 thread in "
			       "2.000 s: 1,500 instructions and 100 branches a second; 99 bytes of "
			       "packets");
	recorder_summary(&stats, text, 10);
	ck_assert_str_eq(text, "3,000 ins");
}
END_TEST

SUITE_MAIN("soft/recorder", test_threads_and_mappings, test_ring, test_ring_and_rest,
	   test_ended_and_settled, test_many_threads, test_split, test_split_and_rest,
	   test_split_fails, test_split_full, test_has_fd, test_file_names, test_times,
	   test_at_the_same_time, test_abandoned, test_failures, test_summary)
