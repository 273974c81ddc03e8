/* SPDX-License-Identifier: MIT */
/* jitdump [CASES [SEED]]: any bytes as a jitdump: it is read or refused, and can be asked. */
#include "symbol/jitdump.h"
#include "support/fuzz.h"

static void ask(const struct perfmap *map, uint64_t address)
{
	struct perfmap_function function;

	if (!perfmap_find(map, address, &function))
		return;
	MUST(function.start <= address);
	MUST(strlen(function.name) < PERFMAP_BYTES_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_put("jit-1.dump", data, size);
	struct regular_trust trust = { .user = getuid() };
	struct perfmap *map = NULL;
	struct err err = ERR_INIT;

	if (jitdump_read(path, &trust, &map, &err) < 0) {
		MUST(err.msg[0] != '\0' && !map);
		return 0;
	}
	/* whatever is a number in it may be an address */
	for (size_t i = 0; i + 8 <= size; i += 4) {
		uint64_t address;

		memcpy(&address, data + i, sizeof(address));
		ask(map, address);
		ask(map, address - 1);
	}
	perfmap_free(map);
	return 0;
}

FUZZ_MAIN("jitdump", 20000)
