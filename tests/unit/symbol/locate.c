/* SPDX-License-Identifier: MIT */
/* Programs are built by the compilers of the machine, run, and print where their functions are. */
#include "symbol/locate.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "support/target.h"

#include <inttypes.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* What all the programs begin with. */
#define HEAD                                                        \
	"#define _GNU_SOURCE\n"                                     \
	"#include <dlfcn.h>\n"                                      \
	"#include <fcntl.h>\n"                                      \
	"#include <stdio.h>\n"                                      \
	"#include <stdlib.h>\n"                                     \
	"#include <sys/auxv.h>\n"                                   \
	"#include <sys/mman.h>\n"                                   \
	"#define KEEP __attribute__((noipa))\n"                     \
	"#define SAY(f) printf(#f \" %lx\\n\", (unsigned long)f)\n" \
	"static void next(void)\n"                                  \
	"{\n"                                                       \
	"	puts(\"ready\"); fflush(stdout);\n"                       \
	"	if (getchar() == EOF) exit(0);\n"                         \
	"	while (getchar() != '\\n');\n"                            \
	"}\n"

static const char plain[] = HEAD "#line 100\n"
				 "static KEEP int inner(int a)\n" /* 100 */
				 "{\n"
				 "	return a + 1;\n" /* 102 */
				 "}\n"
				 "KEEP int outer(int a)\n" /* 104 */
				 "{\n"
				 "\n"
				 "	return inner(a) * 2;\n" /* 107 */
				 "}\n"
				 "int alias(int a) __attribute__((alias(\"outer\"), weak));\n"
				 "int data[4] = { 1 };\n"
				 "int main(int c, char **v)\n"
				 "{\n"
				 "	(void)v;\n"
				 "	SAY(inner); SAY(outer); SAY(main); SAY(data);\n"
				 "	printf(\"entry %lx\\n\", getauxval(AT_ENTRY));\n"
				 "	next();\n"
				 "	return outer(c);\n"
				 "}\n";

static void compile(struct scratch *s, const char *name, const char *text, const char *command)
{
	chmod(s->dir, 0755);
	scratch_put(s, name, text);
	ck_assert_msg(scratch_run(s, command) == 0, "%s", command);
}

static enum locate_result look(const char *text, pid_t pid, struct located *located,
			       struct err *err)
{
	struct selection selection;
	enum locate_result result;

	*err = (struct err)ERR_INIT;
	ck_assert_int_eq(selection_parse(&selection, text, err), 0);
	result = locate(&selection, pid, located, err);
	selection_fini(&selection);
	return result;
}

/* The selection is at this address of the process, and so called. */
static void found(const struct target *t, const char *text, uint64_t address, const char *symbol)
{
	struct located located;
	struct err err;

	ck_assert_msg(look(text, t->pid, &located, &err) == LOCATE_FOUND, "%s: %s", text, err.msg);
	ck_assert_msg(located.address == address, "%s: %" PRIx64 " is not %" PRIx64, text,
		      located.address, address);
	ck_assert_str_eq(located.symbol, symbol);
	ck_assert_int_eq(located.file[0], '/');
	located_fini(&located);
}

/* It is not found; the message and the hint hold these words. */
static void missed(const struct target *t, const char *text, enum locate_result want,
		   const char *msg, const char *hint)
{
	struct located located;
	struct err err;
	enum locate_result result = look(text, t->pid, &located, &err);

	ck_assert_msg(result == want, "%s: %d %s", text, (int)result, err.msg);
	ck_assert_msg(strstr(err.msg, msg) != NULL, "%s: %s", text, err.msg);
	ck_assert_msg(strstr(err.hint, hint) != NULL, "%s: %s", text, err.hint);
	located_fini(&located);
}

static void check_plain(const struct target *t)
{
	char text[64];

	found(t, "inner", target_value(t, "inner"), "inner");
	found(t, "outer", target_value(t, "outer"), "outer");
	found(t, "symbol:main", target_value(t, "main"), "main");
	found(t, "alias", target_value(t, "outer"), "alias");
	found(t, "p:inner", target_value(t, "inner"), "inner");
	snprintf(text, sizeof(text), "addr:%" PRIx64, target_value(t, "inner") + 1);
	found(t, text, target_value(t, "inner") + 1, text + 5);
	snprintf(text, sizeof(text), "0x%" PRIx64, target_value(t, "outer"));
	found(t, text, target_value(t, "outer"), text);
}

