/* SPDX-License-Identifier: MIT */
/*
 * Exceptions in two threads at a time, and passed on from one to the other.
 *
 * Spans:
 *	throws	12	middle
 *	middle	12	catches work
 *	catches	10	work
 *	work	2	*
 *	again	1	main
 *	Guard::~Guard	12	middle
 */
#include <cstdio>
#include <exception>
#include <pthread.h>

#define APART __attribute__((noipa))

namespace
{

struct Guard {
	int *counter;
	APART ~Guard()
	{
		++*counter;
	}
};

struct Job {
	int counter;
	std::exception_ptr left;
};

APART void throws(int n)
{
	throw n;
}

APART void middle(Job *job, int n)
{
	Guard guard{ &job->counter };

	throws(n);
}

APART void catches(Job *job, int n)
{
	try {
		middle(job, n);
	} catch (int thrown) {
		job->counter += thrown;
	}
}

APART void *work(void *arg)
{
	auto *job = static_cast<Job *>(arg);

	for (int i = 0; i < 5; i++)
		catches(job, i);
	try {
		middle(job, 7);
	} catch (...) {
		job->left = std::current_exception();
	}
	return nullptr;
}

APART int again(const Job &job)
{
	try {
		std::rethrow_exception(job.left);
	} catch (int thrown) {
		return thrown;
	}
}

} // namespace

int main()
{
	Job jobs[2] = {};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], nullptr, work, &jobs[i]);
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	std::printf("excthr %d %d\n", jobs[0].counter + jobs[1].counter, again(jobs[0]));
	return 0;
}
