/* SPDX-License-Identifier: MIT */
/*
 * calls PROGRAM ARG...: runs a program that writes, as its first line, the address of one of its
 * functions ("0x1234"), and then stops itself (SIGSTOP). Prints what is in DI and SI each time it
 * comes there, found with a breakpoint of ptrace(2). Exits with 1 when something is not so.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define INT3 0xccu

static int wait_for(pid_t pid, int sig)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFSTOPPED(status) && WSTOPSIG(status) == sig ? 0 : -1;
}

/* Over the instruction that the breakpoint stands for, and on. */
static int step_over(pid_t pid, unsigned long address, long text, struct user_regs_struct *regs)
{
	regs->rip = address;
	ptrace(PTRACE_SETREGS, pid, NULL, regs);
	ptrace(PTRACE_POKETEXT, pid, address, text);
	ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
	return wait_for(pid, SIGTRAP);
}

static int trace(pid_t pid, FILE *from)
{
	struct user_regs_struct regs;
	unsigned long address;
	char line[64], *end;
	long text;
	int status;

	if (wait_for(pid, SIGTRAP) < 0) /* it has executed the program */
		return 1;
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	if (!fgets(line, sizeof(line), from) || wait_for(pid, SIGSTOP) < 0)
		return 1;
	errno = 0;
	address = strtoul(line, &end, 16);
	text = ptrace(PTRACE_PEEKTEXT, pid, address, NULL);
	if (errno || *end != '\n')
		return 1;
	for (;;) {
		ptrace(PTRACE_POKETEXT, pid, address, (text & ~0xffL) | (long)INT3);
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		if (waitpid(pid, &status, 0) != pid || WIFSIGNALED(status))
			return 1;
		if (WIFEXITED(status))
			return WEXITSTATUS(status) != 0;
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
		if (WSTOPSIG(status) != SIGTRAP || regs.rip != address + 1)
			return 1;
		printf("%llu %llu\n", regs.rdi, regs.rsi);
		if (step_over(pid, address, text, &regs) < 0)
			return 1;
	}
}

int main(int argc, char **argv)
{
	FILE *from;
	int fds[2];
	pid_t pid;

	if (argc < 2 || pipe(fds) < 0)
		return 2;
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[1], argv + 1);
		_exit(2);
	}
	close(fds[1]);
	from = fdopen(fds[0], "r");
	if (trace(pid, from) == 0)
		return 0;
	kill(pid, SIGKILL);
	return 1;
}
