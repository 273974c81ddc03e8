/* SPDX-License-Identifier: MIT */
/* Programs are built by the compilers of the machine; nm and the source say what is true. */
#include "symbol/symbolizer.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "symbol/buildid.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static const char source[] =
	"#include <math.h>\n"                                             /* 1 */
	"#include <stdlib.h>\n"                                           /* 2 */
	"static inline __attribute__((always_inline)) int twice(int a)\n" /* 3 */
	"{\n"                                                             /* 4 */
	"	return rand() + 2 * a;\n"                                 /* 5 */
	"}\n"                                                             /* 6 */
	"__attribute__((noinline)) int work(int a)\n"                     /* 7 */
	"{\n"                                                             /* 8 */
	"	return twice(a) + 1;\n"                                   /* 9 */
	"}\n"                                                             /* 10 */
	"int main(int c, char **v)\n"                                     /* 11 */
	"{\n"                                                             /* 12 */
	"	return work(c) + (int)cos(atof(v[0]));\n"                 /* 13 */
	"}\n";

#define BASE 0x7f0000000000u
#define PID  77

static void compile(struct scratch *s, const char *flags)
{
	char command[400];

	scratch_put(s, "p.c", source);
	snprintf(command, sizeof(command),
		 "gcc -g -O2 -w -fPIE -pie -Wl,--build-id %s p.c -o p -lm", flags);
	ck_assert_int_eq(scratch_run(s, command), 0);
}

/* What a command prints as a hex number. */
static uint64_t number(struct scratch *s, const char *command)
{
	char line[400], *text;
	uint64_t value;

	snprintf(line, sizeof(line), "%s >number", command);
	ck_assert_int_eq(scratch_run(s, line), 0);
	text = scratch_get(scratch_path(s, "number"), NULL);
	value = strtoull(text, NULL, 16);
	free(text);
	return value;
}

static uint64_t symbol_value(struct scratch *s, const char *name)
{
	char command[100];

	snprintf(command, sizeof(command), "nm p.nm | awk '$3==\"%s\" {print $1}'", name);
	return number(s, command);
}

/* All of the file is mapped at BASE. Linkers of today lay values and offsets out alike. */
static void map(struct symbolizer *s, const char *path, uint64_t inode, struct str id)
{
	struct symbolizer_mapping mapping = {
		.start = BASE,
		.end = BASE + 0x100000,
		.inode = inode,
		.path = str_of(path),
		.build_id = id,
		.pid = PID,
	};

	symbolizer_map(s, &mapping);
}

static uint64_t inode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_ino;
}

static struct symbolizer *begin(struct scratch *s, const char *flags)
{
	struct symbolizer_config config = { 0 };
	struct symbolizer *symbolizer = symbolizer_new(&config);

	scratch_init(s);
	compile(s, flags);
	ck_assert_int_eq(scratch_run(s, "cp p p.nm"), 0);
	return symbolizer;
}

static struct symbolizer_place at(uint64_t address)
{
	return (struct symbolizer_place){ .address = address, .pid = PID };
}

static void check_function(struct symbolizer *s, uint64_t address, const char *name, uint64_t start)
{
	struct symbolizer_place place = at(address);
	struct symbolizer_function f = { 0 };

	ck_assert_msg(symbolizer_function(s, &place, &f), "%s is not known", name);
	ck_assert_str_eq(f.name, name);
	ck_assert_uint_eq(f.start, start);
}

