/* SPDX-License-Identifier: MIT */
#include "trace/fxt.h"

#include "support/fxtread.h"
#include "support/suite.h"

static struct scratch s;
static struct err err;
static struct output *out;
static struct fxt fxt;

static void begin(void)
{
	scratch_init(&s);
	ck_assert_int_eq(output_open(scratch_path(&s, "a.fxt"), &out, &err), 0);
	fxt_init(&fxt, out);
}

static void end(void)
{
	uint64_t bytes;

	ck_assert_int_eq(output_finish(out, (size_t)(fxt.p - fxt.block), &bytes, &err), 0);
}

/* The file's words are these n ones, put together by hand from the format's reference. */
static void end_with(const uint64_t *want, size_t n)
{
	size_t size, i;
	char *data;

	end();
	data = scratch_get(scratch_path(&s, "a.fxt"), &size);
	ck_assert_uint_eq(size, n * 8);
	for (i = 0; i < n; i++) {
		uint64_t got;

		memcpy(&got, data + i * 8, 8);
		ck_assert_msg(le64toh(got) == want[i], "word %zu: %#llx, not %#llx", i,
			      (unsigned long long)got, (unsigned long long)want[i]);
	}
	free(data);
	scratch_fini(&s);
}

#define END_WITH(...)                                           \
	do {                                                    \
		const uint64_t want[] = { __VA_ARGS__ };        \
		end_with(want, sizeof(want) / sizeof(want[0])); \
	} while (0)

START_TEST(test_file_header)
{
	begin();
	fxt_file_header(&fxt, STR("magic-trace"), NULL);
	END_WITH(0x0016547846040010,                                         /* magic */
		 0x00b0000000110030, 0x72742d636967616d, 0x0000000000656361, /* "magic-trace" */
		 0x0000000000120010,                                         /* section */
		 0x0000000000000021, 1000000000);
}
END_TEST

START_TEST(test_wall_clock)
{
	const int64_t ns = 1700000000123456789;

	begin();
	fxt_file_header(&fxt, STR("magic-trace"), &ns);
	END_WITH(0x0016547846040010, 0x00b0000000110030, 0x72742d636967616d, 0x0000000000656361,
		 0x0000000000120010, 0x0000000000000041, 1000000000, 0, 1700000000123456789);
}
END_TEST

/* The length of a provider's name has eight bits: 255 is its longest. */
START_TEST(test_long_provider)
{
	char name[301] = "";
	uint64_t header;

	memset(name, 'x', 300);
	begin();
	fxt_file_header(&fxt, str_of(name), NULL);
	memcpy(&header, fxt.block + 1, sizeof(header));
	ck_assert_uint_eq(header & 0xf, 0);             /* metadata */
	ck_assert_uint_eq(header >> 4 & 0xfff, 1 + 32); /* words */
	ck_assert_uint_eq(header >> 16 & 0xf, 1);       /* provider info */
	ck_assert_uint_eq(header >> 52 & 0xff, 255);    /* length */
	ck_assert_uint_eq(fxt.block[1 + 33], 0x0000000000120010);
	end();
	scratch_fini(&s);
}
END_TEST

START_TEST(test_strings)
{
	begin();
	fxt_string(&fxt, 5, STR("abc"));
	fxt_string(&fxt, 32767, STR("12345678"));
	fxt_string(&fxt, 1, STR("123456789"));
	fxt_string(&fxt, 2, STR(""));
	END_WITH(0x0000000300050022, 0x636261, 0x000000087fff0022, 0x3837363534333231,
		 0x0000000900010032, 0x3837363534333231, 0x39, 0x0000000000020012);
}
END_TEST

START_TEST(test_threads_and_names)
{
	begin();
	fxt_thread(&fxt, 7, 0x1111, 0x2222);
	fxt_process_name(&fxt, 0x1111, STR("p1"));
	fxt_thread_name(&fxt, 0x1111, 0x2222, 9, STR("t"));
	END_WITH(0x0000000000070033, 0x1111, 0x2222, /* thread */
		 0x0000008002010037, 0x1111, 0x3170, /* process name, inline */
		 0x0000018001020057, 0x2222, 0x74, 0x0000000000090028, 0x1111);
}
END_TEST

