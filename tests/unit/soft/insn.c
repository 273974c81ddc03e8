/* SPDX-License-Identifier: MIT */
/*
 * The table is written by hand from the Intel SDM, volume 2 (instruction pages, appendix A);
 * programs of this machine are compared with what objdump makes of them.
 */
#include "soft/insn.h"

#include "support/suite.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *code; /* hex; after '|' what is not of the instruction */
	enum insn_kind kind;
	int32_t rel;
} table[] = {
	/* Jcc rel8, rel32; LOOPcc, JrCXZ */
	{ "70 00", INSN_JCC, 0 },
	{ "7f 7f", INSN_JCC, 127 },
	{ "74 80", INSN_JCC, -128 },
	{ "75 fe", INSN_JCC, -2 },
	{ "0f 80 00 00 00 00", INSN_JCC, 0 },
	{ "0f 8f ff ff ff 7f", INSN_JCC, INT32_MAX },
	{ "0f 84 00 00 00 80", INSN_JCC, INT32_MIN },
	{ "0f 85 fa ff ff ff", INSN_JCC, -6 },
	{ "e0 10", INSN_JCC, 16 },
	{ "e1 10", INSN_JCC, 16 },
	{ "e2 fc", INSN_JCC, -4 },
	{ "e3 05", INSN_JCC, 5 },
	{ "67 e3 05", INSN_JCC, 5 }, /* jecxz */
	{ "2e 74 05", INSN_JCC, 5 }, /* hints */
	{ "3e 0f 85 01 02 03 04", INSN_JCC, 0x04030201 },
	{ "f2 75 10", INSN_JCC, 16 }, /* bnd */
	{ "f2 0f 82 10 00 00 00", INSN_JCC, 16 },
	/* JMP */
	{ "eb 00", INSN_JMP, 0 },
	{ "eb fe", INSN_JMP, -2 },
	{ "e9 01 00 00 00", INSN_JMP, 1 },
	{ "f2 e9 78 56 34 12", INSN_JMP, 0x12345678 },
	{ "f2 eb 81", INSN_JMP, -127 },
	{ "48 e9 fb ff ff ff", INSN_JMP, -5 },
	/* the displacement of a near branch has 32 bits, whatever the operand size */
	{ "66 e9 01 00 00 00", INSN_JMP, 1 },
	{ "66 0f 84 01 00 00 00", INSN_JCC, 1 },
	{ "66 eb 01", INSN_JMP, 1 },
	/* CALL */
	{ "e8 00 00 00 00", INSN_CALL, 0 },
	{ "e8 fb ff ff ff", INSN_CALL, -5 },
	{ "66 e8 02 01 00 00", INSN_CALL, 0x102 },
	{ "67 e8 02 01 00 00", INSN_CALL, 0x102 },
	{ "f2 e8 02 01 00 00", INSN_CALL, 0x102 },
	{ "66 66 48 e8 02 01 00 00", INSN_CALL, 0x102 }, /* as linkers write __tls_get_addr's */
	{ "66 66 66 66 66 66 66 66 66 48 e8 02 01 00 00", INSN_CALL, 0x102 }, /* 15 bytes */
	/* FF /2 to /5, with each form of ModRM, SIB and displacement */
	{ "ff d0", INSN_CALL_IND },
	{ "ff e0", INSN_JMP_IND },
	{ "ff e4", INSN_JMP_IND }, /* rsp: no SIB */
	{ "ff e5", INSN_JMP_IND },
	{ "41 ff d3", INSN_CALL_IND }, /* r11 */
	{ "41 ff e4", INSN_JMP_IND },  /* r12 */
	{ "ff 10", INSN_CALL_IND },    /* (rax) */
	{ "ff 20", INSN_JMP_IND },
	{ "ff 25 01 02 03 04", INSN_JMP_IND }, /* (rip+d32) */
	{ "f2 ff 25 01 02 03 04", INSN_JMP_IND },
	{ "41 ff 25 01 02 03 04", INSN_JMP_IND },
	{ "ff 15 01 02 03 04", INSN_CALL_IND },
	{ "ff 14 24", INSN_CALL_IND },                /* (rsp) */
	{ "ff 24 c5 01 02 03 04", INSN_JMP_IND },     /* (rax*8+d32), no base */
	{ "ff 24 25 01 02 03 04", INSN_JMP_IND },     /* (d32) */
	{ "ff 14 c3", INSN_CALL_IND },                /* (rbx+rax*8) */
	{ "ff 55 10", INSN_CALL_IND },                /* d8(rbp) */
	{ "ff 64 24 08", INSN_JMP_IND },              /* d8(rsp) */
	{ "ff 54 c5 08", INSN_CALL_IND },             /* d8(rbp+rax*8) */
	{ "ff 93 01 02 03 04", INSN_CALL_IND },       /* d32(rbx) */
	{ "ff a4 c3 01 02 03 04", INSN_JMP_IND },     /* d32(rbx+rax*8) */
	{ "ff a4 25 01 02 03 04", INSN_JMP_IND },     /* d32(rbp) with a SIB */
	{ "67 ff 25 01 02 03 04", INSN_JMP_IND },     /* (eip+d32) */
	{ "67 ff 60 08", INSN_JMP_IND },              /* d8(eax) */
	{ "64 ff 14 25 10 00 00 00", INSN_CALL_IND }, /* fs:(d32) */
	{ "65 48 ff 24 25 10 00 00 00", INSN_JMP_IND },
	{ "3e ff e0", INSN_JMP_IND }, /* notrack */
	{ "3e 41 ff d3", INSN_CALL_IND },
	{ "3e f2 ff 24 c2", INSN_JMP_IND },
	{ "66 ff e0", INSN_JMP_IND },
	{ "ff 18", INSN_CALL_IND }, /* far: m16:32 */
	{ "48 ff 18", INSN_CALL_IND },
	{ "ff 28", INSN_JMP_IND },
	{ "66 ff 6c 24 10", INSN_JMP_IND },
	{ "49 ff ac 24 01 02 03 04", INSN_JMP_IND }, /* far, d32(r12) */
	/* RET, near and far */
	{ "c3", INSN_RET },
	{ "f3 c3", INSN_RET },
	{ "f2 c3", INSN_RET },
	{ "c2 10 00", INSN_RET },
	{ "cb", INSN_RET },
	{ "48 cb", INSN_RET },
	{ "ca 08 00", INSN_RET },
	/* into the kernel, and out of it */
	{ "0f 05", INSN_SYSCALL },
	{ "0f 34", INSN_SYSCALL },
	{ "48 0f 05", INSN_SYSCALL },
	{ "cd 80", INSN_INT },
	{ "f1", INSN_INT },
	{ "cc", INSN_INT3 },
	{ "cf", INSN_IRET },
	{ "48 cf", INSN_IRET },
	/* a REX that a legacy prefix follows is ignored; a second REX wins */
	{ "48 66 e9 01 00 00 00", INSN_JMP, 1 },
	{ "40 41 ff e4", INSN_JMP_IND },
};

