/* SPDX-License-Identifier: MIT */
#include "soft/stepaim.h"

#include "support/suite.h"

START_TEST(test_first_thread)
{
	struct stepaims aims = { .n = 0 };

	stepaims_add(&aims, &(struct stepaim){ .pid = 10, .address = 100 });
	stepaims_add(&aims, &(struct stepaim){ .pid = 10, .address = 200, .first = true });
	ck_assert(stepaims_has(&aims, 10, 10, 100));
	ck_assert(stepaims_has(&aims, 10, 11, 100));
	ck_assert(stepaims_has(&aims, 10, 10, 200));
	ck_assert(!stepaims_has(&aims, 10, 11, 200));
	ck_assert(!stepaims_has(&aims, 20, 20, 100));
	ck_assert(!stepaims_has(&aims, 10, 10, 101));
	stepaims_fini(&aims);
	ck_assert(!stepaims_has(&aims, 10, 10, 100));
}
END_TEST

START_TEST(test_fork_and_drop)
{
	struct stepaims aims = { .n = 0 };

	for (uint64_t i = 0; i < 300; i++)
		stepaims_add(&aims, &(struct stepaim){ .pid = 10, .address = i });
	stepaims_add(&aims, &(struct stepaim){ .pid = 10, .address = 7 });
	ck_assert_uint_eq(aims.n, 300);
	stepaims_fork(&aims, 10, 20);
	stepaims_fork(&aims, 30, 40);
	ck_assert_uint_eq(aims.n, 600);
	/* each has its own from now on */
	ck_assert(stepaims_drop(&aims, 10));
	ck_assert(!stepaims_drop(&aims, 10));
	ck_assert(!stepaims_has(&aims, 10, 10, 299));
	ck_assert(stepaims_has(&aims, 20, 21, 299));
	ck_assert(stepaims_drop(&aims, 20));
	ck_assert_uint_eq(aims.n, 0);
	stepaims_fini(&aims);
}
END_TEST

SUITE_MAIN("soft/stepaim", test_first_thread, test_fork_and_drop)
