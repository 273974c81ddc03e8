/* SPDX-License-Identifier: MIT */
/*
 * perfmap [CASES [SEED]]: any bytes as a perf map: what is found for an address is a function that
 * begins at or before it, with a name that ends in the map, and the same each time.
 */
#include "symbol/perfmap.h"
#include "base/num.h"
#include "support/fuzz.h"

static void ask(const struct perfmap *a, const struct perfmap *b, uint64_t address)
{
	struct perfmap_function one, two;
	bool found = perfmap_find(a, address, &one);

	MUST(perfmap_find(b, address, &two) == found);
	if (!found)
		return;
	MUST(one.start <= address && one.start == two.start);
	MUST(strcmp(one.name, two.name) == 0);
	MUST(strchr(one.name, '\n') == NULL);
}

/* Asks for what the line's first number may be, and what is before and behind it. */
static void ask_of_line(const struct perfmap *a, const struct perfmap *b, struct str line)
{
	uint64_t address, length;

	if (str_starts(line, STR("0x")))
		line = str_skip(line, 2);
	if (!num_hex(&line, &address))
		return;
	ask(a, b, address);
	ask(a, b, address - 1);
	line = str_skip(line, 1);
	if (!num_hex(&line, &length))
		return;
	ask(a, b, address + length - 1);
	ask(a, b, address + length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfmap *map = perfmap_of_text(fuzz_text(data, size), size);
	struct perfmap *again = perfmap_of_text(fuzz_text(data, size), size);
	struct str text = { .p = (const char *)data, .n = size };

	while (text.n) {
		const char *end = memchr(text.p, '\n', text.n);
		size_t n = end ? (size_t)(end - text.p) : text.n;

		ask_of_line(map, again, (struct str){ .p = text.p, .n = n });
		text = str_skip(text, n + 1);
	}
	ask(map, again, 0);
	ask(map, again, UINT64_MAX);
	perfmap_free(map);
	perfmap_free(again);
	return 0;
}

FUZZ_MAIN("perfmap", 20000)
