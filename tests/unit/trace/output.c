/* SPDX-License-Identifier: MIT */
#include "trace/output.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

static struct scratch s;
static struct err err;

static struct output *open_output(const char *name)
{
	struct output *out = NULL;

	err = (struct err)ERR_INIT;
	ck_assert_msg(output_open(scratch_path(&s, name), &out, &err) == 0, "%s", err.msg);
	return out;
}

/* Fills and hands over blocks of many sizes; returns how many words, *p being the last block. */
static uint64_t fill(struct output *out, unsigned blocks, uint64_t **p, size_t *last)
{
	uint64_t total = 0;
	unsigned i;
	size_t k;

	*p = output_first(out);
	for (i = 0;; i++) {
		*last = i * 977 % (OUTPUT_BLOCK_WORDS + 1);
		for (k = 0; k < *last; k++)
			(*p)[k] = total++;
		if (i == blocks)
			return total;
		*p = output_next(out, *last);
	}
}

/* Far more blocks than there are at a time arrive all, and in order. */
START_TEST(test_all_arrive_in_order)
{
	struct output *out;
	uint64_t total, i, bytes, *p;
	size_t last, n;
	char *data;

	scratch_init(&s);
	out = open_output("a.fxt");
	total = fill(out, 200, &p, &last);
	ck_assert_int_eq(output_error(out, &err), 0);
	ck_assert_int_eq(output_finish(out, last, &bytes, &err), 0);
	data = scratch_get(scratch_path(&s, "a.fxt"), &n);
	ck_assert_uint_eq(n, total * 8);
	ck_assert_uint_eq(bytes, n);
	for (i = 0; i < total && memcmp(data + i * 8, &i, 8) == 0; i++)
		;
	ck_assert_uint_eq(i, total);
	free(data);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_nothing)
{
	struct output *out;
	uint64_t bytes;
	size_t n;

	scratch_init(&s);
	out = open_output("a.fxt");
	ck_assert_int_eq(output_finish(out, 0, &bytes, &err), 0);
	free(scratch_get(scratch_path(&s, "a.fxt"), &n));
	ck_assert_uint_eq(n, 0);
	ck_assert_uint_eq(bytes, 0);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_abort)
{
	struct output *out;
	uint64_t *p;
	size_t last;

	scratch_init(&s);
	scratch_put(&s, "a.fxt.gz", "old");
	out = open_output("a.fxt.gz");
	fill(out, 50, &p, &last);
	output_abort(out);
	ck_assert(scratch_holds(&s, "a.fxt.gz", "old"));
	ck_assert_uint_eq(scratch_count(&s), 1);
	scratch_fini(&s);
}
END_TEST

/* After the first failure the writer still goes on at full speed, and is told at the end. */
static void disk_full(const char *name)
{
	struct output *out;
	uint64_t *p, bytes;
	size_t last;

	ck_assert_int_eq(symlink("/dev/full", scratch_path(&s, name)), 0);
	out = open_output(name);
	fill(out, 100, &p, &last);
	err = (struct err)ERR_INIT;
	ck_assert_int_eq(output_finish(out, last, &bytes, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(ENOSPC)));
	ck_assert_ptr_nonnull(strstr(err.msg, name));
}

START_TEST(test_disk_full)
{
	scratch_init(&s);
	disk_full("a.fxt");
	disk_full("a.fxt.gz");
	disk_full("a.fxt.zst");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_error_is_seen_before_the_end)
{
	struct output *out;
	uint64_t *p;
	size_t last;

	scratch_init(&s);
	ck_assert_int_eq(symlink("/dev/full", scratch_path(&s, "a.fxt")), 0);
	out = open_output("a.fxt");
	/* Block 1 has failed by the time that 8 more have been taken. */
	fill(out, 20, &p, &last);
	err = (struct err)ERR_INIT;
	ck_assert_int_eq(output_error(out, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(ENOSPC)));
	ck_assert_int_eq(output_error(out, NULL), -1);
	output_abort(out);
	scratch_fini(&s);
}
END_TEST

static volatile sig_atomic_t handled;

static void on_signal(int sig)
{
	(void)sig;
	handled = 1;
}

/* A signal that the main thread holds back waits for it: the other one does not take it. */
START_TEST(test_thread_takes_no_signals)
{
	struct output *out;
	sigset_t set, pending;
	uint64_t *p;
	size_t last;

	scratch_init(&s);
	ck_assert_ptr_ne(signal(SIGUSR1, on_signal), SIG_ERR);
	out = open_output("a.fxt");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR1);
	/* The thread has worked off blocks when this is done. */
	fill(out, 20, &p, &last);
	sigpending(&pending);
	ck_assert_int_eq(sigismember(&pending, SIGUSR1), 1);
	ck_assert_int_eq(handled, 0);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	ck_assert_int_eq(handled, 1);
	output_abort(out);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_refused)
{
	struct output *out = NULL;

	scratch_init(&s);
	ck_assert_int_eq(output_open(scratch_path(&s, "a.json"), &out, &err), -1);
	ck_assert_int_eq(output_open(scratch_path(&s, "none/a.fxt"), &out, &err), -1);
	ck_assert_ptr_null(out);
	ck_assert_uint_eq(scratch_count(&s), 0);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("trace/output", test_all_arrive_in_order, test_nothing, test_abort, test_disk_full,
	   test_error_is_seen_before_the_end, test_thread_takes_no_signals, test_refused)