START_TEST(test_everything)
{
	struct unittable_place line, chain[8];
	struct symbolizer_function f;
	struct symbolizer_place place;
	struct symbolizer *symbolizer;
	struct scratch s;
	uint64_t work, call;

	symbolizer = begin(&s, "");
	map(symbolizer, scratch_path(&s, "p"), inode_of(scratch_path(&s, "p")), STR(""));
	work = BASE + symbol_value(&s, "work");
	check_function(symbolizer, work, "work", work);
	check_function(symbolizer, work + 3, "work", work);
	place = at(work);
	ck_assert(symbolizer_line(symbolizer, &place, true, &line));
	ck_assert_str_eq(strrchr(line.file, '/'), "/p.c");
	ck_assert_uint_eq(line.line, 8);
	/* the call of rand is in twice, which is in work */
	call = number(&s, "objdump -d p.nm | awk '/<work>:/ {on=1} on && /call.*rand@plt/ "
			  "{print $1; exit}'");
	place = at(BASE + call);
	ck_assert_uint_eq(symbolizer_chain(symbolizer, &place, chain, 8), 2);
	ck_assert_str_eq(chain[0].function, "twice");
	ck_assert_uint_eq(chain[0].line, 5);
	ck_assert_str_eq(chain[1].function, "work");
	ck_assert_uint_eq(chain[1].line, 9);
	ck_assert_uint_eq(symbolizer_chain(symbolizer, &place, chain, 1), 1);
	/* the stub that calls cos */
	call = number(&s, "objdump -d p.nm | awk '/<cos@plt>:/ {print $1}'");
	check_function(symbolizer, BASE + call, "cos@plt", BASE + call);
	/* what is not mapped, or of another process, or no code */
	place = at(BASE - 1);
	ck_assert(!symbolizer_function(symbolizer, &place, &f));
	place = at(BASE + 0x100000);
	ck_assert(!symbolizer_function(symbolizer, &place, &f));
	place = at(work);
	place.pid = PID + 1;
	ck_assert(!symbolizer_function(symbolizer, &place, &f));
	symbolizer_fork(symbolizer, PID + 1, PID);
	ck_assert(symbolizer_function(symbolizer, &place, &f));
	/* by its offset in the file, as perf gives it in call chains */
	place = (struct symbolizer_place){ .address = work - BASE + 1,
					   .is_offset = true,
					   .path = str_of(scratch_path(&s, "p")) };
	ck_assert(symbolizer_function(symbolizer, &place, &f));
	ck_assert_str_eq(f.name, "work");
	ck_assert_uint_eq(f.start, work - BASE);
	symbolizer_free(symbolizer);
	scratch_fini(&s);
}
END_TEST

