/* SPDX-License-Identifier: MIT */
/*
 * plugin: what QEMU calls. Its API hands nothing of ours on to most callbacks, so there is one
 * session, and each thread knows which it is.
 */
#include "base/closerange.h"
#include "base/procfs.h"
#include "soft/plugin/api.h"
#include "soft/plugin/death.h"
#include "soft/plugin/follow.h"
#include "soft/plugin/session.h"
#include "soft/recflow.h"

#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#define UNLIKELY(x) __builtin_expect((x), false)

API_EXPORT int qemu_plugin_version = API_VERSION;

static struct session session;
static qemu_plugin_id_t own_id;
static atomic_bool was_reset;

/* The way that costs no call; libraries that are loaded later have some room for such variables. */
static __thread struct vcpu *self __attribute__((tls_model("initial-exec")));

/* The same when the thread runs unrecorded. */
static __thread struct vcpu *bystander;

static bool is_over(void)
{
	return atomic_load_explicit(&session.gate.state, memory_order_acquire) == GATE_OVER;
}

/* This thread, new in the program, becomes one of the two above, unless the recording is over. */
static void join(void)
{
	struct vcpu *v = is_over() ? NULL : session_this_thread(&session);

	if (v && v->thread)
		self = v;
	else
		bystander = v;
}

/* This thread, inside; NULL: it runs unrecorded, or the recording is over. */
static inline struct vcpu *enter(void)
{
	if (UNLIKELY(!self)) {
		if (!bystander)
			join();
		if (!self)
			return NULL;
	}
	return gate_enter(&session.gate, &self->inside) ? self : NULL;
}

/* The same for threads that run unrecorded too. */
static struct vcpu *enter_anyway(void)
{
	struct vcpu *v;

	if (!self && !bystander)
		join();
	v = self ? self : bystander;
	return v && gate_enter(&session.gate, &v->inside) ? v : NULL;
}

static inline void leave(struct vcpu *v)
{
	gate_leave(&v->inside);
}

/* --- when the recording is over --- */

/* So many blocks are worth more than to translate everything anew. */
#define MANY_BLOCKS 100000

static void on_reset(qemu_plugin_id_t id)
{
	(void)id;
}

/*
 * A block was executed that is not recorded. Those that were translated when the recording was not
 * over yet call us still, which makes the program two or three times slower.
 */
static void pass_over(void)
{
	static __thread unsigned int blocks __attribute__((tls_model("initial-exec")));

	if (!is_over() || ++blocks % MANY_BLOCKS != 0)
		return;
	/* in a child of fork(2), another thread may have held QEMU's lock, for ever */
	if (!session.forked && !atomic_exchange(&was_reset, true))
		qemu_plugin_reset(own_id, on_reset);
}

/* --- blocks --- */

static void on_block(unsigned int vcpu, void *data)
{
	struct vcpu *v = enter();

	(void)vcpu;
	if (UNLIKELY(!v)) {
		pass_over();
		return;
	}
	vcpu_block(v, data);
	leave(v);
}

static void on_trigger(unsigned int vcpu, void *data)
{
	const struct block *rest = data;
	struct vcpu *v = enter();
	uint32_t index;

	(void)vcpu;
	if (!v)
		return;
	if (v->block && block_index(v->block, rest->start, &index)) {
		vcpu_middle(v, index, rest);
		session_hit(&session, v, rest->start);
	}
	leave(v);
}

static void on_stack(unsigned int vcpu, uint32_t info, uint64_t address, void *data)
{
	const struct block *b = data;
	struct vcpu *v = enter();

	(void)vcpu;
	(void)info;
	if (!v)
		return;
	if (v->block == b)
		vcpu_stack(v, session.base, address + b->stack_at);
	leave(v);
}

/* The handler goes on behind a block, where that is known. */
static void watch_next(const struct block *b, const struct sigframe_place *place, uint64_t lowered)
{
	enum insn_kind kind = (enum insn_kind)b->insn.kind;
	uint64_t target = b->next + (uint64_t)(int64_t)b->insn.rel;

	if (kind == INSN_JCC || kind == INSN_JMP)
		sigframe_goes_on(&session.handlers, place, target, lowered);
	if (kind == INSN_JCC || kind == INSN_OTHER)
		sigframe_goes_on(&session.handlers, place, b->next, lowered);
}

/* The first instruction of a handler that uses the stack shows where the signal came. */
static void watch_stack(struct qemu_plugin_tb *tb, struct block *b)
{
	struct sigframe_place place;
	uint64_t lowered, at;

	b->watched = sigframe_find(&session.handlers, b->start, &place);
	if (!b->watched)
		return;
	lowered = place.lowered;
	for (size_t i = 0; i < b->n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		b->uses_stack = block_uses_stack(qemu_plugin_insn_data(insn), b->sizes[i], &at);
		lowered += at;
		if (!b->uses_stack)
			continue;
		b->stack_at = lowered;
		qemu_plugin_register_vcpu_mem_cb(insn, on_stack, API_NO_REGS, API_READ_WRITE, b);
		return;
	}
	watch_next(b, &place, lowered);
}

