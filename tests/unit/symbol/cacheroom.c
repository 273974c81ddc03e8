/* SPDX-License-Identifier: MIT */
#include "symbol/cacheroom.h"

#include "support/scratch.h"
#include "support/suite.h"

/* What a killed process had begun goes; what may be another's work in hand stays. */
START_TEST(test_unfinished)
{
	struct scratch s;

	scratch_init(&s);
	ck_assert_int_eq(scratch_run(&s, "mkdir -p a/cache && cd a/cache && "
					 "touch aa.tables.qwerty aa.tables && "
					 "touch -d '2 days ago' bb.tables.qwerty bb.tables "
					 "bb.tables-qwerty bb.tables.qwert .tables.qwerty"),
			 0);
	cacheroom_make(scratch_path(&s, "a/cache"), UINT64_MAX);
	ck_assert(!scratch_has(&s, "a/cache/bb.tables.qwerty"));
	ck_assert(scratch_has(&s, "a/cache/aa.tables.qwerty"));
	ck_assert(scratch_has(&s, "a/cache/aa.tables"));
	ck_assert(scratch_has(&s, "a/cache/bb.tables"));
	ck_assert(scratch_has(&s, "a/cache/bb.tables-qwerty"));
	ck_assert(scratch_has(&s, "a/cache/bb.tables.qwert"));
	ck_assert(scratch_has(&s, "a/cache/.tables.qwerty"));
	scratch_fini(&s);
}
END_TEST

/* The oldest go until the others fit, and no more of them. */
START_TEST(test_room)
{
	struct scratch s;

	scratch_init(&s);
	ck_assert_int_eq(scratch_run(&s, "truncate -s 100 aa.tables bb.tables cc.tables other && "
					 "touch -d '2 days ago' bb.tables && "
					 "touch -d '3 days ago' cc.tables other && "
					 "ln -s other dd.tables && mkdir ee.tables"),
			 0);
	cacheroom_make(s.dir, 300);
	ck_assert_uint_eq(scratch_count(&s), 6);
	cacheroom_make(s.dir, 299);
	ck_assert(!scratch_has(&s, "cc.tables"));
	ck_assert_uint_eq(scratch_count(&s), 5);
	cacheroom_make(s.dir, 0);
	ck_assert(scratch_has(&s, "other"));
	ck_assert_uint_eq(scratch_count(&s), 3);
	cacheroom_make(scratch_path(&s, "none"), 0);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("symbol/cacheroom", test_unfinished, test_room)
