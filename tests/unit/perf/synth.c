/* SPDX-License-Identifier: MIT */
#include "perf/synth.h"

#include "support/suite.h"

static void cbr_is(const char *text, uint32_t want)
{
	uint32_t mhz;

	ck_assert_msg(synth_read_cbr(str_of(text), &mhz), "%s", text);
	ck_assert_uint_eq(mhz, want);
}

static void no_cbr(const char *text)
{
	uint32_t mhz;

	ck_assert_msg(!synth_read_cbr(str_of(text), &mhz), "%s", text);
}

START_TEST(test_cbr)
{
	cbr_is("   syscall              cbr:  8 freq:  801 MHz ( 28%)                   0     7f77dc9f4646 __nanosleep+0x16 (/usr/lib64/libc.so)",
	       801);
	cbr_is("  tr end               cbr: 45 freq: 4500 MHz (118%)     0  5368e58 __symbol+0x168 (foo.so)",
	       4500);
	cbr_is("     cbr: 46 freq: 4606 MHz (159%)    0   7f068fbfd330 mmap64+0x50 (foo.so)", 4606);
	cbr_is(" cbr: 36 freq: 3629 MHz (450%)", 3629);
	cbr_is(" (x) cbr: 36 freq:0 MHz", 0);
	no_cbr("");
	no_cbr(" cbr: 36");
	no_cbr(" cbr: 36 freq:");
	no_cbr(" cbr: 36 freq: x MHz");
	no_cbr(" cbr: 36 freq: 4294967296 MHz");
	no_cbr(" cbr: 36 freq: 99999999999999999999999 MHz");
}
END_TEST

static struct intern *names;
static struct places *places;

static void ptwrite_is(const char *text, uint64_t payload, uint64_t addr, const char *sym)
{
	struct location place;
	uint64_t got;

	ck_assert_msg(synth_read_ptwrite(places, str_of(text), &got, &place), "%s", text);
	ck_assert_uint_eq(got, payload);
	ck_assert_msg(place.addr == addr, "%s", text);
	if (sym)
		ck_assert_str_eq(intern_str(names, place.sym).p, sym);
	else
		ck_assert_uint_eq(place.sym, INTERN_NONE);
}

/* perf writes the payload as text when it can, which may look like an address or hold blanks. */
START_TEST(test_ptwrite)
{
	names = intern_new(0);
	places = places_new(names);
	ptwrite_is(
		"  IP: 0 payload: 0x1234567890abcdef      55701249a196 emulate+0x16 (/path/eg_ptw)",
		0x1234567890abcdef, 0x55701249a196, "emulate");
	ptwrite_is(
		"  IP: 0 payload: 0x6f6c6c6548 Hello      55e764db5196 emulate+0x16 (/path/eg_ptw)",
		0x6f6c6c6548, 0x55e764db5196, "emulate");
	ptwrite_is(
		"   jmp    IP: 1 payload: 0x6f6c6c6548 Hello         0     55e764db5196 emulate+0x16 (x)",
		0x6f6c6c6548, 0x55e764db5196, "emulate");
	ptwrite_is(
		"  IP: 0 payload: 0x6665656264616564 deadbeef        0     55e764db5196 f+0x16 (x)",
		0x6665656264616564, 0x55e764db5196, "f");
	ptwrite_is("  IP: 0 payload: 0x62206120  a b        0     55e764db5196 f+0x16 (x)",
		   0x62206120, 0x55e764db5196, "f");
	ptwrite_is("  IP: 0 payload: 0        0     55e764db5196 f+0x16 (x)", 0, 0x55e764db5196,
		   "f");
	ptwrite_is("  IP: 0 payload: 0xffffffffffffffff", UINT64_MAX, 0, NULL);
	ptwrite_is("  IP: 0 payload: 0x7   something else", 7, 0, NULL);
	ptwrite_is("  IP: 0 payload: 0x7    0     1234 [unknown] ([unknown])", 7, 0x1234, NULL);
	places_free(places);
	intern_free(names);
}
END_TEST

START_TEST(test_no_ptwrite)
{
	struct location place;
	uint64_t payload;

	names = intern_new(0);
	places = places_new(names);
	ck_assert(!synth_read_ptwrite(places, STR(""), &payload, &place));
	ck_assert(!synth_read_ptwrite(places, STR("IP: 0 payload:"), &payload, &place));
	ck_assert(!synth_read_ptwrite(places, STR("IP: 0 payload: x"), &payload, &place));
	ck_assert(!synth_read_ptwrite(places, STR("IP: 0 payload: 0x11112222333344445"), &payload,
				      &place));
	places_free(places);
	intern_free(names);
}
END_TEST

SUITE_MAIN("synth", test_cbr, test_ptwrite, test_no_ptwrite)
