/* SPDX-License-Identifier: MIT */
/* A hundred functions that are bound when they are called, one of which the loader chooses. */
#define F(n)                  \
	int lazy_##n(int i)   \
	{                     \
		return i + 1; \
	}
#define TEN(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)

TEN(0)
TEN(1)
TEN(2)
TEN(3)
TEN(4)
TEN(5)
TEN(6)
TEN(7)
TEN(8)
TEN(9)

static int chosen_plain(int i)
{
	return i + 2;
}

static int (*choose(void))(int)
{
	return chosen_plain;
}

int chosen(int i) __attribute__((ifunc("choose")));
