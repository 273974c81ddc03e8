/* SPDX-License-Identifier: MIT */
/*
 * Lines as perf 5.4 to 6.17 print them, many of them from reports of its users, names shortened.
 * What must come of each is written out from perf's sources and documentation.
 */
#include "perf/text.h"

#include "support/perftext.h"
#include "support/suite.h"

static struct perftext p;

/* The text makes these events and notes, whatever the size of the reads. */
static void makes(enum perf_mode mode, const char *text, const char *events, const char *notes)
{
	const size_t pieces[] = { 1, 7, 100, SIZE_MAX };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		perftext_init(&p, mode);
		ck_assert_int_eq(perftext_run(&p, str_of(text), pieces[i]), 0);
		ck_assert_str_eq(p.events, events);
		ck_assert_str_eq(perftext_notes(&p), notes);
		perftext_fini(&p);
	}
}

START_TEST(test_trace_starts_and_ends)
{
	makes(PERF_PT,
	      "1190837/1190837 339075.341173319:          1                                 branches:u:   tr strt jmp                           0 [unknown] ([unknown]) =>     7f5029da6be4 _dl_load+0x164 (/usr/lib64/ld.so)\n"
	      " 908741/908741  1743654.262808407:          1                                 branches:ku:   tr strt jmp                           0 [unknown] ([unknown]) => ffffffffc0273dae bpf_prog_53_sys_exit+0xfe (bpf_prog_53_sys_exit)\n"
	      "25375/25375 4509191.343298468:                            1   branches:uH:   tr end  async                     7f6fce0b71f4 [unknown] (foo.so) =>     0 [unknown] ([unknown])\n"
	      "2118573/2118573 770614.599007116:   tr strt tr end                      0 [unknown] =>           4591e1 [unknown]\n"
	      "1539481/1539481 2418006.848063890:          1 branches:uH:   tr end                     7fc9ca8563e0 inet_pton+0x0 (/usr/lib/libc.so.6) =>                0 [unknown] ([unknown])\n"
	      "1539481/1539481 2418006.848065765:          1 branches:uH:   tr strt                               0 [unknown] ([unknown]) =>     7fc9ca8563e0 inet_pton+0x0 (/usr/lib/libc.so.6)\n",
	      "339075.341173319 1190837/1190837 branch start 0 [unknown] ([unknown]) => 7f5029da6be4 _dl_load+0x164 (/usr/lib64/ld.so)\n"
	      "1743654.262808407 908741/908741 branch start 0 [unknown] ([unknown]) => ffffffffc0273dae bpf_prog_53_sys_exit+0xfe (bpf_prog_53_sys_exit)\n"
	      "4509191.343298468 25375/25375 branch end async 7f6fce0b71f4 [unknown] (foo.so) => 0 [unknown] ([unknown])\n"
	      "770614.599007116 2118573/2118573 branch 0 [unknown] => 4591e1 [unknown]\n"
	      "2418006.848063890 1539481/1539481 branch end 7fc9ca8563e0 inet_pton+0x0 (/usr/lib/libc.so.6) => 0 [unknown] ([unknown])\n"
	      "2418006.848065765 1539481/1539481 branch start 0 [unknown] ([unknown]) => 7fc9ca8563e0 inet_pton+0x0 (/usr/lib/libc.so.6)\n",
	      "");
}
END_TEST

