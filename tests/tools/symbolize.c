/* SPDX-License-Identifier: MIT */
/*
 * symbolize FILE [CACHE]: reads addresses of an ELF file, hex, a line each, and says what it knows
 * of them: the address, the symbol and its offset, and the chain of functions, innermost first.
 *
 *   0x1234<TAB>SYMBOL+0x4<TAB>FUNCTION<TAB>FILE:LINE<TAB>FUNCTION<TAB>FILE:LINE ...
 *
 * What is not known is "?". CACHE: a directory to keep tables in.
 */
#include "symbol/dso.h"
#include "symbol/regular.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *or_unknown(const char *text)
{
	return text[0] ? text : "?";
}

static void print_place(const struct unittable_place *place)
{
	printf("\t%s\t%s:%" PRIu32, or_unknown(place->function), or_unknown(place->file),
	       place->line);
}

static void print(struct dso *dso, const struct filetable *table, uint64_t value)
{
	struct unittable_place places[UNITTABLE_DEPTH_MAX];
	const struct filetable_symbol *symbol = filetable_symbol(table, value);
	const struct unittable *unit = dso_unit(dso, value);
	size_t n = unit ? unittable_chain(unit, value, places, UNITTABLE_DEPTH_MAX) : 0;

	printf("0x%" PRIx64 "\t", value);
	if (symbol)
		printf("%s+0x%" PRIx64, filetable_name(table, symbol), value - symbol->value);
	else
		putchar('?');
	if (n == 0 && unit && unittable_line(unit, value, false, &places[0]))
		n = 1;
	for (size_t i = 0; i < n; i++)
		print_place(&places[i]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	char id[BUILDID_HEX] = "", line[64];
	const struct filetable *table;
	struct err err = ERR_INIT;
	struct dso *dso;
	int fd;

	if (argc < 2)
		return 2;
	fd = regular_open(argv[1], NULL, &err);
	if (fd < 0) {
		fprintf(stderr, "symbolize: %s\n", err.msg);
		return 1;
	}
	buildid_read(argv[1], id);
	dso = dso_open(fd, argv[1], id, argc > 2 ? argv[2] : NULL, false);
	table = dso_file(dso, &err);
	if (!table)
		fprintf(stderr, "symbolize: %s\n", err.msg);
	while (table && fgets(line, sizeof(line), stdin))
		print(dso, table, strtoull(line, NULL, 16));
	if (dso_trouble(dso))
		fprintf(stderr, "symbolize: %s\n", dso_trouble(dso)->msg);
	dso_close(dso);
	return table ? 0 : 1;
}
