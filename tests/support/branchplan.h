/* SPDX-License-Identifier: MIT */
/*
 * branchplan: any bytes as a trace of branches such as a CPU may record: threads that call, return,
 * jump, switch stacks, make system calls, are interrupted, lose data; with times. Each thread has a
 * stack of its own of where its functions return to, so that most of it fits together; some
 * operations break that on purpose. Some repeat, so that few bytes make deep recursions.
 */
#ifndef MT_TESTS_SUPPORT_BRANCHPLAN_H
#define MT_TESTS_SUPPORT_BRANCHPLAN_H

#include "base/intern.h"
#include "event/event.h"
#include "support/fuzz.h"

#define BRANCHPLAN_THREADS   4
#define BRANCHPLAN_DEPTH     1024
#define BRANCHPLAN_FUNCTIONS 32
#define BRANCHPLAN_KERNEL    24 /* functions from this one on lie in the kernel */
#define BRANCHPLAN_EVENTS    6000

struct branchplan_thread {
	struct location stack[BRANCHPLAN_DEPTH]; /* where functions return to */
	size_t depth;
	struct location at; /* where control is */
};

struct branchplan {
	struct fuzz_bytes bytes;
	struct intern *names;
	struct branchplan_thread threads[BRANCHPLAN_THREADS];
	struct location frames[64]; /* of the last sample */
	uint32_t functions[BRANCHPLAN_FUNCTIONS];
	uint32_t dso, event_name;
	unsigned int current; /* of the threads */
	int64_t time;
	bool in_tx, frozen; /* frozen: the time stands still */
	uint64_t called;    /* the function that was called last */
	size_t events;      /* so far */
	uint8_t op;         /* that is done again */
	size_t again;       /* so many times */
};

/* Names that mean something to the rules, and some that do not. */
static const char *const branchplan_names[BRANCHPLAN_FUNCTIONS] = {
	"main",
	"f",
	"g",
	"h",
	"work",
	"_start",
	"__x86_indirect_thunk_rax",
	"_Unwind_Resume",
	"_Unwind_RaiseException",
	"longjmp",
	"caml_raise_exn",
	"caml_raise_exception",
	"caml_next_frame_descriptor",
	"caml_stash_backtrace",
	"caml_c_call",
	"camlFoo__bar_12",
	"gogo",
	"runtime.mcall",
	"runtime.morestack.abi0",
	"execve",
	"magic_trace_stop_indicator",
	"swapcontext",
	"a::b<c>",
	"x\033[31m\x01\x7f",
	"entry_SYSCALL_64",
	"do_syscall_64",
	"asm_exc_page_fault",
	"ret_from_fork",
	"kvm_run",
	"irq_handler",
	"__x86_return_thunk",
	"k",
};

static inline void branchplan_init(struct branchplan *plan, struct fuzz_bytes bytes,
				   struct intern *names)
{
	*plan = (struct branchplan){ .bytes = bytes, .names = names, .time = 1000 };
	for (size_t i = 0; i < BRANCHPLAN_FUNCTIONS; i++)
		plan->functions[i] = intern_add(names, str_of(branchplan_names[i]));
	plan->dso = intern_add(names, STR("/bin/program"));
	plan->event_name = intern_add(names, STR("cache-misses"));
}

/* A byte of the function, `offset` from its first one; each has a page of its own. */
static inline struct location branchplan_place(const struct branchplan *plan, uint64_t function,
					       uint64_t offset)
{
	function %= BRANCHPLAN_FUNCTIONS;
	return (struct location){
		.addr = (function >= BRANCHPLAN_KERNEL ? 0xffffffff81000000u : 0x400000u) +
			function * 0x1000 + offset,
		.off = offset,
		.sym = plan->functions[function],
		.dso = plan->dso,
	};
}

/* Any place: in a function mostly, else one without a name, or none. */
static inline struct location branchplan_any(struct branchplan *plan)
{
	uint64_t byte = fuzz_take(&plan->bytes, 1);

	if (byte == 255)
		return (struct location){ 0 };
	if (byte == 254)
		return (struct location){ .addr = fuzz_take(&plan->bytes, 8) };
	return branchplan_place(plan, byte,
				byte < 128 ? 0 : fuzz_take(&plan->bytes, 1) * (byte & 7));
}

