/* SPDX-License-Identifier: MIT */
#include "record/checkup.h"

#include "base/child.h"
#include "base/xalloc.h"
#include "record/buffers.h"
#include "record/lack.h"
#include "record/plan.h"
#include "soft/qemu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* A recording of everything takes hundreds of megabytes a second; a snapshot a few. */
#define FREE_GOOD     ((uint64_t)1 << 30)
#define FREE_NEEDED   ((uint64_t)16 << 20)
#define FREQ_NORMAL   10000
#define PARANOID_GOOD 1

const char *checkup_state_name(enum checkup_state state)
{
	static const char *const names[] = {
		[CHECKUP_GOOD] = "good",
		[CHECKUP_POOR] = "poor",
		[CHECKUP_MISSING] = "missing",
	};

	return names[state];
}

static char *copy_variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? xstrdup(value) : NULL;
}

static void look_for_qemu(struct checkup_facts *facts)
{
	struct qemu qemu;

	if (qemu_find(&qemu, &facts->qemu_err) < 0)
		return;
	facts->qemu = xasprintf("QEMU %u.%u, %s", qemu.major, qemu.minor, qemu.path);
	qemu_fini(&qemu);
}

void checkup_look(struct checkup_facts *facts, const char *perf)
{
	struct statvfs fs;

	*facts = (struct checkup_facts){ .free_bytes = UINT64_MAX };
	host_read(&facts->host, "");
	facts->perf = child_find_tool(perf);
	if (perf_version_get(perf, &facts->version, &facts->perf_err) == 0)
		facts->perf_err = (struct err)ERR_INIT;
	look_for_qemu(facts);
	facts->fzf = child_find_tool("fzf");
	facts->debuginfod = copy_variable("DEBUGINFOD_URLS");
	facts->temporary = copy_variable("TMPDIR");
	if (!facts->temporary)
		facts->temporary = xstrdup("/tmp");
	if (statvfs(facts->temporary, &fs) == 0 &&
	    __builtin_mul_overflow((uint64_t)fs.f_bavail, (uint64_t)fs.f_frsize,
				   &facts->free_bytes))
		facts->free_bytes = UINT64_MAX;
}

void checkup_facts_free(struct checkup_facts *facts)
{
	free(facts->perf);
	free(facts->qemu);
	free(facts->fzf);
	free(facts->debuginfod);
	free(facts->temporary);
}

/* The next line of the table, to be filled in. */
static struct err *add(struct checkup *c, const char *name, enum checkup_state state)
{
	struct checkup_item *item = &c->items[c->n_items];

	if (c->n_items < CHECKUP_ITEMS - 1)
		c->n_items++;
	*item = (struct checkup_item){ .name = name, .state = state };
	return &item->what;
}

static void add_pt(struct checkup *c, const struct host *host)
{
	struct err *what;

	if (!host->pt) {
		lack_pt(host, add(c, "Intel PT", CHECKUP_MISSING));
		return;
	}
	err_set(add(c, "Intel PT", CHECKUP_GOOD), "the CPU has it, and the kernel offers it");
	if (host->pt_psb_cyc) {
		what = add(c, "PT cycle counts", CHECKUP_GOOD);
		err_set(what, "times are exact to about 10 ns");
	} else {
		lack_psb_cyc(add(c, "PT cycle counts", CHECKUP_POOR));
	}
	err_set(add(c, "PT address filter", host->pt_ip_filter ? CHECKUP_GOOD : CHECKUP_POOR), "%s",
		host->pt_ip_filter ? "the CPU has it" : "the CPU does not have it");
}

