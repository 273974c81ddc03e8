/* SPDX-License-Identifier: MIT */
/*
 * odd_refuse ERROR CALL PROGRAM ARGUMENT...: executes the program with a kernel that answers a
 * system call (perf_event_open or ptrace) with EPERM or EACCES, in it and in all that it starts; as
 * one does with a sysctl or a security module that this machine may not have. See seccomp(2).
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refuse(unsigned int call, unsigned int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]),
		.filter = filter,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int main(int argc, char **argv)
{
	unsigned int error, call;

	if (argc < 4)
		return 126;
	error = !strcmp(argv[1], "EPERM") ? EPERM : EACCES;
	call = !strcmp(argv[2], "ptrace") ? SYS_ptrace : SYS_perf_event_open;
	if (refuse(call, error) == 0)
		execv(argv[3], argv + 3);
	perror(argv[0]);
	return 126;
}
