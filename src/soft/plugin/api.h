/* SPDX-License-Identifier: MIT */
/*
 * api: what is used of the plugin API of QEMU's user-mode emulation, version 1 (QEMU 7.2 and
 * later; docs/devel/tcg-plugins.rst there). Distributions do not package the header, so the
 * prototypes are declared here; QEMU itself has the functions.
 */
#ifndef MT_SOFT_PLUGIN_API_H
#define MT_SOFT_PLUGIN_API_H

#include <stddef.h>
#include <stdint.h>

#define API_VERSION 1
#define API_EXPORT  __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* The beginning of what QEMU tells of itself. */
struct qemu_info_t {
	const char *target_name; /* "x86_64" */
	struct {
		int min, cur; /* versions of the API that it has */
	} version;
};

enum api_regs {
	API_NO_REGS, /* the callback needs no registers, of which there are none to be had */
};

enum api_access {
	API_READ = 1,
	API_WRITE,
	API_READ_WRITE,
};

typedef void api_trans_fn(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void api_exec_fn(unsigned int vcpu, void *data);
typedef void api_mem_fn(unsigned int vcpu, uint32_t info, uint64_t address, void *data);
typedef void api_syscall_fn(qemu_plugin_id_t id, unsigned int vcpu, int64_t nr, uint64_t a1,
			    uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
			    uint64_t a7, uint64_t a8);
typedef void api_syscall_ret_fn(qemu_plugin_id_t id, unsigned int vcpu, int64_t nr, int64_t ret);
typedef void api_atexit_fn(qemu_plugin_id_t id, void *data);
typedef void api_reset_fn(qemu_plugin_id_t id);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, api_trans_fn *fn);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, api_exec_fn *fn,
					  enum api_regs regs, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, api_exec_fn *fn,
					    enum api_regs regs, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, api_mem_fn *fn,
				      enum api_regs regs, enum api_access access, void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, api_syscall_fn *fn);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, api_syscall_ret_fn *fn);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, api_atexit_fn *fn, void *data);

/*
 * Drops all callbacks, soon, then calls fn, and translates everything anew. To be called by a
 * thread of the program (QEMU stops them all for it: plugins/loader.c).
 */
void qemu_plugin_reset(qemu_plugin_id_t id, api_reset_fn *fn);

/* The program that runs, as QEMU was told; free with free(). */
const char *qemu_plugin_path_to_binary(void);

/* QEMU looks these two up. */
API_EXPORT extern int qemu_plugin_version;
API_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
				   char **argv);

#endif