START_TEST(test_event_without_arguments)
{
	struct fxt_event ev;

	begin();
	ev = fxt_event_begin(&fxt, FXT_END, 255, 1, 32767, 0x123456789);
	fxt_event_end(&fxt, &ev);
	END_WITH(0x7fff0001ff030024, 0x123456789);
}
END_TEST

START_TEST(test_event_with_each_argument)
{
	struct fxt_event ev;

	begin();
	ev = fxt_event_begin(&fxt, FXT_COMPLETE, 9, 1, 2, 100);
	fxt_arg_uint32(&ev, 0x11, 0xfffffffe);
	fxt_arg_int(&ev, 0x12, -2);
	fxt_arg_int(&ev, 0x13, -(INT64_C(1) << 40));
	fxt_arg_uint64(&ev, 0x14, UINT64_MAX);
	fxt_arg_string(&ev, 0x15, 0x7fff);
	fxt_arg_short_text(&ev, 0x16, "hi", 2);
	fxt_arg_pointer(&ev, 0x17, 0xffffffff81000000);
	fxt_word(&ev, 150);
	fxt_event_end(&fxt, &ev);
	END_WITH(0x00020001097400e4, 100, 0xfffffffe00110012, 0xfffffffe00120011,
		 0x0000000000130023, 0xffffff0000000000, 0x0000000000140024, 0xffffffffffffffff,
		 0x00007fff00150016, 0x0000800200160026, 0x6968, 0x0000000000170027,
		 0xffffffff81000000, 150);
}
END_TEST

/* Which of the two forms a number takes. */
START_TEST(test_size_of_numbers)
{
	struct fxt_event ev;

	begin();
	ev = fxt_event_begin(&fxt, FXT_INSTANT, 1, 0, 0, 0);
	fxt_arg_int(&ev, 1, INT32_MAX);
	fxt_arg_int(&ev, 1, INT32_MIN);
	fxt_arg_int(&ev, 1, INT64_C(1) + INT32_MAX);
	fxt_arg_int(&ev, 1, INT64_C(-1) + INT32_MIN);
	fxt_event_end(&fxt, &ev);
	END_WITH(0x0000000001400084, 0, 0x7fffffff00010011, 0x8000000000010011, 0x10023, 0x80000000,
		 0x10023, 0xffffffff7fffffff);
}
END_TEST

START_TEST(test_arguments_built_before)
{
	static const uint64_t words[] = { 0x0000000200160016, 0, 3, 4 };
	struct fxt_event ev;

	begin();
	ev = fxt_event_begin(&fxt, FXT_BEGIN, 3, 0, 4, 5);
	fxt_arg_string(&ev, 0x15, 1);
	fxt_put_args(&ev, words, 4);
	fxt_put_string(&ev, 2, 0x17, 7);
	fxt_set_args(&ev, 3, 3);
	fxt_event_end(&fxt, &ev);
	END_WITH(0x0004000003320054, 5, 0x0000000100150016, 0x0000000200160016, 0x0000000700170016);

	begin();
	ev = fxt_event_begin(&fxt, FXT_END, 3, 0, 4, 5);
	fxt_arg_string(&ev, 0x15, 1);
	fxt_set_args(&ev, 0, 0);
	fxt_event_end(&fxt, &ev);
	END_WITH(0x0004000003030024, 5);
}
END_TEST

/* The longest strings in a row: no record is cut by a block's end. */
START_TEST(test_block_ends)
{
	static char text[FXT_MAX_BYTES];
	struct fxtread_event ev;
	struct fxt_event event;
	struct fxtread *r;
	unsigned i;

	begin();
	fxt_file_header(&fxt, STR("magic-trace"), NULL);
	fxt_thread(&fxt, 1, 10, 11);
	memset(text, 'x', sizeof(text));
	for (i = 1; i <= 300; i++) {
		memcpy(text, &(char){ (char)('a' + i % 26) }, 1);
		fxt_string(&fxt, (uint16_t)i, (struct str){ .p = text, .n = sizeof(text) - i });
		event = fxt_event_begin(&fxt, FXT_INSTANT, 1, 0, (uint16_t)i, i);
		fxt_event_end(&fxt, &event);
	}
	end();
	r = fxtread_open(scratch_path(&s, "a.fxt"));
	for (i = 1; fxtread_next(r, &ev); i++) {
		ck_assert_uint_eq(ev.time, i);
		ck_assert_uint_eq(ev.name.n, sizeof(text) - i);
		ck_assert_int_eq(ev.name.p[0], (char)('a' + i % 26));
	}
	ck_assert_uint_eq(i, 301);
	fxtread_free(r);
	scratch_fini(&s);
}
END_TEST

