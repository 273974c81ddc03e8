/* SPDX-License-Identifier: MIT */
/* What is declared of perf's interface, against perf's own header where it is installed. */
#include "dlfilter/api.h"

#include "support/suite.h"

#include <stddef.h>
#include <stdio.h>

#if __has_include(<perf/perf_dlfilter.h>)
#include <perf/perf_dlfilter.h>
#define HAS_HEADER 1
#else
#define HAS_HEADER 0
#endif

#if HAS_HEADER
#define SAME(ours, theirs, field)                                                                \
	do {                                                                                     \
		ck_assert_uint_eq(offsetof(struct ours, field), offsetof(struct theirs, field)); \
		ck_assert_uint_eq(sizeof(((struct ours *)0)->field),                             \
				  sizeof(((struct theirs *)0)->field));                          \
	} while (0)

START_TEST(test_as_perf_has_it)
{
	SAME(dlf_sample, perf_dlfilter_sample, size);
	SAME(dlf_sample, perf_dlfilter_sample, ip);
	SAME(dlf_sample, perf_dlfilter_sample, pid);
	SAME(dlf_sample, perf_dlfilter_sample, tid);
	SAME(dlf_sample, perf_dlfilter_sample, time);
	SAME(dlf_sample, perf_dlfilter_sample, addr);
	SAME(dlf_sample, perf_dlfilter_sample, flags);
	SAME(dlf_sample, perf_dlfilter_sample, cpumode);
	SAME(dlf_sample, perf_dlfilter_sample, addr_correlates_sym);
	SAME(dlf_sample, perf_dlfilter_sample, event);
	SAME(dlf_al, perf_dlfilter_al, size);
	SAME(dlf_al, perf_dlfilter_al, symoff);
	SAME(dlf_al, perf_dlfilter_al, sym);
	SAME(dlf_al, perf_dlfilter_al, addr);
	SAME(dlf_al, perf_dlfilter_al, sym_start);
	SAME(dlf_al, perf_dlfilter_al, sym_end);
	SAME(dlf_al, perf_dlfilter_al, dso);
	SAME(dlf_al, perf_dlfilter_al, is_kernel_ip);
	SAME(dlf_al, perf_dlfilter_al, buildid_size);
	SAME(dlf_al, perf_dlfilter_al, buildid);
	SAME(dlf_functions, perf_dlfilter_fns, resolve_ip);
	SAME(dlf_functions, perf_dlfilter_fns, resolve_addr);
	SAME(dlf_functions, perf_dlfilter_fns, args);
	ck_assert_uint_eq(sizeof(struct dlf_functions), sizeof(struct perf_dlfilter_fns));
	ck_assert_uint_eq(DLF_BRANCH, PERF_DLFILTER_FLAG_BRANCH);
	ck_assert_uint_eq(DLF_CALL, PERF_DLFILTER_FLAG_CALL);
	ck_assert_uint_eq(DLF_RETURN, PERF_DLFILTER_FLAG_RETURN);
	ck_assert_uint_eq(DLF_CONDITIONAL, PERF_DLFILTER_FLAG_CONDITIONAL);
	ck_assert_uint_eq(DLF_KNOWN + 1, PERF_DLFILTER_FLAG_VMEXIT * 2);
}
END_TEST
#endif

/* All of it is filled in by perf, which has 128 pointers there in every version. */
START_TEST(test_size)
{
	ck_assert_uint_eq(sizeof(struct dlf_functions), 128 * sizeof(void *));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		test_size,
#if HAS_HEADER
		test_as_perf_has_it,
#endif
		NULL,
	};

	if (!HAS_HEADER)
		puts("SKIP api/header: perf_dlfilter.h is not installed");
	return suite_run("api", tests);
}
