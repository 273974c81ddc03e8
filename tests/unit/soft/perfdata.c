/* SPDX-License-Identifier: MIT */
/*
 * A program is assembled here, its execution written down by hand, and perf has to read just that
 * out of the file. Addresses are nm's.
 */
#include "soft/perfdata.h"

#include "support/outlines.h"
#include "support/perfbranches.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#define PID 4000
#define TWO 4001 /* another thread */

/* Never run. A name for each place that a branch leaves or reaches. */
static const char source[] = "	.globl start\n"
			     "start:	call	f\n"
			     "back1:	mov	$3, %ecx\n"
			     "loop:	dec	%ecx\n"
			     "again:	jnz	loop\n"
			     "	lea	table(%rip), %rax\n"
			     "far:	jmp	*%rax\n"
			     "	int3\n"
			     "table:	lea	f(%rip), %rax\n"
			     "icall:	call	*%rax\n"
			     "back2:	lea	odd(%rip), %rax\n"
			     "	push	%rax\n"
			     "oddret:	ret\n"
			     "	int3\n"
			     "odd:	nop\n"
			     "kernel:	syscall\n"
			     "after:	nop\n"
			     "skip:	jmp	last\n"
			     "	int3\n"
			     "last:	nop\n"
			     "	hlt\n"
			     "f:	nop\n"
			     "fret:	ret\n"
			     "	.section .note.GNU-stack\n";

static struct scratch s;
static struct err err;
static struct perfbranches got;

static void build_program(void)
{
	scratch_put(&s, "prog.s", source);
	ck_assert_int_eq(scratch_run(&s, "gcc -nostdlib -static -no-pie -Wl,-Ttext=0x401000 "
					 "-Wl,-estart prog.s -o prog && nm prog >nm"),
			 0);
	/* what tell_program says of the file's offset */
	ck_assert_int_eq(scratch_run(&s, "readelf -SW prog | "
					 "grep -Eq ' \\.text +PROGBITS +0+401000 0+1000 '"),
			 0);
}

static uint64_t place(const char *name)
{
	char line[200], symbol[100];
	uint64_t address = 0, at;
	FILE *nm = fopen(scratch_path(&s, "nm"), "r");

	while (fgets(line, sizeof(line), nm))
		if (sscanf(line, "%" SCNx64 " %*c %99s", &at, symbol) == 2 &&
		    strcmp(symbol, name) == 0)
			address = at;
	fclose(nm);
	ck_assert_msg(address != 0, "no %s", name);
	return address;
}

static struct perfdata_config plain(void)
{
	static char name[] = "magic-trace", command[] = "run";
	static char *command_line[] = { name, command, NULL };

	return (struct perfdata_config){
		.pt = { .ret_compression = true, .cbr = 10, .tnt_max = 6 },
		.tsc_hz = 1000000000,
		.command_line = command_line,
		.pid = PID,
		.comm = "prog",
	};
}

static struct perfdata *open_data(const char *name, const struct perfdata_config *config)
{
	struct perfdata *pd;

	ck_assert_msg(perfdata_open(scratch_path(&s, name), config, &pd, &err) == 0, "%s", err.msg);
	return pd;
}

static void close_data(struct perfdata *pd)
{
	ck_assert_msg(perfdata_close(pd, &err) == 0, "%s", err.msg);
}

/* The execution, from clock 5000 on; the last step is at 6100. */
static void execute(struct packet *pt)
{
	packet_on(pt, 5000, place("start"));
	packet_call(pt, place("back1"));
	packet_return(pt, 5100, place("back1"));
	packet_cond(pt, 5200, true);
	packet_cond(pt, 5300, true);
	packet_cond(pt, 5400, false);
	packet_indirect(pt, 5500, place("table"));
	packet_tick(pt, 5500, place("table"));
	packet_call(pt, place("back2"));
	packet_indirect(pt, 5600, place("f"));
	packet_return(pt, 5700, place("back2"));
	packet_return(pt, 5800, place("odd"));
	packet_off(pt, 5900);
	packet_on(pt, 6000, place("after"));
	packet_async(pt, 6100, place("last"));
}