/* Instructions that share bytes with branches. */
static const char *const others[] = {
	"90",
	"c6 00 c3",
	"0f 1f 80 00 00 00 00", /* nop d32(rax) */
	"0f 1e fa",             /* with f3: endbr64 */
	"f3 0f 1e fa",
	"ff 00",             /* inc */
	"ff c8",             /* dec */
	"ff 35 01 02 03 04", /* push */
	"ff f0",
	"fe e0",
	"c4 e2 78 f2 c3",    /* VEX: andn */
	"c5 f8 77",          /* vzeroupper */
	"c5 f9 70 c0 e9",    /* VEX of opcode 70: vpshufd */
	"62 f1 7d 48 74 c0", /* EVEX of opcode 74: vpcmpeqb */
	"66 0f 70 c0 e8",    /* pshufd */
	"0f c2 c1 00",       /* cmpps: c2 of another map */
	"0f c3 07",          /* movnti */
	"0f cb",             /* bswap: of another map too */
	"0f cc",
	"0f cf",
	"0f e8 c1", /* psubsb */
	"0f e9 c1",
	"0f eb c1",       /* por */
	"0f 38 c8 c1",    /* sha1nexte */
	"0f 3a 0f c1 08", /* palignr */
	"0f 90 c0",       /* seto */
	"0f 40 c1",       /* cmovo */
	"0f 0b",          /* ud2 */
	"0f a2",          /* cpuid */
	"0f 01 f9",       /* rdtscp */
	"0f 07",          /* sysret: the kernel's */
	"e4 60",          /* in */
	"ec",
	"6a ff", /* push */
	"68 e8 00 00 00",
	"b8 e8 00 00 00", /* mov $0xe8, %eax */
	"48 b8 e8 e9 eb c3 cc cd cf ff",
	"c7 f8 10 00 00 00", /* xbegin: not a branch to PT */
	"c8 10 00 00",       /* enter */
	"c9",
	"d8 e0", /* x87 */
	"9b d9 3c 24",
	"f4",
	"66 66 66 66 66 66 66 66 66 66 66 66 66 66 66", /* prefixes only */
};

