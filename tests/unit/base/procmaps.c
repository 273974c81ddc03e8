/* SPDX-License-Identifier: MIT */
#include "base/procmaps.h"

#include "support/suite.h"

#include <errno.h>
#include <unistd.h>

START_TEST(test_parsed)
{
	static const char text[] =
		"00400000-00401000 r--p 00000000 fe:01 1234                               /usr/bin/a b\n"
		"00401000-00402000 r-xp 00001000 fe:01 1234                               /usr/bin/a b\n"
		"7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
		"7f0000002000-7f0000003000 rwxp 00000000 00:00 0\n"
		"7f0000004000-7f0000005000 r-xp 00000000 103:0a 18446744073709551615     /x\\012y (deleted)\n"
		"7ffd00000000-7ffd00021000 rw-s 00000000 00:00 0                          [stack]\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]";
	struct procmaps maps;

	procmaps_parse(&maps, STR(text));
	ck_assert_uint_eq(maps.n, 7);
	ck_assert_uint_eq(maps.all[1].start, 0x401000);
	ck_assert_uint_eq(maps.all[1].end, 0x402000);
	ck_assert_uint_eq(maps.all[1].offset, 0x1000);
	ck_assert_uint_eq(maps.all[1].inode, 1234);
	ck_assert_uint_eq(maps.all[1].major, 0xfe);
	ck_assert_uint_eq(maps.all[1].minor, 1);
	ck_assert(maps.all[1].executable && !maps.all[0].executable);
	ck_assert(maps.all[0].readable && !maps.all[0].writable && !maps.all[0].shared);
	ck_assert(maps.all[2].writable && !maps.all[6].readable);
	ck_assert(maps.all[5].shared);
	ck_assert_str_eq(maps.all[1].path, "/usr/bin/a b");
	ck_assert_str_eq(maps.all[2].path, "");
	ck_assert_str_eq(maps.all[3].path, "");
	ck_assert(maps.all[3].executable);
	ck_assert_str_eq(maps.all[4].path, "/x\ny (deleted)");
	ck_assert_uint_eq(maps.all[4].major, 0x103);
	ck_assert_uint_eq(maps.all[4].inode, UINT64_MAX);
	ck_assert_str_eq(maps.all[6].path, "[vsyscall]");
	ck_assert_ptr_eq(procmaps_find(&maps, 0x401fff), &maps.all[1]);
	ck_assert_ptr_eq(procmaps_find(&maps, 0x400000), &maps.all[0]);
	ck_assert_ptr_null(procmaps_find(&maps, 0x402000));
	procmaps_fini(&maps);
}
END_TEST

START_TEST(test_malformed)
{
	static const char text[] = "\n"
				   "junk\n"
				   "1000-2000\n"
				   "1000-2000 r-x\n"
				   "1000-2000 r-xp\n"
				   "1000-2000 r-xp 0 fe:01\n"
				   "1000-2000 r-xp 0 fe:01 /x\n"
				   "2000-1000 r-xp 0 fe:01 1 /backwards\n"
				   "1000-1000 r-xp 0 fe:01 1 /empty\n"
				   "1000-2000 r-xp ffffffffffffffff fe:01 1 /wraps\n"
				   "11112222333344445-2 r-xp 0 fe:01 1 /long\n"
				   "1000-2000 r-xp 0 100000000:01 1 /major\n"
				   "1000-2000 r-xp 0 fe:01 99999999999999999999 /inode\n"
				   "1000-2000 r-xp 0 fe:01 1x/good\n"
				   "1000-2000 r-xp 0 fe:01 1 /g\0d\n"
				   "1000-2000 r-xp 0 fe:01 1 /good\n";
	struct procmaps maps;

	procmaps_parse(&maps, STR(text));
	ck_assert_uint_eq(maps.n, 1);
	ck_assert_str_eq(maps.all[0].path, "/good");
	procmaps_fini(&maps);
	/* no prefix of it does harm */
	for (size_t n = 0; n < sizeof(text); n++) {
		procmaps_parse(&maps, (struct str){ .p = text, .n = n });
		procmaps_fini(&maps);
	}
}
END_TEST

START_TEST(test_read)
{
	struct procmaps maps;
	const struct mapping *m;
	struct err err = ERR_INIT;

	ck_assert_int_eq(procmaps_read(getpid(), &maps, &err), 0);
	m = procmaps_find(&maps, (uintptr_t)suite_run);
	ck_assert(m != NULL && m->readable && m->executable && !m->shared);
	m = procmaps_find(&maps, (uintptr_t)&err);
	ck_assert(m != NULL && m->writable);
	ck_assert_str_eq(m->path, "[stack]");
	procmaps_fini(&maps);
	ck_assert_int_eq(procmaps_read(0x7fffffff, &maps, &err), -1);
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

SUITE_MAIN("base/procmaps", test_parsed, test_malformed, test_read)