START_TEST(test_layouts)
{
	static const char *const flags[] = {
		"-no-pie",
		"-fPIE -pie",
		"-static",
		"-fPIE -static-pie",
		"-fPIE -pie -Wl,-z,noseparate-code",
		"-no-pie -Wl,-z,noseparate-code",
		"-fPIE -pie -Wl,-z,separate-code",
		"-no-pie -Wl,-Ttext-segment=0x10000000",
		"-fPIE -pie -Wl,-Ttext-segment=0x5000000",
		"-fPIE -pie -Wl,-z,max-page-size=0x200000",
		"-fPIE -pie -Wl,-z,max-page-size=0x10000 -Wl,-z,noseparate-code",
		"-fPIE -pie -Wl,-Ttext=0x8000000",
		"-fPIE -pie -fuse-ld=lld",
		"-no-pie -fuse-ld=lld",
		"-fPIE -pie -fuse-ld=gold",
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		const char *linker = strstr(flags[i], "-fuse-ld=");
		char command[200];
		struct scratch s;
		struct target t;

		scratch_init(&s);
		snprintf(command, sizeof(command), "command -v ld.%s >/dev/null",
			 linker ? linker + 9 : "bfd");
		if (linker && scratch_run(&s, command) != 0) {
			printf("SKIP locate/ld.%s: it is not installed\n", linker + 9);
			scratch_fini(&s);
			continue;
		}
		snprintf(command, sizeof(command), "gcc -g -O1 %s p.c -o p", flags[i]);
		compile(&s, "p.c", plain, command);
		target_start(&t, scratch_path(&s, "p"));
		check_plain(&t);
		ck_assert_int_eq(locate_is_dynamic(t.pid), !strstr(flags[i], "-static"));
		target_stop(&t);
		scratch_fini(&s);
	}
}
END_TEST

START_TEST(test_entry)
{
	struct scratch s;
	struct target t;
	uint64_t entry;
	struct err err;

	scratch_init(&s);
	compile(&s, "p.c", plain, "gcc -fPIE -pie p.c -o p");
	target_start(&t, scratch_path(&s, "p"));
	ck_assert_int_eq(locate_entry(t.pid, &entry, &err), 0);
	ck_assert_uint_eq(entry, target_value(&t, "entry"));
	target_stop(&t);
	ck_assert_int_eq(locate_entry(t.pid, &entry, &err), -1);
	ck_assert(!locate_is_dynamic(t.pid));
	scratch_fini(&s);
}
END_TEST