/* As perf should list it. */
static const struct {
	const char *flags, *from, *to;
	uint64_t clock; /* 0: perf takes that of a packet nearby */
} executed[] = {
	{ "tr strt", NULL, "start", 5000 },
	{ "call", "start", "f", 0 },
	{ "return", "fret", "back1", 0 },
	{ "jcc", "again", "loop", 0 },
	{ "jcc", "again", "loop", 0 },
	{ "jmp", "far", "table", 0 },
	{ "call", "icall", "f", 0 },
	{ "return", "fret", "back2", 0 },
	{ "return", "oddret", "odd", 0 },
	{ "tr end syscall", "kernel", NULL, 5900 },
	{ "tr strt", NULL, "after", 6000 },
	{ "jmp", "skip", "last", 0 },
	{ "tr end async", "last", NULL, 6100 },
};

static void tell_program(struct perfdata *pd)
{
	struct perfdata_mapping mapping = {
		.start = 0x401000,
		.size = 0x1000,
		.offset = 0x1000,
		.read = true,
		.execute = true,
		.path = scratch_path(&s, "prog"),
	};
	struct stat st;

	ck_assert_int_eq(stat(mapping.path, &st), 0);
	mapping.inode = st.st_ino;
	mapping.major = major(st.st_dev);
	mapping.minor = minor(st.st_dev);
	perfdata_comm(pd, PID, PID, "prog", true, 0);
	perfdata_mmap(pd, PID, PID, &mapping, 0);
}

/* What pt has; it is taken. */
static void add_packets(struct perfdata *pd, struct packet *pt, struct perfdata_aux aux)
{
	aux.bytes = packet_bytes(pt, &aux.n);
	perfdata_aux(pd, &aux);
	packet_taken(pt, aux.n);
}

static void record(const char *name, const struct perfdata_config *config)
{
	struct perfdata_aux aux = { .pid = PID, .tid = PID, .cpu = -1, .clock = 7000 };
	struct packet *pt = packet_new(&config->pt);
	struct perfdata *pd = open_data(name, config);

	aux.time = perfdata_time(config, aux.clock);
	tell_program(pd);
	perfdata_itrace_start(pd, PID, PID, -1, perfdata_time(config, 4000));
	execute(pt);
	add_packets(pd, pt, aux);
	perfdata_finished_round(pd);
	perfdata_exit(pd, PID, PID, perfdata_time(config, 8000));
	packet_free(pt);
	close_data(pd);
}

static uint64_t place_or_0(const char *name)
{
	return name ? place(name) : 0;
}

/* The whole execution, with a clock of so many ticks a ns (0: times are rough). */
static void check_decoded(const char *name, uint64_t ticks)
{
	const size_t n = sizeof(executed) / sizeof(executed[0]);

	perfbranches_read(&got, scratch_path(&s, name));
	ck_assert_str_eq(got.trouble, "");
	for (size_t i = 0; i < n && i < got.n; i++) {
		const struct perf_branch *b = &got.all[i];

		ck_assert_msg(strcmp(b->flags, executed[i].flags) == 0 &&
				      b->from == place_or_0(executed[i].from) &&
				      b->to == place_or_0(executed[i].to) && b->tid == PID,
			      "%zu: '%s' %" PRIx64 " to %" PRIx64, i, b->flags, b->from, b->to);
		if (ticks && executed[i].clock)
			ck_assert_uint_eq(b->time, executed[i].clock / ticks);
	}
	ck_assert_uint_eq(got.n, n);
}

static void begin(void)
{
	scratch_init(&s);
	build_program();
}

START_TEST(test_branches)
{
	struct perfdata_config config = plain();

	if (!perfbranches_available("perfdata/perf"))
		return;
	begin();
	record("plain", &config);
	check_decoded("plain", 0);
	config.snapshot = true;
	record("snapshot", &config);
	check_decoded("snapshot", 0);
	config = plain();
	config.pt.cyc = true;
	record("cyc", &config);
	check_decoded("cyc", 1);
	config.pt.tnt_max = 1;
	record("tnt1", &config);
	check_decoded("tnt1", 1);
	config.pt.tnt_max = 47;
	config.pt.ret_compression = false;
	record("noretcomp", &config);
	check_decoded("noretcomp", 1);
	config.pt.mtc = true;
	config.pt.ctc_ratio = 40;
	config.pt.mtc_period = 0;
	record("mtc", &config);
	check_decoded("mtc", 1);
	config.tsc_hz = 2000000000;
	config.pt.cbr = 20;
	record("2GHz", &config);
	check_decoded("2GHz", 2);
	scratch_fini(&s);
}
END_TEST

