/* SPDX-License-Identifier: MIT */
/* The kernel's side is played by the test: records of random sizes, round and round. */
#include "record/ring.h"

#include "support/suite.h"

#include <string.h>

#define SIZE 512

static struct perf_event_mmap_page page;
static char data[SIZE] __attribute__((aligned(8)));
static struct ring ring;
static uint64_t head;

static void set_up(void)
{
	memset(&page, 0, sizeof(page));
	head = 0;
	ring_over(&ring, &page, data, SIZE);
}

static void put_byte(char byte)
{
	data[head++ % SIZE] = byte;
}

static void put_header(uint32_t type, unsigned size)
{
	struct perf_event_header header = { .type = type, .size = (uint16_t)size };
	char bytes[sizeof(header)];
	size_t i;

	memcpy(bytes, &header, sizeof(header));
	for (i = 0; i < sizeof(header); i++)
		put_byte(bytes[i]);
}

/* A record of so many bytes, all of its body the same. */
static void put(uint32_t type, unsigned size, char fill)
{
	size_t i;

	put_header(type, size);
	for (i = sizeof(struct perf_event_header); i < size; i++)
		put_byte(fill);
}

static void publish(void)
{
	page.data_head = head;
	ring_sync(&ring);
}

START_TEST(test_empty)
{
	set_up();
	publish();
	ck_assert_ptr_null(ring_peek(&ring));
	ring_pop(&ring);
	ck_assert_uint_eq(page.data_tail, 0);
}
END_TEST

START_TEST(test_only_what_was_there)
{
	set_up();
	put(1, 16, 'a');
	publish();
	put(2, 16, 'b');
	page.data_head = head;
	ck_assert_uint_eq(ring_peek(&ring)->type, 1);
	ck_assert_uint_eq(ring_peek(&ring)->type, 1);
	ck_assert_uint_eq(page.data_tail, 0);
	ring_pop(&ring);
	ck_assert_uint_eq(page.data_tail, 16);
	ck_assert_ptr_null(ring_peek(&ring));
	ring_sync(&ring);
	ck_assert_uint_eq(ring_peek(&ring)->type, 2);
}
END_TEST

/* Sizes that are multiples of 8, as the kernel's are, and others: any byte may be the last. */
START_TEST(test_round_the_end)
{
	unsigned step = _i ? 8 : 1, n, i, size = 8;

	set_up();
	for (n = 0; n < 5000; n++) {
		const struct perf_event_header *header;

		size = size + step > RING_RECORD_MAX ? 8 : size + step;
		put(n, size, (char)n);
		publish();
		header = ring_peek(&ring);
		ck_assert_ptr_nonnull(header);
		ck_assert_uint_eq((uintptr_t)header % 8, 0);
		ck_assert_uint_eq(header->type, n);
		ck_assert_uint_eq(header->size, size);
		for (i = sizeof(*header); i < size; i++)
			if (((const char *)header)[i] != (char)n)
				ck_abort_msg("record %u, byte %u", n, i);
		ring_pop(&ring);
		ck_assert_uint_eq(page.data_tail, head);
	}
}
END_TEST

START_TEST(test_too_long_is_left_out)
{
	set_up();
	put(1, RING_RECORD_MAX + 8, 'a');
	put(2, 16, 'b');
	publish();
	ck_assert_uint_eq(ring_peek(&ring)->type, 2);
	ring_pop(&ring);
	ck_assert_ptr_null(ring_peek(&ring));
}
END_TEST

/* A size of nothing, less than a header, or more than there is: all is dropped. */
START_TEST(test_impossible_sizes)
{
	static const unsigned sizes[] = { 0, 7, 24 };

	set_up();
	put_header(1, sizes[_i]);
	put_byte(0);
	publish();
	ck_assert_ptr_null(ring_peek(&ring));
	ck_assert_uint_eq(page.data_tail, head);
}
END_TEST

START_TEST(test_unmapped)
{
	struct ring none = { .page = NULL };

	ck_assert_int_eq(ring_map(&none, -1, 1), -1);
	ring_sync(&none);
	ck_assert_ptr_null(ring_peek(&none));
	ring_unmap(&none);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ring");
	TCase *tcase = tcase_create("ring");
	SRunner *runner;
	int failed;

	tcase_add_test(tcase, test_empty);
	tcase_add_test(tcase, test_only_what_was_there);
	tcase_add_loop_test(tcase, test_round_the_end, 0, 2);
	tcase_add_test(tcase, test_too_long_is_left_out);
	tcase_add_loop_test(tcase, test_impossible_sizes, 0, 3);
	tcase_add_test(tcase, test_unmapped);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
