/* SPDX-License-Identifier: MIT */
/*
 * api: what perf and a filter that it loads know of each other, as perf-dlfilter(1) has it. perf's
 * own header for it comes with few packages, so that what is needed of it is declared here.
 */
#ifndef MT_DLFILTER_API_H
#define MT_DLFILTER_API_H

#include <stdint.h>

/* Bits of dlf_sample.flags. */
#define DLF_BRANCH      (1u << 0)
#define DLF_CALL        (1u << 1)
#define DLF_RETURN      (1u << 2)
#define DLF_CONDITIONAL (1u << 3)
#define DLF_SYSCALLRET  (1u << 4)
#define DLF_ASYNC       (1u << 5)
#define DLF_INTERRUPT   (1u << 6)
#define DLF_TX_ABORT    (1u << 7)
#define DLF_TRACE_BEGIN (1u << 8)
#define DLF_TRACE_END   (1u << 9)
#define DLF_IN_TX       (1u << 10)
#define DLF_VMENTRY     (1u << 11)
#define DLF_VMEXIT      (1u << 12)
/* All of the above; those that newer versions of perf have say nothing about the kind of branch. */
#define DLF_KNOWN ((1u << 13) - 1)

/* What cpumode says of code: PERF_RECORD_MISC_KERNEL, _USER (<linux/perf_event.h>). */
#define DLF_CPUMODE_KERNEL 1
#define DLF_CPUMODE_USER   2

/* struct perf_dlfilter_sample. */
struct dlf_sample {
	uint32_t size; /* of all of it: newer versions of perf have more at the end */
	uint16_t ins_lat;
	uint16_t p_stage_cyc;
	uint64_t ip;
	int32_t pid;
	int32_t tid;
	uint64_t time;
	uint64_t addr;
	uint64_t id;
	uint64_t stream_id;
	uint64_t period;
	uint64_t weight;
	uint64_t transaction;
	uint64_t insn_cnt;
	uint64_t cyc_cnt;
	int32_t cpu;
	uint32_t flags;
	uint64_t data_src;
	uint64_t phys_addr;
	uint64_t data_page_size;
	uint64_t code_page_size;
	uint64_t cgroup;
	uint8_t cpumode;
	uint8_t addr_correlates_sym;
	uint16_t misc;
	uint32_t raw_size;
	const void *raw_data;
	uint64_t brstack_nr;
	const void *brstack;
	uint64_t raw_callchain_nr;
	const uint64_t *raw_callchain;
	const char *event;
};

/* struct perf_dlfilter_al: an address, resolved. */
struct dlf_al {
	uint32_t size;
	uint32_t symoff;
	const char *sym; /* NULL: unknown */
	uint64_t addr;   /* in the DSO */
	uint64_t sym_start;
	uint64_t sym_end;
	const char *dso; /* NULL: unknown */
	uint8_t sym_binding;
	uint8_t is_64_bit;
	uint8_t is_kernel_ip;
	uint32_t buildid_size;
	const uint8_t *buildid;
};

/* struct perf_dlfilter_fns: perf fills it in when it has loaded the filter. */
struct dlf_functions {
	const struct dlf_al *(*resolve_ip)(void *ctx);
	const struct dlf_al *(*resolve_addr)(void *ctx); /* NULL if not addr_correlates_sym */
	char **(*args)(void *ctx, int *n);               /* the words of --dlarg */
	void *(*others[125])(void *);
};

#endif
