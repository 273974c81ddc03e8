/* SPDX-License-Identifier: MIT */
#include "perf/version.h"

#include "base/num.h"
#include "perf/process.h"
#include "perf/scan.h"

#include <limits.h>
#include <string.h>
#include <sys/wait.h>

/* It answers at once, unless its file system does not. */
#define PATIENCE_MS 10000
/* What is read of its answer. */
#define ANSWER_MAX 512

static bool read_number(struct str *s, unsigned int *n)
{
	uint64_t v;

	if (!num_dec(s, &v) || v > UINT_MAX)
		return false;
	*n = (unsigned int)v;
	return true;
}

bool perf_version_parse(struct perf_version *version, struct str text)
{
	struct perf_version v = { .major = 0 };
	struct str rest;
	size_t n = 0;

	if (!scan_word(&text, STR("perf version ")))
		return false;
	scan_blanks(&text);
	rest = text;
	if (!read_number(&rest, &v.major) || !scan_word(&rest, STR(".")) ||
	    !read_number(&rest, &v.minor))
		return false;
	while (n < text.n && n < sizeof(v.text) - 1 && text.p[n] > ' ' && text.p[n] <= '~')
		n++;
	memcpy(v.text, text.p, n);
	*version = v;
	return true;
}

bool perf_version_at_least(const struct perf_version *version, unsigned int major,
			   unsigned int minor)
{
	return version->major > major || (version->major == major && version->minor >= minor);
}

/* Reads the answer of a perf that has ended; how much there was. */
static size_t read_answer(struct perf_process *p, char answer[ANSWER_MAX])
{
	size_t n = 0;
	ssize_t got;

	while (n < ANSWER_MAX && (got = perf_process_read(p, answer + n, ANSWER_MAX - n, NULL)) > 0)
		n += (size_t)got;
	return n;
}

static int understand(const char *perf, struct perf_process *p, struct perf_version *version,
		      struct err *err)
{
	char answer[ANSWER_MAX];
	struct str text = { .p = answer, .n = read_answer(p, answer) };
	const char *nl = memchr(answer, '\n', text.n);
	int status = perf_process_reap(p);

	if (nl)
		text.n = (size_t)(nl - answer);
	if (WIFSIGNALED(status))
		return perf_process_fail(p, err, "`%s version` was killed by signal %d (%s)", perf,
					 WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (status)
		return perf_process_fail(p, err, "`%s version` failed (exit status %d)", perf,
					 WEXITSTATUS(status));
	if (perf_version_parse(version, text))
		return 0;
	if (!text.n)
		return perf_process_fail(p, err, "`%s version` names no version", perf);
	err_set(err, "`%s version` names no version, but says: %.*s", perf, (int)text.n, text.p);
	return err_hint(err, "MAGIC_TRACE_PERF_PATH names the perf to use");
}

int perf_version_get_within(const char *perf, unsigned int ms, struct perf_version *version,
			    struct err *err)
{
	char *const argv[] = { (char *)perf, (char *)"version", NULL };
	struct perf_process_args args = { .argv = argv, .mode = PERF_SAMPLING };
	struct perf_process *p;
	int failed;

	if (perf_process_start(&args, &p, err))
		return -1;
	if (perf_process_wait(p, ms)) {
		failed = understand(perf, p, version, err);
	} else {
		perf_process_reap(p);
		failed = perf_process_fail(p, err, "`%s version` did not answer within %u s", perf,
					   (ms + 999) / 1000);
	}
	perf_process_free(p);
	return failed;
}

int perf_version_get(const char *perf, struct perf_version *version, struct err *err)
{
	return perf_version_get_within(perf, PATIENCE_MS, version, err);
}
