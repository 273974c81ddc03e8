/* SPDX-License-Identifier: MIT */
/*
 * Programs are compiled. The truth: bytes that stand in the code of each, which are looked for in
 * the process's memory and in the files.
 */
#include "record/rehearsal.h"

#include "base/procmaps.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

static struct scratch s;
static struct err err;
static struct rehearsal *rehearsal;

/* In the sources they are numbers, so that nothing but the code has them. */
#define MARK_OF_PROGRAM "MARKofPROGRAM"
#define MARK_OF_LIBRARY "MARKofLIBRARY"

static void put_mark(const char *name, const char *mark, const char *more)
{
	char text[2000], *end = text;

	end += sprintf(end, "int %s(void);\nasm(\".text\\n", name);
	for (; *mark; mark++)
		end += sprintf(end, ".byte %d\\n", *mark);
	sprintf(end,
		"\");\n#include <fcntl.h>\n#include <unistd.h>\n"
		"__attribute__((constructor)) static void began(void)\n"
		"{ close(open(\"ran\", O_CREAT | O_WRONLY, 0600)); }\n%s\n",
		more);
	scratch_put(&s, "m.c", text);
}

static void set_up(void)
{
	err = (struct err)ERR_INIT;
	scratch_init(&s);
	ck_assert_int_eq(chdir(s.dir), 0);
	put_mark("f", MARK_OF_LIBRARY, "int f(void) { return 3; }");
	ck_assert_int_eq(scratch_run(&s, "gcc -shared -fPIC -o libmark.so m.c"), 0);
	put_mark("f", MARK_OF_PROGRAM, "int main(void) { return f(); }");
	ck_assert_int_eq(scratch_run(&s, "gcc -o p m.c -L. -lmark -Wl,-rpath,\"$PWD\""), 0);
}

/* Nothing has run, nothing is left. */
static void tear_down(void)
{
	ck_assert(!scratch_has(&s, "ran"));
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG | __WALL), -1);
	ck_assert_int_eq(errno, ECHILD);
	scratch_fini(&s);
}

static void begin(const char *program)
{
	static char *argv[] = { NULL, NULL };

	argv[0] = (char *)program;
	ck_assert_msg(rehearsal_begin(argv, &rehearsal, &err) == 0, "%s", err.msg);
}

static bool find(const char *bytes, size_t n, const char *mark, uint64_t *at)
{
	const char *found = memmem(bytes, n, mark, strlen(mark));

	*at = found ? (uint64_t)(found - bytes) : 0;
	return found != NULL;
}

/* Where the code of a process has the mark; 0: nowhere. */
static uint64_t address_of(const char *mark)
{
	struct procmaps maps;
	uint64_t address = 0, at;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)rehearsal_pid(rehearsal));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(procmaps_read(rehearsal_pid(rehearsal), &maps, &err), 0);
	for (size_t i = 0; i < maps.n; i++) {
		const struct mapping *m = &maps.all[i];
		char *bytes = malloc(m->end - m->start);
		ssize_t n = pread(fd, bytes, m->end - m->start, (off_t)m->start);

		if (m->executable && n > 0 && find(bytes, (size_t)n, mark, &at))
			address = m->start + at;
		free(bytes);
	}
	procmaps_fini(&maps);
	close(fd);
	return address;
}

static void expect_place(const char *mark, const char *name)
{
	uint64_t address = address_of(mark), offset, want;
	char *file, *bytes;
	size_t n;

	ck_assert_uint_ne(address, 0);
	ck_assert_msg(rehearsal_place(rehearsal, address, &file, &offset, &err) == 0, "%s",
		      err.msg);
	ck_assert_str_eq(file, scratch_path(&s, name));
	bytes = scratch_get(file, &n);
	ck_assert(find(bytes, n, mark, &want));
	ck_assert_uint_eq(offset, want);
	free(bytes);
	free(file);
}

START_TEST(test_program_and_libraries)
{
	pid_t before;

	set_up();
	begin("./p");
	before = rehearsal_pid(rehearsal);
	expect_place(MARK_OF_PROGRAM, "p");
	ck_assert_uint_eq(address_of(MARK_OF_LIBRARY), 0);
	ck_assert_msg(rehearsal_load(rehearsal, &err) == 0, "%s", err.msg);
	ck_assert_int_ne(rehearsal_pid(rehearsal), before);
	expect_place(MARK_OF_PROGRAM, "p");
	expect_place(MARK_OF_LIBRARY, "libmark.so");
	rehearsal_end(rehearsal);
	tear_down();
}
END_TEST

START_TEST(test_without_load)
{
	set_up();
	begin("./p");
	rehearsal_end(rehearsal);
	tear_down();
}
END_TEST

/* Not one that is started with PATH, nor a script, is another program than the kernel runs. */
START_TEST(test_script)
{
	set_up();
	scratch_put(&s, "script", "#!./p\n");
	ck_assert_int_eq(chmod(scratch_path(&s, "script"), 0755), 0);
	setenv("PATH", s.dir, 1);
	begin("script");
	expect_place(MARK_OF_PROGRAM, "p");
	ck_assert_msg(rehearsal_load(rehearsal, &err) == 0, "%s", err.msg);
	expect_place(MARK_OF_LIBRARY, "libmark.so");
	rehearsal_end(rehearsal);
	setenv("PATH", "/usr/bin:/bin", 1);
	tear_down();
}
END_TEST

