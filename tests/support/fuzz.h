/* SPDX-License-Identifier: MIT */
/*
 * fuzz: what the targets of tests/fuzz have in common. Each is a file with LLVMFuzzerTestOneInput
 * and FUZZ_MAIN: with -DLIBFUZZER libFuzzer drives it, else the main() here, which replays the
 * inputs in tests/fuzz/corpus/NAME and then changed ones of them: PROGRAM [CASES [SEED]].
 */
#ifndef MT_TESTS_SUPPORT_FUZZ_H
#define MT_TESTS_SUPPORT_FUZZ_H

#include "support/random.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inputs from which decisions are taken one by one; behind the end all are 0. */
struct fuzz_bytes {
	const uint8_t *p;
	size_t n;
};

/* The next n bytes, little endian, as a number. */
static inline uint64_t fuzz_take(struct fuzz_bytes *b, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n && b->n; i++) {
		v |= (uint64_t)*b->p++ << 8 * i;
		b->n--;
	}
	return v;
}

/* A file without a name that holds the bytes, to be closed, and a path that leads to it. */
struct fuzz_file {
	int fd;
	char path[32];
};

static inline struct fuzz_file fuzz_file(const uint8_t *data, size_t size)
{
	struct fuzz_file file = { .fd = memfd_create("fuzzed", MFD_CLOEXEC) };

	MUST(file.fd >= 0 && write(file.fd, data, size) == (ssize_t)size);
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	return file;
}

#define FUZZ_FILES_MAX 4

/* The directory for files that need a name; they are the only ones in it. */
struct fuzz_directory {
	char dir[40];
	char files[FUZZ_FILES_MAX][64];
	size_t n;
};

static inline struct fuzz_directory *fuzz_directory(void)
{
	static struct fuzz_directory directory = { .dir = "/tmp/magic-trace-fuzz-XXXXXX" };

	return &directory;
}

static inline void fuzz_remove(void)
{
	struct fuzz_directory *d = fuzz_directory();

	for (size_t i = 0; i < d->n; i++)
		unlink(d->files[i]);
	rmdir(d->dir);
}

/* The directory, which is removed at the end. */
static inline const char *fuzz_dir(void)
{
	struct fuzz_directory *d = fuzz_directory();
	static bool made;

	if (made)
		return d->dir;
	/* in memory, if that is there: inputs are many */
	if (access("/dev/shm", W_OK) == 0)
		strcpy(d->dir, "/dev/shm/magic-trace-fuzz-XXXXXX");
	MUST(mkdtemp(d->dir) != NULL);
	atexit(fuzz_remove);
	made = true;
	return d->dir;
}

/* The path of a file in it. */
static inline const char *fuzz_path(const char *name)
{
	struct fuzz_directory *d = fuzz_directory();
	char path[sizeof(d->files[0])];

	snprintf(path, sizeof(path), "%s/%s", fuzz_dir(), name);
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->files[i], path) == 0)
			return d->files[i];
	MUST(d->n < FUZZ_FILES_MAX);
	strcpy(d->files[d->n], path);
	return d->files[d->n++];
}

/* Makes a file in it that holds the bytes; its path. */
static inline const char *fuzz_put(const char *name, const void *data, size_t size)
{
	const char *path = fuzz_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	return path;
}

/* The bytes with a NUL behind them, to be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	MUST(text != NULL);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#ifdef LIBFUZZER

#define FUZZ_MAIN(name, cases)

#else

#define FUZZ_CORPUS_MAX 1024
#define FUZZ_INPUT_MAX  8192

struct fuzz_input {
	uint8_t *p;
	size_t n;
};

struct fuzz_corpus {
	struct fuzz_input all[FUZZ_CORPUS_MAX];
	size_t n;
};

static inline int fuzz_is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static inline struct fuzz_input fuzz_read(const char *path)
{
	struct fuzz_input input = { .p = malloc(1 << 20) };
	FILE *file = fopen(path, "r");

	MUST(file && input.p);
	input.n = fread(input.p, 1, 1 << 20, file);
	fclose(file);
	input.p = realloc(input.p, input.n + 1);
	return input;
}

/* Reads the inputs of a target, in the order of their names. */
static inline void fuzz_load(struct fuzz_corpus *corpus, const char *name)
{
	struct dirent **entries;
	char path[512];
	int n;

	snprintf(path, sizeof(path), "tests/fuzz/corpus/%s", name);
	n = scandir(path, &entries, fuzz_is_file, alphasort);
	MUST(n > 0 && n <= FUZZ_CORPUS_MAX);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "tests/fuzz/corpus/%s/%s", name, entries[i]->d_name);
		corpus->all[corpus->n++] = fuzz_read(path);
		free(entries[i]);
	}
	free(entries);
}