/* What perf can do by its version; recordargs and plan choose by the same ones. */
static void add_perf_features(struct checkup *c, const struct perf_version *version)
{
	bool answers = perf_version_at_least(version, 5, 12);
	bool control = perf_version_at_least(version, 5, 10);
	bool at_exit = perf_version_at_least(version, 5, 4);
	struct err *what;

	what = add(c, "perf control channel", control ? CHECKUP_GOOD : CHECKUP_POOR);
	err_set(what, "%s",
		answers   ? "perf is told by it to take a snapshot and to stop"
		: control ? "perf is told by it to take a snapshot; it stops by signal"
			  : "perf is told by signals when to take a snapshot");
	if (!control)
		err_hint(what, "perf 5.10 or later answers, so that nothing is left to chance");
	what = add(c, "perf snapshot at exit", at_exit ? CHECKUP_GOOD : CHECKUP_POOR);
	err_set(what, "%s",
		at_exit ? "a program's end is in the snapshot"
			: "a program's end may be missing in the snapshot");
	if (!at_exit)
		err_hint(what, "perf 5.4 or later has it");
}

static void add_perf(struct checkup *c, const struct checkup_facts *facts)
{
	if (facts->perf_err.msg[0]) {
		*add(c, "perf", CHECKUP_MISSING) = facts->perf_err;
		return;
	}
	err_set(add(c, "perf", CHECKUP_GOOD), "version %s, %s", facts->version.text,
		facts->perf ? facts->perf : "?");
	add_perf_features(c, &facts->version);
}

static void add_permission(struct checkup *c, const struct checkup_facts *facts)
{
	const struct host *host = &facts->host;
	bool privileged = host_is_privileged(host);
	enum checkup_state state = CHECKUP_GOOD;
	struct err user = ERR_INIT, kernel = ERR_INIT, *what;

	if (lack_permission(host, false, &user) < 0)
		state = facts->perf_is_privileged ? CHECKUP_POOR : CHECKUP_MISSING;
	else if (lack_permission(host, true, &kernel) < 0)
		state = CHECKUP_POOR;
	what = add(c, "perf_event_paranoid", state);
	if (user.msg[0] || kernel.msg[0])
		*what = user.msg[0] ? user : kernel;
	else
		err_set(what, "%d: user space and the kernel may be recorded%s", host->paranoid,
			privileged && host->paranoid > PARANOID_GOOD ? ", since we are privileged"
								     : "");
	what = add(c, "CAP_PERFMON", privileged ? CHECKUP_GOOD : CHECKUP_POOR);
	err_set(what, "%s",
		privileged                  ? "we have it, or CAP_SYS_ADMIN"
		: facts->perf_is_privileged ? "we do not have it; perf is said to "
					      "(MAGIC_TRACE_PERF_IS_PRIVILEGED)"
					    : "we do not have it: perf_event_paranoid decides");
	if (!privileged)
		err_hint(what,
			 "run as root; or give it to perf, `sudo setcap "
			 "cap_perfmon,cap_ipc_lock,cap_sys_ptrace=ep %s`, and set "
			 "MAGIC_TRACE_PERF_IS_PRIVILEGED=1",
			 facts->perf ? facts->perf : "PERF");
}

static void add_mlock(struct checkup *c, const struct host *host)
{
	uint64_t bytes = host_lockable(host);
	struct err *what =
		add(c, "locked memory", host_locks_freely(host) ? CHECKUP_GOOD : CHECKUP_POOR);

	if (host_locks_freely(host)) {
		err_set(what, "buffers may be of any size");
		return;
	}
	if (bytes == UINT64_MAX)
		err_set(what, "kernel.perf_event_mlock_kb cannot be read");
	else
		err_set(what,
			"all buffers together may take %" PRIu64 " KiB "
			"(kernel.perf_event_mlock_kb for each of %u CPUs, and RLIMIT_MEMLOCK)",
			bytes / 1024, host->n_cpus);
	err_hint(what, "for a large -snapshot-size: `sudo sysctl "
		       "kernel.perf_event_mlock_kb=16384`, `ulimit -l`, or CAP_IPC_LOCK");
}

