/* SPDX-License-Identifier: MIT */
#include "symbol/rangelists.h"

#include <dwarf.h>
#include <string.h>

/* The length of the rest, the version, sizes of addresses and segments, how many offsets. */
#define HEAD_SIZE    12
#define VERSION_AT   4
#define ADDRESS_AT   6
#define COUNT_AT     8
#define ADDRESS_SIZE 8

/* Bytes of lists that no true unit has; lists of a damaged one may be of the same bytes. */
#define LISTS_MAX ((size_t)64 << 20)

void rangelists_old(const struct dwp_part *ranges, uint64_t base, struct blob *out)
{
	uint64_t pair[2], now = base;

	for (size_t at = 0; ranges->n - at >= sizeof(pair); at += sizeof(pair)) {
		memcpy(pair, ranges->p + at, sizeof(pair));
		if (pair[0] == UINT64_MAX) {
			now = pair[1];
			pair[1] = 0;
		} else if (pair[0] == 0 && pair[1] == 0) {
			now = base;
		} else {
			pair[0] += now;
			pair[1] += now;
		}
		blob_put(out, pair, sizeof(pair));
	}
}

/* Passes over one LEB128 number. */
static bool skip_number(const struct dwp_part *lists, size_t *at)
{
	while (*at < lists->n)
		if (!(lists->p[(*at)++] & 0x80))
			return true;
	return false;
}

/* How the operands of an entry look: N is a LEB128 number, A an address. */
static const char *operands_of(unsigned char kind)
{
	switch (kind) {
	case DW_RLE_end_of_list: return "";
	case DW_RLE_base_addressx: return "N";
	case DW_RLE_startx_endx:
	case DW_RLE_startx_length:
	case DW_RLE_offset_pair: return "NN";
	case DW_RLE_base_address: return "A";
	case DW_RLE_start_end: return "AA";
	case DW_RLE_start_length: return "AN";
	default: return NULL;
	}
}

/* Passes over an entry. */
static bool skip_entry(const struct dwp_part *lists, size_t *at)
{
	const char *operands = operands_of(lists->p[(*at)++]);

	for (; operands && *operands; operands++) {
		if (*operands == 'N' && !skip_number(lists, at))
			return false;
		if (*operands == 'A' && lists->n - *at < ADDRESS_SIZE)
			return false;
		*at += *operands == 'A' ? ADDRESS_SIZE : 0;
	}
	return operands;
}

/* Puts the list that begins there behind the others, with the base before it. */
static bool put_list(const struct dwp_part *lists, size_t at, uint64_t base, struct blob *out)
{
	const unsigned char kind = DW_RLE_base_address;
	size_t start = at;

	for (;;) {
		bool last = at < lists->n && lists->p[at] == DW_RLE_end_of_list;

		if (at >= lists->n || !skip_entry(lists, &at))
			return false;
		if (last)
			break;
	}
	blob_put(out, &kind, 1);
	blob_put(out, &base, sizeof(base));
	blob_put(out, lists->p + start, at - start);
	return true;
}

static uint32_t get_u32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

bool rangelists_new(const struct dwp_part *lists, uint64_t base, struct blob *out)
{
	uint32_t count, length;

	if (lists->n < HEAD_SIZE || get_u32(lists->p) == UINT32_MAX || lists->p[VERSION_AT] != 5 ||
	    lists->p[ADDRESS_AT] != ADDRESS_SIZE)
		return false;
	count = get_u32(lists->p + COUNT_AT);
	if (count > (lists->n - HEAD_SIZE) / sizeof(count))
		return false;
	/* the offsets are written when the lists have their places */
	blob_put(out, lists->p, HEAD_SIZE + count * sizeof(count));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t from = get_u32(lists->p + HEAD_SIZE + i * sizeof(from));
		uint32_t to = (uint32_t)(out->n - HEAD_SIZE);

		if (from >= lists->n - HEAD_SIZE || out->n > LISTS_MAX ||
		    !put_list(lists, HEAD_SIZE + from, base, out))
			return false;
		memcpy(out->p + HEAD_SIZE + i * sizeof(to), &to, sizeof(to));
	}
	length = (uint32_t)(out->n - sizeof(length));
	memcpy(out->p, &length, sizeof(length));
	return true;
}
