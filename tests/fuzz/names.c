/* SPDX-License-Identifier: MIT */
/*
 * names [CASES [SEED]]: any bytes as a name: it goes through JSON and back unchanged, is demangled
 * or left, is shown cleanly in a trace and on a terminal, and can be compared with a selection.
 */
#include "cli/console.h"
#include "cli/line.h"
#include "cli/shell.h"
#include "record/jsontext.h"
#include "support/fuzz.h"
#include "symbol/demangle.h"
#include "symbol/match.h"
#include "symbol/shownname.h"
#include "trace/text.h"

/* Whether a character is one that nothing may be shown of: Unicode's category Cc. */
static bool has_control(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c < 0x20 || c == 0x7f)
			return true;
		if (c == 0xc2 && i + 1 < n && (unsigned char)p[i + 1] < 0xa0)
			return true;
	}
	return false;
}

static void check_json(struct str name)
{
	char *text = jsontext_encode(name);
	size_t n = strlen(text);

	/* a byte may become a character of four */
	MUST(n <= 4 * name.n);
	jsontext_decode(text);
	MUST(strlen(text) == strnlen(name.p, name.n));
	MUST(memcmp(text, name.p, strlen(text)) == 0);
	free(text);
}

static void check_shown(struct str name)
{
	static const size_t limits[] = { 3, 4, 20, 4096, 32000 };
	static struct shownname shown;
	char out[32000], escaped[600];
	unsigned flaws = 0;

	shownname(&shown, name, true);
	MUST(shown.name.n <= name.n || shown.name.n < SHOWNNAME_MAX);
	MUST(shown.clone.n <= name.n);
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		size_t n = text_clean(out, limits[i], shown.name, &flaws);

		MUST(n <= limits[i] && !has_control(out, n));
	}
	for (size_t size = 1; size < sizeof(escaped); size = 2 * size + 1) {
		size_t n = console_escape(escaped, size, name);

		MUST(n < size && escaped[n] == '\0' && !has_control(escaped, n));
	}
}

static void check_matching(const char *name, const char *selected)
{
	static struct match_query query;
	char demangled[2048];

	match_init(&query, selected);
	match_name(&query, name);
	match_shown(&query, name);
	if (strcmp(name, selected) == 0 && name[0])
		MUST(match_name(&query, name) == MATCH_EXACT);
	for (int form = DEMANGLE_SHORT; form <= DEMANGLE_RETURN; form++)
		if (demangle(name, (enum demangle_form)form, demangled, sizeof(demangled)))
			MUST(strlen(demangled) < sizeof(demangled));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *second = memchr(text, '\n', size);
	struct str name = { .p = text, .n = size };
	struct line line = LINE_INIT;

	check_shown(name);
	name.n = strlen(text);
	check_json(name);
	shell_command(&line, (char *[]){ text, NULL });
	MUST(line.n < sizeof(line.s) && line.s[line.n] == '\0');
	MUST(!has_control(line.s, line.n));
	check_matching(text, text);
	if (second) {
		*second++ = '\0';
		check_matching(text, second);
		check_matching(second, text);
	}
	free(text);
	return 0;
}

FUZZ_MAIN("names", 5000)