START_TEST(test_branches)
{
	makes(PERF_PT,
	      "1907478/1909463 457407.880965552:          1                                branches:uH:   int                      564aa58813d4 Run+0x554 (/bin/w) =>     564aa584fa00 Call+0x0 (/bin/w)\n"
	      "957410/957410 1154506.531823215:   jmp                           708540b [unknown] =>          7084ef0 tan@plt+0xfffffffffef9b000\n"
	      " 9683/9683  3075019.901525208:   jmp                            3694c11b [unknown] =>         3694bd80 __cxa@plt+0xffffffffe0001000\n"
	      "25375/25375 4509191.343298468:                            1   branches:uH:   call                     7f6fce0b71f4 [unknown] (foo.so) =>     7ffd193838e0 memcpy@plt+0xffffffffff22f000 (foo.so)\n"
	      "1539481/1539481 2418006.848065765:          1 branches:uH:   call                       7fc9ca8563f3 inet+0x13 (/usr/lib/libc.so.6) =>     7fc9ca74c2b0 [unknown] (/usr/lib/libc.so.6)\n"
	      "0/0 1.5: 1 branches:uH:   tr end  hw int (xD) 1000 f => g+0x1 (a b) => 0 [unknown] ([unknown])\n"
	      "-1/-1 1.000001:          1             branches:k:  ffffffff8108f1d0 kvm+0x0 ([kernel.kallsyms]) => ffffffff81131190 __fentry__+0x0 ([kernel.kallsyms])\n",
	      "457407.880965552 1907478/1909463 branch int 564aa58813d4 Run+0x554 (/bin/w) => 564aa584fa00 Call+0x0 (/bin/w)\n"
	      "1154506.531823215 957410/957410 branch jmp 708540b [unknown] => 7084ef0 tan@plt+0x0\n"
	      "3075019.901525208 9683/9683 branch jmp 3694c11b [unknown] => 3694bd80 __cxa@plt+0x0\n"
	      "4509191.343298468 25375/25375 branch call 7f6fce0b71f4 [unknown] (foo.so) => 7ffd193838e0 memcpy@plt+0x0 (foo.so)\n"
	      "2418006.848065765 1539481/1539481 branch call 7fc9ca8563f3 inet+0x13 (/usr/lib/libc.so.6) => 7fc9ca74c2b0 [unknown] (/usr/lib/libc.so.6)\n"
	      "1.500000000 0/0 branch end hw int tx 1000 f => g+0x1 (a b) => 0 [unknown] ([unknown])\n"
	      "1.000001000 0/0 branch ffffffff8108f1d0 kvm+0x0 ([kernel.kallsyms]) => ffffffff81131190 __fentry__+0x0 ([kernel.kallsyms])\n",
	      "");
}
END_TEST

/* A guest's branches, with the columns of perf's own field list. */
START_TEST(test_command_and_cpu_columns)
{
	makes(PERF_PT,
	      "   tsc_msrs_test 18436 [007] 10897.962087836:      branches:   vmentry                ffffffffc13b2f82 vmx_vmenter+0x2 (vmlinux) =>                0 [unknown] ([unknown])\n"
	      "   [guest/18436] 18436 [007] 10897.962087836:      branches:   vmentry                               0 [unknown] ([unknown]) =>           402c81 guest_code+0x131 (/path/tsc)\n"
	      "   [guest/18436] 18436 [007] 10897.962088248:      branches:   vmexit                           40dba0 ucall+0x0 (/path/tsc) =>                0 [unknown] ([unknown])\n"
	      "             :-1    -1 [006]    78.287624:          1             branches:k:  ffffffff8108f1d0 kvm+0x0 ([k]) => ffffffff81131190 __fentry__+0x0 ([k])\n"
	      "          eg_ptw 19875 [007]  8061.235912:     ptwrite:  IP: 0 payload: 0x1234567890abcdef      55701249a196 emulate+0x16 (/path/eg_ptw)\n",
	      "10897.962087836 0/18436 branch vmentry ffffffffc13b2f82 vmx_vmenter+0x2 (vmlinux) => 0 [unknown] ([unknown])\n"
	      "10897.962087836 0/18436 branch vmentry 0 [unknown] ([unknown]) => 402c81 guest_code+0x131 (/path/tsc)\n"
	      "10897.962088248 0/18436 branch vmexit 40dba0 ucall+0x0 (/path/tsc) => 0 [unknown] ([unknown])\n"
	      "78.287624000 0/0 branch ffffffff8108f1d0 kvm+0x0 ([k]) => ffffffff81131190 __fentry__+0x0 ([k])\n"
	      "8061.235912000 0/19875 ptwrite 0x1234567890abcdef 55701249a196 emulate+0x16 (/path/eg_ptw)\n",
	      "");
}
END_TEST