/* Two CPUs; two threads on the first one, in turn. */
START_TEST(test_per_cpu)
{
	struct perfdata_config config = plain();
	struct packet *pt[2];
	struct perfdata *pd;

	if (!perfbranches_available("perfdata/perf"))
		return;
	begin();
	config.per_cpu = true;
	config.n_cpus = 2;
	config.pt.cyc = true;
	pd = open_data("cpus", &config);
	tell_program(pd);
	perfdata_fork(pd, PID, PID, TWO, PID, 0);
	for (int i = 0; i < 2; i++)
		pt[i] = packet_new(&config.pt);
	perfdata_itrace_start(pd, PID, PID, 0, 1000);
	perfdata_itrace_start(pd, PID, PID, 1, 1000);
	perfdata_switch(pd, false, PID, PID, 0, 0, 0, 2000);
	packet_on(pt[0], 5000, place("after"));
	packet_async(pt[0], 6000, place("last"));
	perfdata_switch(pd, true, PID, PID, PID, TWO, 0, 8000);
	perfdata_switch(pd, false, PID, TWO, PID, PID, 0, 8100);
	packet_on(pt[0], 10000, place("start"));
	packet_async(pt[0], 11000, place("f"));
	perfdata_switch(pd, false, PID, PID, 0, 0, 1, 12000);
	packet_on(pt[1], 20000, place("kernel"));
	packet_off(pt[1], 21000);
	for (int i = 0; i < 2; i++) {
		struct perfdata_aux aux = { .index = (unsigned int)i, .cpu = i, .pid = PID };

		aux.tid = i ? PID : TWO;
		aux.clock = aux.time = 30000;
		add_packets(pd, pt[i], aux);
		packet_free(pt[i]);
	}
	close_data(pd);

	perfbranches_read(&got, scratch_path(&s, "cpus"));
	ck_assert_str_eq(got.trouble, "");
	ck_assert_uint_eq(got.n, 8);
	for (size_t i = 0; i < got.n; i++)
		ck_assert_int_eq(got.all[i].tid, i >= 3 && i < 6 ? TWO : PID);
	ck_assert_uint_eq(got.all[1].from, place("skip"));
	ck_assert_uint_eq(got.all[4].to, place("f"));
	ck_assert_uint_eq(got.all[7].from, place("kernel"));
	ck_assert_uint_eq(got.all[7].time, 21000);
	scratch_fini(&s);
}
END_TEST

/* Three parts of a stream, of which the second is lost. */
START_TEST(test_lost)
{
	struct perfdata_config config = plain();
	struct perfdata_aux aux = { .pid = PID, .tid = PID, .cpu = -1 };
	struct packet *pt;
	struct perfdata *pd;

	if (!perfbranches_available("perfdata/perf"))
		return;
	begin();
	config.pt.cyc = true;
	pt = packet_new(&config.pt);
	pd = open_data("lost", &config);
	tell_program(pd);
	packet_on(pt, 5000, place("after"));
	packet_async(pt, 6000, place("last"));
	aux.clock = aux.time = 6000;
	add_packets(pd, pt, aux);
	packet_start(pt, 9000);
	packet_on(pt, 9000, place("odd"));
	packet_off(pt, 10000);
	aux.offset = 100000;
	aux.clock = aux.time = 10000;
	aux.truncated = true;
	add_packets(pd, pt, aux);
	aux.offset = 200000; /* and nothing more could be written */
	aux.clock = aux.time = 20000;
	add_packets(pd, pt, aux);
	packet_free(pt);
	close_data(pd);

	perfbranches_read(&got, scratch_path(&s, "lost"));
	ck_assert_uint_eq(got.n, 5);
	ck_assert_uint_eq(got.all[4].from, place("kernel"));
	ck_assert_ptr_nonnull(strstr(got.trouble, "Lost trace data"));
	ck_assert_ptr_nonnull(strstr(got.trouble, " time 0.000010000 "));
	ck_assert_ptr_nonnull(
		strstr(strstr(got.trouble, "Lost trace data") + 1, "Lost trace data"));
	scratch_fini(&s);
}
END_TEST

