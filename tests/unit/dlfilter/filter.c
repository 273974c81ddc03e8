/* SPDX-License-Identifier: MIT */
/*
 * The filter in a perf that is made here: what is called, and what is at an address, is known; what
 * comes out is read by the reader of records. The filter is a program of its own, and compiled in.
 */
#include "dlfilter/filter.c" /* NOLINT(bugprone-suspicious-include) */
#include "dlfilter/addrs.c"  /* NOLINT(bugprone-suspicious-include) */
#include "dlfilter/sender.c" /* NOLINT(bugprone-suspicious-include) */

#include "event/print.h"
#include "perf/text.h"
#include "support/perftext.h"
#include "support/suite.h"

#include <fcntl.h>
#include <unistd.h>

#define COOKIE "00000000000000ab"

#define JMP    DLF_BRANCH
#define JCC    (DLF_BRANCH | DLF_CONDITIONAL)
#define CALL   (DLF_BRANCH | DLF_CALL)
#define RETURN (DLF_BRANCH | DLF_RETURN)

/* A function lies at each multiple of 0x100, by the names here; what is beyond is unknown. */
struct mapped {
	const char *dso;
	const char *names[16];
	uint64_t bias;
};

static const struct mapped first = {
	.dso = "/first",
	.names = { "a", "b", "c", "static", "e", "static", NULL, "h" },
	.bias = 0x400000,
};
static const struct mapped second = {
	.dso = "/second",
	.names = { "A", "B", "C", "D", "E", "F", "G", "H" },
	.bias = 0x400000,
};
static const struct mapped *mapped = &first;

static void *data;
static struct dlf_sample sample;
static char *dlargs[8];
static int n_dlargs;
static size_t asked;
static int saved_stdout;
static char stream[] = "/tmp/mt-test-filter-XXXXXX";

static const struct dlf_al *resolve(uint64_t addr)
{
	static struct dlf_al al;
	uint64_t in = addr - mapped->bias;

	asked++;
	al = (struct dlf_al){ .size = sizeof(al), .addr = addr };
	if (in >= 0x1000)
		return &al;
	al.addr = in;
	al.dso = mapped->dso;
	al.sym = mapped->names[in / 0x100];
	al.sym_start = in & ~0xffull;
	al.sym_end = al.sym_start + 0x100;
	return &al;
}

static const struct dlf_al *resolve_ip(void *ctx)
{
	(void)ctx;
	return resolve(sample.ip);
}

static const struct dlf_al *resolve_addr(void *ctx)
{
	(void)ctx;
	return resolve(sample.addr);
}

static char **args(void *ctx, int *n)
{
	(void)ctx;
	*n = n_dlargs;
	return dlargs;
}

static int load_with(const char *const words[])
{
	int fd = mkstemp(stream);

	ck_assert_int_ge(fd, 0);
	fflush(stdout);
	saved_stdout = dup(STDOUT_FILENO);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	perf_dlfilter_fns = (struct dlf_functions){
		.resolve_ip = resolve_ip,
		.resolve_addr = resolve_addr,
		.args = args,
	};
	dlargs[0] = (char *)WIRE_VERSION;
	dlargs[1] = (char *)COOKIE;
	for (n_dlargs = 2; *words; words++)
		dlargs[n_dlargs++] = (char *)*words;
	sample = (struct dlf_sample){
		.size = sizeof(sample),
		.pid = 1,
		.tid = 2,
		.cpumode = DLF_CPUMODE_USER,
		.addr_correlates_sym = 1,
		.event = "branches:u",
	};
	return start(&data, NULL);
}

static int load(const char *third)
{
	return load_with((const char *[]){ third, NULL });
}

/* A branch at a time; the places are offsets in what is mapped. What the filter answers. */
static int branch(uint64_t time, uint32_t flags, int64_t from, int64_t to)
{
	sample.time = time;
	sample.flags = flags;
	sample.ip = (uint64_t)(0x400000 + from);
	sample.addr = (uint64_t)(0x400000 + to);
	return filter_event_early(data, &sample, NULL);
}

/* Sent or dropped. */
static void taken(uint64_t time, uint32_t flags, int64_t from, int64_t to)
{
	ck_assert_int_eq(branch(time, flags, from, to), 1);
}

/* Ends perf: what it wrote to standard output, in text; so many bytes. */
static size_t unload(char *text, size_t size)
{
	ssize_t n;
	int fd;

	ck_assert_int_eq(stop(data, NULL), 0);
	fflush(stdout);
	dup2(saved_stdout, STDOUT_FILENO);
	fd = open(stream, O_RDONLY);
	n = read(fd, text, size);
	close(fd);
	unlink(stream);
	ck_assert_int_ge(n, 0);
	return (size_t)n;
}

