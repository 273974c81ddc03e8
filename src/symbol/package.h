/* SPDX-License-Identifier: MIT */
/* package: which package of Debian's a file has come with, and which one has its debug symbols. */
#ifndef MT_SYMBOL_PACKAGE_H
#define MT_SYMBOL_PACKAGE_H

/* Where dpkg keeps a list of the files of each package, "NAME.list" or "NAME:ARCHITECTURE.list". */
#define PACKAGE_LISTS "/var/lib/dpkg/info"

/*
 * The package that has the debug symbols of the file at an absolute path, by the lists in a
 * directory (PACKAGE_LISTS but in tests): libc6-dbg, or the NAME-dbgsym of Debian's debug archive,
 * whether or not there is one. A file below /usr may be listed without that, since /lib and the
 * like are links to /usr/lib. NULL: it is of no package. Free with free().
 */
char *package_of_symbols(const char *lists, const char *path);

#endif
