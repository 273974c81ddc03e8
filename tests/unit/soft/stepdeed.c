/* SPDX-License-Identifier: MIT */
/* What the watcher of a stepped program is told, against what the program says of its own stack. */
#include "soft/stepdeed.h"

#include "soft/stepper.h"

#include "support/scratch.h"
#include "support/suite.h"
#include "support/target.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* The slot of a return address is what lies below the CFA. */
static const char source[] = "#include <signal.h>\n"
			     "#include <stdio.h>\n"
			     "#include <unistd.h>\n"
			     "static volatile long slot, handler_slot, sum;\n"
			     "void hit(void) { slot = (long)__builtin_dwarf_cfa() - 8; }\n"
			     "void handler(int sig)\n"
			     "{\n"
			     "	sum += sig;\n"
			     "	handler_slot = (long)__builtin_dwarf_cfa() - 8;\n"
			     "}\n"
			     "static void turn(void) { hit(); getppid(); raise(SIGUSR1); }\n"
			     "int main(void)\n"
			     "{\n"
			     "	signal(SIGUSR1, handler);\n"
			     "	for (int i = 0;; i++) {\n"
			     "		turn();\n"
			     "		if (i > 0)\n"
			     "			continue;\n"
			     "		printf(\"hit %lx\\nslot %lx\\nhandler %lx\\n\"\n"
			     "		       \"handler_slot %lx\\nready\\n\", (long)hit, slot,\n"
			     "		       (long)handler, handler_slot);\n"
			     "		fflush(stdout);\n"
			     "	}\n"
			     "}\n";

static char name[] = "test", *command[] = { name, NULL };
static struct scratch s;
static struct target t;

struct seen {
	uint64_t hit, slot, handler, handler_slot;
	unsigned int calls, returns, handlers, sigreturns, syscalls, resumes, ends;
	uint64_t time, behind_syscall;
	bool in_hit;
};

static void at_branch(struct seen *seen, const struct stepdeed *deed)
{
	if (deed->to == seen->hit) {
		ck_assert_uint_eq(deed->insn.kind, INSN_CALL);
		ck_assert_uint_eq(deed->sp, seen->slot);
		seen->calls++;
	} else if (seen->in_hit) {
		ck_assert_uint_eq(deed->insn.kind, INSN_RET);
		ck_assert_uint_eq(deed->sp, seen->slot + 8);
		seen->returns++;
	}
	seen->in_hit = deed->to == seen->hit;
}

static void at_syscall(struct seen *seen, const struct stepdeed *deed)
{
	seen->sigreturns += deed->regs->orig_rax == SYS_rt_sigreturn;
	if (deed->regs->orig_rax != SYS_getppid)
		return;
	seen->syscalls++;
	seen->behind_syscall = deed->from;
}

static void watch(void *ctx, const struct stepdeed *deed)
{
	struct seen *seen = ctx;

	ck_assert_int_eq(deed->tid, t.pid);
	ck_assert_int_eq(deed->pid, t.pid);
	ck_assert_int_eq(deed->id, t.pid);
	ck_assert_uint_ge(deed->time, seen->time);
	seen->time = deed->time;
	switch (deed->kind) {
	case STEPDEED_EXECUTED: at_branch(seen, deed); return;
	case STEPDEED_SYSCALL: at_syscall(seen, deed); return;
	case STEPDEED_RESUMES: seen->resumes += deed->to == seen->behind_syscall; return;
	case STEPDEED_HANDLER:
		ck_assert_uint_eq(deed->to, seen->handler);
		ck_assert_uint_eq(deed->sp, seen->handler_slot);
		seen->handlers++;
		return;
	case STEPDEED_END: seen->ends++; return;
	case STEPDEED_EXEC: ck_abort_msg("it has executed nothing else");
	}
}

static enum stepper_wish poll_seen(void *ctx)
{
	const struct seen *seen = ctx;

	if (seen->handlers == 5)
		kill(t.pid, SIGKILL);
	return STEPPER_GO_ON;
}

START_TEST(test_deeds)
{
	struct seen seen = { 0 };
	const struct stepdeed_watcher watcher = { .did = watch, .ctx = &seen };
	struct recorder_config recorder = { .command_line = command };
	struct stepper_config config = { .hooks = { .poll = poll_seen, .ctx = &seen },
					 .poll_each = 1,
					 .recorder = &recorder,
					 .watcher = &watcher };
	struct stepper *stepper;
	struct err err = ERR_INIT;

	scratch_init(&s);
	scratch_put(&s, "p.c", source);
	ck_assert_int_eq(scratch_run(&s, "gcc -O1 -fno-inline -o p p.c"), 0);
	target_start(&t, scratch_path(&s, "p"));
	seen.hit = target_value(&t, "hit");
	seen.slot = target_value(&t, "slot");
	seen.handler = target_value(&t, "handler");
	seen.handler_slot = target_value(&t, "handler_slot");
	recorder.path = scratch_path(&s, "perf.data");
	config.pid = t.pid;
	ck_assert_msg(stepper_attach(&config, &stepper, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(stepper_run(stepper), STEPPER_ENDED);
	ck_assert_int_eq(stepper_close(stepper, true, NULL, &err), 0);
	ck_assert_uint_eq(seen.handlers, 5);
	/* where it was attached to, and where it was killed, a round may have been cut */
	ck_assert_uint_ge(seen.calls, 4);
	ck_assert_uint_eq(seen.returns, seen.calls);
	ck_assert_uint_ge(seen.syscalls, 4);
	ck_assert_uint_eq(seen.resumes, seen.syscalls);
	ck_assert_uint_ge(seen.sigreturns, 4);
	ck_assert_uint_eq(seen.ends, 1);
	target_stop(&t);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("soft/stepdeed", test_deeds)