static inline void fuzz_free(struct fuzz_corpus *corpus)
{
	for (size_t i = 0; i < corpus->n; i++)
		free(corpus->all[i].p);
	corpus->n = 0;
}

/* One input, in memory that is just as large. */
static inline void fuzz_run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	MUST(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

/* Runs each; how many there are. */
static inline size_t fuzz_replay(const char *name)
{
	static struct fuzz_corpus corpus;
	size_t n;

	fuzz_load(&corpus, name);
	n = corpus.n;
	for (size_t i = 0; i < n; i++)
		fuzz_run(corpus.all[i].p, corpus.all[i].n);
	fuzz_free(&corpus);
	return n;
}

static inline void fuzz_insert(uint8_t *p, size_t *n, size_t at, const uint8_t *part, size_t size)
{
	if (*n + size > FUZZ_INPUT_MAX)
		return;
	memmove(p + at + size, p + at, *n - at);
	memcpy(p + at, part, size);
	*n += size;
}

/* A number that is near a bound of something, or any. */
static inline uint64_t fuzz_number(uint64_t *random)
{
	uint64_t bound = (uint64_t)1 << below(random, 64);

	switch (below(random, 4)) {
	case 0: return bound - below(random, 2);
	case 1: return 0 - bound;
	case 2: return below(random, 300);
	default: return next_random(random);
	}
}

/* Changes the n bytes at p, with room for FUZZ_INPUT_MAX, in one way. */
static inline void fuzz_mutate(uint8_t *p, size_t *n, const struct fuzz_input *other,
			       uint64_t *random)
{
	size_t at = below(random, *n + 1), size = 1 + below(random, 8), from;
	uint64_t number = fuzz_number(random);

	size = size < *n - at ? size : *n - at;
	switch (below(random, 7)) {
	case 0:
		if (size)
			p[at] ^= (uint8_t)(1 << below(random, 8));
		break;
	case 1: memcpy(p + at, &number, size); break;
	case 2: fuzz_insert(p, n, at, (const uint8_t *)&number, 1 + below(random, 8)); break;
	case 3:
		memmove(p + at, p + at + size, *n - at - size);
		*n -= size;
		break;
	case 4:
	case 5:
		from = below(random, other->n + 1);
		size = below(random, other->n - from + 1);
		fuzz_insert(p, n, at, other->p + from, size < 64 ? size : 64);
		break;
	default:
		if (below(random, 8) == 0)
			*n = at;
	}
}

static inline int fuzz_main(const char *name, unsigned long cases, int argc, char **argv)
{
	static struct fuzz_corpus corpus;
	static uint8_t p[FUZZ_INPUT_MAX];
	const char *is_long = getenv("MT_LONG");
	uint64_t seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	size_t replayed = fuzz_replay(name);

#ifdef __SANITIZE_ADDRESS__
	cases /= 5; /* each costs a multiple */
#endif
	if (argc > 1)
		cases = strtoul(argv[1], NULL, 10);
	else if (is_long && *is_long && strcmp(is_long, "0") != 0)
		cases *= 10;
	fuzz_load(&corpus, name);
	for (unsigned long i = 0; i < cases; i++) {
		uint64_t random = seed * 1000000007u + i;
		const struct fuzz_input *input = &corpus.all[below(&random, corpus.n)];
		size_t times = 1 + below(&random, 6);
		size_t n = input->n < sizeof(p) ? input->n : sizeof(p);

		memcpy(p, input->p, n);
		while (times--)
			fuzz_mutate(p, &n, &corpus.all[below(&random, corpus.n)], &random);
		fuzz_run(p, n);
	}
	fuzz_free(&corpus);
	printf("ok fuzz/%s: %zu inputs, %lu changed ones, seed %lu\n", name, replayed, cases,
	       (unsigned long)seed);
	return 0;
}

#define FUZZ_MAIN(name, cases)                             \
	int main(int argc, char **argv)                    \
	{                                                  \
		return fuzz_main(name, cases, argc, argv); \
	}

#endif

#endif