START_TEST(test_lines)
{
	struct located located;
	struct scratch s;
	struct target t;
	struct err err;

	scratch_init(&s);
	compile(&s, "p.c", plain, "gcc -g -O0 -fPIE -pie p.c -o p");
	target_start(&t, scratch_path(&s, "p"));
	/* what GCC calls the beginning: the line of the opening brace */
	found(&t, "p.c:101", target_value(&t, "inner"), "p.c:101");
	found(&t, "line:p.c:105", target_value(&t, "outer"), "p.c:105");
	found(&t, "line:./p.c:105", target_value(&t, "outer"), "./p.c:105");
	missed(&t, "p.c:104", LOCATE_FAILED, "no code begins at line 104 of", "p.c:105");
	/* within it: where addr2line says that this line is */
	ck_assert_int_eq(look("p.c:107", t.pid, &located, &err), LOCATE_FOUND);
	ck_assert_uint_gt(located.address, target_value(&t, "outer"));
	ck_assert_uint_lt(located.address, target_value(&t, "main"));
	located_fini(&located);
	missed(&t, "p.c:106", LOCATE_FAILED, "no code begins at line 106 of", "p.c:107");
	missed(&t, "line:p.c:9999", LOCATE_FAILED, "line 9999", "no line after it");
	missed(&t, "line:p.c:104:77", LOCATE_FAILED, "column 77", "");
	missed(&t, "line:q.c:1", LOCATE_ABSENT, "no source file", "path");
	missed(&t, "line:xp.c:104", LOCATE_ABSENT, "no source file", "path");
	target_stop(&t);
	compile(&s, "p.c", plain, "gcc -g0 -fPIE -pie p.c -o p");
	target_start(&t, scratch_path(&s, "p"));
	missed(&t, "line:p.c:104", LOCATE_ABSENT, "no debug info", "-g");
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_column)
{
	/* where GCC says that the statement begins: at "return", without optimisation at the call
	 */
	static const struct {
		const char *compiler, *place;
	} cases[] = {
		{ "gcc -g -O2", "p.c:107:2" },
		{ "gcc -gdwarf-4 -O0", "p.c:107:9" },
		{ "gcc -g -O1 -gsplit-dwarf", "p.c:107:2" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct located located;
		char command[200];
		struct scratch s;
		struct target t;
		struct err err;

		scratch_init(&s);
		snprintf(command, sizeof(command), "%s -no-pie p.c -o p", cases[i].compiler);
		compile(&s, "p.c", plain, command);
		target_start(&t, scratch_path(&s, "p"));
		ck_assert_int_eq(look(cases[i].place, t.pid, &located, &err), LOCATE_FOUND);
		snprintf(
			command, sizeof(command),
			"objdump --dwarf=decodedline p 2>/dev/null | grep -Eq 'p.c +107 +0x%" PRIx64
			" .*x$'",
			located.address);
		ck_assert_msg(scratch_run(&s, command) == 0, "%s", command);
		located_fini(&located);
		target_stop(&t);
		scratch_fini(&s);
	}
}
END_TEST

/* A line that is inlined into two functions is two places. */
START_TEST(test_inlined_line)
{
	struct scratch s;
	struct target t;

	scratch_init(&s);
	compile(&s, "p.c",
		HEAD "#line 100\n"
		     "static inline __attribute__((always_inline)) int in(volatile int *a)\n"
		     "{\n"
		     "	return *a * 17;\n"
		     "}\n"
		     "KEEP int one(volatile int *a) { return in(a) + 1; }\n"
		     "KEEP int two(volatile int *a) { return in(a) + 2; }\n"
		     "int main(int c, char **v) { (void)v; next(); return one(&c) + two(&c); }\n",
		"gcc -g -O2 -fPIE -pie p.c -o p");
	target_start(&t, scratch_path(&s, "p"));
	missed(&t, "p.c:102", LOCATE_FAILED, "ambiguous", "addr:0x");
	missed(&t, "p.c:102", LOCATE_FAILED, "one at 0x", "");
	missed(&t, "p.c:102", LOCATE_FAILED, "two at 0x", "");
	missed(&t, "p.c:102", LOCATE_FAILED, "(p.c:102)", "");
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

static const char with_library[] =
	HEAD "extern int in_lib(int);\n"
	     "int main(int c, char **v)\n"
	     "{\n"
	     "	void *a, *b;\n"
	     "	(void)v;\n"
	     "#ifdef LATE\n"
	     "	next();\n"
	     "	a = dlopen(\"./libx.so.1.2\", RTLD_NOW);\n"
	     "	printf(\"in_lib %lx\\n\", (unsigned long)dlsym(a, \"in_lib\"));\n"
	     "	next();\n"
	     "	b = dlmopen(LM_ID_NEWLM, \"./libx.so.1.2\", RTLD_NOW);\n"
	     "	printf(\"again %lx\\n\", (unsigned long)dlsym(b, \"in_lib\"));\n"
	     "	next();\n"
	     "#else\n"
	     "	SAY(in_lib);\n"
	     "	mmap(NULL, 16384, PROT_READ | PROT_EXEC, MAP_PRIVATE,\n"
	     "	     open(\"./libx.so.1.2\", O_RDONLY), 0);\n"
	     "	next();\n"
	     "	return in_lib(c);\n"
	     "#endif\n"
	     "	return (int)(long)a + (int)(long)b + c;\n"
	     "}\n";

#define LIBRARY                                                                             \
	"echo 'static __attribute__((noipa)) int hidden(int a) { return a + 3; }' >x.c && " \
	"echo 'int in_lib(int a) { return hidden(a); }' >>x.c && gcc -g -O1 -shared -fPIC " \
	"-Wl,-soname,libx.so.1.2 x.c -o libx.so.1.2 && "

/* Programs find the library in the directory that they are started in. */
static int enter(void *dir)
{
	return chdir(dir);
}

static void start_in(struct target *t, struct scratch *s, const char *name)
{
	char program[200];
	char *argv[] = { program, NULL };

	snprintf(program, sizeof(program), "%s", scratch_path(s, name));
	target_start_in(t, argv, enter, s->dir);
	target_wait(t);
}

/* Also while the program itself has mapped all of the file, to be read. */
START_TEST(test_library)
{
	static const char *const layouts[] = { "", "-Wl,-z,noseparate-code" };

	for (size_t i = 0; i < 2; i++) {
		char command[600], text[600];
		struct scratch s;
		struct target t;
		uint64_t want;

		scratch_init(&s);
		snprintf(command, sizeof(command),
			 LIBRARY "gcc -O1 %s p.c -o p ./libx.so.1.2 -Wl,-rpath,\"$PWD\"",
			 layouts[i]);
		compile(&s, "p.c", with_library, command);
		start_in(&t, &s, "p");
		want = target_value(&t, "in_lib");
		found(&t, "in_lib", want, "in_lib");
		found(&t, "libx.so:in_lib", want, "in_lib");
		found(&t, "libx.so.1.2:in_lib", want, "in_lib");
		snprintf(text, sizeof(text), "symbol:%s:in_lib", scratch_path(&s, "libx.so.1.2"));
		found(&t, text, want, "in_lib");
		found(&t, "x.c:2", want, "x.c:2");
		missed(&t, "libx.so:in_lob", LOCATE_ABSENT, "libx.so has no function 'in_lob'",
		       "did you mean in_lib?");
		missed(&t, "liby.so:in_lib", LOCATE_ABSENT, "no library 'liby.so'", "libx.so.1.2");
		missed(&t, "lib:in_lib", LOCATE_ABSENT, "no library 'lib'", "");
		/* the call goes through the PLT, which is no function of the program */
		missed(&t, "p:in_lib", LOCATE_ABSENT, "p has no function", "");
		target_stop(&t);
		scratch_fini(&s);
	}
}
END_TEST

START_TEST(test_library_opened_later)
{
	char text[32];
	struct scratch s;
	struct target t;

	scratch_init(&s);
	compile(&s, "p.c", with_library, LIBRARY "gcc -O1 -DLATE p.c -o p");
	start_in(&t, &s, "p");
	missed(&t, "in_lib", LOCATE_ABSENT, "no function 'in_lib'", "");
	missed(&t, "libx.so:in_lib", LOCATE_ABSENT, "no library", "");
	target_step(&t);
	found(&t, "in_lib", target_value(&t, "in_lib"), "in_lib");
	found(&t, "libx.so:in_lib", target_value(&t, "in_lib"), "in_lib");
	target_step(&t);
	/* loaded twice, it is at two addresses */
	ck_assert_uint_ne(target_value(&t, "in_lib"), target_value(&t, "again"));
	snprintf(text, sizeof(text), "0x%" PRIx64, target_value(&t, "in_lib"));
	missed(&t, "in_lib", LOCATE_FAILED, text, "addr:");
	snprintf(text, sizeof(text), "0x%" PRIx64, target_value(&t, "again"));
	missed(&t, "in_lib", LOCATE_FAILED, text, "addr:");
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_ambiguous)
{
	static const char *const debug[] = { "-g", "-g0" };

	for (size_t i = 0; i < 2; i++) {
		char command[300], where[80];
		struct scratch s;
		struct target t;

		scratch_init(&s);
		snprintf(command, sizeof(command),
			 "echo '__attribute__((noipa)) static int twin(int a) { return a + 7; } "
			 "int other(int a) { return twin(a); }' >q.c && "
			 "gcc %s -O1 -fPIE -pie p.c q.c -o p",
			 debug[i]);
		compile(&s, "p.c",
			HEAD "extern int other(int);\n"
			     "KEEP static int twin(int a) { return a + 9; }\n"
			     "int main(int c, char **v)\n"
			     "{ (void)v; SAY(twin); next(); return other(c) + twin(c); }\n",
			command);
		target_start(&t, scratch_path(&s, "p"));
		snprintf(where, sizeof(where), "twin at 0x%" PRIx64 " (p.c%s",
			 target_value(&t, "twin"), i ? ")" : ":");
		missed(&t, "twin", LOCATE_FAILED, where, "line:FILE:LINE");
		missed(&t, "twin", LOCATE_FAILED, "ambiguous: 2 places", "addr:0x");
		missed(&t, "twin", LOCATE_FAILED, i ? "(q.c)" : "(q.c:1)", "addr:0x");
		target_stop(&t);
		scratch_fini(&s);
	}
}
END_TEST

START_TEST(test_cpp)
{
	struct scratch s;
	struct target t;

	scratch_init(&s);
	compile(&s, "p.cc",
		HEAD
		"struct Book { KEEP int add_order(int); KEEP int add_order(char);\n"
		"	KEEP int drop(int); };\n"
		"int Book::add_order(int a) { return a + 1; }\n"
		"int Book::add_order(char a) { return a + 2; }\n"
		"int Book::drop(int a) { return a + 3; }\n"
		"namespace ns { KEEP int open(int a) { return a + 5; }\n"
		"template <class T> KEEP T twice(T a) { return a + a; }\n"
		"template int twice<int>(int); }\n"
		"template <class R> static void say(const char *n, R (Book::*f)(int))\n"
		"{ void *p[2]; __builtin_memcpy(p, &f, sizeof(p)); printf(\"%s %p\\n\", n, p[0]); }\n"
		"int main(int c, char **)\n"
		"{ Book b; say<int>(\"drop\", &Book::drop); say<int>(\"int\", &Book::add_order);\n"
		"  printf(\"twice %p\\nnsopen %p\\nopen %p\\n\", (void *)&ns::twice<int>,\n"
		"         (void *)&ns::open, dlsym(RTLD_DEFAULT, \"open\"));\n"
		"  next(); return b.add_order(c) + b.add_order('a') + b.drop(c) + ns::open(c); }\n",
		"g++ -w -g -O1 -fPIE -pie p.cc -o p");
	target_start(&t, scratch_path(&s, "p"));
	found(&t, "Book::drop", target_value(&t, "drop"), "Book::drop");
	found(&t, "Book::drop(int)", target_value(&t, "drop"), "Book::drop");
	found(&t, "drop", target_value(&t, "drop"), "Book::drop");
	found(&t, "_ZN4Book4dropEi", target_value(&t, "drop"), "Book::drop");
	found(&t, "Book::add_order(int)", target_value(&t, "int"), "Book::add_order");
	found(&t, "ns::twice", target_value(&t, "twice"), "ns::twice<int>");
	found(&t, "ns::twice<int>", target_value(&t, "twice"), "ns::twice<int>");
	found(&t, "int ns::twice<int>(int)", target_value(&t, "twice"), "ns::twice<int>");
	found(&t, "ns::open", target_value(&t, "nsopen"), "ns::open");
	/* libc has one that is truly called so; it has aliases, or it is one of them */
	found(&t, "libc.so:open", target_value(&t, "open"), "open");
	found(&t, "open", target_value(&t, "open"), "open");
	missed(&t, "Book::add_order", LOCATE_FAILED, "Book::add_order(char) at 0x", "parameters");
	missed(&t, "Book::ad_order", LOCATE_ABSENT, "no function", "did you mean Book::add_order?");
	missed(&t, "add_ordre(int)", LOCATE_ABSENT, "no function", "Book::add_order");
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_ifunc)
{
	struct scratch s;
	struct target t;

	scratch_init(&s);
	compile(&s, "p.c",
		HEAD "KEEP int chosen_fast(int a) { return a + 1; }\n"
		     "KEEP int chosen_slow(int a) { return a + 2; }\n"
		     "static int (*choose(void))(int) { return chosen_fast; }\n"
		     "int chosen(int a) __attribute__((ifunc(\"choose\")));\n"
		     "int main(int c, char **v) { (void)v; SAY(chosen_fast); next();\n"
		     "	return chosen(c) + chosen_slow(c); }\n",
		"gcc -O1 -fPIE -pie p.c -o p");
	target_start(&t, scratch_path(&s, "p"));
	missed(&t, "chosen", LOCATE_FAILED, "resolver", "chosen_fast");
	missed(&t, "chosen", LOCATE_FAILED, "resolver", "chosen_slow");
	found(&t, "chosen_fast", target_value(&t, "chosen_fast"), "chosen_fast");
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_stripped)
{
	struct scratch s;
	struct target t;

	scratch_init(&s);
	compile(&s, "p.c", plain, "gcc -fPIE -pie p.c -o p && strip p");
	target_start(&t, scratch_path(&s, "p"));
	missed(&t, "inner", LOCATE_ABSENT, "is stripped", "");
	missed(&t, "zzzzqqqqxxxx", LOCATE_ABSENT, "is stripped", "debug symbols");
	target_stop(&t);
	compile(&s, "p.c", plain,
		"gcc -g -fPIE -pie p.c -o p && objcopy --only-keep-debug p p.debug && strip p && "
		"objcopy --add-gnu-debuglink=p.debug p");
	target_start(&t, scratch_path(&s, "p"));
	check_plain(&t);
	found(&t, "p.c:105", target_value(&t, "outer"), "p.c:105");
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_deleted_and_replaced)
{
	struct scratch s;
	struct target t;

	scratch_init(&s);
	compile(&s, "p.c", plain, "gcc -g -fPIE -pie p.c -o p");
	target_start(&t, scratch_path(&s, "p"));
	/* another program of that name, in which the functions are elsewhere */
	ck_assert_int_eq(scratch_run(&s, "gcc -O3 -DX -fPIE -pie -Wl,-z,max-page-size=0x100000 p.c "
					 "-o q && mv q p"),
			 0);
	check_plain(&t);
	found(&t, "p.c:105", target_value(&t, "outer"), "p.c:105");
	unlink(scratch_path(&s, "p"));
	check_plain(&t);
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_library_replaced)
{
	struct located located;
	struct scratch s;
	struct target t;
	struct err err;

	scratch_init(&s);
	compile(&s, "p.c", with_library,
		LIBRARY "gcc -O1 p.c -o p ./libx.so.1.2 -Wl,-rpath,\"$PWD\"");
	start_in(&t, &s, "p");
	ck_assert_int_eq(scratch_run(&s, "cp libx.so.1.2 y && mv y libx.so.1.2"), 0);
	if (getuid() == 0) {
		found(&t, "libx.so:in_lib", target_value(&t, "in_lib"), "in_lib");
	} else {
		puts("SKIP locate/map_files: not root");
		ck_assert_int_eq(look("libx.so:in_lib", t.pid, &located, &err), LOCATE_ABSENT);
		ck_assert_ptr_nonnull(strstr(err.msg, "replaced"));
	}
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

/* In a root directory of its own, which has the debug file too. */
static int enter_root(void *dir)
{
	return chroot(dir) | chdir("/");
}

/* In a mount namespace of its own, where a file system that we do not see lies over the scratch. */
static int enter_namespace(void *dir)
{
	char command[300];

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	snprintf(command, sizeof(command),
		 "cp %s/p %s/keep && mount -t tmpfs none %s/inside && mv %s/keep %s/inside/p",
		 (char *)dir, (char *)dir, (char *)dir, (char *)dir, (char *)dir);
	return system(command); /* NOLINT(cert-env33-c): the test's own */
}

static bool may_mount(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(unshare(CLONE_NEWNS) < 0 ||
		      mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		      mount("none", "/mnt", "tmpfs", 0, NULL) < 0);
	waitpid(pid, &status, 0);
	return status == 0;
}

START_TEST(test_other_root)
{
	char program[] = "/p";
	char *argv[] = { program, NULL };
	struct scratch s;
	struct target t;

	if (getuid() != 0) {
		puts("SKIP locate/chroot: not root");
		return;
	}
	scratch_init(&s);
	/* the debug file is only in the usr/lib/debug of that root */
	compile(&s, "p.c", plain,
		"gcc -g -static p.c -o p -Wl,--build-id=0xabcdef01 && mkdir -p usr/lib/debug/.build-id/ab && "
		"objcopy --only-keep-debug p usr/lib/debug/.build-id/ab/cdef01.debug && strip p");
	target_start_in(&t, argv, enter_root, s.dir);
	target_wait(&t);
	check_plain(&t);
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_other_namespace)
{
	char program[300];
	char *argv[] = { program, NULL };
	struct scratch s;
	struct target t;

	if (getuid() != 0 || !may_mount()) {
		puts("SKIP locate/mount namespace: a tmpfs cannot be mounted: not root, or in a container");
		return;
	}
	scratch_init(&s);
	compile(&s, "p.c", plain, "gcc -g -fPIE -pie p.c -o p && mkdir inside");
	snprintf(program, sizeof(program), "%s", scratch_path(&s, "inside/p"));
	target_start_in(&t, argv, enter_namespace, s.dir);
	target_wait(&t);
	ck_assert(!scratch_has(&s, "inside/p"));
	check_plain(&t);
	found(&t, "p.c:105", target_value(&t, "outer"), "p.c:105");
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_errors)
{
	struct scratch s;
	struct target t, gone = { .pid = 0x7fffffff };
	char text[64];

	scratch_init(&s);
	compile(&s, "p.c", plain, "gcc -fPIE -pie p.c -o p");
	target_start(&t, scratch_path(&s, "p"));
	missed(&gone, "main", LOCATE_FAILED, "there is no process", "");
	missed(&t, "inne", LOCATE_ABSENT, "no function 'inne'", "inner");
	missed(&t, "outre", LOCATE_ABSENT, "no function 'outre'", "did you mean outer");
	missed(&t, "addr:10", LOCATE_ABSENT, "nothing mapped at 0x10", "name");
	snprintf(text, sizeof(text), "addr:%" PRIx64, target_value(&t, "data"));
	missed(&t, text, LOCATE_FAILED, "not executable", "instruction");
	/* neither symbol nor line, but it could be an address; nothing is there */
	missed(&t, "add", LOCATE_ABSENT, "no function 'add'", "");
	missed(&t, "data", LOCATE_ABSENT, "no function 'data'", "");
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

struct names {
	size_t n, max;
	char last[64];
	bool inner, outer, alias;
	size_t twins;
};

static bool take_name(void *ctx, const char *name)
{
	struct names *names = ctx;

	names->n++;
	names->inner |= strcmp(name, "inner") == 0;
	/* by address: inner comes first */
	names->outer |= strcmp(name, "outer") == 0 && names->inner;
	names->alias |= strcmp(name, "alias") == 0 && names->inner;
	names->twins += strcmp(name, "next") == 0;
	return names->n != names->max;
}

START_TEST(test_all_functions)
{
	struct names names = { 0 };
	struct scratch s;
	struct target t;
	struct err err;

	scratch_init(&s);
	compile(&s, "p.c", plain,
		"echo 'static void __attribute__((used)) next(void) { }' >q.c && "
		"gcc -O1 -fno-toplevel-reorder p.c q.c -o p");
	target_start(&t, scratch_path(&s, "p"));
	ck_assert_int_eq(locate_functions(t.pid, take_name, &names, &err), 0);
	ck_assert(names.inner && names.outer && names.alias);
	ck_assert_uint_eq(names.twins, 1);
	names = (struct names){ .max = 2 };
	ck_assert_int_eq(locate_functions(t.pid, take_name, &names, &err), 0);
	ck_assert_uint_eq(names.n, 2);
	target_stop(&t);
	ck_assert_int_eq(locate_functions(t.pid, take_name, &names, &err), -1);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("symbol/locate", test_layouts, test_entry, test_lines, test_column, test_inlined_line,
	   test_library, test_library_opened_later, test_ambiguous, test_cpp, test_ifunc,
	   test_stripped, test_deleted_and_replaced, test_library_replaced, test_other_root,
	   test_other_namespace, test_errors, test_all_functions)