/* Header and time, the 15 arguments that a header can count, the word of a complete event. */
#define LARGEST (2 + 15 * 2 + 1)

/* The largest event, made of 15 pointers, and what it must look like. */
static void write_largest(uint64_t *want)
{
	struct fxt_event ev = fxt_event_begin(&fxt, FXT_COMPLETE, 9, 1, 2, 100);
	size_t i;

	*want++ = htole64(0x0002000109f40214);
	*want++ = htole64(100);
	for (i = 0; i < 15; i++) {
		fxt_arg_pointer(&ev, 3, i);
		*want++ = htole64(0x0000000000030027);
		*want++ = htole64(i);
	}
	fxt_word(&ev, 200);
	*want++ = htole64(200);
	fxt_event_end(&fxt, &ev);
}

/* With each number of words left in the block, an event is in this block or in the next one. */
START_TEST(test_event_at_each_offset)
{
	uint64_t *want = calloc(OUTPUT_BLOCK_WORDS + LARGEST, sizeof(*want));
	size_t left, words, size;
	char *data;

	ck_assert_ptr_nonnull(want);
	for (left = 0; left <= 2 * LARGEST; left++) {
		words = OUTPUT_BLOCK_WORDS - left;
		begin();
		memset(fxt.p, 0xa5, words * sizeof(*want));
		memset(want, 0xa5, words * sizeof(*want));
		fxt.p += words;
		ck_assert_int_eq(fxt_has_room(&fxt), left >= LARGEST);
		write_largest(want + words);
		ck_assert_uint_eq(fxt.handed, left >= LARGEST ? 0 : words);
		ck_assert_uint_le((size_t)(fxt.p - fxt.block), OUTPUT_BLOCK_WORDS);
		end();
		data = scratch_get(scratch_path(&s, "a.fxt"), &size);
		ck_assert_uint_eq(size, (words + LARGEST) * sizeof(*want));
		ck_assert_msg(memcmp(data, want, size) == 0, "with %zu words left", left);
		free(data);
		scratch_fini(&s);
	}
	free(want);
}
END_TEST

/* A record that is no event may fill its block to the last word. */
START_TEST(test_record_at_each_offset)
{
	size_t left, words, size;
	char *data;

	for (left = 0; left <= 8; left++) {
		words = OUTPUT_BLOCK_WORDS - left;
		begin();
		memset(fxt.p, 0xa5, words * 8);
		fxt.p += words;
		fxt_thread(&fxt, 7, 0x1111, 0x2222);
		ck_assert_uint_eq(fxt.handed, left >= 3 ? 0 : words);
		ck_assert_uint_le((size_t)(fxt.p - fxt.block), OUTPUT_BLOCK_WORDS);
		end();
		data = scratch_get(scratch_path(&s, "a.fxt"), &size);
		ck_assert_uint_eq(size, (words + 3) * 8);
		ck_assert_int_eq(memcmp(data + words * 8,
					(uint64_t[]){ htole64(0x0000000000070033), htole64(0x1111),
						      htole64(0x2222) },
					24),
				 0);
		free(data);
		scratch_fini(&s);
	}
}
END_TEST

SUITE_MAIN("trace/fxt", test_file_header, test_wall_clock, test_long_provider, test_strings,
	   test_threads_and_names, test_event_without_arguments, test_event_with_each_argument,
	   test_size_of_numbers, test_arguments_built_before, test_block_ends,
	   test_event_at_each_offset, test_record_at_each_offset)
