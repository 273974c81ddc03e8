/* SPDX-License-Identifier: MIT */
/* readerchild: what the process of a reader (reader.h) does, and what we say to each other. */
#ifndef MT_SYMBOL_READERCHILD_H
#define MT_SYMBOL_READERCHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum reader_request_kind {
	READER_REQUEST_FILE,
	READER_REQUEST_BARE, /* the file, as if there was no debug info */
	READER_REQUEST_UNIT,
};

struct reader_request {
	uint64_t kind, unit;
};

enum reader_answer_kind {
	READER_ANSWER_FAILED, /* with a message */
	READER_ANSWER_WHOLE,
	READER_ANSWER_PART,
};

struct reader_answer {
	uint64_t kind, n; /* n: bytes that follow */
};

/* What it is given. */
struct readerchild {
	int socket, fd; /* fd: of the file that `path` leads to */
	const char *path;
	bool fetch;             /* servers of debug info may be asked */
	int file_cpu, unit_cpu; /* ms of CPU time that a request may take */
};

/* Obeys, in a process that was just forked from `parent`, until nobody asks any more. */
_Noreturn void readerchild_run(const struct readerchild *given, pid_t parent);

/* Sends n bytes through a socket. 0; or -1, and errno says why. */
int reader_send(int socket, const void *bytes, size_t n);

#endif
