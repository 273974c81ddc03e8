/* SPDX-License-Identifier: MIT */
/*
 * C++20 coroutines: a generator, and one that awaits another by symmetric transfer.
 *
 * Spans:
 *	mark	13	*
 *	takes	1	main
 *	awaits	1	main
 */
#include <coroutine>
#include <cstdio>
#include <exception>

#define APART __attribute__((noipa))

namespace
{

int sum;

APART void mark(int i)
{
	sum += i;
}

struct Coroutine {
	struct promise_type {
		int value = 0;
		std::coroutine_handle<> after;

		Coroutine get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		struct Final {
			bool await_ready() noexcept
			{
				return false;
			}
			std::coroutine_handle<>
			await_suspend(std::coroutine_handle<promise_type> h) noexcept
			{
				auto after = h.promise().after;

				return after ? after : std::noop_coroutine();
			}
			void await_resume() noexcept
			{
			}
		};
		Final final_suspend() noexcept
		{
			return {};
		}
		std::suspend_always yield_value(int i)
		{
			value = i;
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			std::terminate();
		}
	};

	std::coroutine_handle<promise_type> handle;

	bool await_ready()
	{
		return false;
	}
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> waits)
	{
		handle.promise().after = waits;
		return handle;
	}
	void await_resume()
	{
		handle.destroy();
	}
};

Coroutine counts(int n)
{
	for (int i = 0; i < n; i++) {
		mark(1);
		co_yield i;
	}
}

Coroutine inner(int i)
{
	mark(i);
	co_return;
}

Coroutine outer()
{
	for (int i = 0; i < 5; i++)
		co_await inner(i);
	mark(3);
}

APART void takes()
{
	Coroutine c = counts(5);

	while (!c.handle.done()) {
		c.handle.resume();
		sum += c.handle.promise().value;
	}
	c.handle.destroy();
}

APART void awaits()
{
	Coroutine c = outer();

	c.handle.resume();
	c.handle.destroy();
}

} // namespace

int main()
{
	takes();
	mark(100);
	awaits();
	mark(1);
	std::printf("coro20 %d\n", sum);
	return 0;
}
