/* SPDX-License-Identifier: MIT */
/* What needs no ELF file; tests/e2e/symbols.py has the rest. */
#include "cli/symbols.h"

#include "support/scratch.h"
#include "support/suite.h"

#define PID 77

static struct scratch scratch;
static struct recording *recording;
static struct intern *names;
static struct symbols *symbols;

static void begin(bool demangle)
{
	struct symbols_config config = { .mode = PERF_PT, .demangle = demangle };

	scratch_init(&scratch);
	scratch_put(&scratch, "perf.data", "no recording of perf");
	scratch_put(&scratch, "kallsyms",
		    "ffffffff81000000 T _text\nffffffff81000040 T kernel_function\n");
	scratch_put(&scratch, "perf-77.map", "5000 100 compiled function\n6000 10 \n");
	recording = recording_new();
	recording->data = malloc(sizeof(char *));
	recording->data[0] = strdup(scratch_path(&scratch, "perf.data"));
	recording->n_data = 1;
	names = intern_new(0);
	config.recording = recording;
	config.names = names;
	symbols = symbols_new(&config);
}

static void end(void)
{
	symbols_free(symbols);
	symbols_free(NULL);
	intern_free(names);
	recording_free(recording);
	scratch_fini(&scratch);
}

static struct location at(uint64_t addr, uint64_t off, const char *name)
{
	return (struct location){ .addr = addr,
				  .off = off,
				  .sym = name ? intern_add(names, str_of(name)) : INTERN_NONE };
}

static void check(const struct location *loc, uint64_t start, const char *name)
{
	if (!name) {
		ck_assert_uint_eq(loc->sym, INTERN_NONE);
		return;
	}
	ck_assert_str_eq(intern_str(names, loc->sym).p, name);
	ck_assert_uint_eq(loc->addr - loc->off, start);
}

static struct event branch(struct location src, struct location dst)
{
	struct event ev = { .kind = EVENT_BRANCH, .pid = PID }, named;

	ev.branch.src = src;
	ev.branch.dst = dst;
	named = ev;
	symbols_event(symbols, &ev, true);
	symbols_place(symbols, PID, &named.branch.src);
	symbols_place(symbols, PID, &named.branch.dst);
	symbols_check(symbols, &named);
	ck_assert_mem_eq(&named.branch, &ev.branch, sizeof(ev.branch));
	return ev;
}

static struct source_line ask(uint64_t start)
{
	struct source_place place = { .addr = start, .pid = PID };
	struct source_line line = { .col = 0 };

	ck_assert_int_eq(symbols_source(symbols, &place, &line), line.clone != INTERN_NONE);
	ck_assert_uint_eq(line.file.n, 0);
	return line;
}

START_TEST(test_names)
{
	struct event ev;

	begin(true);
	for (int round = 0; round < 2; round++) {
		ev = branch(at(0x1010, 0x10, "_ZN2ns1fEi"), at(0x2000, 0, "g.isra.0.cold"));
		check(&ev.branch.src, 0x1000, "ns::f");
		check(&ev.branch.dst, 0x2000, "g");
	}
	ck_assert_uint_eq(ask(0x1000).clone, INTERN_NONE);
	ck_assert_str_eq(intern_str(names, ask(0x2000).clone).p, ".isra.0.cold");
	ck_assert_uint_eq(ask(0).clone, INTERN_NONE);
	ck_assert_str_eq(
		intern_str(names, symbols_shown(symbols, intern_add(names, STR("h.part.0")))).p,
		"h");
	end();
	begin(false);
	ev = branch(at(0x1010, 0x10, "_ZN2ns1fEi.cold"), at(0x2000, 0, "camlA__b_1"));
	check(&ev.branch.src, 0x1000, "_ZN2ns1fEi");
	check(&ev.branch.dst, 0x2000, "camlA__b_1");
	end();
}
END_TEST

/* Nothing is known of these: they stay as they are. */
START_TEST(test_unknown)
{
	struct event ev;

	begin(true);
	ev = branch(at(0, 0, NULL), at(0x3000, 0, NULL));
	check(&ev.branch.src, 0, NULL);
	check(&ev.branch.dst, 0, NULL);
	ck_assert_uint_eq(ev.branch.dst.addr, 0x3000);
	ev = branch(at(0x1000, 0, "tan@plt"), at(0x3000, 0, NULL));
	check(&ev.branch.src, 0x1000, "tan@plt");
	end();
}
END_TEST