/* Debug info of all kinds: what is known stays the same. */
START_TEST(test_debug_info)
{
	static const struct {
		const char *flags, *command;
		bool lines;
	} cases[] = {
		{ "-gdwarf-4", "true", true },
		{ "-gz=zlib", "true", true },
		{ "-gsplit-dwarf", "true", true },
		{ "",
		  "objcopy --only-keep-debug p p.debug && strip p && "
		  "objcopy --add-gnu-debuglink=p.debug p",
		  true },
		{ "-rdynamic", "strip p", false },
		{ "", "strip -g p", false },
		/* "mini debug info": the symbol table, packed, in a section */
		{ "",
		  "nm -D p --format=posix --defined-only | cut -d' ' -f1 | sort >dyn && "
		  "nm p --format=posix --defined-only | awk '$2==\"T\"||$2==\"t\" {print $1}' | "
		  "sort >all && comm -13 dyn all >keep && "
		  "objcopy -S --remove-section .gdb_index --remove-section .comment "
		  "--keep-symbols=keep p mini && xz mini && strip p && "
		  "objcopy --add-section .gnu_debugdata=mini.xz p",
		  false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct unittable_place line;
		struct symbolizer_place place;
		struct symbolizer *symbolizer;
		struct scratch s;
		uint64_t work;

		symbolizer = begin(&s, cases[i].flags);
		ck_assert_int_eq(scratch_run(&s, cases[i].command), 0);
		map(symbolizer, scratch_path(&s, "p"), inode_of(scratch_path(&s, "p")), STR(""));
		work = BASE + symbol_value(&s, "work");
		check_function(symbolizer, work + 2, "work", work);
		place = at(work);
		ck_assert_int_eq(symbolizer_line(symbolizer, &place, true, &line), cases[i].lines);
		if (cases[i].lines)
			ck_assert_uint_eq(line.line, 8);
		symbolizer_free(symbolizer);
		scratch_fini(&s);
	}
}
END_TEST

static void keep_trouble(void *ctx, const struct err *trouble)
{
	struct err *err = ctx;

	*err = *trouble;
}

static void check_trouble(const struct symbolizer *s, const char *what, const char *hint)
{
	struct err err = ERR_INIT;

	symbolizer_troubles(s, keep_trouble, &err);
	ck_assert_msg(strstr(err.msg, what) != NULL, "%s", err.msg);
	ck_assert_msg(strstr(err.hint, hint) != NULL, "%s", err.hint);
}

/* The file that is there must be the one that was mapped. */
START_TEST(test_which_file)
{
	struct symbolizer_config config = { 0 };
	struct symbolizer *symbolizer;
	struct symbolizer_function f;
	struct symbolizer_place place;
	unsigned char id[32];
	char hex[BUILDID_HEX];
	struct scratch s;
	uint64_t work;

	symbolizer = begin(&s, "");
	work = BASE + symbol_value(&s, "work");
	place = at(work);
	ck_assert(buildid_read(scratch_path(&s, "p"), hex));
	for (size_t i = 0; i < 20; i++)
		ck_assert_int_eq(sscanf(hex + 2 * i, "%2hhx", &id[i]), 1);
	/* another inode, and nothing else known */
	map(symbolizer, scratch_path(&s, "p"), 1, STR(""));
	ck_assert(!symbolizer_function(symbolizer, &place, &f));
	check_trouble(symbolizer, "another file", "-symfs");
	/* with its build-id it does not matter */
	map(symbolizer, scratch_path(&s, "p"), 1, (struct str){ .p = (char *)id, .n = 20 });
	check_function(symbolizer, work, "work", work);
	/* another build-id */
	id[3] ^= 1;
	map(symbolizer, scratch_path(&s, "p"), inode_of(scratch_path(&s, "p")),
	    (struct str){ .p = (char *)id, .n = 20 });
	ck_assert(!symbolizer_function(symbolizer, &place, &f));
	symbolizer_free(symbolizer);
	/* the recording has the build-id apart from the mapping */
	id[3] ^= 1;
	symbolizer = symbolizer_new(&config);
	symbolizer_build_id(symbolizer, str_of(scratch_path(&s, "p")),
			    (struct str){ .p = (char *)id, .n = 20 });
	map(symbolizer, scratch_path(&s, "p"), 1, STR(""));
	check_function(symbolizer, work, "work", work);
	symbolizer_free(symbolizer);
	/* below another root, by its path; and as the kernel calls one that was deleted */
	ck_assert_int_eq(scratch_run(&s, "mkdir -p root/opt && mv p root/opt/q"), 0);
	config.symfs = scratch_path(&s, "root");
	symbolizer = symbolizer_new(&config);
	map(symbolizer, "/opt/q (deleted)", 1, STR(""));
	check_function(symbolizer, work, "work", work);
	symbolizer_free(symbolizer);
	scratch_fini(&s);
}
END_TEST

/* A process that lives still has what was deleted. */
START_TEST(test_deleted)
{
	struct symbolizer_config config = { 0 };
	struct symbolizer *symbolizer = symbolizer_new(&config);
	struct symbolizer_mapping mapping = { .start = BASE, .end = BASE + 0x100000 };
	struct symbolizer_function f;
	struct symbolizer_place place;
	struct scratch s;
	uint64_t work;
	FILE *child;
	int pid;

	scratch_init(&s);
	/* it calls pause(2) where the others call rand(3) */
	compile(&s, "-Drand=pause -include unistd.h");
	ck_assert_int_eq(scratch_run(&s, "cp p p.nm"), 0);
	work = BASE + symbol_value(&s, "work");
	mapping.inode = inode_of(scratch_path(&s, "p"));
	mapping.path = str_of(scratch_path(&s, "p"));
	ck_assert_int_eq(
		scratch_run(&s, "{ ./p & echo $! >pid; } 2>/dev/null >/dev/null; sleep 0.2; rm p"),
		0);
	child = fopen(scratch_path(&s, "pid"), "r");
	ck_assert_int_eq(fscanf(child, "%d", &pid), 1);
	fclose(child);
	mapping.pid = pid;
	symbolizer_map(symbolizer, &mapping);
	place = at(work);
	place.pid = pid;
	ck_assert(symbolizer_function(symbolizer, &place, &f));
	ck_assert_str_eq(f.name, "work");
	kill(pid, SIGKILL);
	symbolizer_free(symbolizer);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_vdso)
{
	for (int same = 0; same < 2; same++) {
		struct symbolizer_config config = { .same_machine = same };
		struct symbolizer *symbolizer = symbolizer_new(&config);
		struct symbolizer_function f;
		unsigned known = 0;

		map(symbolizer, "[vdso]", 0, STR(""));
		for (uint64_t address = BASE; address < BASE + 0x2000; address += 16) {
			struct symbolizer_place place = at(address);

			if (!symbolizer_function(symbolizer, &place, &f))
				continue;
			ck_assert_ptr_nonnull(strstr(f.name, "vdso"));
			known++;
		}
		ck_assert_int_eq(known > 0, same);
		symbolizer_free(symbolizer);
	}
}
END_TEST

/* What is no ELF file is said, and nothing else happens. */
START_TEST(test_no_files)
{
	static const struct {
		const char *command, *why;
	} cases[] = {
		{ "rm -f p", "No such file" },
		{ "rm -f p; mkdir p", "not a regular file" },
		{ "rm -rf p; mkfifo p", "not a regular file" },
		{ "rm -f p; : >p", "not an ELF file" },
		{ "rm -f p; ln -s /dev/zero p", "not a regular file" },
		{ "rm -f p; head -c 1000 p.nm >p", "" },
		{ "rm -f p; echo text >p", "not an ELF file" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct symbolizer_config config = { .symfs = "/" };
		struct symbolizer *symbolizer = symbolizer_new(&config);
		struct symbolizer_place place = at(BASE + 0x1100);
		struct symbolizer_function f;
		struct unittable_place line;
		struct scratch s;

		scratch_init(&s);
		compile(&s, "");
		ck_assert_int_eq(scratch_run(&s, "cp p p.nm"), 0);
		ck_assert_int_eq(scratch_run(&s, cases[i].command), 0);
		map(symbolizer, scratch_path(&s, "p"), 1, STR(""));
		ck_assert(!symbolizer_function(symbolizer, &place, &f));
		ck_assert(!symbolizer_line(symbolizer, &place, true, &line));
		check_trouble(symbolizer, cases[i].why, "");
		check_trouble(symbolizer, "/p", "");
		symbolizer_free(symbolizer);
		scratch_fini(&s);
	}
}
END_TEST

/* Where there are no symbols, that is said, and what would help. */
START_TEST(test_stripped)
{
	struct symbolizer *symbolizer;
	struct symbolizer_function f;
	struct symbolizer_place place;
	struct scratch s;
	uint64_t work;

	symbolizer = begin(&s, "");
	ck_assert_int_eq(scratch_run(&s, "strip p"), 0);
	work = BASE + symbol_value(&s, "work");
	map(symbolizer, scratch_path(&s, "p"), inode_of(scratch_path(&s, "p")), STR(""));
	place = at(work);
	ck_assert(!symbolizer_function(symbolizer, &place, &f));
	check_trouble(symbolizer, "no symbol table", "DEBUGINFOD_URLS");
	symbolizer_free(symbolizer);
	scratch_fini(&s);
}
END_TEST

/* The functions that were inlined, without the one around them, and how far it is so. */
START_TEST(test_inlined)
{
	struct symbolizer_stretch stretch = { 0 };
	struct symbolizer_inlined all[4];
	struct symbolizer_place place;
	struct symbolizer *symbolizer;
	struct scratch s;
	uint64_t work, call, again;

	symbolizer = begin(&s, "");
	map(symbolizer, scratch_path(&s, "p"), inode_of(scratch_path(&s, "p")), STR(""));
	work = BASE + symbol_value(&s, "work");
	call = BASE + number(&s, "objdump -d p.nm | awk '/<work>:/ {on=1} on && /call.*rand@plt/ "
				 "{print $1; exit}'");
	place = at(call);
	ck_assert_uint_eq(symbolizer_inlined(symbolizer, &place, all, 4, &stretch), 1);
	ck_assert_str_eq(all[0].name, "twice");
	ck_assert_uint_le(stretch.start, call);
	ck_assert_uint_gt(stretch.end, call);
	/* all that is known of the stretch is true at its ends, and not behind them */
	for (again = stretch.start; again < stretch.end; again++) {
		struct symbolizer_stretch same = { 0 };

		place = at(again);
		ck_assert_uint_eq(symbolizer_inlined(symbolizer, &place, all, 4, &same), 1);
		ck_assert_uint_eq(same.start, stretch.start);
		ck_assert_uint_eq(same.end, stretch.end);
	}
	place = at(call);
	ck_assert_uint_eq(symbolizer_inlined(symbolizer, &place, all, 0, &stretch), 0);
	place = at(work);
	ck_assert_uint_eq(symbolizer_inlined(symbolizer, &place, all, 4, &stretch), 0);
	ck_assert_uint_le(stretch.start, work);
	ck_assert_uint_le(stretch.end, call);
	/* nothing is known of what is not mapped */
	stretch = (struct symbolizer_stretch){ .start = 1, .end = 2 };
	place = at(BASE - 1);
	ck_assert_uint_eq(symbolizer_inlined(symbolizer, &place, all, 4, &stretch), 0);
	ck_assert_uint_eq(stretch.start, 1);
	ck_assert_uint_eq(stretch.end, 2);
	symbolizer_free(symbolizer);
	scratch_fini(&s);
}
END_TEST

/* How far the code was from where it was linked: once for each place. */
START_TEST(test_shifts)
{
	struct symbolizer *symbolizer;
	uint64_t shifts[4];
	struct scratch s;
	char path[512];

	symbolizer = begin(&s, "");
	snprintf(path, sizeof(path), "%s", scratch_path(&s, "p"));
	ck_assert_uint_eq(symbolizer_shifts(symbolizer, str_of(path), shifts, 4), 0);
	for (uint64_t i = 0; i < 4; i++) {
		struct symbolizer_mapping mapping = {
			.start = BASE + (i / 2 << 24) + symbol_value(&s, "_init"),
			.end = BASE + (i / 2 << 24) + 0x100000,
			.offset = symbol_value(&s, "_init"),
			.inode = inode_of(path),
			.path = str_of(path),
			.pid = PID + (int32_t)i,
		};

		symbolizer_map(symbolizer, &mapping);
	}
	ck_assert_uint_eq(symbolizer_shifts(symbolizer, str_of(path), shifts, 4), 2);
	ck_assert_uint_eq(shifts[0], BASE);
	ck_assert_uint_eq(shifts[1], BASE + (1 << 24));
	ck_assert_uint_eq(symbolizer_shifts(symbolizer, str_of(path), shifts, 1), 1);
	symbolizer_free(symbolizer);
	symbolizer_free(NULL);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("symbol/symbolizer", test_inlined, test_shifts, test_everything, test_debug_info,
	   test_which_file, test_deleted, test_vdso, test_no_files, test_stripped)