START_TEST(test_samples)
{
	makes(PERF_SAMPLING,
	      "647317/647317 529215.810279538:     100000 cpu-clock:uH: \n"
	      "\t         687bd57 check_action_pending+0x7 (redacted)\n"
	      "\t         684ddfd caml_thread_restore_runtime_state+0x151 (redacted)\n"
	      "1284576/1284576 180054.771181230:     100000 cpu-clock:uH: \n"
	      "\t    5555560adc70 ns::MinValue<unsigned long>+0x0 (/path/to/bin)\n"
	      "\n"
	      "5/6 7.000000001: 1 cpu_core/cycles/u: \n"
	      "\n"
	      "5/6 7.000000002: 1 cycles:P: \r\n"
	      "\t 1 [unknown] (x)\r\n"
	      "\r\n"
	      /* recorded without call graphs */
	      " 5213/5213   1185.422194573:    1001001 cpu-clock:      558b9a39fd40 main+0x4 (/usr/bin/dash)\n"
	      " 5213/5213   1185.5:    1001001 instructions:u:      558b9a39fd40 main+0x4 (/usr/bin/dash)\n",
	      "529215.810279538 647317/647317 sample 2: caml_thread_restore_runtime_state+0x151 > check_action_pending+0x7\n"
	      "180054.771181230 1284576/1284576 sample 1: ns::MinValue<unsigned long>+0x0\n"
	      "7.000000001 5/6 sample 0:\n"
	      "7.000000002 5/6 sample 1: [unknown]\n"
	      "1185.422194573 5213/5213 sample 1: main+0x4\n"
	      "1185.500000000 5213/5213 sample 1: main+0x4\n",
	      "");
}
END_TEST

/* With Intel PT, samples come with an address column. */
START_TEST(test_samples_beside_branches)
{
	makes(PERF_PT,
	      " 1/1   2.000000001:    1001001 cpu-clock:                                        0\n"
	      "\t          1724b9 inner+0x49 (x)\n"
	      "\t            ae77 [unknown] (/usr/bin/dash)\n"
	      "\n"
	      " 1/1   2.000000002:    1001001 cycles:u:                                        0\n"
	      "\n"
	      " 1/1   2.000000003:    1001001 cycles:u:                                        0     7fca9945c595 __sleep+0x55 (libc)\n"
	      " 1/1   2.000000004:    1 branches:u: call 1 f+0x1 (x) => 2 g+0x0 (x)\n",
	      "2.000000001 1/1 sample 2: [unknown] > inner+0x49\n"
	      "2.000000002 1/1 sample 0:\n"
	      "2.000000003 1/1 sample 1: __sleep+0x55\n"
	      "2.000000004 1/1 branch call 1 f+0x1 (x) => 2 g+0x0 (x)\n",
	      "");
}
END_TEST

START_TEST(test_any_event_with_a_chain_is_a_sample)
{
	const char *text =
		" 126689/126689  87110.203279623:          1            probe_poc_off_cpu:entry:                                        0\n"
		"                  40139f hot_func(int)+0x0 (/path/poc_off_cpu)\n"
		"                  401444 focus_func()+0x41 (/path/poc_off_cpu)\n"
		"            7f165b22b12e __libc_start_call_main+0x80 (/usr/lib64/libc.so.6)\n"
		"\n"
		" 126689/126689  87110.203287199:          1                                psb:                          psb offs: 0                                     0                0 [unknown] ([unknown])\n"
		"1/2 3.5: 7 dummy:HG: \n"
		"1/2 3.6: 7 branches:u: \n"
		"\t 1 f+0x0 (x)\n"
		"\n"
		"1/2 3.7: 7 instructions:u: \n"
		"\t 1 f+0x0 (x)\n"
		"\n";

	makes(PERF_SAMPLING, text,
	      "87110.203279623 126689/126689 sample 3: __libc_start_call_main+0x80 > focus_func()+0x41 > hot_func(int)+0x0\n"
	      "3.600000000 1/2 sample 1: f+0x0\n"
	      "3.700000000 1/2 sample 1: f+0x0\n",
	      "event dummy x1 @7\n");
	makes(PERF_PT, text, "",
	      "event probe_poc_off_cpu:entry x1 @1\n"
	      "event dummy x1 @7\n"
	      "line  x1 @8\n"
	      "undrawn instructions x1 @11\n");
}
END_TEST

START_TEST(test_extra_events)
{
	makes(PERF_PT,
	      "3871580/3871580 430720.265503976:         50                   cache-misses/period=50/u:                                      0     7fca9945c595 __sleep+0x55 (libc)\n"
	      "3871580/3871580 431043.387175119:         50 branch-misses/period=50/u: \n"
	      "\t    7fca9945c595 __sleep+0x55 (libc)\n"
	      "\t    7fca9945c000 outer+0x55 (libc)\n"
	      "\n"
	      "1/2 3.5:  7 branch-misses:u:      7fca9945c595 [unknown] (libc)\n"
	      "1/2 3.6:  7 branch-misses:u:      what?\n",
	      "430720.265503976 3871580/3871580 cache-misses 50 7fca9945c595 __sleep+0x55 (libc)\n"
	      "431043.387175119 3871580/3871580 branch-misses 50 7fca9945c595 __sleep+0x55 (libc)\n"
	      "3.500000000 1/2 branch-misses 7 7fca9945c595 [unknown] (libc)\n"
	      "3.600000000 1/2 branch-misses 7 0 [unknown]\n",
	      "");
}
END_TEST

