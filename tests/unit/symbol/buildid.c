/* SPDX-License-Identifier: MIT */
#include "symbol/buildid.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

static bool read_of(struct scratch *s, const char *name, char hex[BUILDID_HEX])
{
	return buildid_read(scratch_path(s, name), hex);
}

/* The linker writes what it is told to; readelf -n would show the same. */
START_TEST(test_build_ids)
{
	struct scratch s;
	char hex[BUILDID_HEX];

	scratch_init(&s);
	scratch_put(&s, "a.c", "int main(void) { return 0; }\n");
	ck_assert_int_eq(scratch_run(&s, "gcc -Wl,--build-id=0x00ff0123456789ab -o given a.c && "
					 "gcc -Wl,--build-id=none -o none a.c && "
					 "gcc -Wl,--build-id=0x$(printf %080d 7) -o long a.c"),
			 0);
	ck_assert(read_of(&s, "given", hex));
	ck_assert_str_eq(hex, "00ff0123456789ab");
	ck_assert(!read_of(&s, "none", hex));
	ck_assert(!read_of(&s, "a.c", hex));
	ck_assert(!read_of(&s, "missing", hex));
	ck_assert(!buildid_read("/dev/zero", hex));
	ck_assert(read_of(&s, "long", hex));
	ck_assert_uint_eq(strlen(hex), BUILDID_HEX - 1);
	ck_assert_uint_eq(strspn(hex, "0"), BUILDID_HEX - 1);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_hex)
{
	char hex[7];

	buildid_hex(hex, sizeof(hex), "\x00\xfe\x1a\x05", 4);
	ck_assert_str_eq(hex, "00fe1a");
	buildid_hex(hex, sizeof(hex), "\x9f", 1);
	ck_assert_str_eq(hex, "9f");
	buildid_hex(hex, sizeof(hex), "", 0);
	ck_assert_str_eq(hex, "");
	ck_assert(!buildid_is(NULL, "\x9f", 1));
}
END_TEST

SUITE_MAIN("buildid", test_build_ids, test_hex)