static inline struct location branchplan_moved(struct location place, uint64_t by)
{
	place.addr += by;
	place.off += by;
	return place;
}

static inline void branchplan_push(struct branchplan_thread *t, struct location back)
{
	if (t->depth < BRANCHPLAN_DEPTH)
		t->stack[t->depth++] = back;
}

/* Where the function `skip` frames further out than the one on top returns to. */
static inline struct location branchplan_pop(struct branchplan_thread *t, size_t skip)
{
	struct location none = { 0 };

	if (t->depth <= skip) {
		t->depth = 0;
		return none;
	}
	t->depth -= skip + 1;
	return t->stack[t->depth];
}

/* A branch of that kind from where control is; it is at `to` then. */
static inline void branchplan_go(struct branchplan *plan, struct event *ev, enum branch_kind kind,
				 struct location to)
{
	struct branchplan_thread *t = &plan->threads[plan->current];

	ev->kind = EVENT_BRANCH;
	ev->branch.kind = kind;
	ev->branch.src = t->at;
	ev->branch.dst = to;
	t->at = to;
}

/* Into the kernel, or with what is traced of user code only, to nowhere. */
static inline void branchplan_enter(struct branchplan *plan, struct event *ev,
				    enum branch_kind kind, bool traced)
{
	struct branchplan_thread *t = &plan->threads[plan->current];
	struct location to = branchplan_place(plan, BRANCHPLAN_KERNEL + (unsigned int)kind % 8, 0);

	branchplan_push(t, branchplan_moved(t->at, 2));
	branchplan_go(plan, ev, kind, traced ? to : (struct location){ 0 });
	ev->branch.state = traced ? TRACE_ON : TRACE_END;
}

static inline void branchplan_sample(struct branchplan *plan, struct event *ev)
{
	size_t n = fuzz_take(&plan->bytes, 1) % 64;

	ev->kind = EVENT_SAMPLE;
	for (size_t i = 0; i < n; i++)
		plan->frames[i] = branchplan_any(plan);
	ev->sample.frames = plan->frames;
	ev->sample.n = n;
}

static inline void branchplan_error(struct branchplan *plan, struct event *ev)
{
	uint64_t byte = fuzz_take(&plan->bytes, 1);

	ev->kind = EVENT_ERROR;
	ev->error.code = (uint32_t)byte & 15;
	ev->error.ip = byte & 16 ? plan->threads[plan->current].at.addr : 0;
	ev->error.message = intern_add(plan->names, byte & 32 ? STR("Lost trace data")
							      : STR("Overflow\tpacket"));
	ev->has_time = !(byte & 64);
	ev->time = ev->has_time ? plan->time : 0;
	if (byte & 128)
		ev->pid = ev->tid = 0;
}

/* Whatever a record can say. */
static inline void branchplan_odd(struct branchplan *plan, struct event *ev)
{
	uint64_t byte = fuzz_take(&plan->bytes, 1);

	ev->kind = EVENT_BRANCH;
	ev->branch.kind = (enum branch_kind)(byte % BRANCH_KINDS);
	ev->branch.state = (enum trace_state)(byte / 16 % 3);
	ev->branch.src = branchplan_any(plan);
	ev->branch.dst = branchplan_any(plan);
	plan->threads[plan->current].at = ev->branch.dst;
}

static inline void branchplan_call(struct branchplan *plan, struct event *ev, bool again)
{
	struct branchplan_thread *t = &plan->threads[plan->current];

	t->at = branchplan_moved(t->at, 11);
	branchplan_push(t, branchplan_moved(t->at, 5));
	if (!again)
		plan->called = fuzz_take(&plan->bytes, 1);
	branchplan_go(plan, ev, BRANCH_CALL, branchplan_place(plan, plan->called, 0));
}