START_TEST(test_synthesized_events)
{
	makes(PERF_PT,
	      "2420596/2420596 525062.244538101:          1                                        cbr:   syscall              cbr:  8 freq:  801 MHz ( 28%)                   0     7f77dc9f4646 __nanosleep+0x16 (/usr/lib64/libc.so)\n"
	      "21302/21302 82318.700445693:         1           cbr:  tr end               cbr: 45 freq: 4500 MHz (118%)                   0          5368e58 __symbol+0x168 (foo.so)\n"
	      "2937048/2937048 448556.689322817:                                   1    cbr:                        cbr: 46 freq: 4606 MHz (159%)                   0     7f068fbfd330 mmap64+0x50 (foo.so)\n"
	      "2937048/2937048 448556.689403475:                             1          psb:                        psb offs: 0x4be8                                0     7f068fbfd330 mmap64+0x50 (/usr/lib64/ld-2.28.so)\n"
	      "1/1 2.5: 1 mwait:  hints: 0x60 extensions: 0x1\n"
	      "1/1 2.5: 1 pwre:  hw: 0 cstate: 2 sub-cstate: 0\n"
	      "1/1 2.5: 1 exstop:  ip: 1\n"
	      "1/1 2.5: 1 pwrx:  deepest cstate: 2 last cstate: 2 wake reason: 4\n"
	      "1/1 2.5: 1 pwrx:  deepest cstate: 2 last cstate: 2 wake reason: 4\n"
	      "1/1 2.5: 1 ptwrite:   call   IP: 0 payload: 0x6f6c6c6548 Hello   0   55e764db5196 emulate+0x16 (/path/eg_ptw)\n"
	      "1/1 2.5: 1 cbr: cbr: 8\n"
	      "1/1 2.5: 1 ptwrite: nothing\n",
	      "525062.244538101 2420596/2420596 cbr 801 MHz\n"
	      "82318.700445693 21302/21302 cbr 4500 MHz\n"
	      "448556.689322817 2937048/2937048 cbr 4606 MHz\n"
	      "2.500000000 1/1 ptwrite 0x6f6c6c6548 55e764db5196 emulate+0x16 (/path/eg_ptw)\n",
	      "undrawn mwait x1 @5\n"
	      "undrawn pwre x1 @6\n"
	      "undrawn exstop x1 @7\n"
	      "undrawn pwrx x2 @8\n"
	      "line  x2 @11\n");
}
END_TEST

START_TEST(test_errors_and_messages)
{
	makes(PERF_PT,
	      " instruction trace error type 1 time 47170.086912826 cpu -1 pid 293415 tid 293415 ip 0x7ffff7327730 code 7: Overflow packet\n"
	      " instruction trace error type 1 cpu -1 pid 0 tid -1 ip 0 code 8: Lost trace data\n"
	      "1518114/1518114 [062] 513961.572140369: PERF_RECORD_MMAP2 1518114/1518114: [0x55d5329f8000(0x43000) @ 0x16000 <818137d5>]: r-xp /tmp/pt_fixture\n"
	      "            perf 17393 [001] 15355.259305768: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     0/0\n"
	      "    0/0         0.000000000: PERF_RECORD_COMM: perf-exec:5213/5213\n"
	      "AUX data lost 1 times out of 33!\n"
	      "Warning:\n"
	      "7 instruction trace errors\n"
	      "18837 instruction trace errors\n"
	      "Warning:\n"
	      "anything\n"
	      "[ perf record: Captured and wrote 4,003 MB /tmp/x/perf.data ]\n"
	      "anything\n",
	      "47170.086912826 293415/293415 error 7 at 0x7ffff7327730: Overflow packet\n"
	      "- 0/0 error 8 at 0x0: Lost trace data\n",
	      "message  x8 @3\n"
	      "line  x1 @13\n");
}
END_TEST