static size_t parse_hex(const char *text, uint8_t *code)
{
	size_t n = 0;
	int used;
	unsigned int byte;

	while (sscanf(text, " %2x%n", &byte, &used) == 1) {
		ck_assert_uint_lt(n, INSN_MAX);
		code[n++] = (uint8_t)byte;
		text += used;
	}
	return n;
}

/* From a block of just n bytes: a sanitizer sees what is read behind it. */
static struct insn decode(const uint8_t *code, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	struct insn insn;

	memcpy(copy, code, n);
	insn = insn_of(copy, n);
	free(copy);
	return insn;
}

START_TEST(test_table)
{
	for (size_t i = 0; i < LENGTH(table); i++) {
		uint8_t code[INSN_MAX + 16];
		size_t n = parse_hex(table[i].code, code);

		for (unsigned int fill = 0; fill < 256; fill += 0x33) {
			struct insn insn;

			memset(code + n, (int)fill, sizeof(code) - n);
			insn = decode(code, fill ? sizeof(code) : n);
			ck_assert_msg(insn.kind == table[i].kind, "%s: kind %u", table[i].code,
				      insn.kind);
			ck_assert_msg(insn.length == n, "%s: length %u", table[i].code,
				      insn.length);
			ck_assert_msg(insn.rel == table[i].rel, "%s: rel %d", table[i].code,
				      insn.rel);
		}
	}
}
END_TEST

/* Each beginning of each instruction; and one that is made too long by prefixes. */
START_TEST(test_cut)
{
	for (size_t i = 0; i < LENGTH(table); i++) {
		uint8_t code[2 * INSN_MAX], longer[3 * INSN_MAX];
		size_t n = parse_hex(table[i].code, code);

		for (size_t k = 0; k < n; k++) {
			struct insn insn = decode(code, k);

			ck_assert_msg(insn.kind == INSN_OTHER && insn.length == 0,
				      "%zu bytes of %s: kind %u", k, table[i].code, insn.kind);
		}
		memset(longer, 0x66, INSN_MAX);
		memcpy(longer + INSN_MAX - n, code, n);
		ck_assert_uint_eq(decode(longer, INSN_MAX).length, INSN_MAX);
		longer[INSN_MAX - n] = 0x66;
		memcpy(longer + INSN_MAX - n + 1, code, n);
		ck_assert_uint_eq(decode(longer, INSN_MAX + 1).kind, INSN_OTHER);
	}
}
END_TEST

START_TEST(test_others)
{
	for (size_t i = 0; i < LENGTH(others); i++) {
		uint8_t code[INSN_MAX + 1];
		size_t n = parse_hex(others[i], code);
		struct insn insn = decode(code, n);

		ck_assert_uint_gt(n, 0);
		ck_assert_msg(insn.kind == INSN_OTHER && insn.length == 0, "%s: kind %u", others[i],
			      insn.kind);
	}
}
END_TEST

/* Whatever the bytes are, an answer is within them. */
START_TEST(test_any_bytes)
{
	uint8_t code[INSN_MAX];
	uint64_t seed = 1;

	for (int i = 0; i < 200000; i++) {
		size_t n = (size_t)i % (INSN_MAX + 1);
		struct insn insn;

		for (size_t k = 0; k < n; k++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			code[k] = (uint8_t)(seed >> 56);
		}
		insn = decode(code, n);
		ck_assert_uint_le(insn.length, n);
		ck_assert_int_eq(insn.kind == INSN_OTHER, insn.length == 0);
	}
}
END_TEST

