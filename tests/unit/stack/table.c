/* SPDX-License-Identifier: MIT */
#include "stack/table.h"

#include "support/suite.h"

START_TEST(test_many_threads)
{
	struct shared shared = { 0 };
	struct table table;
	struct thread *th[500];
	int32_t i;

	shared.config.pool = spool_pool_new(4096);
	table_init(&table);
	for (i = 0; i < 500; i++)
		th[i] = table_thread(&table, &shared, i / 10, i);
	for (i = 499; i >= 0; i--)
		ck_assert_ptr_eq(table_thread(&table, &shared, i / 10, i), th[i]);
	/* a tid of two processes is two threads; 0 is a thread like others */
	ck_assert_ptr_ne(table_thread(&table, &shared, 77, 5), th[5]);
	ck_assert_ptr_eq(table_thread(&table, &shared, 0, 0), th[0]);
	ck_assert_uint_eq(table.n, 501);
	for (i = 0; i < 500; i++)
		ck_assert_ptr_eq(table.threads[i], th[i]);
	table_fini(&table);
	spool_pool_free(shared.config.pool);
}
END_TEST

SUITE_MAIN("stack/table", test_many_threads)
