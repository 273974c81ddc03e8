/* SPDX-License-Identifier: MIT */
#include "record/buffers.h"

#include "support/suite.h"

#include <string.h>

static const struct host limited = {
	.n_cpus = 2,
	.page_size = 4096,
	.paranoid = 2,
	.mlock_kb = 516,
	.memlock = 64 << 10,
};

static const struct host unlimited = {
	.n_cpus = 2,
	.page_size = 4096,
	.paranoid = -1,
	.mlock_kb = 516,
};

START_TEST(test_size_text)
{
	ck_assert_str_eq(buffers_size_text(0).s, "0");
	ck_assert_str_eq(buffers_size_text(4095).s, "4095");
	ck_assert_str_eq(buffers_size_text(4096).s, "4K");
	ck_assert_str_eq(buffers_size_text(3 << 19).s, "1536K");
	ck_assert_str_eq(buffers_size_text(1 << 30).s, "1G");
	ck_assert_str_eq(buffers_size_text((uint64_t)256 << 40).s, "256T");
	ck_assert_str_eq(buffers_size_text(UINT64_MAX).s, "18446744073709551615");
	ck_assert_str_eq(buffers_size_text((uint64_t)1 << 60).s, "1048576T");
}
END_TEST

static uint64_t aux_pages(const struct host *host, uint64_t bytes)
{
	struct buffers sizes;
	struct err err = ERR_INIT;

	if (buffers_pt(host, bytes, 2, false, &sizes, &err) < 0)
		return 0;
	ck_assert_uint_ge(sizes.aux_bytes, bytes);
	return sizes.aux_pages;
}

START_TEST(test_range_and_rounding)
{
	ck_assert_uint_eq(aux_pages(&unlimited, 0), 0);
	ck_assert_uint_eq(aux_pages(&unlimited, 4095), 0);
	ck_assert_uint_eq(aux_pages(&unlimited, 4096), 1);
	ck_assert_uint_eq(aux_pages(&unlimited, 4097), 2);
	ck_assert_uint_eq(aux_pages(&unlimited, 12288), 4);
	ck_assert_uint_eq(aux_pages(&unlimited, (uint64_t)255 << 40), (uint64_t)1 << 36);
	ck_assert_uint_eq(aux_pages(&unlimited, (uint64_t)256 << 40), (uint64_t)1 << 36);
	ck_assert_uint_eq(aux_pages(&unlimited, ((uint64_t)256 << 40) + 1), 0);
	ck_assert_uint_eq(aux_pages(&unlimited, UINT64_MAX), 0);
}
END_TEST

/* 2 * 516 + 64 KiB for two areas: 548 each, of which 260 are data: 256 are left for AUX. */
START_TEST(test_limit)
{
	struct buffers sizes;
	struct err err = ERR_INIT;

	ck_assert_uint_eq(aux_pages(&limited, 256 << 10), 64);
	ck_assert_uint_eq(aux_pages(&limited, (256 << 10) + 1), 0);
	ck_assert_int_eq(buffers_pt(&limited, 512 << 10, 2, false, &sizes, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.hint, "-snapshot-size 256K is the largest"));
	/* 512 + 260 for each CPU */
	ck_assert_ptr_nonnull(strstr(err.hint, "perf_event_mlock_kb=772`"));
	/* with a hundred of them not even a page */
	ck_assert_int_eq(buffers_pt(&limited, 4096, 100, false, &sizes, &err), -1);
	ck_assert_ptr_null(strstr(err.hint, "largest"));
	ck_assert_int_eq(buffers_pt(&limited, 4096, 100, true, &sizes, &err), 0);
	ck_assert_uint_eq(sizes.data_pages, 0);
}
END_TEST

/* The remedy must be one: with that sysctl the size is had. */
START_TEST(test_remedy_suffices)
{
	for (uint64_t n = 1; n < 40; n++) {
		struct host host = limited;
		struct buffers sizes;
		struct err err = ERR_INIT;
		char *at;

		ck_assert_int_eq(buffers_pt(&host, 8 << 20, n, false, &sizes, &err), -1);
		at = strstr(err.hint, "mlock_kb=");
		ck_assert_ptr_nonnull(at);
		host.mlock_kb = strtoull(at + strlen("mlock_kb="), NULL, 10);
		ck_assert_msg(buffers_pt(&host, 8 << 20, n, false, &sizes, &err) == 0, "%s",
			      err.hint);
	}
}
END_TEST

START_TEST(test_data)
{
	ck_assert_uint_eq(buffers_data(&unlimited, 2, 1024), 1024);
	ck_assert_uint_eq(buffers_data(&unlimited, 2, 1 << 20), 32768);
	ck_assert_uint_eq(buffers_data(&unlimited, 3, 1 << 20), 16384);
	ck_assert_uint_eq(buffers_data(&unlimited, 1000000, 1024), 1);
	/* half of 1096 KiB is 137 pages: two of 64 and their header pages */
	ck_assert_uint_eq(buffers_data(&limited, 2, 1024), 64);
	ck_assert_uint_eq(buffers_data(&limited, 4, 1024), 32);
	ck_assert_uint_eq(buffers_data(&limited, 1000, 1024), 1);
}
END_TEST

START_TEST(test_large_pages)
{
	struct host host = unlimited;

	host.page_size = 65536;
	ck_assert_uint_eq(aux_pages(&host, 4096), 1);
	ck_assert_uint_eq(aux_pages(&host, 1 << 20), 16);
	ck_assert_uint_eq(buffers_data(&host, 2, 1 << 20), 2048);
}
END_TEST

SUITE_MAIN("buffers", test_size_text, test_range_and_rounding, test_limit, test_remedy_suffices,
	   test_data, test_large_pages)
