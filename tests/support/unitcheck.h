/* SPDX-License-Identifier: MIT */
/* unitcheck: what debug info, however damaged, is made into is tables that can be read. */
#ifndef MT_SUPPORT_UNITCHECK_H
#define MT_SUPPORT_UNITCHECK_H

#include "support/random.h"
#include "symbol/debuginfo.h"
#include "symbol/elffile.h"
#include "symbol/filetable.h"
#include "symbol/unitbuild.h"
#include "symbol/unittable.h"

/* Asks a unit's table for what it may hold at its edges. */
static inline void unitcheck_ask(const struct unittable *table)
{
	struct unittable_place places[8];

	for (size_t i = 0; i < table->n_spans && i < 64; i++) {
		MUST(unittable_chain(table, table->spans[i].start, places, 8) >= 1);
		unittable_chain(table, table->spans[i].end, places, 8);
	}
	for (size_t i = 0; i < table->n_rows && i < 64; i++)
		unittable_line(table, table->rows[i].value, i & 1, &places[0]);
}

/* Builds and asks the first four units of a file. */
static inline void unitcheck_first(const struct debuginfo *info, const struct elffile *elf,
				   const struct filetable *table)
{
	for (size_t i = 0; i < table->n_units && i < 4; i++) {
		struct blob blob = { 0 };
		struct unittable unit;
		bool whole;

		if (unitbuild(info, elf, table->units[i].owner, &blob, &whole)) {
			MUST(unittable_check(blob.p, blob.n, &unit));
			unitcheck_ask(&unit);
		}
		blob_fini(&blob);
	}
}

#endif