static inline void branchplan_other(struct branchplan *plan, struct event *ev, uint8_t which)
{
	struct location place = branchplan_any(plan);

	switch (which % 4) {
	case 0:
		ev->kind = EVENT_CBR;
		ev->cbr.mhz = (uint32_t)fuzz_take(&plan->bytes, 2);
		break;
	case 1:
		ev->kind = EVENT_PTWRITE;
		ev->ptwrite.payload = fuzz_take(&plan->bytes, 2);
		ev->ptwrite.place = place;
		break;
	case 2:
		ev->kind = EVENT_EXTRA;
		ev->extra.name = plan->event_name;
		ev->extra.count = fuzz_take(&plan->bytes, 2);
		ev->extra.place = place;
		break;
	default: branchplan_sample(plan, ev);
	}
}

/* What is no event: false. */
static inline bool branchplan_act(struct branchplan *plan, struct event *ev, uint8_t op)
{
	struct branchplan_thread *t = &plan->threads[plan->current];
	uint8_t low = op & 15, high = op >> 4;

	switch (low) {
	case 0:
	case 1: branchplan_call(plan, ev, low); return true;
	case 2:
	case 3: branchplan_go(plan, ev, BRANCH_RETURN, branchplan_pop(t, 0)); return true;
	case 4:
		branchplan_go(plan, ev, high & 8 ? BRANCH_JMP : BRANCH_RETURN,
			      branchplan_pop(t, high & 7));
		return true;
	case 5:
		branchplan_go(plan, ev, high & 1 ? BRANCH_JCC : BRANCH_JMP,
			      branchplan_moved(t->at, high));
		return true;
	case 6: branchplan_go(plan, ev, BRANCH_JMP, branchplan_any(plan)); return true;
	case 7: branchplan_enter(plan, ev, BRANCH_SYSCALL, high & 1); return true;
	case 8:
		branchplan_enter(plan, ev, high & 2 ? BRANCH_HW_INT : BRANCH_ASYNC, high & 1);
		return true;
	case 9:
		branchplan_go(plan, ev, high & 2 ? BRANCH_IRET : BRANCH_SYSRET,
			      branchplan_pop(t, 0));
		ev->branch.state = high & 1 ? TRACE_START : TRACE_ON;
		return true;
	case 10:
		branchplan_go(plan, ev, BRANCH_NONE,
			      high & 1 ? branchplan_any(plan) : branchplan_pop(t, 0));
		ev->branch.src = (struct location){ 0 };
		ev->branch.state = TRACE_START;
		return true;
	case 11: branchplan_error(plan, ev); return true;
	case 12: branchplan_other(plan, ev, high); return true;
	case 13: branchplan_odd(plan, ev); return true;
	case 14:
		if (high == 13)
			plan->frozen = !plan->frozen;
		else
			plan->time += high < 13 ? (int64_t)1 << 2 * high : -100;
		return false;
	default:
		plan->in_tx ^= high == 15;
		plan->current = high % BRANCHPLAN_THREADS;
		return false;
	}
}

/* The next event: 1; 0: there is none any more; -1: a new data file begins. */
static inline int branchplan_next(struct branchplan *plan, struct event *ev)
{
	while (plan->events < BRANCHPLAN_EVENTS && (plan->again || plan->bytes.n)) {
		uint8_t op = plan->op;

		if (plan->again)
			plan->again--;
		else
			op = (uint8_t)fuzz_take(&plan->bytes, 1);
		if (op == 0xfe)
			return -1;
		if (op == 0xee) {
			plan->again = 4 * fuzz_take(&plan->bytes, 1);
			continue;
		}
		plan->op = op;
		*ev = (struct event){
			.has_time = true,
			.time = plan->time < 0 ? 0 : plan->time,
			.in_tx = plan->in_tx,
			.pid = 7 + (int32_t)(plan->current / 3),
			.tid = 7 + (int32_t)plan->current,
		};
		if (!branchplan_act(plan, ev, op))
			continue;
		ev->in_tx = ev->in_tx && ev->kind == EVENT_BRANCH;
		plan->time += !plan->frozen;
		plan->events++;
		return 1;
	}
	return 0;
}

#endif