/* Ends perf: what comes out has to be read so, a line an event, as event_print has it. */
static void comes_out(const char *want)
{
	struct perftext p;
	struct perftext_source source;
	static char text[100000];
	struct event ev;
	char line[1000];
	size_t n = unload(text, sizeof(text));
	int got;

	ck_assert_uint_gt(n, 0);
	perftext_init(&p, PERF_PT);
	perf_text_input(p.text, perftext_input(&source, (struct str){ .p = text, .n = n }, 7));
	perf_text_records(p.text, 0xab);
	while ((got = perf_text_next(p.text, &ev, NULL)) == 1) {
		event_print(line, sizeof(line), &ev, p.names);
		strcat(strcat(p.events, line), "\n");
	}
	ck_assert_int_eq(got, 0);
	ck_assert_str_eq(p.events, want);
	ck_assert_uint_eq(perf_text_stats(p.text)->lost, 0);
	ck_assert(perf_text_has_records(p.text));
	perftext_fini(&p);
}

START_TEST(test_each_kind_is_sent)
{
	ck_assert_int_eq(load(NULL), 0);
	taken(1000, DLF_BRANCH | DLF_TRACE_BEGIN, -0x400000, 0x10);
	taken(1001, CALL, 0x14, 0x100);
	taken(1001, RETURN, 0x120, 0x18);
	taken(99001, JMP, 0x20, 0x200);
	taken(99002, CALL | DLF_IN_TX, 0x204, 0x600);
	taken(99002, DLF_BRANCH | DLF_CALL | DLF_SYSCALLRET | DLF_TRACE_END, 0x620, -0x400000);
	comes_out(
		"0.000001000 1/2 branch start 0 [unknown] ([unknown]) => 400010 a+0x10 (/first)\n"
		"0.000001001 1/2 branch call 400014 a+0x14 (/first) => 400100 b+0x0 (/first)\n"
		"0.000001001 1/2 branch return 400120 b+0x20 (/first) => 400018 a+0x18 (/first)\n"
		"0.000099001 1/2 branch jmp 400020 a+0x20 (/first) => 400200 c+0x0 (/first)\n"
		"0.000099002 1/2 branch call tx 400204 c+0x4 (/first) => 400600 [unknown] (/first)\n"
		"0.000099002 1/2 branch end syscall 400620 [unknown] (/first) => 0 [unknown] ([unknown])\n");
}
END_TEST

/* Jumps inside the function on top are dropped; not the first one behind a return of tracing. */
START_TEST(test_jumps_inside)
{
	ck_assert_int_eq(load(NULL), 0);
	taken(1, DLF_BRANCH | DLF_TRACE_BEGIN, -0x400000, 0x10);
	taken(2, JCC, 0x20, 0x30);
	taken(3, JCC, 0x40, 0x20);
	taken(4, JMP, 0x24, 0x80);
	taken(5, CALL, 0x90, 0x100);
	taken(6, JMP, 0x120, 0x110);
	taken(7, RETURN, 0x130, 0x94);
	comes_out(
		"0.000000001 1/2 branch start 0 [unknown] ([unknown]) => 400010 a+0x10 (/first)\n"
		"0.000000002 1/2 branch jcc 400020 a+0x20 (/first) => 400030 a+0x30 (/first)\n"
		"0.000000005 1/2 branch call 400090 a+0x90 (/first) => 400100 b+0x0 (/first)\n"
		"0.000000007 1/2 branch return 400130 b+0x30 (/first) => 400094 a+0x94 (/first)\n");
}
END_TEST

