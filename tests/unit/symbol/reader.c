/* SPDX-License-Identifier: MIT */
#include "symbol/reader.h"

#include "support/random.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "symbol/dso.h"
#include "symbol/elfopen.h"
#include "symbol/filetable.h"
#include "symbol/regular.h"
#include "symbol/unittable.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <sys/wait.h>

static void compile(struct scratch *s)
{
	scratch_init(s);
	scratch_put(s, "p.c",
		    "__attribute__((noinline)) int f(int a) { return a + 1; }\n"
		    "int main(int c, char **v) { (void)v; return f(c); }\n");
	ck_assert_int_eq(scratch_run(s, "gcc -g -O1 -w p.c -o p"), 0);
}

static const struct reader_limits usual = READER_LIMITS;

static struct reader *start_limited(struct scratch *s, const struct reader_limits *limits)
{
	struct err err = ERR_INIT;
	struct reader *reader;
	int fd;

	compile(s);
	fd = regular_open(scratch_path(s, "p"), NULL, &err);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(reader_start(fd, scratch_path(s, "p"), false, limits, &reader, &err), 0);
	close(fd);
	return reader;
}

static struct reader *start(struct scratch *s)
{
	return start_limited(s, &usual);
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
	ck_assert_msg(reader_file(reader, false, &blob, &err) == 0, "%s", err.msg);
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
	ck_assert_ptr_nonnull(strstr(err.msg, "/p: its debug info has no unit at 0xff"));
	ck_assert(!reader_is_dead(reader));
	/* the same file without it */
	ck_assert_int_eq(reader_file(reader, true, &blob, &err), 0);
	ck_assert(filetable_check(blob.p, blob.n, &file));
	ck_assert_uint_ge(file.n_symbols, 2);
	blob_fini(&blob);
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
		{ SIGPROF, "did not end in 120 s" },
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
		ck_assert_int_eq(reader_file(reader, false, &blob, &err), -1);
		ck_assert_msg(strstr(err.msg, deaths[i].why) != NULL, "%s", err.msg);
		ck_assert_ptr_nonnull(strstr(err.msg, "/p: "));
		/* once and for all */
		ck_assert_int_eq(reader_unit(reader, 1, &blob, &whole, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.msg, "before"));
		ck_assert(reader_is_dead(reader));
		reader_stop(reader);
		ck_assert_int_eq(kill(pid, 0), -1);
		scratch_fini(&s);
	}
}
END_TEST

/* The CPU time of a process, in ms. */
static long cpu_of(pid_t pid)
{
	unsigned long user, system;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	/* proc_pid_stat(5): utime and stime; the name has no blank */
	ck_assert_int_eq(fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
				&user, &system),
			 2);
	fclose(file);
	return (long)(user + system) * 1000 / sysconf(_SC_CLK_TCK);
}

/* Each answer may take as long, however many there were before. */
START_TEST(test_cpu_of_each)
{
	struct reader_limits limits = usual;
	struct err err = ERR_INIT;
	struct reader *reader;
	struct blob blob;
	struct scratch s;
	bool whole;
	pid_t pid;

	limits.file_cpu = limits.unit_cpu = 100;
	reader = start_limited(&s, &limits);
	pid = child_of();
	for (int i = 0; i < 1000000 && cpu_of(pid) < 4 * limits.unit_cpu; i++) {
		ck_assert_int_eq(reader_unit(reader, UINT64_MAX, &blob, &whole, &err), -1);
		ck_assert_msg(!reader_is_dead(reader), "%s", err.msg);
	}
	ck_assert_int_ge(cpu_of(pid), 4 * limits.unit_cpu);
	reader_stop(reader);
	scratch_fini(&s);
}
END_TEST

/* One that is silent is ended. */
START_TEST(test_patience)
{
	struct reader_limits limits = usual;
	struct err err = ERR_INIT;
	struct reader *reader;
	struct blob blob;
	struct scratch s;
	pid_t pid;

	limits.file_wait = 10;
	reader = start_limited(&s, &limits);
	pid = child_of();
	ck_assert_int_eq(kill(pid, SIGSTOP), 0);
	ck_assert_int_eq(reader_file(reader, false, &blob, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "/p: reading it took too long"));
	ck_assert(reader_is_dead(reader));
	ck_assert_int_eq(kill(pid, 0), -1);
	reader_stop(reader);
	scratch_fini(&s);
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

/* Asks for all there is. The functions are there, since the symbol table is not damaged. */
static void ask_all(const char *path)
{
	struct err err = ERR_INIT;
	int fd = regular_open(path, NULL, &err);
	struct dso *dso = dso_open(fd, path, "", NULL, false);
	const struct filetable *table = dso_file(dso, &err);
	unsigned found = 0;

	ck_assert_msg(table != NULL, "%s", err.msg);
	for (size_t i = 0; i < table->n_symbols; i++) {
		const char *name = filetable_name(table, &table->symbols[i]);

		found += strcmp(name, "f") == 0 || strcmp(name, "main") == 0;
	}
	ck_assert_uint_eq(found, 2);
	for (size_t i = 0; i < table->n_units; i++)
		dso_unit(dso, table->units[i].start);
	if (dso_trouble(dso))
		ck_assert_ptr_nonnull(strstr(dso_trouble(dso)->msg, path));
	dso_close(dso);
}

/* Where the sections of debug info lie, which linkers put one behind the other. */
static void debug_part(const char *path, off_t *start, off_t *end)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elfopen(fd, path, NULL);
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	size_t names;

	*start = *end = 0;
	ck_assert_int_eq(elf_getshdrstrndx(elf, &names), 0);
	while ((section = elf_nextscn(elf, section))) {
		ck_assert_ptr_nonnull(gelf_getshdr(section, &head));
		if (strncmp(elf_strptr(elf, names, head.sh_name), ".debug_", 7) != 0)
			continue;
		*start = *start ? *start : (off_t)head.sh_offset;
		*end = (off_t)(head.sh_offset + head.sh_size);
	}
	ck_assert_int_gt(*end - *start, 100);
	elf_end(elf);
	close(fd);
}

/* Programs whose debug info is damaged: whatever happens to the reader, nothing happens to us. */
START_TEST(test_damaged)
{
	uint64_t random = 1;
	struct scratch s;
	off_t start, end;
	char *whole;
	size_t n;

	compile(&s);
	debug_part(scratch_path(&s, "p"), &start, &end);
	whole = scratch_get(scratch_path(&s, "p"), &n);
	for (int round = 0; round < 150; round++) {
		int fd = open(scratch_path(&s, "p"), O_RDWR | O_TRUNC | O_CLOEXEC);

		ck_assert_int_eq(pwrite(fd, whole, n, 0), (ssize_t)n);
		for (size_t i = 0; i < 30; i++) {
			uint64_t value = next_random(&random);
			uint64_t at = below(&random, (uint64_t)(end - start) - 4);

			ck_assert_int_eq(pwrite(fd, &value, 4, start + (off_t)at), 4);
		}
		close(fd);
		ask_all(scratch_path(&s, "p"));
	}
	free(whole);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("symbol/reader", test_tables, test_deaths, test_cpu_of_each, test_patience, test_alone,
	   test_damaged)