/* Whatever is wrong costs its own line, and no other. */
START_TEST(test_not_understood)
{
	makes(PERF_PT,
	      "1/2 3.5: 1 branches:u: call 1 f+0x1 (x) => 2 g+0x0 (x)\n"
	      "1/2 3.5: 1 branches:u: jump 1 f+0x1 (x) => 2 g+0x0 (x)\n"
	      "\t 1 of that one\n"
	      "1/2 3.5: 1 branches:u: call 1 f+0x1 (x) =>\n"
	      "1/2 99999999999999999.5: 1 branches:u: call 1 f+0x1 (x) => 2 g+0x0 (x)\n"
	      "1/99999999999 3.5: 1 branches:u: call 1 f+0x1 (x) => 2 g+0x0 (x)\n"
	      "\x01\x80\xff{}\n"
	      "1/2 3.5: 1 : call 1 f+0x1 (x) => 2 g+0x0 (x)\n"
	      "1/2 3.5: 1   1 f+0x1 (x) => 2 g+0x0 (x)\n"
	      "\n"
	      "\t 1 f+0x0 (x)\n"
	      "1/2 3.5: 1 unheard/of/u: x\n"
	      "\t 1 f+0x0 (x)\n"
	      "\t 1 f+0x0 (x)\n"
	      "1/2 3.6: 1 branches:u: call 1 f+0x1 (x) => 2 g+0x0 (x)\n",
	      "3.500000000 1/2 branch call 1 f+0x1 (x) => 2 g+0x0 (x)\n"
	      "3.600000000 1/2 branch call 1 f+0x1 (x) => 2 g+0x0 (x)\n",
	      "line  x8 @2\n"
	      "event of x1 @12\n");
}
END_TEST

START_TEST(test_nul_bytes)
{
	struct str text = STR("1/2 3.5: 1 branches:u: call 1 f\0g+0x1 (x) => 2 g+0x0 (x)\n"
			      "\0\0\0\n1/2 3.5: 1\0 branches:u: \n\0");

	perftext_init(&p, PERF_PT);
	ck_assert_int_eq(perftext_run(&p, text, 3), 0);
	ck_assert_uint_eq(p.n_events, 1);
	ck_assert_uint_eq(perf_text_stats(p.text)->lost, 3);
	perftext_fini(&p);
}
END_TEST

/* Counts go on from file to file; a text that is cut in a line is read as far as it goes. */
START_TEST(test_several_texts)
{
	const struct perf_text_stats *stats;

	perftext_init(&p, PERF_PT);
	stats = perf_text_stats(p.text);
	ck_assert_int_eq(perftext_run(&p, STR(""), 10), 0);
	ck_assert_uint_eq(stats->lines, 0);
	perftext_run(&p, STR("\nwhat?\n1/2 3.5: 1 branches: 1 f+0x1 (x) => 2 g+0x0 (x)\n"), 10);
	ck_assert_str_eq(p.events, "3.500000000 1/2 branch 1 f+0x1 (x) => 2 g+0x0 (x)\n");
	ck_assert(!stats->cut);
	perftext_run(&p, STR("1/2 3.5: 1 branches: 1 f+0x1 (x) => 2 g+0x0 (x)\n1/2 3.5: 1 bra"),
		     10);
	ck_assert_uint_eq(p.n_events, 1);
	ck_assert_uint_eq(stats->bytes, 7 + 48 + 48 + 14);
	ck_assert_uint_eq(stats->lines, 5);
	ck_assert_uint_eq(stats->events, 2);
	ck_assert_uint_eq(stats->lost, 2);
	ck_assert(stats->cut);
	perftext_run(&p, STR("\n"), 10);
	ck_assert(!stats->cut);
	ck_assert_str_eq(perftext_notes(&p), "line  x2 @2\n");
	perftext_fini(&p);
}
END_TEST

START_TEST(test_reading_fails)
{
	struct perftext_source source;
	struct err err = ERR_INIT;
	struct event ev;

	perftext_init(&p, PERF_PT);
	perf_text_input(p.text,
			perftext_input(&source,
				       STR("1/2 3.5: 1 branches: 1 f+0x1 (x) => 2 g+0x0 (x)\nxxx"),
				       10));
	source.fail_at = 50;
	ck_assert_int_eq(perf_text_next(p.text, &ev, &err), 1);
	ck_assert_int_eq(perf_text_next(p.text, &ev, &err), -1);
	ck_assert_str_eq(err.msg, "made to fail");
	perftext_fini(&p);
}
END_TEST

static unsigned int noted;

static void on_note(void *ctx, const struct perf_note *note)
{
	ck_assert_ptr_eq(ctx, &noted);
	ck_assert(note->kind == PERF_NOTE_LINE ? note->line == 1 : note->line == 2);
	noted++;
}

