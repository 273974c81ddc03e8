/* SPDX-License-Identifier: MIT */
#include "symbol/selection.h"

#include "base/xalloc.h"
#include "symbol/notation.h"

#include <stdlib.h>
#include <string.h>

static const struct prefix {
	const char *text;
	enum selection_kind kind;
} prefixes[] = {
	{ "symbol:", SELECTION_SYMBOL },
	{ "line:", SELECTION_LINE },
	{ "addr:", SELECTION_ADDRESS },
};

static int check(enum selection_kind kind, const char *text, struct err *err)
{
	struct notation_line line;
	uint64_t address;

	if (kind == SELECTION_ADDRESS && !notation_address(text, &address)) {
		err_set(err, "'%s' is not a hexadecimal address of 64 bits", text);
		return err_hint(err, "an address looks like addr:0x401136");
	}
	if (kind == SELECTION_LINE && !notation_line(text, &line)) {
		err_set(err, "'%s' is not a line of a source file", text);
		return err_hint(err, "a line looks like line:main.c:27, or line:main.c:27:5 with a "
				     "column");
	}
	return 0;
}

int selection_parse(struct selection *selection, const char *text, struct err *err)
{
	enum selection_kind kind = SELECTION_ANY;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t n = strlen(prefixes[i].text);

		/* symbol::f is the f of a namespace called symbol */
		if (strncmp(text, prefixes[i].text, n) != 0 || text[n] == ':')
			continue;
		kind = prefixes[i].kind;
		text += n;
		if (text[0] == '\0')
			return err_set(err, "nothing stands behind '%s'", prefixes[i].text);
		break;
	}
	if (text[0] == '\0') {
		err_set(err, "the selection is empty");
		return err_hint(err, "give a function, FILE:LINE, an address, or ? to choose");
	}
	if (strcmp(text, "?") == 0 && kind != SELECTION_ADDRESS)
		kind = SELECTION_CHOOSE;
	if (check(kind, text, err) < 0)
		return -1;
	if (strcmp(text, ".") == 0 && kind != SELECTION_LINE) {
		kind = SELECTION_SYMBOL;
		text = STOP_INDICATOR;
	}
	*selection = (struct selection){ .kind = kind, .text = xstrdup(text) };
	return 0;
}

void selection_fini(struct selection *selection)
{
	free(selection->text);
	selection->text = NULL;
}
