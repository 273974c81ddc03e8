/* SPDX-License-Identifier: MIT */
/* Compiles a function at run time, tells perf of it as JIT compilers do, and calls it. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* push rbp; mov rbp,rsp; mov eax,N; 1: dec eax; jne 1b; pop rbp; ret */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb8, 0,    0,   0x10,
				      0,    0xff, 0xc8, 0x75, 0xfc, 0x5d, 0xc3 };
int main(void)
{
	char path[64];
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *map;

	if (p == MAP_FAILED)
		return 1;
	memcpy(p + 64, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx %zx compiled at run time\n", (unsigned long)p + 64, sizeof(code));
	fclose(map);
	puts("ready");
	fflush(stdout);
	for (;;)
		((void (*)(void))(p + 64))();
}
