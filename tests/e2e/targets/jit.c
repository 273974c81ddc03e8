/* SPDX-License-Identifier: MIT */
/*
 * jit [DIR]: compiles a function at run time, tells perf of it as JIT compilers do, and calls it:
 * with a map in /tmp, or with a jitdump in DIR (the kernel's
 * tools/perf/Documentation/jit-interface.txt and jitdump-specification.txt).
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NAME "compiled at run time"

/* push rbp; mov rbp,rsp; mov eax,N; 1: dec eax; jne 1b; pop rbp; ret */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb8, 0,    0,   0x10,
				      0,    0xff, 0xc8, 0x75, 0xfc, 0x5d, 0xc3 };

/* The file's head, one record that a function was loaded, and what follows it. */
struct dump {
	uint32_t magic, version, head_size, machine, pad, head_pid;
	uint64_t head_time, flags;
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, address, code_size, index;
	char name[sizeof(NAME)];
	unsigned char code[sizeof(code)];
} __attribute__((packed));

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int write_map(uintptr_t address)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		return -1;
	fprintf(map, "%lx %zx " NAME "\n", (unsigned long)address, sizeof(code));
	return fclose(map);
}

/* perf learns of the file by a mapping of it that can be executed. */
static int write_dump(const char *dir, uintptr_t address)
{
	struct dump dump = {
		.magic = 0x4a695444,
		.version = 1,
		.head_size = 40,
		.machine = 62, /* EM_X86_64 */
		.head_pid = (uint32_t)getpid(),
		.head_time = now(),
		.size = sizeof(dump) - 40,
		.time = now(),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.vma = address,
		.address = address,
		.code_size = sizeof(code),
		.name = NAME,
	};
	char path[4096];
	int fd;

	memcpy(dump.code, code, sizeof(code));
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, &dump, sizeof(dump)) != sizeof(dump))
		return -1;
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED ? -1 : 0;
}

int main(int argc, char **argv)
{
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t address = (uintptr_t)p + 64;

	if (p == MAP_FAILED)
		return 1;
	memcpy(p + 64, code, sizeof(code));
	if ((argc > 1 ? write_dump(argv[1], address) : write_map(address)) != 0)
		return 1;
	puts("ready");
	fflush(stdout);
	for (;;)
		((void (*)(void))(p + 64))();
}