/* What may be a call of the function itself, a transaction, another function of the name. */
START_TEST(test_jumps_that_are_kept)
{
	ck_assert_int_eq(load(NULL), 0);
	taken(1, CALL, 0x10, 0x300);
	taken(2, JMP, 0x320, 0x300);  /* to the first instruction */
	taken(3, CALL, 0x330, 0x310); /* a call is a call */
	taken(4, JMP, 0x320, 0x510);  /* named alike */
	taken(5, JMP, 0x330, 0x340);  /* not in what is on top */
	taken(6, JMP | DLF_IN_TX, 0x345, 0x350);
	taken(7, JMP, 0x355, 0x360); /* behind a transaction */
	taken(8, JMP, 0x620, 0x630); /* no symbol */
	taken(9, JMP, 0x640, 0x650);
	taken(8, CALL, 0x650, 0x710); /* time goes back */
	taken(7, JMP, 0x720, 0x730);
	comes_out(
		"0.000000001 1/2 branch call 400010 a+0x10 (/first) => 400300 static+0x0 (/first)\n"
		"0.000000002 1/2 branch jmp 400320 static+0x20 (/first) => 400300 static+0x0 (/first)\n"
		"0.000000003 1/2 branch call 400330 static+0x30 (/first) => 400310 static+0x10 (/first)\n"
		"0.000000004 1/2 branch jmp 400320 static+0x20 (/first) => 400510 static+0x10 (/first)\n"
		"0.000000005 1/2 branch jmp 400330 static+0x30 (/first) => 400340 static+0x40 (/first)\n"
		"0.000000006 1/2 branch jmp tx 400345 static+0x45 (/first) => 400350 static+0x50 (/first)\n"
		"0.000000007 1/2 branch jmp 400355 static+0x55 (/first) => 400360 static+0x60 (/first)\n"
		"0.000000008 1/2 branch jmp 400620 [unknown] (/first) => 400630 [unknown] (/first)\n"
		"0.000000009 1/2 branch jmp 400640 [unknown] (/first) => 400650 [unknown] (/first)\n"
		"0.000000008 1/2 branch call 400650 [unknown] (/first) => 400710 h+0x10 (/first)\n"
		"0.000000007 1/2 branch jmp 400720 h+0x20 (/first) => 400730 h+0x30 (/first)\n");
}
END_TEST

/* The last time at which a thread was seen is said when nothing follows, or another thread. */
START_TEST(test_dropped_time)
{
	ck_assert_int_eq(load(NULL), 0);
	taken(1, CALL, 0x10, 0x110);
	taken(2, JMP, 0x120, 0x130);
	taken(3, JMP, 0x120, 0x130);
	sample.tid = 3;
	taken(4, CALL, 0x10, 0x110);
	taken(5, JMP, 0x120, 0x130);
	taken(4, RETURN, 0x130, 0x20); /* time goes back */
	taken(6, JMP, 0x30, 0x40);
	comes_out("0.000000001 1/2 branch call 400010 a+0x10 (/first) => 400110 b+0x10 (/first)\n"
		  "0.000000003 1/2 branch 0 [unknown] => 0 [unknown]\n"
		  "0.000000004 1/3 branch call 400010 a+0x10 (/first) => 400110 b+0x10 (/first)\n"
		  "0.000000005 1/3 branch 0 [unknown] => 0 [unknown]\n"
		  "0.000000004 1/3 branch return 400130 b+0x30 (/first) => 400020 a+0x20 (/first)\n"
		  "0.000000006 1/3 branch 0 [unknown] => 0 [unknown]\n");
}
END_TEST

START_TEST(test_all)
{
	ck_assert_int_eq(load(WIRE_ALL), 0);
	taken(1, CALL, 0x10, 0x110);
	taken(2, JMP, 0x120, 0x130);
	comes_out("0.000000001 1/2 branch call 400010 a+0x10 (/first) => 400110 b+0x10 (/first)\n"
		  "0.000000002 1/2 branch jmp 400120 b+0x20 (/first) => 400130 b+0x30 (/first)\n");
}
END_TEST

/* Another library in its place, with perf's line of it in between. */
START_TEST(test_mapping_changes)
{
	ck_assert_int_eq(load(NULL), 0);
	taken(1, CALL, 0x10, 0x110);
	taken(2, RETURN, 0x114, 0x14);
	mapped = &second;
	puts("1/2 0.000000002: PERF_RECORD_MMAP2 1/2: [0x400000(0x1000) @ 0 0:0 0 0]: r-xp /second");
	taken(3, CALL, 0x10, 0x110);
	taken(4, RETURN, 0x114, 0x14);
	mapped = &first;
	puts("1/2 0.000000004: PERF_RECORD_MMAP2 1/2: [0x400000(0x1000) @ 0 0:0 0 0]: r-xp /first");
	taken(5, CALL, 0x10, 0x110);
	comes_out(
		"0.000000001 1/2 branch call 400010 a+0x10 (/first) => 400110 b+0x10 (/first)\n"
		"0.000000002 1/2 branch return 400114 b+0x14 (/first) => 400014 a+0x14 (/first)\n"
		"0.000000003 1/2 branch call 400010 A+0x10 (/second) => 400110 B+0x10 (/second)\n"
		"0.000000004 1/2 branch return 400114 B+0x14 (/second) => 400014 A+0x14 (/second)\n"
		"0.000000005 1/2 branch call 400010 a+0x10 (/first) => 400110 b+0x10 (/first)\n");
}
END_TEST