START_TEST(test_compiled_at_run_time)
{
	struct event ev;

	begin(true);
	ev = branch(at(0x5010, 0, NULL), at(0x50ff, 0, NULL));
	check(&ev.branch.src, 0x5000, "compiled function");
	check(&ev.branch.dst, 0x5000, "compiled function");
	/* perf's offset is wrong, and the name may be: ours is taken unless it has none, either */
	ev = branch(at(0x5010, 0, "tan@plt"), at(0x5000, 0, "tan@plt"));
	check(&ev.branch.src, 0x5000, "compiled function");
	check(&ev.branch.dst, 0x5000, "tan@plt");
	ev = branch(at(0x5100, 0, NULL), at(0x6000, 0, NULL));
	check(&ev.branch.src, 0, NULL);
	check(&ev.branch.dst, 0, NULL);
	ev = (struct event){ .kind = EVENT_PTWRITE, .pid = PID + 1 };
	ev.ptwrite.place = at(0x5010, 0, NULL);
	symbols_event(symbols, &ev, false);
	check(&ev.ptwrite.place, 0, NULL);
	end();
}
END_TEST

START_TEST(test_kernel)
{
	struct event ev;

	begin(true);
	ev = branch(at(0x5010, 0, NULL), at(0xffffffff81000044, 0, NULL));
	check(&ev.branch.dst, 0xffffffff81000040, "kernel_function");
	ev = branch(at(0x5010, 0, NULL), at(0xfffffffff0000044, 0, NULL));
	check(&ev.branch.dst, 0, NULL);
	end();
}
END_TEST

START_TEST(test_other_events)
{
	struct location frames[2];
	struct event ev = { .kind = EVENT_SAMPLE, .pid = PID };

	begin(true);
	frames[0] = at(0x10, 0, "main.cold");
	frames[1] = at(0x5010, 0, NULL);
	ev.sample.frames = frames;
	ev.sample.n = 2;
	symbols_event(symbols, &ev, false);
	check(&frames[0], 0x10, "main");
	check(&frames[1], 0x5000, "compiled function");
	ev = (struct event){ .kind = EVENT_EXTRA, .pid = PID };
	ev.extra.place = at(0x10, 0, "main.cold");
	symbols_event(symbols, &ev, false);
	check(&ev.extra.place, 0x10, "main");
	ev = (struct event){ .kind = EVENT_CBR };
	symbols_event(symbols, &ev, false);
	ev = (struct event){ .kind = EVENT_ERROR };
	symbols_event(symbols, &ev, false);
	end();
}
END_TEST

/* More places and clones than are remembered. */
START_TEST(test_many)
{
	begin(true);
	for (uint64_t i = 1; i < 200000; i++) {
		struct event ev = branch(at(0x100000 + i * 16, 0, "f.cold"), at(i * 16, 0, NULL));
		bool compiled = i * 16 >= 0x5000 && i * 16 < 0x5100;

		check(&ev.branch.src, 0x100000 + i * 16, "f");
		check(&ev.branch.dst, 0x5000, compiled ? "compiled function" : NULL);
		ck_assert_uint_ne(ask(0x100000 + i * 16).clone, INTERN_NONE);
	}
	end();
}
END_TEST

static void no_trouble(void *ctx, const struct err *trouble)
{
	ck_abort_msg("%p: %s", ctx, trouble->msg);
}

START_TEST(test_no_troubles)
{
	uint64_t shift;

	begin(true);
	symbols_troubles(symbols, no_trouble, NULL);
	ck_assert_uint_eq(symbols_shifts(symbols, "/bin/true", &shift, 1), 0);
	ask(0x1000);
	symbols_troubles(symbols, no_trouble, NULL);
	end();
}
END_TEST

SUITE_MAIN("cli/symbols", test_names, test_unknown, test_compiled_at_run_time, test_kernel,
	   test_other_events, test_many, test_no_troubles)
