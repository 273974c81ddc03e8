/* SPDX-License-Identifier: MIT */
#include "trace/output.h"

#include "base/xalloc.h"
#include "trace/codec.h"
#include "trace/file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#define BLOCKS 8u /* a power of two: 2 MB in all */

struct output {
	const struct codec *codec;
	void *state; /* the codec's; the thread's while it runs */
	struct file *file;
	pthread_t thread;
	pthread_mutex_t lock; /* guards all that follows */
	pthread_cond_t filled_cond, emptied_cond;
	/*
	 * Blocks are used in turn: block `filled` is the writer's, those from `emptied` up to it
	 * are the thread's, the rest are free.
	 */
	uint64_t *blocks[BLOCKS];
	size_t words[BLOCKS];
	uint64_t filled, emptied;
	bool ended;     /* no block comes any more */
	bool failed;    /* err is set; what comes is thrown away */
	bool discarded; /* throw away what there is */
	struct err err;
};

static void note_failure(struct output *o, const struct err *err)
{
	pthread_mutex_lock(&o->lock);
	if (!o->failed)
		o->err = *err;
	o->failed = true;
	pthread_mutex_unlock(&o->lock);
}

/* Waits for a block: 1 with its place, 0 at the end. */
static int take_block(struct output *o, size_t *at, bool *drop)
{
	int got;

	pthread_mutex_lock(&o->lock);
	while (o->emptied == o->filled && !o->ended)
		pthread_cond_wait(&o->filled_cond, &o->lock);
	got = o->emptied != o->filled;
	*at = o->emptied % BLOCKS;
	*drop = o->failed || o->discarded;
	pthread_mutex_unlock(&o->lock);
	return got;
}

static void give_back(struct output *o)
{
	pthread_mutex_lock(&o->lock);
	o->emptied++;
	pthread_cond_signal(&o->emptied_cond);
	pthread_mutex_unlock(&o->lock);
}

static void *compress(void *arg)
{
	struct output *o = arg;
	struct err err = ERR_INIT;
	bool drop;
	size_t at;

	while (take_block(o, &at, &drop)) {
		if (!drop && o->codec->write(o->state, o->file, o->blocks[at],
					     o->words[at] * sizeof(uint64_t), &err) != 0)
			note_failure(o, &err);
		give_back(o);
	}
	if (!drop && o->codec->finish(o->state, o->file, &err) != 0)
		note_failure(o, &err);
	return NULL;
}

/* Signals are for the threads that know what to do about them; and a closed pipe is an error. */
static int start_thread(struct output *o, struct err *err)
{
	sigset_t all, saved;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved);
	ret = pthread_create(&o->thread, NULL, compress, o);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	if (ret == 0)
		return 0;
	errno = ret;
	return err_errno(err, "cannot start the thread that compresses the trace");
}

/* All but the file, which has its own end. */
static void output_free(struct output *o)
{
	size_t i;

	o->codec->close(o->state);
	for (i = 0; i < BLOCKS; i++)
		free(o->blocks[i]);
	pthread_cond_destroy(&o->filled_cond);
	pthread_cond_destroy(&o->emptied_cond);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

int output_open(const char *path, struct output **out, struct err *err)
{
	const struct codec *codec = codec_for_path(path, err);
	struct output *o;
	struct file *file;
	size_t i;

	if (!codec || file_create(path, &file, err) != 0)
		return -1;
	o = xcalloc(1, sizeof(*o));
	o->codec = codec;
	o->file = file;
	o->state = codec->open();
	for (i = 0; i < BLOCKS; i++)
		o->blocks[i] = xmalloc(OUTPUT_BLOCK_WORDS * sizeof(uint64_t));
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->filled_cond, NULL);
	pthread_cond_init(&o->emptied_cond, NULL);
	if (start_thread(o, err) != 0) {
		output_free(o);
		file_discard(file);
		return -1;
	}
	*out = o;
	return 0;
}

uint64_t *output_first(struct output *o)
{
	return o->blocks[0];
}

uint64_t *output_next(struct output *o, size_t words)
{
	uint64_t *next;

	pthread_mutex_lock(&o->lock);
	o->words[o->filled % BLOCKS] = words;
	o->filled++;
	pthread_cond_signal(&o->filled_cond);
	while (o->filled - o->emptied >= BLOCKS)
		pthread_cond_wait(&o->emptied_cond, &o->lock);
	next = o->blocks[o->filled % BLOCKS];
	pthread_mutex_unlock(&o->lock);
	return next;
}

int output_error(struct output *o, struct err *err)
{
	bool failed;

	pthread_mutex_lock(&o->lock);
	failed = o->failed;
	if (failed && err)
		*err = o->err;
	pthread_mutex_unlock(&o->lock);
	return failed ? -1 : 0;
}

static void end_thread(struct output *o, bool discard)
{
	pthread_mutex_lock(&o->lock);
	o->ended = true;
	o->discarded = discard;
	pthread_cond_signal(&o->filled_cond);
	pthread_mutex_unlock(&o->lock);
	pthread_join(o->thread, NULL);
}

int output_finish(struct output *o, size_t words, uint64_t *file_size, struct err *err)
{
	struct file *file = o->file;
	int ret;

	output_next(o, words);
	end_thread(o, false);
	ret = output_error(o, err);
	*file_size = file_bytes(file);
	output_free(o);
	if (ret == 0)
		return file_commit(file, err);
	file_discard(file);
	return -1;
}

void output_abort(struct output *o)
{
	struct file *file = o->file;

	end_thread(o, true);
	output_free(o);
	file_discard(file);
}
