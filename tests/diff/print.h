/* SPDX-License-Identifier: MIT */
/*
 * print: spans as lines of text, for the driver. Bytes that are not printable, blanks and `%` are
 * written %XX in names, and an empty name is %.
 */
#ifndef MT_TESTS_DIFF_PRINT_H
#define MT_TESTS_DIFF_PRINT_H

#include "base/intern.h"
#include "base/place.h"
#include "base/span.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What the sink knows: the names, and the tracks it was asked for. */
struct printer {
	struct intern *names;
	struct track_key *tracks; /* owned: free() */
	size_t n_tracks, cap_tracks;
};

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "driver: %s: %s\n", what, why);
	exit(2);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Undoes print_name, in place. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (*s != '%') {
			*to++ = *s++;
		} else if (s[1] && hex_digit(s[1]) >= 0 && hex_digit(s[2]) >= 0) {
			*to++ = (char)(hex_digit(s[1]) << 4 | hex_digit(s[2]));
			s += 3;
		} else {
			s++;
		}
	}
	*to = '\0';
}

static void print_name(struct str s)
{
	if (!s.n)
		putchar('%');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c > ' ' && c < 0x7f && c != '%')
			putchar(c);
		else
			printf("%%%02X", c);
	}
}

static void print_place(const struct printer *out, const struct span *span)
{
	char buf[4096];

	putchar(' ');
	if (span->name != INTERN_NONE) {
		print_name(intern_str(out->names, span->name));
		return;
	}
	buf[0] = '@'; /* marks a name that we made up */
	print_name((struct str){
		.p = buf,
		.n = 1 + place_name(buf + 1, sizeof(buf) - 1, span->addr,
				    span->dso == INTERN_NONE ? (struct str){ 0 }
							     : intern_str(out->names, span->dso)),
	});
}

static void print_track(const struct printer *out, uint32_t track)
{
	const struct track_key *key;

	if (track >= out->n_tracks)
		die("sink", "a track that was never asked for");
	key = &out->tracks[track];
	switch (key->kind) {
	case TRACK_THREAD: printf(" %d/%d", key->pid, key->tid); break;
	case TRACK_EXTRA:
		printf(" extra/");
		print_name(intern_str(out->names, key->event));
		printf("/%d", key->pid);
		break;
	case TRACK_HITS: printf(" hits"); break;
	}
}

static uint32_t sink_track(void *ctx, const struct track_key *key)
{
	struct printer *out = ctx;

	for (size_t i = 0; i < out->n_tracks; i++) {
		const struct track_key *old = &out->tracks[i];

		if (old->kind == key->kind && old->pid == key->pid && old->tid == key->tid &&
		    old->event == key->event)
			return (uint32_t)i;
	}
	if (out->n_tracks == out->cap_tracks) {
		out->cap_tracks = out->cap_tracks ? 2 * out->cap_tracks : 16;
		out->tracks = xreallocarray(out->tracks, out->cap_tracks, sizeof(*out->tracks));
	}
	out->tracks[out->n_tracks] = *key;
	return (uint32_t)out->n_tracks++;
}

static void sink_span(void *ctx, const struct span *span)
{
	const struct printer *out = ctx;
	static const char letter[] = {
		[SPAN_BEGIN] = 'B',   [SPAN_END] = 'E',   [SPAN_COMPLETE] = 'X',
		[SPAN_COUNTER] = 'C', [SPAN_EXTRA] = 'S', [SPAN_PTWRITE] = 'P',
	};

	/* The model draws none. */
	if (span->kind == SPAN_ARROW_FROM || span->kind == SPAN_ARROW_TO)
		return;
	if (span->kind >= sizeof(letter))
		die("sink", "a kind of span that does not exist");
	printf("%c %" PRId64, letter[span->kind], span->time);
	print_track(out, span->track);
	switch ((enum span_kind)span->kind) {
	case SPAN_BEGIN:
		print_place(out, span);
		printf(" %" PRIx64 " %" PRIx64 " %" PRIx64 " %u", span->addr, span->start,
		       span->value, span->flags);
		break;
	case SPAN_END:
		print_place(out, span);
		printf(" %" PRIu64, span->value);
		break;
	case SPAN_COMPLETE:
		print_place(out, span);
		printf(" %" PRId64, span->end);
		break;
	case SPAN_COUNTER: printf(" %" PRIu64, span->value); break;
	case SPAN_EXTRA:
		print_place(out, span);
		printf(" %" PRIx64 " %" PRIu64, span->addr, span->value);
		print_track(out, span->owner);
		break;
	case SPAN_PTWRITE: printf(" %" PRIx64 " %" PRIx64, span->value, span->addr); break;
	case SPAN_ARROW_FROM:
	case SPAN_ARROW_TO: break;
	}
	putchar('\n');
}

static void sink_hit(void *ctx, const struct hit_span *hit)
{
	const struct printer *out = ctx;

	printf("H %" PRId64, hit->start);
	print_track(out, hit->track);
	putchar(' ');
	print_name(intern_str(out->names, hit->name));
	printf(" %" PRId64 " %" PRId64, hit->time, hit->passed);
	if (hit->has_arg)
		printf(" %" PRIx64, hit->arg);
	else
		printf(" -");
	printf(" %" PRIx64 " %d\n", hit->ip, hit->tid);
}

#endif
