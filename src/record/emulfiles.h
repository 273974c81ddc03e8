/* SPDX-License-Identifier: MIT */
/* emulfiles: the data files that the plugin in QEMU has written (recorder_file_name). */
#ifndef MT_RECORD_EMULFILES_H
#define MT_RECORD_EMULFILES_H

#include <stddef.h>

/*
 * Looks at the files of the first n_images programs: how many are complete. Those that are not,
 * which nobody writes any more, are removed.
 */
size_t emulfiles_settle(const char *data, unsigned int n_images);

#endif