START_TEST(test_no_place)
{
	uint64_t offset;
	char *file;

	set_up();
	begin("./p");
	ck_assert_int_eq(rehearsal_place(rehearsal, 0x10, &file, &offset, &err), -1);
	ck_assert_str_eq(err.msg, "address 0x10 lies in no file");
	ck_assert_int_eq(unlink("p"), 0);
	ck_assert_int_eq(
		rehearsal_place(rehearsal, address_of(MARK_OF_PROGRAM), &file, &offset, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "/p (deleted), where address"));
	rehearsal_end(rehearsal);
	tear_down();
}
END_TEST

START_TEST(test_no_program)
{
	char *argv[] = { (char[]){ "./nonexistent" }, NULL };

	set_up();
	ck_assert_int_eq(rehearsal_begin(argv, &rehearsal, &err), -1);
	ck_assert_str_eq(err.msg, "cannot run ./nonexistent: No such file or directory");
	tear_down();
}
END_TEST

static void cannot_load(const char *why)
{
	ck_assert_int_eq(rehearsal_load(rehearsal, &err), -1);
	ck_assert_msg(strstr(err.msg, why) != NULL, "%s", err.msg);
	rehearsal_end(rehearsal);
}

START_TEST(test_missing_library)
{
	set_up();
	ck_assert_int_eq(unlink("libmark.so"), 0);
	begin("./p");
	cannot_load("./p cannot run: its library libmark.so is missing");
	tear_down();
}
END_TEST

START_TEST(test_no_linker)
{
	set_up();
	ck_assert_int_eq(scratch_run(&s, "echo 'int main(void) { return 0; }' >s.c && "
					 "gcc -static -o s s.c && gcc -static-pie -o sp s.c"),
			 0);
	begin("./s");
	cannot_load("./s has no dynamic linker");
	begin("./sp");
	cannot_load("./sp has no dynamic linker");
	tear_down();
}
END_TEST

/* A program with another linker than glibc's would be run. */
START_TEST(test_another_linker)
{
	set_up();
	ck_assert_int_eq(scratch_run(&s, "ln -s /lib64/ld-linux-x86-64.so.2 ld-musl.so.1 && "
					 "gcc -o p m.c -L. -lmark -Wl,-rpath,\"$PWD\" "
					 "-Wl,--dynamic-linker=./ld-musl.so.1"),
			 0);
	begin("./p");
	cannot_load("the dynamic linker of ./p, ./ld-musl.so.1, is not that of glibc");
	tear_down();
}
END_TEST

/* A linker of the right name that does not do what it is told. */
START_TEST(test_a_linker_that_runs_it)
{
	set_up();
	scratch_put(
		&s, "l.c",
		"#include <elf.h>\n"
		"static void out(void) { asm volatile(\"syscall\" :: \"a\"(60), \"D\"(0)); }\n"
		"static void go(long *sp) {\n"
		"	long n = *sp; char **env = (char **)(sp + n + 2);\n"
		"	while (*env) env++;\n"
		"	for (Elf64_auxv_t *a = (void *)(env + 1); a->a_type; a++)\n"
		"		if (a->a_type == AT_ENTRY && RUN)\n"
		"			asm volatile(\"mov %0, %%rsp; jmp *%1\"\n"
		"				     :: \"r\"(sp), \"r\"(a->a_un.a_val));\n"
		"	out(); }\n"
		"asm(\".globl _start\\n_start: mov %rsp, %rdi\\n and $-16, %rsp\\n call go\");\n"
		"void *used = go;\n");
	ck_assert_int_eq(scratch_run(&s, "for run in 0 1; do "
					 "gcc -DRUN=$run -nostdlib -static -fno-stack-protector "
					 "-o ld-linux-$run l.c && "
					 "gcc -o p$run m.c -L. -lmark -Wl,-rpath,\"$PWD\" "
					 "-Wl,--dynamic-linker=./ld-linux-$run || exit 1; done"),
			 0);
	begin("./p0");
	cannot_load("the dynamic linker of ./p0 does not list its libraries");
	begin("./p1");
	cannot_load("the libraries of ./p1 cannot be loaded: ./p1 was about to run");
	tear_down();
}
END_TEST

START_TEST(test_setuid)
{
	set_up();
	if (geteuid() != 0) {
		puts("SKIP rehearsal/setuid: not root");
		scratch_fini(&s);
		return;
	}
	ck_assert_int_eq(chmod(s.dir, 0755), 0);
	ck_assert_int_eq(chown("p", 65534, 65534), 0);
	ck_assert_int_eq(chmod("p", 04755), 0);
	begin("./p");
	cannot_load("./p is setuid, setgid or has capabilities");
	tear_down();
}
END_TEST

/* What it says of libraries is not what we say. */
START_TEST(test_silence)
{
	int fd;

	set_up();
	fd = open(scratch_path(&s, "said"), O_RDWR | O_CREAT, 0600);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	begin("./p");
	ck_assert_int_eq(rehearsal_load(rehearsal, &err), 0);
	rehearsal_end(rehearsal);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), 0);
	tear_down();
}
END_TEST

SUITE_MAIN("rehearsal", test_program_and_libraries, test_without_load, test_script, test_no_place,
	   test_no_program, test_missing_library, test_no_linker, test_another_linker,
	   test_a_linker_that_runs_it, test_setuid, test_silence)