START_TEST(test_note_is_told_once)
{
	struct intern *names = intern_new(0);
	struct perf_text *text = perf_text_new(PERF_PT, names, on_note, &noted);
	struct perftext_source source;
	struct event ev;
	size_t n;

	perf_text_input(text, perftext_input(&source, STR("a\n1/2 3.5: 1 x: \nb\n"), 100));
	ck_assert_int_eq(perf_text_next(text, &ev, NULL), 0);
	ck_assert_int_eq(perf_text_next(text, &ev, NULL), 0);
	ck_assert_uint_eq(noted, 2);
	ck_assert(str_eq(perf_text_notes(text, &n)[0].first, STR("a")));
	ck_assert_uint_eq(n, 2);
	perf_text_free(text);
	perf_text_free(NULL);
	intern_free(names);
}
END_TEST

/* A symbol of 40,000 bytes on either side, and a line that is too long. */
START_TEST(test_long_lines)
{
	size_t big = 40000, n = 0;
	char *text = malloc(4u << 20), *name = malloc(big + 1);

	memset(name, 's', big);
	name[big] = '\0';
	n += (size_t)sprintf(text + n, "1/2 3.5: 1 branches: call 1 %s+0x1 (x) => 2 %s+0x2 (%s)\n",
			     name, name, name);
	n += (size_t)sprintf(text + n, "1/2 3.5: 1 branches: call 1 ");
	memset(text + n, 'x', PERF_LINE_MAX);
	n += PERF_LINE_MAX;
	n += (size_t)sprintf(text + n, "\n1/2 3.5: 1 cbr: freq: 1000 MHz\n");
	perftext_init(&p, PERF_PT);
	ck_assert_int_eq(perftext_run(&p, (struct str){ text, n }, 5000), 0);
	ck_assert_uint_eq(p.n_events, 2);
	ck_assert_uint_eq(intern_str(p.names, 1).n, big);
	ck_assert_str_eq(perftext_notes(&p), "long  x1 @2\n");
	ck_assert_uint_eq(perf_text_stats(p.text)->lost, 1);
	perftext_fini(&p);
	free(name);
	free(text);
}
END_TEST

/* The fields that event_print does not show. */
START_TEST(test_all_fields)
{
	struct perftext_source source;
	struct event ev;

	perftext_init(&p, PERF_PT);
	perf_text_input(p.text, perftext_input(&source,
					       STR("1/2 3.5: 1 cycles:u: \n\t 7f f+0x3 (d)\n\n"
						   "1/2 3.5: 1 branches: (x) 7f f+0x3 (d) => 8 "
						   "[unknown]\n"
						   "1/2 3.6: 1 cycles:u: \n\n"),
					       100));
	memset(&ev, 0xff, sizeof(ev));
	ck_assert_int_eq(perf_text_next(p.text, &ev, NULL), 1);
	ck_assert_int_eq(ev.kind, EVENT_SAMPLE);
	ck_assert(ev.has_time);
	ck_assert(!ev.in_tx);
	ck_assert_uint_eq(ev.region, 0);
	ck_assert_uint_eq(ev.sample.frames[0].addr, 0x7f);
	ck_assert_uint_eq(ev.sample.frames[0].off, 3);
	ck_assert_str_eq(intern_str(p.names, ev.sample.frames[0].dso).p, "d");
	ck_assert_int_eq(perf_text_next(p.text, &ev, NULL), 1);
	ck_assert(ev.in_tx);
	ck_assert_int_eq(ev.branch.kind, BRANCH_NONE);
	ck_assert_int_eq(ev.branch.state, TRACE_ON);
	ck_assert_uint_eq(ev.branch.dst.sym, INTERN_NONE);
	ck_assert_uint_eq(ev.branch.dst.dso, INTERN_NONE);
	ck_assert_int_eq(perf_text_next(p.text, &ev, NULL), 1);
	ck_assert(!ev.in_tx);
	perftext_fini(&p);
}
END_TEST

SUITE_MAIN("text", test_trace_starts_and_ends, test_branches, test_command_and_cpu_columns,
	   test_samples, test_samples_beside_branches, test_any_event_with_a_chain_is_a_sample,
	   test_extra_events, test_synthesized_events, test_errors_and_messages,
	   test_not_understood, test_nul_bytes, test_several_texts, test_reading_fails,
	   test_note_is_told_once, test_long_lines, test_all_fields)