/* Of a part of the time, the first and the last ns are in it. */
START_TEST(test_part)
{
	ck_assert_int_eq(load_with((const char *[]){ WIRE_PART, "0a", "14", NULL }), 0);
	taken(9, CALL, 0x10, 0x110);
	taken(10, CALL, 0x110, 0x210);
	taken(20, RETURN, 0x214, 0x114);
	taken(21, RETURN, 0x118, 0x14);
	/* what perf would print is left to it, whenever it was */
	sample.event = "cbr";
	ck_assert_int_eq(branch(30, 0, 0, 0), 0);
	comes_out(
		"0.000000010 1/2 branch call 400110 b+0x10 (/first) => 400210 c+0x10 (/first)\n"
		"0.000000020 1/2 branch return 400214 c+0x14 (/first) => 400114 b+0x14 (/first)\n");
}
END_TEST

/* Into a file of which perf has the descriptor 3, which here is libcheck's. */
START_TEST(test_spool)
{
	char spool[] = "/tmp/mt-test-spool-XXXXXX", got[200];
	int fd = mkstemp(spool), saved = dup(WIRE_SPOOL_FD), n, r;

	unlink(spool);
	ck_assert_int_ge(fd, 0);
	dup2(fd, WIRE_SPOOL_FD);
	r = load(WIRE_SPOOL);
	dup2(saved, WIRE_SPOOL_FD);
	ck_assert_int_eq(r, 0);
	taken(9, CALL, 0x10, 0x110);
	ck_assert_uint_eq(unload(got, sizeof(got)), 0);
	n = (int)pread(fd, got, sizeof(got), 0);
	ck_assert_int_gt(n, WIRE_HELLO_SIZE + WIRE_BRANCH_SIZE);
	ck_assert_uint_eq((unsigned char)got[n - (int)WIRE_BRANCH_SIZE], WIRE_BRANCH);
	close(fd);
	close(saved);
}
END_TEST

/* perf is asked once for each address; and behind a line of its own, once for each page. */
START_TEST(test_perf_is_asked_once)
{
	ck_assert_int_eq(load(NULL), 0);
	for (uint64_t i = 0; i < 100; i++) {
		taken(2 * i, CALL, 0x10, 0x110);
		taken(2 * i + 1, RETURN, 0x114, 0x14);
	}
	ck_assert_uint_eq(asked, 4);
	puts("a line");
	taken(300, CALL, 0x10, 0x110);
	taken(301, RETURN, 0x114, 0x14);
	ck_assert_uint_eq(asked, 5);
	stop(data, NULL);
	fflush(stdout);
	dup2(saved_stdout, STDOUT_FILENO);
	unlink(stream);
}
END_TEST

/* A jump behind an error is no jump inside a function that is known. */
START_TEST(test_error_between)
{
	ck_assert_int_eq(load(NULL), 0);
	taken(1, CALL, 0x10, 0x110);
	taken(2, JMP, 0x120, 0x130);
	puts(" instruction trace error type 1 time 0.000000005 cpu 0 pid 1 tid 2 ip 0 code 8: Lost");
	taken(6, JMP, 0x120, 0x130);
	taken(7, JMP, 0x120, 0x130);
	puts(" instruction trace error type 1 time 0.000000009 cpu 0 pid 1 tid 2 ip 0 code 8: Lost");
	comes_out("0.000000001 1/2 branch call 400010 a+0x10 (/first) => 400110 b+0x10 (/first)\n"
		  "0.000000005 1/2 error 8 at 0x0: Lost\n"
		  "0.000000006 1/2 branch jmp 400120 b+0x20 (/first) => 400130 b+0x30 (/first)\n"
		  "0.000000009 1/2 error 8 at 0x0: Lost\n");
}
END_TEST

