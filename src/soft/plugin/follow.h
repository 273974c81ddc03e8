/* SPDX-License-Identifier: MIT */
/* follow: execve(2) by the program: the new one is started under QEMU again, and recorded. */
#ifndef MT_SOFT_PLUGIN_FOLLOW_H
#define MT_SOFT_PLUGIN_FOLLOW_H

#include "soft/plugin/session.h"

#include <stdint.h>

/*
 * The program calls execve(path, argv, env), addresses of its memory. Does not return when the
 * new program runs. When the call will fail, nothing is done. When it will not, but we cannot
 * follow, the recording ends, and who controls it is told why.
 */
void follow_exec(struct session *s, uint64_t path, uint64_t argv, uint64_t env);

#endif
