/* SPDX-License-Identifier: MIT */
#include "soft/plugin/sigframe.h"

#include "soft/plugin/guest.h"

#include <signal.h>
#include <ucontext.h>

/*
 * arch/x86/include/asm/sigframe.h of the kernel, struct rt_sigframe: the address that the handler
 * returns to, the context, the siginfo. The kernel's ucontext is the beginning of the C library's,
 * with 8 bytes of signal mask.
 */
#define CONTEXT_AT 8
#define IP_AT      (CONTEXT_AT + offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP]))
#define INFO_AT    (CONTEXT_AT + offsetof(ucontext_t, uc_sigmask) + 8)

/* The beginning of struct siginfo (sigaction(2)). */
struct info {
	int32_t signo, error, code;
};

/* mov rax, SYS_rt_sigreturn; syscall: what a handler returns to begins so (glibc, musl, Go). */
static const uint8_t restorers[][7] = {
	{ 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00 },
	{ 0xb8, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 },
};

void sigframe_init(struct sigframe_handlers *h)
{
	pthread_mutex_init(&h->lock, NULL);
	h->n = 0;
}

/* Blocks of a handler that are looked at, one behind the other. */
#define DEPTH_MAX 8

static const struct sigframe_place *find(const struct sigframe_handlers *h, uint64_t ip)
{
	size_t n = atomic_load_explicit(&h->n, memory_order_acquire);

	for (size_t i = 0; i < n; i++)
		if (h->all[i].ip == ip)
			return &h->all[i];
	return NULL;
}

bool sigframe_is_handler(const struct sigframe_handlers *h, uint64_t ip)
{
	const struct sigframe_place *place = find(h, ip);

	return place && place->depth == 0;
}

bool sigframe_find(const struct sigframe_handlers *h, uint64_t ip, struct sigframe_place *place)
{
	const struct sigframe_place *found = find(h, ip);

	if (found)
		*place = *found;
	return found != NULL;
}

static void add(struct sigframe_handlers *h, const struct sigframe_place *place)
{
	size_t n;

	pthread_mutex_lock(&h->lock);
	n = atomic_load(&h->n);
	if (!find(h, place->ip) && n < sizeof(h->all) / sizeof(h->all[0])) {
		h->all[n] = *place;
		atomic_store_explicit(&h->n, n + 1, memory_order_release);
	}
	pthread_mutex_unlock(&h->lock);
}

void sigframe_action(struct sigframe_handlers *h, uint64_t base, uint64_t action)
{
	struct sigframe_place place = { .depth = 0 };

	if (!action || !guest_read(base, action, &place.ip, sizeof(place.ip)) ||
	    place.ip == (uint64_t)(uintptr_t)SIG_DFL || place.ip == (uint64_t)(uintptr_t)SIG_IGN)
		return;
	add(h, &place);
}

void sigframe_goes_on(struct sigframe_handlers *h, const struct sigframe_place *before, uint64_t ip,
		      uint64_t lowered)
{
	const struct sigframe_place place = {
		.ip = ip,
		.lowered = lowered,
		.depth = before->depth + 1,
	};

	if (place.depth < DEPTH_MAX)
		add(h, &place);
}

static bool is_restorer(uint64_t base, uint64_t ip)
{
	uint8_t code[sizeof(restorers[0])];

	if (!guest_read(base, ip, code, sizeof(code)))
		return false;
	for (size_t i = 0; i < sizeof(restorers) / sizeof(restorers[0]); i++)
		if (__builtin_memcmp(code, restorers[i], sizeof(code)) == 0)
			return true;
	return false;
}

static bool is_fault(const struct info *info)
{
	if (info->code <= 0)
		return false; /* kill(2) and its like */
	return info->signo == SIGSEGV || info->signo == SIGBUS || info->signo == SIGFPE ||
	       info->signo == SIGILL;
}

bool sigframe_read(uint64_t base, uint64_t sp, struct sigframe *frame)
{
	struct info info;
	uint64_t restorer;

	if (!guest_read(base, sp, &restorer, sizeof(restorer)) || !is_restorer(base, restorer) ||
	    !guest_read(base, sp + IP_AT, &frame->ip, sizeof(frame->ip)) ||
	    !guest_read(base, sp + INFO_AT, &info, sizeof(info)))
		return false;
	frame->fault = is_fault(&info);
	return true;
}