/* What has no record is perf's to print. */
START_TEST(test_left_to_perf)
{
	static char longest[70000];
	static struct mapped m;

	ck_assert_int_eq(load(NULL), 0);
	taken(1, CALL, 0x10, 0x110);
	sample.event = "cbr";
	ck_assert_int_eq(branch(2, JMP, 0x120, 0x130), 0);
	sample.event = "psb";
	ck_assert_int_eq(branch(2, JMP, 0x120, 0x130), 1);
	sample.event = "branches_of_others";
	ck_assert_int_eq(branch(2, JMP, 0x120, 0x130), 0);
	sample.event = "branches";
	ck_assert_int_eq(branch(2, 0, 0x120, 0x130), 0);
	sample.addr_correlates_sym = 0;
	ck_assert_int_eq(branch(2, JMP, 0x120, 0x130), 0);
	sample.addr_correlates_sym = 1;
	sample.cpumode = 5; /* a guest */
	ck_assert_int_eq(branch(2, JMP, 0x120, 0x130), 0);
	sample.cpumode = DLF_CPUMODE_KERNEL;
	ck_assert_int_eq(branch((uint64_t)INT64_MAX + 1, JMP, 0x120, 0x130), 0);
	sample.pid = -1;
	ck_assert_int_eq(branch(2, JMP, 0x120, 0x130), 0);
	sample.pid = 1;
	memset(longest, 'x', sizeof(longest) - 1);
	m = first;
	m.names[8] = longest;
	mapped = &m;
	ck_assert_int_eq(branch(2, JMP, 0x120, 0x810), 0);
	/* and again: nothing of it is taken for known */
	ck_assert_int_eq(branch(2, JMP, 0x120, 0x810), 0);
	sample.size = 40;
	ck_assert_int_eq(branch(2, JMP, 0x120, 0x130), 0);
	sample.size = sizeof(sample);
	comes_out("0.000000001 1/2 branch call 400010 a+0x10 (/first) => 400110 b+0x10 (/first)\n");
}
END_TEST

/* Words that are not those of this version. */
START_TEST(test_refusal)
{
	ck_assert_int_eq(load(NULL), 0);
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	dlargs[0] = (char *)"0";
	ck_assert_int_lt(start(&data, NULL), 0);
	dlargs[0] = (char *)WIRE_VERSION;
	n_dlargs = 1;
	ck_assert_int_lt(start(&data, NULL), 0);
	n_dlargs = 2;
	dlargs[1] = (char *)"xyz";
	ck_assert_int_lt(start(&data, NULL), 0);
	dlargs[1] = (char *)"12 ";
	ck_assert_int_lt(start(&data, NULL), 0);
	dlargs[1] = (char *)"12";
	for (n_dlargs = 3; n_dlargs < 6; n_dlargs++) {
		dlargs[2] = (char *)(n_dlargs < 5 ? WIRE_PART : "what");
		dlargs[3] = dlargs[4] = (char *)"12";
		ck_assert_int_lt(start(&data, NULL), 0);
	}
	dlargs[2] = (char *)WIRE_PART;
	dlargs[4] = (char *)"x";
	n_dlargs = 5;
	ck_assert_int_lt(start(&data, NULL), 0);
	fflush(stdout);
	dup2(saved_stdout, STDOUT_FILENO);
	unlink(stream);
	/* perf may call it all the same */
	ck_assert_int_eq(filter_event_early(NULL, &sample, NULL), 0);
	ck_assert_int_eq(stop(NULL, NULL), 0);
}
END_TEST

/* A symbol without a size, of which perf makes an offset that is none; and one before the symbol.
 */
START_TEST(test_offsets)
{
	struct dlf_al al = { .sym = "f",
			     .addr = 0x100,
			     .sym_start = 0x100,
			     .sym_end = 0x100,
			     .symoff = 0x7f000000,
			     .dso = "d" };
	struct sent_place place;

	ck_assert(describe(&al, 0x400100, &place));
	ck_assert_uint_ge(place.off, WIRE_MAX_OFFSET);
	al.is_kernel_ip = 1;
	ck_assert(describe(&al, 0x400100, &place));
	ck_assert_uint_eq(place.off, 0x7f000000);
	al.sym_end = 0x200;
	ck_assert(describe(&al, 0x400100, &place));
	ck_assert_uint_eq(place.off, 0);
	al.addr = 0x80;
	ck_assert(describe(&al, 0x400080, &place));
	ck_assert_uint_ge(place.off, WIRE_MAX_OFFSET);
	al.addr = 0x180;
	ck_assert(describe(&al, 0x400180, &place));
	ck_assert_uint_eq(place.off, 0x80);
}
END_TEST

SUITE_MAIN("filter", test_each_kind_is_sent, test_jumps_inside, test_jumps_that_are_kept,
	   test_dropped_time, test_all, test_mapping_changes, test_part, test_spool,
	   test_perf_is_asked_once, test_error_between, test_left_to_perf, test_refusal,
	   test_offsets)