/* The bit that waits, and what was executed up to odd, is lost. */
START_TEST(test_overflow)
{
	struct perfdata_config config = plain();
	struct perfdata_aux aux = {
		.pid = PID, .tid = PID, .cpu = -1, .clock = 9000, .time = 9000
	};
	struct packet *pt;
	struct perfdata *pd;

	if (!perfbranches_available("perfdata/perf"))
		return;
	begin();
	config.pt.cyc = true;
	pt = packet_new(&config.pt);
	pd = open_data("overflow", &config);
	tell_program(pd);
	packet_on(pt, 5000, place("loop"));
	packet_cond(pt, 5100, true);
	packet_overflow(pt, 6000, true, place("odd"));
	packet_off(pt, 7000);
	add_packets(pd, pt, aux);
	packet_free(pt);
	close_data(pd);

	perfbranches_read(&got, scratch_path(&s, "overflow"));
	ck_assert_ptr_nonnull(strstr(got.trouble, "Overflow packet"));
	ck_assert_uint_eq(got.n, 3);
	ck_assert_uint_eq(got.all[0].to, place("loop"));
	ck_assert_uint_eq(got.all[1].to, place("odd"));
	ck_assert_uint_eq(got.all[2].from, place("kernel"));
	ck_assert_uint_eq(got.all[2].time, 7000);
	scratch_fini(&s);
}
END_TEST

/* Each record with values of its own, as perf reads it back. */
START_TEST(test_records)
{
	static const char *const want[] = {
		"PERF_RECORD_ID_INDEX nr: 3\n",
		"cpu: 2  tid: -1\n",
		"PERF_RECORD_AUXTRACE_INFO type: 1\n",
		"Have sched_switch   3\n",
		"Snapshot mode       1\n",
		"Per-cpu maps        1\n",
		"MTC bit             0x200\n",
		"MTC freq bits       0x3c000\n",
		"CYC bit             0x2\n",
		"Max non-turbo ratio 10\n",
		"PERF_RECORD_TIME_CONV",
		"PERF_RECORD_THREAD_MAP nr: 1 thread: 4000\n",
		"0 0x", /* what has no time comes first */
		"PERF_RECORD_COMM exec: a name that is :11/12\n",
		"PERF_RECORD_AUXTRACE size: 0x8  offset: 0x64  ref: 0x4d2  idx: 2  tid: -1  cpu: 2\n",
		"Intel Processor Trace data: size 8 bytes",
		"FUP 0x1\n",
		"TIP.PGD no ip\n", /* perf shows it with the PADs behind it */
		"0 101 0x",
		"PERF_RECORD_MMAP2 21/22: [0x7f0000000000(0x3000) @ 0x5000 08:11 77 0]: rw-s /a b\n",
		"0 102 0x",
		"PERF_RECORD_FORK(31:33):(32:34)\n",
		"0 103 0x",
		"PERF_RECORD_EXIT(41:42):(41:42)\n",
		"2 104 0x",
		"PERF_RECORD_ITRACE_START pid: 51 tid: 52\n",
		"1 105 0x",
		"PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:    63/64",
		"1 106 0x",
		"PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:    73/74",
		"2 107 0x",
		"PERF_RECORD_AUX offset: 0x64 size: 0x4 flags: 0x3 [TO]\n",
		NULL,
	};
	const struct perfdata_mapping mapping = {
		.start = 0x7f0000000000,
		.size = 0x3000,
		.offset = 0x5000,
		.major = 8,
		.minor = 17,
		.inode = 77,
		.read = true,
		.write = true,
		.shared = true,
		.path = "/a b",
	};
	const struct perfdata_aux aux = {
		.index = 2,
		.pid = 81,
		.tid = 82,
		.cpu = 2,
		.offset = 100,
		.bytes = (const uint8_t *)"\x3d\x01\x00\x01",
		.n = 4,
		.truncated = true,
		.clock = 1234,
		.time = 107,
	};
	struct perfdata_config config = plain();
	struct perfdata *pd;

	if (!perfbranches_available("perfdata/perf"))
		return;
	scratch_init(&s);
	config.per_cpu = config.snapshot = true;
	config.n_cpus = 3;
	pd = open_data("records", &config);
	perfdata_comm(pd, 11, 12, "a name that is too long", true, 0);
	perfdata_mmap(pd, 21, 22, &mapping, 101);
	perfdata_fork(pd, 31, 32, 33, 34, 102);
	perfdata_exit(pd, 41, 42, 103);
	perfdata_itrace_start(pd, 51, 52, 2, 104);
	perfdata_switch(pd, false, 61, 62, 63, 64, 1, 105);
	perfdata_switch(pd, true, 71, 72, 73, 74, 1, 106);
	perfdata_aux(pd, &aux);
	perfdata_finished_round(pd);
	close_data(pd);
	outlines_check(&s, "perf script -D -i records", want);
	scratch_fini(&s);
}
END_TEST

