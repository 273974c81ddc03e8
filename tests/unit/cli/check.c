/* SPDX-License-Identifier: MIT */
#include "cli/check.h"

#include "support/suite.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* One point that is good and one that is not, with bytes that must not reach a terminal. */
static struct checkup *example(void)
{
	static struct checkup checkup = {
		.items = {
			{ .name = "fzf", .state = CHECKUP_GOOD, .what = { .msg = "/opt/\x1b[1m/fzf" } },
			{ .name = "perf_event_paranoid",
			  .state = CHECKUP_MISSING,
			  .what = { .msg = "it is 4", .hint = "make it \"2\"" } },
		},
		.n_items = 2,
		.mode = "sampling",
		.event = "cpu-clock",
		.result = { .msg = "stacks are sampled" },
	};

	return &checkup;
}

static char *printed(void (*print)(FILE *to, const struct checkup *checkup),
		     const struct checkup *checkup)
{
	char *text;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	ck_assert_ptr_nonnull(to);
	print(to, checkup);
	ck_assert_int_eq(fclose(to), 0);
	return text;
}

START_TEST(test_table)
{
	char *text = printed(check_print_table, example());

	ck_assert_str_eq(text, "fzf                   good     /opt/\\x1b[1m/fzf\n"
			       "perf_event_paranoid   missing  it is 4\n"
			       "                               make it \"2\"\n"
			       "\n"
			       "stacks are sampled\n");
	free(text);
}
END_TEST

START_TEST(test_nothing_can_be_recorded)
{
	struct checkup checkup = {
		.result = { .msg = "nothing can be recorded: no perf", .hint = "install it" },
	};
	char *text = printed(check_print_table, &checkup);

	ck_assert_str_eq(text, "\ninstall it\nnothing can be recorded: no perf\n");
	free(text);
	text = printed(check_print_json, &checkup);
	json_t *root = json_loads(text, 0, NULL);

	ck_assert(json_is_null(json_object_get(root, "records")));
	ck_assert(json_is_null(json_object_get(root, "event")));
	ck_assert_str_eq(json_string_value(json_object_get(root, "remedy")), "install it");
	ck_assert_uint_eq(json_array_size(json_object_get(root, "items")), 0);
	json_decref(root);
	free(text);
}
END_TEST

static const char *string(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

START_TEST(test_json)
{
	char *text = printed(check_print_json, example());
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *item;

	ck_assert_ptr_nonnull(root);
	ck_assert_str_eq(string(root, "records"), "sampling");
	ck_assert_str_eq(string(root, "event"), "cpu-clock");
	ck_assert_str_eq(string(root, "result"), "stacks are sampled");
	ck_assert(json_is_null(json_object_get(root, "remedy")));
	ck_assert_ptr_nonnull(string(root, "version"));
	ck_assert_uint_eq(json_array_size(json_object_get(root, "items")), 2);
	item = json_array_get(json_object_get(root, "items"), 1);
	ck_assert_str_eq(string(item, "name"), "perf_event_paranoid");
	ck_assert_str_eq(string(item, "state"), "missing");
	ck_assert_str_eq(string(item, "what"), "it is 4");
	ck_assert_str_eq(string(item, "remedy"), "make it \"2\"");
	json_decref(root);
	free(text);
}
END_TEST

/* A path need not be UTF-8; JSON has to be. */
START_TEST(test_json_of_odd_bytes)
{
	struct checkup checkup = { .result = { .msg = "in /tmp/\xff\xfe" } };
	char *text = printed(check_print_json, &checkup);
	json_t *root = json_loads(text, 0, NULL);

	ck_assert_str_eq(string(root, "result"), "in /tmp/\\xff\\xfe");
	json_decref(root);
	free(text);
}
END_TEST

SUITE_MAIN("check", test_table, test_nothing_can_be_recorded, test_json, test_json_of_odd_bytes)
