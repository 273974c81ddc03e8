/* SPDX-License-Identifier: MIT */
#include "perf/flags.h"

#include "base/num.h"
#include "perf/scan.h"

struct type {
	char word[8];
	char letters[8]; /* the bits that the word stands for */
	enum branch_kind kind;
};

/* In the order of how often they occur. */
static const struct type types[] = {
	{ "jcc", "bo", BRANCH_JCC },
	{ "call", "bc", BRANCH_CALL },
	{ "return", "br", BRANCH_RETURN },
	{ "jmp", "b", BRANCH_JMP },
	{ "syscall", "bcs", BRANCH_SYSCALL },
	{ "sysret", "brs", BRANCH_SYSRET },
	{ "async", "by", BRANCH_ASYNC },
	{ "int", "bci", BRANCH_INT },
	{ "iret", "bri", BRANCH_IRET },
	{ "hw int", "bcyi", BRANCH_HW_INT },
	{ "tx abrt", "bA", BRANCH_TX_ABRT },
	{ "vmentry", "bcg", BRANCH_VMENTRY },
	{ "vmexit", "bch", BRANCH_VMEXIT },
	/* a mispredicted branch of no other type; in some versions before 6.15 */
	{ "br miss", "b", BRANCH_JMP },
};

#define N_TYPES (sizeof(types) / sizeof(types[0]))

static bool has(struct str word, char letter)
{
	return memchr(word.p, letter, word.n) != NULL;
}

/* Takes `word` off when it stands there as a whole. */
static inline bool take_word(struct str *s, const char *word)
{
	struct str rest;
	size_t n = 0;

	/* a byte at a time: they differ at the first, or are few */
	while (n < s->n && word[n] && s->p[n] == word[n])
		n++;
	if (word[n])
		return false;
	rest = str_skip(*s, n);
	if (rest.n && !scan_is_blank(*rest.p) && *rest.p != '/' && *rest.p != '(')
		return false;
	*s = rest;
	return true;
}

static bool take_type(struct str *s, enum branch_kind *kind)
{
	for (size_t i = 0; i < N_TYPES; i++) {
		if (take_word(s, types[i].word)) {
			*kind = types[i].kind;
			return true;
		}
	}
	return false;
}

/* What a trace start or end makes of the type; the trace of both at once goes on as it was. */
static void set_state(struct flags *f, bool start, bool end)
{
	f->state = start == end ? TRACE_ON : start ? TRACE_START : TRACE_END;
	if (start && (end || f->kind == BRANCH_JMP))
		f->kind = BRANCH_NONE;
}

/* The type that most of a word's letters speak for. */
static enum branch_kind kind_of_letters(struct str word)
{
	enum branch_kind kind = BRANCH_NONE;
	size_t best = 0;

	for (size_t i = 0; i < N_TYPES; i++) {
		const char *letters = types[i].letters;
		size_t n = 0;

		while (letters[n] && has(word, letters[n]))
			n++;
		if (!letters[n] && n > best) {
			best = n;
			kind = types[i].kind;
		}
	}
	return kind;
}

static void set_letters(struct flags *f, struct str word)
{
	f->kind = kind_of_letters(word);
	f->in_tx = has(word, 'x');
	set_state(f, has(word, 'B'), has(word, 'E'));
}

/*
 * A set of bits that perf has no name for comes as one letter a bit (PERF_IP_FLAG_CHARS in
 * tools/perf/util/event.h), unknown bits as '?'. b, for "branch", is always the first of them, and
 * at least one is a letter that no address has.
 */
static bool take_letters(struct str *s, struct flags *f)
{
	struct str word = { .p = s->p };
	bool hex = true;

	for (; word.n < s->n && !scan_is_blank(s->p[word.n]); word.n++) {
		if (!has(STR("bcrosyiABExghDtmn?"), s->p[word.n]))
			return false;
		hex = hex && num_hex_digits[(unsigned char)s->p[word.n]] <= 0xf;
	}
	if (hex || *word.p != 'b')
		return false;
	set_letters(f, word);
	*s = str_skip(*s, word.n);
	return true;
}

bool flags_of_bits(uint32_t bits, struct flags *f)
{
	static const char letters[] = "bcrosyiABExgh";
	char word[sizeof(letters)];
	size_t n = 0;

	*f = (struct flags){ .kind = BRANCH_NONE };
	for (size_t i = 0; letters[i]; i++)
		if (bits >> i & 1)
			word[n++] = letters[i];
	if (!(bits & 1))
		return false;
	set_letters(f, (struct str){ .p = word, .n = n });
	return true;
}

/* "/miss,not_taken/": perf has them since 6.15; they say nothing to us. */
static void skip_events(struct str *s)
{
	const char *close;

	if (s->n == 0 || *s->p != '/')
		return;
	close = memchr(s->p + 1, '/', s->n - 1);
	if (close && !memchr(s->p, ' ', (size_t)(close - s->p)))
		*s = str_skip(*s, (size_t)(close + 1 - s->p));
}

/* "(xDt)": in a transaction, interrupts disabled, interrupt flag toggled; any of them. */
static void take_states(struct str *s, bool *in_tx)
{
	struct str rest = *s, states;

	if (!scan_word(&rest, STR("(")))
		return;
	states = rest;
	while (rest.n && has(STR("xDt"), *rest.p))
		rest = str_skip(rest, 1);
	states.n -= rest.n;
	if (!scan_word(&rest, STR(")")))
		return;
	*in_tx = *in_tx || has(states, 'x');
	*s = rest;
}

/* The type, with a prefix or not; or letters. */
static void take_branch(struct str *s, struct flags *f)
{
	bool start = false, end = false;

	if (!take_type(s, &f->kind)) {
		start = take_word(s, "tr strt");
		if (start)
			scan_blanks(s);
		end = take_word(s, "tr end");
		if (end)
			scan_blanks(s);
		if (!start && !end) {
			take_letters(s, f);
			return;
		}
		take_type(s, &f->kind);
	}
	set_state(f, start, end);
}

bool flags_read(struct str *s, struct flags *f)
{
	struct str rest = *s;

	*f = (struct flags){ .kind = BRANCH_NONE };
	scan_blanks(&rest);
	take_branch(&rest, f);
	skip_events(&rest);
	scan_blanks(&rest);
	if (rest.n && *rest.p == '(') {
		take_states(&rest, &f->in_tx);
		scan_blanks(&rest);
	}
	/* what is no part of the column must be the address, apart from it */
	if (rest.n == 0 || num_hex_digits[(unsigned char)*rest.p] > 0xf || rest.p == s->p ||
	    !scan_is_blank(rest.p[-1]))
		return false;
	*s = rest;
	return true;
}
