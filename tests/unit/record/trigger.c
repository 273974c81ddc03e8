/* SPDX-License-Identifier: MIT */
/* Real breakpoints, in a child of this program that calls a function each time that it is told. */
#include "record/trigger.h"

#include "record/bpevent.h"
#include "record/bpsource.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct err err, warned;
static char said[1024];
static pid_t child;
static int to_child, from_child;
static struct recording *rec;

static void on_say(void *ctx, const char *line)
{
	(void)ctx;
	ck_assert_uint_lt(strlen(line), sizeof(said));
	strcpy(said, line);
}

static void on_warn(void *ctx, const struct err *what)
{
	(void)ctx;
	warned = *what;
}

static const struct listener listener = { .say = on_say, .warn = on_warn };

__attribute__((noinline)) static void trigger_test_hit(uint64_t di, uint64_t si)
{
	__asm__ volatile("" : : "r"(di), "r"(si) : "memory");
}

/* A number: so many calls, with 1 to that as their second arguments; 'x': another program. */
static void be_child(int in, int out)
{
	char *argv[] = { (char[]){ "sleep" }, (char[]){ "1000" }, NULL };
	int calls;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(in, &calls, sizeof(calls)) == sizeof(calls)) {
		if (calls < 0)
			execvp(argv[0], argv);
		for (int i = 1; i <= calls; i++)
			trigger_test_hit(0, (uint64_t)i);
		if (write(out, &calls, sizeof(calls)) < 0)
			break;
	}
	_exit(1);
}

static void set_up(void)
{
	int in[2], out[2];

	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		be_child(in[0], out[1]);
	to_child = in[1];
	from_child = out[0];
	rec = recording_new();
}

static struct trigger *make(const char *text)
{
	struct trigger *trigger = NULL;

	ck_assert_msg(trigger_new(text, bpsource_new(), &trigger, &err) == 0, "%s", err.msg);
	return trigger;
}