static void watch_trigger(struct qemu_plugin_tb *tb, const struct block *b, uint64_t trigger)
{
	uint32_t index;

	if (trigger && block_index(b, trigger, &index))
		qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, index),
						       on_trigger, API_NO_REGS,
						       block_rest(b, index));
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct vcpu *v = n ? enter_anyway() : NULL;
	struct qemu_plugin_insn *insn;
	struct block *b;
	uint64_t trigger;

	(void)id;
	if (!v)
		return;
	insn = qemu_plugin_tb_get_insn(tb, 0);
	b = block_new(qemu_plugin_insn_vaddr(insn), n);
	atomic_store(&session.base, (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(insn) - b->start);
	for (size_t i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		b->sizes[i] = (uint8_t)qemu_plugin_insn_size(insn);
	}
	block_complete(b, qemu_plugin_insn_data(insn));
	trigger = session_code_at(&session, v, b->start);
	session_code_at(&session, v, b->last);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, API_NO_REGS, b);
	watch_trigger(tb, b, trigger);
	watch_stack(tb, b);
	leave(v);
}

/* --- system calls --- */

static void end_thread(struct vcpu *v)
{
	if (v->thread)
		recorder_thread_end(v->thread);
	v->ended = true;
	self = bystander = NULL;
}

/*
 * Whether it takes a descriptor from us. What fails, as dup2(2) onto one above the limit, counts as
 * well: who calls it knows of no such file, and goes through all numbers that there may be.
 */
static bool takes_ours(int64_t nr, uint64_t a1, uint64_t a2, uint64_t a3)
{
	unsigned int first = (unsigned int)a1, second = (unsigned int)a2;

	switch (nr) {
	case SYS_close: return session_has_fd(&session, first, first);
	case SYS_dup2:
	case SYS_dup3: return session_has_fd(&session, second, second);
	case SYS_close_range:
		/* ours are all closed by execve(2) anyway */
		return !(a3 & CLOSE_RANGE_CLOEXEC) && session_has_fd(&session, first, second);
	default: return false;
	}
}

static void on_syscall(qemu_plugin_id_t id, unsigned int vcpu, int64_t nr, uint64_t a1, uint64_t a2,
		       uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	struct vcpu *v = enter_anyway();
	bool lost;

	(void)id;
	(void)vcpu;
	(void)a4;
	(void)a5;
	(void)a6;
	(void)a7;
	(void)a8;
	if (!v)
		return;
	if (v->thread) {
		vcpu_syscall(v);
		recorder_syscall_began(v->thread);
	}
	switch (nr) {
	case SYS_clone: v->clone_flags = a1; break;
	case SYS_mmap:
	case SYS_munmap:
	case SYS_mremap:
		if (a1)
			session_forget(&session, v, a1, a2);
		break;
	case SYS_rt_sigaction: sigframe_action(&session.handlers, session.base, a2); break;
	case SYS_exit: end_thread(v); break;
	default: break;
	}
	lost = takes_ours(nr, a1, a2, a3);
	leave(v);
	if (lost)
		session_lose_files(&session);
	if (nr == SYS_execve)
		follow_exec(&session, a1, a2, a3);
}

static void read_name(struct vcpu *v)
{
	char comm[32] = "";

	procfs_comm(v->tid, comm, sizeof(comm));
	if (comm[0])
		recorder_thread_comm(v->thread, comm);
}

static void on_syscall_ret(qemu_plugin_id_t id, unsigned int vcpu, int64_t nr, int64_t ret)
{
	struct vcpu *v = self ? enter() : NULL;

	(void)id;
	(void)vcpu;
	if (!v)
		return;
	recorder_syscall_ended(v->thread);
	if (nr == SYS_clone && ret > 0 && (v->clone_flags & CLONE_THREAD) &&
	    session.args.multi_thread)
		session_new_thread(&session, v, (pid_t)ret);
	if (nr == SYS_prctl)
		read_name(v);
	leave(v);
}

/* --- beginning and end --- */

static void on_exit_of_program(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	session_end(&session);
}

static void on_death(void)
{
	session_end(&session);
}

static void before_fork(void)
{
	session_before_fork(&session);
}

static void after_fork_in_parent(void)
{
	session_after_fork(&session, false);
}

static void after_fork_in_child(void)
{
	session_after_fork(&session, true);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	struct err err = ERR_INIT;

	(void)info;
	own_id = id;
	if (session_begin(&session, argv, argc > 0 ? (size_t)argc : 0, &err) < 0) {
		if (session_runs_on(&session))
			return 0;
		if (!session.args.control)
			fprintf(stderr, "magic-trace: %s\n", err.msg);
		return -1;
	}
	/* without it, what is recorded of a program that dies of a signal is lost */
	death_watch(on_death);
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_ret);
	qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
	return 0;
}