/* More CPUs than fit in a record, and a path that is too long. */
START_TEST(test_large)
{
	struct perfdata_config config = plain();
	struct perfdata_mapping mapping = { .start = 0x1000, .size = 0x1000, .execute = true };
	char path[5000];
	struct perfdata *pd;

	if (!perfbranches_available("perfdata/perf"))
		return;
	scratch_init(&s);
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	path[4094] = 'z'; /* PATH_MAX counts the NUL */
	mapping.path = path;
	config.per_cpu = true;
	config.n_cpus = 5000;
	pd = open_data("large", &config);
	perfdata_mmap(pd, PID, PID, &mapping, 0);
	perfdata_comm(pd, PID, PID, "", false, 0);
	close_data(pd);
	ck_assert_int_eq(scratch_run(&s, "perf script -D -i large >out 2>&1"), 0);
	ck_assert_int_eq(scratch_run(&s, "test $(grep -ac '^ [.]*.* id: .* idx: ' out) = 10000"),
			 0);
	ck_assert_int_eq(scratch_run(&s, "grep -aEq -e '--xp a{4094}z$' out"), 0);
	ck_assert_int_eq(scratch_run(&s, "grep -aq 'PERF_RECORD_COMM: :4000/4000' out"), 0);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_reproducible)
{
	struct perfdata_config config = plain();
	size_t n[3];
	char *data[3];

	begin();
	config.reproducible = true;
	for (int i = 0; i < 3; i++) {
		config.reproducible = i < 2;
		record("data", &config);
		data[i] = scratch_get(scratch_path(&s, "data"), &n[i]);
	}
	ck_assert_uint_eq(n[0], n[1]);
	ck_assert_mem_eq(data[0], data[1], n[0]);
	/* else there is something of this machine */
	ck_assert(n[2] != n[0] || memcmp(data[2], data[0], n[0]) != 0);
	for (int i = 0; i < 3; i++)
		free(data[i]);
	scratch_fini(&s);
}
END_TEST

/* A child lets go of it: the file is the parent's alone. */
START_TEST(test_abandon)
{
	struct perfdata_config config = plain();
	char *data[2];
	size_t n[2];

	scratch_init(&s);
	config.reproducible = true;
	for (int i = 0; i < 2; i++) {
		struct perfdata *pd = open_data("data", &config);
		int status;
		pid_t child;

		perfdata_comm(pd, PID, PID, "before", false, 1);
		child = i ? fork() : 0;
		if (i && child == 0) {
			perfdata_abandon(pd);
			_exit(0);
		}
		ck_assert_int_ge(child, 0);
		if (i)
			ck_assert_int_eq(waitpid(child, &status, 0), child);
		perfdata_comm(pd, PID, PID, "after", false, 2);
		close_data(pd);
		data[i] = scratch_get(scratch_path(&s, "data"), &n[i]);
	}
	ck_assert_uint_eq(n[0], n[1]);
	ck_assert_mem_eq(data[0], data[1], n[0]);
	free(data[0]);
	free(data[1]);
	perfdata_abandon(NULL);
	scratch_fini(&s);
}
END_TEST

