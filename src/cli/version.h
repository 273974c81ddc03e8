/* SPDX-License-Identifier: MIT */
/* version: which build this is. */
#ifndef MT_CLI_VERSION_H
#define MT_CLI_VERSION_H

/* What `git describe` said when it was built; "unknown" outside a repository. */
const char *version(void) __attribute__((returns_nonnull));

#endif