static void tear_down(struct trigger *trigger)
{
	trigger_free(trigger);
	recording_free(rec);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

static void tell(int calls)
{
	ck_assert_int_eq(write(to_child, &calls, sizeof(calls)), sizeof(calls));
}

/* So many calls, which have been made when this returns. */
static void call(int calls)
{
	tell(calls);
	ck_assert_int_eq(read(from_child, &calls, sizeof(calls)), sizeof(calls));
}

static void wait_for_hit(const struct trigger *trigger)
{
	struct pollfd p = { .fd = trigger_fd(trigger), .events = POLLIN };

	ck_assert_int_eq(poll(&p, 1, -1), 1);
}

START_TEST(test_wrong_selections)
{
	struct trigger *trigger;

	ck_assert_int_eq(trigger_new("", bpsource_new(), &trigger, &err), -1);
	ck_assert_int_eq(trigger_new("line:nothing", bpsource_new(), &trigger, &err), -1);
	ck_assert_str_ne(err.msg, "");
}
END_TEST

START_TEST(test_a_name_that_is_not_there)
{
	struct trigger *trigger;

	set_up();
	trigger = make("trigger_test_hti");
	ck_assert_int_eq(trigger_add(trigger, child, false, &err), LOCATE_ABSENT);
	ck_assert_ptr_nonnull(strstr(err.msg, "trigger_test_hti"));
	ck_assert_ptr_nonnull(strstr(err.hint, "trigger_test_hit"));
	ck_assert_int_eq(trigger_fd(trigger), -1);
	tear_down(trigger);
}
END_TEST

static struct trigger *set(bool all_threads)
{
	struct trigger *trigger = make("trigger_test_hit");

	ck_assert_msg(trigger_add(trigger, child, all_threads, &err) == LOCATE_FOUND, "%s",
		      err.msg);
	ck_assert_str_eq(trigger_symbol(trigger), "trigger_test_hit");
	return trigger;
}

/* The first hit is not missed, and only taken when it is armed. */
START_TEST(test_a_hit)
{
	struct trigger *trigger;
	char line[128];

	set_up();
	trigger = set(_i);
	trigger_tell(trigger, &listener);
	snprintf(line, sizeof(line), "[ Attaching to trigger_test_hit @ 0x%llx ]",
		 (unsigned long long)(uintptr_t)trigger_test_hit);
	ck_assert_str_eq(said, line);
	call(3);
	ck_assert(!trigger_step(trigger, rec, &listener));
	trigger_arm(trigger);
	call(1);
	wait_for_hit(trigger);
	ck_assert(trigger_step(trigger, rec, &listener));
	snprintf(line, sizeof(line), "[ Thread %d called trigger_test_hit. ]", (int)child);
	ck_assert_str_eq(said, line);
	ck_assert_uint_eq(rec->n_hits, 1);
	ck_assert_int_eq(rec->hits[0].tid, child);
	ck_assert_uint_eq(rec->hits[0].ip, (uintptr_t)trigger_test_hit);
	ck_assert_str_eq(rec->hits[0].symbol, "trigger_test_hit");
	/* it is off until it is armed again */
	call(3);
	ck_assert(!trigger_step(trigger, rec, &listener));
	ck_assert_uint_eq(rec->n_hits, 1);
	trigger_arm(trigger);
	call(1);
	wait_for_hit(trigger);
	ck_assert(trigger_step(trigger, rec, &listener));
	ck_assert_uint_eq(rec->n_hits, 2);
	ck_assert_int_gt(rec->hits[1].time, rec->hits[0].time);
	tear_down(trigger);
}
END_TEST

/* A hot function: the first few of a thousand hits are enough; with one thread, the first. */
START_TEST(test_many_hits)
{
	struct trigger *trigger;

	set_up();
	trigger = set(_i);
	trigger_arm(trigger);
	call(1000);
	wait_for_hit(trigger);
	ck_assert(trigger_step(trigger, rec, &listener));
	while (trigger_step(trigger, rec, &listener))
		;
	ck_assert_uint_ge(rec->n_hits, 1);
	ck_assert_uint_le(rec->n_hits, _i ? 16 : 1);
	for (size_t i = 0; i < rec->n_hits; i++)
		ck_assert_uint_eq(rec->hits[i].arg, i + 1);
	tear_down(trigger);
}
END_TEST

/* While a snapshot is taken nobody wants them. */
START_TEST(test_hits_are_dropped)
{
	struct trigger *trigger;

	set_up();
	trigger = set(_i);
	trigger_arm(trigger);
	call(1);
	wait_for_hit(trigger);
	strcpy(said, "");
	ck_assert(!trigger_step(trigger, NULL, &listener));
	ck_assert_uint_eq(rec->n_hits, 0);
	ck_assert_str_eq(said, "");
	tear_down(trigger);
}
END_TEST

START_TEST(test_another_program_has_none)
{
	struct pollfd p = { .events = POLLIN };
	struct trigger *trigger;

	set_up();
	trigger = set(_i);
	trigger_arm(trigger);
	tell(-1);
	while (!warned.msg[0]) {
		p.fd = trigger_fd(trigger);
		poll(&p, 1, trigger_wait(trigger));
		ck_assert(!trigger_step(trigger, rec, &listener));
	}
	ck_assert_ptr_nonnull(strstr(warned.msg, "executed another program"));
	ck_assert_ptr_nonnull(strstr(warned.msg, "trigger_test_hit"));
	ck_assert_int_eq(trigger_wait(trigger), -1);
	tear_down(trigger);
}
END_TEST

START_TEST(test_no_process)
{
	struct trigger *trigger;

	set_up();
	trigger = make("trigger_test_hit");
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_int_ne(trigger_add(trigger, child, false, &err), LOCATE_FOUND);
	ck_assert_str_ne(err.msg, "");
	trigger_free(trigger);
	trigger_free(NULL);
	recording_free(rec);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("trigger");
	Suite *suite = suite_create("trigger");
	SRunner *runner = srunner_create(suite);
	int fd = bpevent_open(0, -1, (uint64_t)(uintptr_t)trigger_test_hit), failures;

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_wrong_selections);
	tcase_add_test(tcase, test_a_name_that_is_not_there);
	if (fd >= 0) {
		close(fd);
		tcase_add_loop_test(tcase, test_a_hit, 0, 2);
		tcase_add_loop_test(tcase, test_many_hits, 0, 2);
		tcase_add_loop_test(tcase, test_hits_are_dropped, 0, 2);
		tcase_add_test(tcase, test_another_program_has_none);
		tcase_add_test(tcase, test_no_process);
	} else {
		printf("SKIP trigger: perf_event_open: %s\n", strerror(errno));
	}
	srunner_run_all(runner, CK_ENV);
	failures = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