/* objdump's text behind the prefixes that it prints as words; "" if there is nothing. */
static const char *skip_prefixes(const char *text)
{
	static const char *const prefixes[] = { "bnd", "notrack", "data16", "addr32", "rex",
						"rep", "lock",    "cs",     "ds",     "es",
						"ss",  "fs",      "gs" };

	for (size_t i = 0; i < LENGTH(prefixes); i++) {
		size_t n = strcspn(text, " \n"), length = strlen(prefixes[i]);
		/* repz, repnz, rex.WR */
		bool open = strcmp(prefixes[i], "rex") == 0 || strcmp(prefixes[i], "rep") == 0;

		if (strncmp(text, prefixes[i], length) != 0 || (n != length && !open))
			continue;
		text += n + strspn(text + n, " \n");
		i = (size_t)-1;
	}
	return text;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* What objdump's mnemonic says. */
static enum insn_kind kind_said(const char *text)
{
	const char *operand = text + strcspn(text, " ");
	bool indirect = operand[strspn(operand, " ")] == '*';

	if (begins(text, "call") || begins(text, "lcall"))
		return indirect ? INSN_CALL_IND : INSN_CALL;
	if (begins(text, "jmp") || begins(text, "ljmp"))
		return indirect ? INSN_JMP_IND : INSN_JMP;
	if (begins(text, "j") || begins(text, "loop"))
		return INSN_JCC;
	if (begins(text, "ret") || begins(text, "lret"))
		return INSN_RET;
	if (begins(text, "syscall") || begins(text, "sysenter"))
		return INSN_SYSCALL;
	if (begins(text, "int3"))
		return INSN_INT3;
	if (begins(text, "int ") || begins(text, "int1") || begins(text, "icebp"))
		return INSN_INT;
	return begins(text, "iret") ? INSN_IRET : INSN_OTHER;
}

/* Where objdump says that it goes: the first number behind the mnemonic. */
static uint64_t target_said(const char *text)
{
	uint64_t target = 0;
	const char *space = strrchr(text, '<');

	while (space && space > text && space[-1] == ' ')
		space--;
	while (space && space > text && space[-1] != ' ')
		space--;
	ck_assert_msg(space && sscanf(space, "%" SCNx64, &target) == 1, "no target in '%s'", text);
	return target;
}

/* One line, "  ADDRESS:<tab>BYTES<tab>TEXT". false: it has no whole instruction. */
static bool check_line(const char *line, size_t counts[])
{
	const char *colon = strchr(line, ':'), *tab = colon ? strchr(colon + 2, '\t') : NULL;
	char bytes[3 * INSN_MAX + 2];
	uint8_t code[2 * INSN_MAX];
	enum insn_kind want;
	const char *text;
	uint64_t address;
	struct insn insn;
	size_t n;

	if (!tab || colon[1] != '\t' || strstr(tab, "(bad)") || strstr(tab, ".byte"))
		return false;
	ck_assert_int_eq(sscanf(line, "%" SCNx64, &address), 1);
	snprintf(bytes, sizeof(bytes), "%.*s", (int)(tab - colon - 1), colon + 1);
	n = parse_hex(bytes, code);
	text = skip_prefixes(tab + 1);
	if (*text == '\0')
		return false;
	want = kind_said(text);
	memset(code + n, 0xe8, INSN_MAX);
	insn = decode(code, n + INSN_MAX);
	ck_assert_msg(insn.kind == want, "kind %u of: %s", insn.kind, line);
	ck_assert_msg(insn.length == (want == INSN_OTHER ? 0 : n), "length %u of: %s", insn.length,
		      line);
	if (want == INSN_JCC || want == INSN_JMP || want == INSN_CALL)
		ck_assert_msg(address + n + (uint64_t)(int64_t)insn.rel == target_said(text),
			      "rel %d of: %s", insn.rel, line);
	counts[want]++;
	return true;
}

static void check_program(const char *path, size_t counts[])
{
	char command[4200], line[4096];
	size_t instructions = 0;
	FILE *out;

	snprintf(command, sizeof(command), "objdump -d -w -M intel64 '%s'", path);
	out = popen(command, "r");
	ck_assert_ptr_nonnull(out);
	while (fgets(line, sizeof(line), out))
		instructions += check_line(line, counts);
	ck_assert_msg(pclose(out) == 0 && instructions > 1000, "%s: %zu instructions", path,
		      instructions);
}

/* The file that is mapped with this in its name. */
static bool mapped_file(const char *part, char path[4096])
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4200];
	bool found = false;

	while (!found && fgets(line, sizeof(line), maps))
		found = strstr(line, part) && sscanf(line, "%*s %*s %*s %*s %*s %4095s", path) == 1;
	fclose(maps);
	return found;
}

START_TEST(test_objdump)
{
	size_t counts[INSN_IRET + 1] = { 0 };
	char path[4096] = "";

	if (system("objdump --version >/dev/null 2>&1") != 0) {
		puts("SKIP insn/objdump: there is no objdump");
		return;
	}
	ck_assert_int_gt(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	check_program(path, counts);
	/* a static libc has no files */
	if (mapped_file("/libc.so", path) || mapped_file("/libc-", path))
		check_program(path, counts);
	if (mapped_file("/ld-linux", path))
		check_program(path, counts);
	for (int kind = INSN_OTHER; kind <= INSN_SYSCALL; kind++)
		ck_assert_msg(counts[kind] > 0, "none of kind %d", kind);
}
END_TEST

SUITE_MAIN("insn", test_table, test_cut, test_others, test_any_bytes, test_objdump)
