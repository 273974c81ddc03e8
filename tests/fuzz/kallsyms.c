/* SPDX-License-Identifier: MIT */
/*
 * kallsyms [CASES [SEED]]: any bytes as a copy of /proc/kallsyms: what is found begins at or before
 * the address; moved by some bytes, the kernel's functions are found that much further on.
 */
#include "symbol/kallsyms.h"
#include "base/num.h"
#include "support/fuzz.h"

static void ask(const struct kallsyms *table, uint64_t address)
{
	struct kallsyms_function function;

	if (!kallsyms_find(table, address, &function))
		return;
	MUST(function.start <= address);
	MUST(strchr(function.name, '\n') == NULL);
}

static void ask_all(const struct kallsyms *table, struct str text)
{
	uint64_t address;

	while (text.n) {
		const char *end = memchr(text.p, '\n', text.n);
		size_t n = end ? (size_t)(end - text.p) : text.n;
		struct str line = { .p = text.p, .n = n };

		if (num_hex(&line, &address)) {
			ask(table, address);
			ask(table, address - 1);
			ask(table, address + 0x1000);
		}
		text = str_skip(text, n + 1);
	}
	ask(table, 0);
	ask(table, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_file file = fuzz_file(data, size);
	struct str text = { .p = (const char *)data, .n = size };
	struct kallsyms *table = NULL;
	struct kallsyms_function function;
	struct err err = ERR_INIT;

	if (kallsyms_read(file.path, &table, &err) < 0) {
		MUST(err.msg[0] != '\0' && !table);
		close(file.fd);
		return 0;
	}
	ask_all(table, text);
	if (kallsyms_move(table, "_text", UINT64_C(0xffffffff81234000)) ||
	    kallsyms_move(table, "a", UINT64_C(0x1000)))
		ask_all(table, text);
	if (kallsyms_find(table, UINT64_C(0xffffffff81234000), &function))
		MUST(function.start <= UINT64_C(0xffffffff81234000));
	kallsyms_free(table);
	close(file.fd);
	return 0;
}

FUZZ_MAIN("kallsyms", 20000)
