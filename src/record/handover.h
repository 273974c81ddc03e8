/* SPDX-License-Identifier: MIT */
/* handover: a recording that root made at a user's request through sudo(8) becomes the user's. */
#ifndef MT_RECORD_HANDOVER_H
#define MT_RECORD_HANDOVER_H

/*
 * Gives what perf and we write into the directory (entry_is_ours), with all in it when that is a
 * directory, to the user who had sudo start us. Nothing when there is no such user. Links are not
 * followed, what is mounted there is not entered, and a file of several names is left alone:
 * another may be elsewhere.
 */
void handover(int directory);

#endif
