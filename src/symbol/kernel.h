/* SPDX-License-Identifier: MIT */
/*
 * kernel: the functions of the kernel of a recording: from a copy of its /proc/kallsyms, from its
 * vmlinux, or from the kernel that runs when it is the same one.
 */
#ifndef MT_SYMBOL_KERNEL_H
#define MT_SYMBOL_KERNEL_H

#include "base/err.h"
#include "base/str.h"
#include "symbol/dso.h"
#include "symbol/kallsyms.h"

#include <stdbool.h>
#include <stdint.h>

/* Strings are borrowed for as long as the kernel lives. */
struct kernel_config {
	const char *recording; /* the data file, or perf's directory; NULL: not known */
	const char *release;   /* of the recording's kernel (uname -r); NULL: not known */
	const char *symfs;     /* where its vmlinux may be below; NULL: "/" */
	const char *cache;     /* as of dso_open */
	bool fetch;
	bool same_machine; /* it is the one that runs */
};

struct kernel;

struct kernel *kernel_new(const struct kernel_config *config) __attribute__((returns_nonnull));
void kernel_free(struct kernel *kernel);

/* Whether an address is the kernel's: of the upper half, as of all machines that perf traces. */
static inline bool kernel_has(uint64_t address)
{
	return address >> 63;
}

/*
 * A mapping of the kernel's own: "[kernel.kallsyms]SYMBOL", where the symbol is at the offset (the
 * kernel's tools/perf/util/synthetic-events.c, perf_event__synthesize_kernel_mmap()). Others have
 * no meaning.
 */
void kernel_map(struct kernel *kernel, struct str path, uint64_t offset);

/* Its build-id: the bytes of what perf has for "[kernel.kallsyms]"; that of another path is none.
 */
void kernel_build_id(struct kernel *kernel, struct str path, struct str build_id);

/* The function that has the code at an address; its name lives as long as the kernel. */
bool kernel_function(struct kernel *kernel, uint64_t address, struct kallsyms_function *function);

/* The vmlinux, with the address in it that an address of the kernel has; NULL: there is none. */
struct dso *kernel_dso(struct kernel *kernel, uint64_t address, uint64_t *value);

/* As symbolizer_troubles(). */
void kernel_troubles(const struct kernel *kernel,
		     void (*each)(void *ctx, const struct err *trouble), void *ctx);

#endif
