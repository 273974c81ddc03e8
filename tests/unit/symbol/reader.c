/* SPDX-License-Identifier: MIT */
#include "symbol/reader.h"

#include "support/random.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "symbol/dso.h"
#include "symbol/filetable.h"
#include "symbol/regular.h"
#include "symbol/unittable.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static void compile(struct scratch *s)
{
	scratch_init(s);
	scratch_put(s, "p.c",
		    "static int f(int a) { return a + 1; }\n"
		    "int main(int c, char **v) { (void)v; return f(c); }\n");
	ck_assert_int_eq(scratch_run(s, "gcc -g -O1 -w p.c -o p"), 0);
}

static struct reader *start(struct scratch *s)
{
	struct err err = ERR_INIT;
	struct reader *reader;
	int fd;

	compile(s);
	fd = regular_open(scratch_path(s, "p"), NULL, &err);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(reader_start(fd, scratch_path(s, "p"), false, &reader, &err), 0);
	close(fd);
	return reader;
}

START_TEST(test_tables)
{
	struct unittable unit;
	struct filetable file;
	struct err err = ERR_INIT;
	struct reader *reader;
	struct blob blob;
	struct scratch s;
	uint64_t number;
	bool whole;

	reader = start(&s);
	ck_assert_msg(reader_file(reader, &blob, &err) == 0, "%s", err.msg);
	ck_assert(filetable_check(blob.p, blob.n, &file));
	ck_assert_uint_ge(file.n_units, 1);
	ck_assert(file.flags & FILETABLE_DWARF);
	number = file.units[0].owner;
	blob_fini(&blob);
	ck_assert_int_eq(reader_unit(reader, number, &blob, &whole, &err), 0);
	ck_assert(whole);
	ck_assert(unittable_check(blob.p, blob.n, &unit));
	ck_assert_uint_ge(unit.n_scopes, 1);
	blob_fini(&blob);
	/* numbers that it has not given */
	ck_assert_int_eq(reader_unit(reader, UINT64_MAX, &blob, &whole, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "no such unit"));
	reader_stop(reader);
	reader_stop(NULL);
	scratch_fini(&s);
}
END_TEST

/* The process that we have for it. */
static pid_t child_of(void)
{
	char path[64];
	FILE *file;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%d", &pid), 1);
	fclose(file);
	return pid;
}

/* However it ends, we go on, and say why. */
START_TEST(test_deaths)
{
	static const struct {
		int signal;
		const char *why;
	} deaths[] = {
#ifndef __SANITIZE_ADDRESS__
		/* which has handlers for these, that report and exit */
		{ SIGSEGV, "crashed (signal 11" },
		{ SIGBUS, "crashed (signal 7" },
#endif
		{ SIGXCPU, "did not end in 60 s" },
		{ SIGKILL, "crashed (signal 9" },
	};

	for (size_t i = 0; i < sizeof(deaths) / sizeof(*deaths); i++) {
		struct err err = ERR_INIT;
		struct reader *reader;
		struct blob blob;
		struct scratch s;
		siginfo_t info;
		bool whole;
		pid_t pid;

		reader = start(&s);
		pid = child_of();
		kill(pid, deaths[i].signal);
		ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
		ck_assert_int_eq(reader_file(reader, &blob, &err), -1);
		ck_assert_msg(strstr(err.msg, deaths[i].why) != NULL, "%s", err.msg);
		ck_assert_ptr_nonnull(strstr(err.msg, "/p: "));
		/* once and for all */
		ck_assert_int_eq(reader_unit(reader, 1, &blob, &whole, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.msg, "before"));
		reader_stop(reader);
		ck_assert_int_eq(kill(pid, 0), -1);
		scratch_fini(&s);
	}
}
END_TEST

/* It ends with us, and holds none of our files open. */
START_TEST(test_alone)
{
	struct reader *reader;
	struct scratch s;
	int pipes[2];
	char byte;

	ck_assert_int_eq(pipe(pipes), 0);
	reader = start(&s);
	close(pipes[1]);
	/* it would wait for ever if the reader had the other end */
	ck_assert_int_eq(read(pipes[0], &byte, 1), 0);
	close(pipes[0]);
	reader_stop(reader);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	scratch_fini(&s);
}
END_TEST

static void ask_all(const char *path)
{
	struct err err = ERR_INIT;
	int fd = regular_open(path, NULL, &err);
	struct dso *dso = dso_open(fd, path, "", NULL, false);
	const struct filetable *table = dso_file(dso, &err);

	ck_assert(table || err.msg[0]);
	for (size_t i = 0; table && i < table->n_units; i++)
		dso_unit(dso, table->units[i].start);
	ck_assert(!dso_trouble(dso) || dso_trouble(dso)->msg[0]);
	dso_close(dso);
}

/* Programs whose debug info is damaged: whatever happens to the reader, nothing happens to us. */
START_TEST(test_damaged)
{
	uint64_t random = 1;
	struct scratch s;
	char *whole;
	size_t n;

	compile(&s);
	whole = scratch_get(scratch_path(&s, "p"), &n);
	for (int round = 0; round < 150; round++) {
		int fd = open(scratch_path(&s, "p"), O_RDWR | O_TRUNC | O_CLOEXEC);

		ck_assert_int_eq(pwrite(fd, whole, n, 0), (ssize_t)n);
		/* the debug sections lie in the second half of the file */
		for (size_t i = 0; i < 30; i++) {
			uint64_t value = next_random(&random);

			ck_assert_int_eq(
				pwrite(fd, &value, 4, (off_t)(n / 2 + below(&random, n / 2 - 4))),
				4);
		}
		close(fd);
		ask_all(scratch_path(&s, "p"));
	}
	free(whole);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("symbol/reader", test_tables, test_deaths, test_alone, test_damaged)