/* However much is written, the failure comes at the end, once. */
/* What is told to a file that is finished has no effect. */
START_TEST(test_finished)
{
	const struct perfdata_aux nothing = { .pid = PID, .tid = PID, .cpu = -1 };
	const struct perfdata_config config = plain();
	struct perfdata_aux aux = { .pid = PID, .tid = PID, .cpu = -1, .clock = 1, .time = 1 };
	struct perfdata *pd;
	char *before, *after;
	size_t n, m;

	scratch_init(&s);
	pd = open_data("finished", &config);
	perfdata_aux(pd, &nothing);
	ck_assert(!perfdata_has_aux(pd));
	aux.bytes = (const uint8_t *)"";
	aux.n = 1;
	perfdata_aux(pd, &aux);
	ck_assert(perfdata_has_aux(pd));
	ck_assert_int_eq(perfdata_finish(pd, &err), 0);
	before = scratch_get(scratch_path(&s, "finished"), &n);
	perfdata_aux(pd, &aux);
	perfdata_comm(pd, PID, PID, "late", false, 2);
	perfdata_finished_round(pd);
	close_data(pd);
	after = scratch_get(scratch_path(&s, "finished"), &m);
	ck_assert_uint_eq(n, m);
	ck_assert_mem_eq(before, after, n);
	free(before);
	free(after);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_disk_full)
{
	struct perfdata_config config = plain();
	struct perfdata_aux aux = { .cpu = -1, .n = 1 << 20 };
	uint8_t *bytes = calloc(1, aux.n);

	aux.bytes = bytes;
	for (int much = 0; much < 2; much++) {
		struct perfdata *pd;

		ck_assert_int_eq(perfdata_open("/dev/full", &config, &pd, &err), 0);
		perfdata_comm(pd, PID, PID, "prog", false, 0);
		for (int i = 0; much && i < 3; i++)
			perfdata_aux(pd, &aux);
		ck_assert_int_eq(perfdata_close(pd, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.msg, "/dev/full"));
		ck_assert_ptr_nonnull(strstr(err.msg, "No space left"));
	}
	free(bytes);
}
END_TEST

START_TEST(test_refused)
{
	struct perfdata_config config = plain();
	struct perfdata *pd;

	ck_assert_int_eq(perfdata_open("/nowhere/data", &config, &pd, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "/nowhere/data"));
	ck_assert_ptr_nonnull(strstr(err.msg, "No such file"));
	scratch_init(&s);
	config.tsc_hz = 0;
	ck_assert_int_eq(perfdata_open(scratch_path(&s, "data"), &config, &pd, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "0 Hz"));
	config = plain();
	config.per_cpu = true;
	ck_assert_int_eq(perfdata_open(scratch_path(&s, "data"), &config, &pd, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "0 CPUs"));
	ck_assert(!scratch_has(&s, "data"));
	scratch_fini(&s);
}
END_TEST

START_TEST(test_time)
{
	struct perfdata_config config = plain();

	ck_assert_uint_eq(perfdata_time(&config, 0), 0);
	ck_assert_uint_eq(perfdata_time(&config, 123456789012345678), 123456789012345678);
	config.tsc_hz = 4000000000;
	ck_assert_uint_eq(perfdata_time(&config, 123456789012345676), 123456789012345676 / 4);
	config.tsc_hz = 500000000;
	ck_assert_uint_eq(perfdata_time(&config, 12345), 24690);
	/* within a millionth or so: three hours */
	config.tsc_hz = 3000000000;
	ck_assert_uint_le(perfdata_time(&config, UINT64_C(32400000000000)), 10800000000000);
	ck_assert_uint_ge(perfdata_time(&config, UINT64_C(32400000000000)), 10799980000000);
}
END_TEST

SUITE_MAIN("perfdata", test_branches, test_per_cpu, test_lost, test_overflow, test_records,
	   test_large, test_reproducible, test_abandon, test_finished, test_disk_full, test_refused,
	   test_time)
