/* SPDX-License-Identifier: MIT */
/*
 * Programs that wait, in different ways, while they are attached to, stepped for a while, and let
 * go of: they must not notice. Each checks that by itself, and says so with its exit status.
 */
#include "soft/stepattach.h"

#include "base/monotonic.h"
#include "base/procfs.h"
#include "soft/stepper.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "support/target.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] =
	"#include <linux/filter.h>\n"
	"#include <linux/seccomp.h>\n"
	"#include <errno.h>\n"
	"#include <pthread.h>\n"
	"#include <signal.h>\n"
	"#include <stddef.h>\n"
	"#include <stdio.h>\n"
	"#include <string.h>\n"
	"#include <sys/prctl.h>\n"
	"#include <sys/syscall.h>\n"
	"#include <sys/wait.h>\n"
	"#include <unistd.h>\n"
	"static volatile int ended, go;\n"
	"static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n"
	"static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;\n"
	"static void ready(void) { puts(\"ready\"); fflush(stdout); }\n"
	"static void on_child(int sig) { ended += sig == SIGCHLD; }\n"
	"static int reads(void)\n"
	"{\n"
	"	char c = 0;\n"
	"	ready();\n"
	"	return !(read(0, &c, 1) == 1 && c == 'x');\n"
	"}\n"
	"static void *waits(void *p)\n"
	"{\n"
	"	pthread_mutex_lock(&mutex);\n"
	"	while (!go)\n"
	"		pthread_cond_wait(&cond, &mutex);\n"
	"	pthread_mutex_unlock(&mutex);\n"
	"	return p;\n"
	"}\n"
	"static int futexes(void)\n"
	"{\n"
	"	pthread_t t[3];\n"
	"	void *r = NULL;\n"
	"	int bad = 0;\n"
	"	for (int i = 0; i < 3; i++)\n"
	"		pthread_create(&t[i], NULL, waits, &t[i]);\n"
	"	bad = reads();\n"
	"	pthread_mutex_lock(&mutex);\n"
	"	go = 1;\n"
	"	pthread_cond_broadcast(&cond);\n"
	"	pthread_mutex_unlock(&mutex);\n"
	"	for (int i = 0; i < 3; i++)\n"
	"		bad |= pthread_join(t[i], &r) || r != &t[i];\n"
	"	return bad;\n"
	"}\n"
	"static int vforks(void)\n"
	"{\n"
	"	int status = 0;\n"
	"	pid_t pid;\n"
	"	ready();\n"
	"	pid = vfork();\n"
	"	if (pid == 0) {\n"
	"		char c;\n"
	"		_exit(read(0, &c, 1) == 1 ? 3 : 4);\n"
	"	}\n"
	"	return !(waitpid(pid, &status, 0) == pid && status == 3 << 8);\n"
	"}\n"
	"static int children(void)\n"
	"{\n"
	"	struct sigaction a = { .sa_handler = on_child, .sa_flags = SA_RESTART };\n"
	"	int bad;\n"
	"	sigaction(SIGCHLD, &a, NULL);\n"
	"	if (fork() == 0) {\n"
	"		usleep(100000);\n"
	"		_exit(5);\n"
	"	}\n"
	"	bad = reads();\n"
	"	return bad || ended != 1;\n"
	"}\n"
	"static int strict(void)\n"
	"{\n"
	"	char c = 0;\n"
	"	int n;\n"
	"	ready();\n"
	"	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);\n"
	"	n = read(0, &c, 1);\n"
	"	syscall(SYS_exit, !(n == 1 && c == 'x'));\n"
	"	return 1;\n"
	"}\n"
	"static int filter(void)\n"
	"{\n"
	"	struct sock_filter f[] = {\n"
	"		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),\n"
	"		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),\n"
	"		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EDOM),\n"
	"		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),\n"
	"		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),\n"
	"		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),\n"
	"	};\n"
	"	struct sock_fprog p = { sizeof(f) / sizeof(*f), f };\n"
	"	long sum = 0;\n"
	"	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);\n"
	"	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))\n"
	"		return 1;\n"
	"	ready();\n"
	"	for (int i = 0; i < 2000; i++) {\n"
	"		usleep(100);\n"
	"		sum += syscall(SYS_getppid) == -1 && errno == EDOM;\n"
	"	}\n"
	"	return reads() || sum != 2000;\n"
	"}\n"
	"static int stopped(void)\n"
	"{\n"
	"	ready();\n"
	"	raise(SIGSTOP);\n"
	"	return reads();\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	const char *how = argc > 1 ? argv[1] : \"\";\n"
	"	alarm(30);\n"
	"	return !strcmp(how, \"read\") ? reads() : !strcmp(how, \"futex\") ? futexes() :\n"
	"	       !strcmp(how, \"vfork\") ? vforks() : !strcmp(how, \"child\") ? children() :\n"
	"	       !strcmp(how, \"strict\") ? strict() : !strcmp(how, \"filter\") ? filter() :\n"
	"	       !strcmp(how, \"stopped\") ? stopped() : 2;\n"
	"}\n";

static char name[] = "test", *command[] = { name, NULL };
static struct scratch s;
static struct target t;
static struct stepper *stepper;
static int64_t until;

static enum stepper_wish at_time(void *ctx)
{
	(void)ctx;
	return monotonic_ms() >= until ? STEPPER_STOP : STEPPER_GO_ON;
}

