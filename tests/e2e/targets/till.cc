/* SPDX-License-Identifier: MIT */
/* A program whose function has a mangled name; prints where it is, and calls it. */
#include <cstdio>

namespace shop
{
class Till
{
      public:
	void add(long amount);
	void add(const char *name);

      private:
	volatile long total = 0;
};

__attribute__((noinline)) void Till::add(long amount)
{
	total = total + amount;
}

__attribute__((noinline)) void Till::add(const char *name)
{
	total = total + name[0];
}
} // namespace shop

int main()
{
	void (shop::Till::*add)(long) = &shop::Till::add;
	shop::Till till;
	volatile long n = 0;

	/* the address is the first word of a pointer to a member that is not virtual (Itanium ABI)
	 */
	std::printf("address add %p\n", *reinterpret_cast<void **>(&add));
	for (int i = 0; i < 3; i++) {
		while (n < 10000000L * (i + 1))
			n = n + 1;
		till.add(i);
		till.add("a");
	}
	return 0;
}