static void add_counters(struct checkup *c, const struct host *host)
{
	struct err *what;

	if (host->cycles)
		err_set(add(c, "hardware counters", CHECKUP_GOOD), "cycles can be sampled%s",
			host->hybrid ? ", on the performance cores" : "");
	else
		lack_cycles(host, add(c, "hardware counters", CHECKUP_MISSING));
	what = add(c, "breakpoints", host->breakpoints ? CHECKUP_GOOD : CHECKUP_MISSING);
	err_set(what, "%s",
		host->breakpoints ? "-trigger can wait for a function"
				  : "perf_event_open(2) takes none: -trigger does not "
				    "work");
	if (!host->breakpoints)
		err_hint(what, "a debugger may hold all of them; a virtual machine or a container "
			       "may forbid them; Ctrl+C and SIGUSR2 take snapshots nevertheless");
}

static void add_stacks(struct checkup *c, const struct host *host)
{
	bool lbr = lack_has_lbr(host), fast;
	struct err *what;

	if (lbr)
		err_set(add(c, "LBR", CHECKUP_GOOD), "the CPU records calls by itself");
	else
		lack_lbr(host, add(c, "LBR", CHECKUP_MISSING));
	err_set(add(c, "call-graph modes", CHECKUP_GOOD), "%s",
		lbr ? "lbr (default), lbr-no-stitch, dwarf, fp" : "dwarf (default), fp");
	fast = host->max_sample_rate >= FREQ_NORMAL;
	what = add(c, "max sample rate", fast ? CHECKUP_GOOD : CHECKUP_POOR);
	err_set(what, "kernel.perf_event_max_sample_rate is %" PRIu32, host->max_sample_rate);
	if (!fast)
		err_hint(what, "`sudo sysctl kernel.perf_event_max_sample_rate=100000`");
}

/*
 * What is asked of YAMA is that our child may be stopped at its first instruction: PTRACE_TRACEME.
 * perf_event_open(2) asks for less (PTRACE_MODE_READ), which YAMA leaves alone.
 */
static bool may_not_ptrace(const struct host *host)
{
	return host->yama == 3 || (host->yama == 2 && !host_may_ptrace(host));
}

static void add_yama(struct checkup *c, const struct host *host)
{
	bool held = may_not_ptrace(host);
	struct err *what = add(c, "YAMA ptrace_scope", held ? CHECKUP_POOR : CHECKUP_GOOD);

	if (host->yama == HOST_UNKNOWN)
		err_set(what, "there is no YAMA");
	else
		err_set(what, "%d: magic-trace run %s", host->yama,
			held ? "may not stop a program at its first instruction" : "works");
	if (held)
		err_hint(what, "%s",
			 host->yama == 3 ? "3 lasts until the machine is started anew; attach "
					   "works"
					 : "`sudo sysctl kernel.yama.ptrace_scope=1`, or run "
					   "as root; attach works");
}

static void add_kcore(struct checkup *c, const struct checkup_facts *facts)
{
	const struct perf_version *version = facts->perf_err.msg[0] ? NULL : &facts->version;

	if (facts->no_kcore)
		err_set(add(c, "kcore", CHECKUP_POOR),
			"not used, as MAGIC_TRACE_PERF_NO_KCORE says");
	else if (lack_has_kcore(&facts->host, version, facts->perf_is_privileged))
		err_set(add(c, "kcore", CHECKUP_GOOD),
			"the kernel's code is copied with a recording of it");
	else
		lack_kcore(&facts->host, version, add(c, "kcore", CHECKUP_POOR));
}

static void add_tools(struct checkup *c, const struct checkup_facts *facts)
{
	struct err *what = add(c, "fzf", facts->fzf ? CHECKUP_GOOD : CHECKUP_MISSING);

	err_set(what, "%s", facts->fzf ? facts->fzf : "there is no fzf in PATH");
	if (!facts->fzf)
		err_hint(what, "the package fzf lets processes and functions be chosen from lists; "
			       "-pid and -trigger name them without it");
	what = add(c, "debuginfod", facts->debuginfod ? CHECKUP_GOOD : CHECKUP_POOR);
	err_set(what, "%s", facts->debuginfod ? facts->debuginfod : "DEBUGINFOD_URLS is not set");
	if (!facts->debuginfod)
		err_hint(what, "where a distribution has a server, perf fetches names of its "
			       "libraries from it: the package libdebuginfod-common sets it");
}

