/* SPDX-License-Identifier: MIT */
/* status: what the program exits with. */
#ifndef MT_CLI_STATUS_H
#define MT_CLI_STATUS_H

enum status {
	STATUS_WHOLE = 0, /* a trace of the whole recording was written; or help was given */
	STATUS_NONE = 1,  /* no trace, or it would have been empty */
	STATUS_USAGE = 2, /* the command line is wrong */
	STATUS_PART = 3,  /* a trace of a part of the recording was written */
};

#endif
