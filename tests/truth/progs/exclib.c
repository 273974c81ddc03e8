/* SPDX-License-Identifier: MIT */
/* A library in C, made with -fexceptions: a frame with a cleanup that exceptions pass. */
int lib_through(int (*callback)(int), int n);

static volatile int cleaned;

__attribute__((noipa)) static void lib_clean(const int *value)
{
	cleaned += *value;
}

int lib_through(int (*callback)(int), int n)
{
	__attribute__((cleanup(lib_clean))) int value = n;

	return callback(value) + cleaned;
}