static void add_space(struct checkup *c, const struct checkup_facts *facts)
{
	uint64_t bytes = facts->free_bytes;
	enum checkup_state state = bytes == UINT64_MAX || bytes < FREE_NEEDED ? CHECKUP_MISSING
				   : bytes < FREE_GOOD                        ? CHECKUP_POOR
									      : CHECKUP_GOOD;
	struct err *what = add(c, "free space", state);

	if (bytes == UINT64_MAX)
		err_set(what, "%s cannot be looked at", facts->temporary);
	else
		err_set(what, "%" PRIu64 " MiB in %s", bytes >> 20, facts->temporary);
	if (state != CHECKUP_GOOD)
		err_hint(what, "recordings go there: set TMPDIR, or give -working-directory DIR");
}

/* What there is to record by; each takes perf. */
static void add_backends(struct checkup *c, const struct checkup_facts *facts)
{
	const struct host *host = &facts->host;
	struct err none = ERR_INIT, *what;

	if (host->pt)
		err_set(add(c, "backend pt", CHECKUP_GOOD), "every call, at nearly full speed");
	else
		lack_pt(host, add(c, "backend pt", CHECKUP_MISSING));
	if (!facts->perf_is_privileged && lack_permission(host, false, &none) < 0)
		*add(c, "backend sampling", CHECKUP_MISSING) = none;
	else
		err_set(add(c, "backend sampling", CHECKUP_GOOD),
			"stacks, thousands of times a second");
	c->software = host->x86_64 && !may_not_ptrace(host) && !facts->perf_err.msg[0];
	what = add(c, "backend software",
		   !c->software   ? CHECKUP_MISSING
		   : !facts->qemu ? CHECKUP_POOR
				  : CHECKUP_GOOD);
	if (!host->x86_64)
		err_set(what, "this machine is no x86-64");
	else if (may_not_ptrace(host))
		err_set(what, "programs may not be traced: see YAMA ptrace_scope");
	else if (facts->qemu)
		err_set(what, "every call, slowly: run by %s; attach by single steps", facts->qemu);
	else {
		*what = facts->qemu_err;
		err_prefix(what, "every call, very slowly, by single steps only");
	}
}

/* Plans a recording with no flags. */
static void conclude(struct checkup *c, const struct checkup_facts *facts)
{
	struct record_options options = {
		.perf = "perf",
		.scope = "u",
		.perf_is_privileged = facts->perf_is_privileged,
		.no_kcore = facts->no_kcore,
	};
	struct err why = ERR_INIT;
	struct plan plan;

	if (facts->perf_err.msg[0])
		why = facts->perf_err;
	else
		plan_make(&plan, &options, &facts->host, &facts->version, &why);
	if (why.msg[0]) {
		c->result = why;
		err_prefix(&c->result, "nothing can be recorded%s",
			   c->software ? " but with -software" : "");
		return;
	}
	c->mode = plan.perf.mode == PERF_PT ? "intel_pt" : "sampling";
	snprintf(c->event, sizeof(c->event), "%s",
		 plan.perf.mode == PERF_PT ? "intel_pt" : plan.perf.event);
	if (plan.perf.mode == PERF_PT)
		err_set(&c->result, "every call is recorded, by Intel PT");
	else
		err_set(&c->result,
			"stacks are sampled, %" PRIu32 " a second, by %s (call graphs: %s)%s",
			plan.perf.freq, plan.perf.event, plan.perf.callgraph,
			c->software ? "; -software shows every call" : "");
}

void checkup_make(struct checkup *checkup, const struct checkup_facts *facts)
{
	const struct host *host = &facts->host;

	*checkup = (struct checkup){ .n_items = 0 };
	add_pt(checkup, host);
	add_perf(checkup, facts);
	add_permission(checkup, facts);
	add_mlock(checkup, host);
	add_counters(checkup, host);
	add_stacks(checkup, host);
	add_yama(checkup, host);
	add_kcore(checkup, facts);
	add_tools(checkup, facts);
	add_space(checkup, facts);
	add_backends(checkup, facts);
	conclude(checkup, facts);
}
