/* SPDX-License-Identifier: MIT */
#include "symbol/sysfilter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef ARCH

/* Numbers from here on are those of another ABI of the same machine (x32). */
#define FOREIGN 0x40000000

#define STEPS_MAX 128

#define DENIED (SECCOMP_RET_ERRNO | EPERM)

/* Bits with which a file is opened for more than reading. */
#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC)

#define DATA(field) ((uint32_t)offsetof(struct seccomp_data, field))

/* The lower half of an argument, which is first on these machines. */
#define ARGUMENT(i) (DATA(args) + (i) * (uint32_t)sizeof(uint64_t))

struct program {
	struct sock_filter steps[STEPS_MAX];
	unsigned short n;
};

static void put(struct program *p, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	if (p->n < STEPS_MAX)
		p->steps[p->n++] =
			(struct sock_filter){ .code = code, .jt = yes, .jf = no, .k = k };
}

static void load(struct program *p, uint32_t offset)
{
	put(p, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

static void end(struct program *p, uint32_t verdict)
{
	put(p, BPF_RET | BPF_K, verdict, 0, 0);
}

/* The verdict on a call of one number, which is loaded. */
static void decide(struct program *p, long number, uint32_t verdict)
{
	put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
	end(p, verdict);
}

/* Allows a call by a test of an argument: BPF_JEQ (it is this), or BPF_JSET (it has a bit of this).
 */
static void allow_if(struct program *p, long number, unsigned argument, uint16_t test,
		     uint32_t value, bool holds)
{
	put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
	load(p, ARGUMENT(argument));
	put(p, BPF_JMP | test | BPF_K, value, holds, !holds);
	end(p, DENIED);
	end(p, SECCOMP_RET_ALLOW);
}

static void begin(struct program *p)
{
	load(p, DATA(arch));
	put(p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	end(p, DENIED);
	load(p, DATA(nr));
	put(p, BPF_JMP | BPF_JGE | BPF_K, FOREIGN, 0, 1);
	end(p, DENIED);
}

static bool install(struct program *p)
{
	struct sock_fprog filter = { .len = p->n, .filter = p->steps };

	return p->n < STEPS_MAX && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

bool sysfilter_reading(void)
{
	static const long allowed[] = {
		/* files */
		SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_write, SYS_close, SYS_lseek,
		SYS_fstat, SYS_newfstatat, SYS_statx, SYS_readlinkat, SYS_faccessat, SYS_getdents64,
		SYS_getcwd, SYS_fcntl, SYS_dup,
#ifdef SYS_stat
		SYS_stat, SYS_lstat, SYS_readlink, SYS_access,
#endif
		/* memory */
		SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_futex,
		/* the socket that is there; it is connected, so data goes nowhere else */
		SYS_sendto, SYS_recvfrom,
		/* itself */
		SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_rt_sigaction, SYS_rt_sigprocmask,
		SYS_sigaltstack, SYS_setitimer, SYS_getrusage, SYS_getpid, SYS_gettid,
		SYS_clock_gettime, SYS_gettimeofday, SYS_sysinfo, SYS_uname, SYS_getrandom,
		SYS_sched_yield, SYS_restart_syscall
	};
	struct program p = { .n = 0 };

	begin(&p);
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		decide(&p, allowed[i], SECCOMP_RET_ALLOW);
	/* these load something else than the number, so they decide when the number is theirs */
	allow_if(&p, SYS_openat, 2, BPF_JSET, WRITING, false);
#ifdef SYS_open
	allow_if(&p, SYS_open, 1, BPF_JSET, WRITING, false);
#endif
	/* abort(3) */
	allow_if(&p, SYS_tgkill, 0, BPF_JEQ, (uint32_t)getpid(), true);
	end(&p, DENIED);
	return install(&p);
}

bool sysfilter_fetching(void)
{
	static const long denied[] = {
		SYS_execve,
		SYS_execveat,
		SYS_ptrace,
		SYS_process_vm_readv,
		SYS_process_vm_writev,
		SYS_kill,
		SYS_tkill,
		SYS_rt_sigqueueinfo,
		SYS_pidfd_send_signal,
		SYS_pidfd_getfd,
		SYS_mount,
		SYS_umount2,
		SYS_pivot_root,
		SYS_chroot,
		SYS_init_module,
		SYS_finit_module,
		SYS_delete_module,
		SYS_kexec_load,
		SYS_bpf,
		SYS_perf_event_open,
		SYS_reboot,
		SYS_swapon,
		SYS_settimeofday,
		SYS_clock_settime,
	};
	struct program p = { .n = 0 };

	begin(&p);
	for (size_t i = 0; i < sizeof(denied) / sizeof(*denied); i++)
		decide(&p, denied[i], DENIED);
	end(&p, SECCOMP_RET_ALLOW);
	return install(&p);
}

#else

bool sysfilter_reading(void)
{
	return false;
}

bool sysfilter_fetching(void)
{
	return false;
}

#endif