static void begin(const char *how)
{
	char program[600], word[16];
	char *argv[] = { program, word, NULL };

	scratch_init(&s);
	scratch_put(&s, "p.c", source);
	ck_assert_int_eq(scratch_run(&s, "gcc -O1 -pthread -o p p.c"), 0);
	strcpy(program, scratch_path(&s, "p"));
	strcpy(word, how);
	target_start_in(&t, argv, NULL, NULL);
	target_wait(&t);
	usleep(20000);
}

static int attach(struct err *err)
{
	const struct recorder_config recorder = { .path = scratch_path(&s, "perf.data"),
						  .command_line = command };
	const struct stepper_config config = { .pid = t.pid,
					       .multi_thread = true,
					       .hooks = { .poll = at_time },
					       .recorder = &recorder };

	return stepper_attach(&config, &stepper, err);
}

static void step_for(int ms)
{
	struct err err = ERR_INIT;

	ck_assert_msg(attach(&err) == 0, "%s", err.msg);
	until = monotonic_ms() + ms;
	ck_assert_int_eq(stepper_run(stepper), STEPPER_STOPPED);
	ck_assert_int_eq(stepper_close(stepper, true, NULL, &err), 0);
}

/* Lets it go on with what it waits for; and it has found nothing wrong. */
static void end(void)
{
	int status;

	fputc('x', t.in);
	fclose(t.in);
	ck_assert_int_eq(waitpid(t.pid, &status, 0), t.pid);
	ck_assert_int_eq(status, 0);
	fclose(t.out);
	scratch_fini(&s);
}

static void expect_unharmed(const char *how)
{
	begin(how);
	step_for(150);
	step_for(150);
	end();
}

START_TEST(test_waiting)
{
	expect_unharmed("read");
	expect_unharmed("futex");
	expect_unharmed("child");
}
END_TEST

/* What a filter lets the program do, it may do when it is stepped; and no more. */
START_TEST(test_seccomp)
{
	expect_unharmed("strict");
	expect_unharmed("filter");
}
END_TEST

START_TEST(test_stopped)
{
	int status;

	begin("stopped");
	ck_assert_int_eq(waitpid(t.pid, &status, WUNTRACED), t.pid);
	step_for(100);
	/* it is stopped as before, as soon as it has seen that nobody traces it any more */
	while (procfs_state(t.pid) != 'T')
		usleep(1000);
	kill(t.pid, SIGCONT);
	end();
}
END_TEST

/* A parent in vfork(2) cannot be stopped: that is said, and it goes on when the child has ended. */
START_TEST(test_vfork)
{
	struct err err = ERR_INIT;
	int status;
	pid_t pid;

	begin("vfork");
	pid = fork();
	if (pid == 0) {
		ck_assert_int_eq(attach(&err), -1);
		ck_assert_msg(strstr(err.msg, "does not stop") != NULL, "%s", err.msg);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	end();
}
END_TEST

/* 32-bit code is refused, and goes on; where the kernel runs such programs at all. */
START_TEST(test_not_64_bit)
{
	struct err err = ERR_INIT;
	char program[600], comm[32];
	char *argv[] = { program, NULL };
	int status;

	scratch_init(&s);
	scratch_put(&s, "p.s",
		    ".globl _start\n"
		    "_start:\n"
		    "	movl $3, %eax\n" /* read(0, %esp, 1) */
		    "	xorl %ebx, %ebx\n"
		    "	movl %esp, %ecx\n"
		    "	movl $1, %edx\n"
		    "	int $0x80\n"
		    "	leal -1(%eax), %ebx\n" /* exit(how many it has read - 1) */
		    "	movl $1, %eax\n"
		    "	int $0x80\n");
	ck_assert_int_eq(scratch_run(&s, "as --32 -o p.o p.s && ld -m elf_i386 -o p p.o"), 0);
	strcpy(program, scratch_path(&s, "p"));
	target_start_in(&t, argv, NULL, NULL);
	do {
		usleep(1000);
		procfs_comm(t.pid, comm, sizeof(comm));
	} while (procfs_state(t.pid) != 'Z' &&
		 (strcmp(comm, "p") != 0 || procfs_state(t.pid) != 'S'));
	if (procfs_state(t.pid) == 'Z') {
		ck_assert_int_eq(waitpid(t.pid, &status, 0), t.pid);
		ck_assert_int_eq(status, 127 << 8);
		scratch_fini(&s);
		return;
	}
	ck_assert_int_eq(attach(&err), -1);
	ck_assert_msg(strstr(err.msg, "not 64-bit x86") != NULL, "%s", err.msg);
	end();
}
END_TEST

/* What cannot be traced is refused at once: nothing has gone to another CPU for it. */
START_TEST(test_refused)
{
	struct stepset set = { .pid = getpid() }; /* nobody traces himself */
	struct err err = ERR_INIT;

	ck_assert_int_eq(stepattach_begin(&set, false, &err), -1);
	ck_assert(err.msg[0] != '\0');
	ck_assert(!set.pinned);
	ck_assert_uint_eq(set.n, 0);
}
END_TEST

SUITE_MAIN("soft/stepattach", test_waiting, test_seccomp, test_stopped, test_vfork, test_not_64_bit,
	   test_refused)
