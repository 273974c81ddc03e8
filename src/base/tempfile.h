/* SPDX-License-Identifier: MIT */
/* tempfile: files without a name, which are gone when nobody has them open. */
#ifndef MT_BASE_TEMPFILE_H
#define MT_BASE_TEMPFILE_H

/*
 * An empty file in $TMPDIR, or /tmp, to read and write; stem begins the name that it has for a
 * moment on file systems that cannot do without. Its descriptor, or -1 with errno set.
 */
int tempfile_open(const char *stem);

#endif
