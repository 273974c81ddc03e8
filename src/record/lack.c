/* SPDX-License-Identifier: MIT */
#include "record/lack.h"

#include <string.h>

/* Until which level the kernel may be recorded (perf_event_open(2)). */
#define PARANOID_KERNEL 1
/*
 * Until which level users may record at all. Higher ones are known to the kernels of Debian (3) and
 * Ubuntu (4) only; to others they are as 2.
 */
#define PARANOID_USER 2

void lack_pt(const struct host *host, struct err *why)
{
	if (!host->x86_64) {
		err_set(why, "this machine is no x86-64, and only those have Intel PT");
	} else if (host->cpu_pt) {
		err_set(why, "the CPU has Intel PT, but the kernel does not offer it "
			     "(/sys/bus/event_source/devices/intel_pt is missing)");
		err_hint(why, "look for 'PT' in `dmesg`: firmware or another tool may hold it; in "
			      "a container, /sys must be the machine's");
	} else if (host->vendor[0] && strcmp(host->vendor, "GenuineIntel") != 0) {
		err_set(why, "the CPU is not Intel's (%s), and so has no Intel PT", host->vendor);
	} else if (host->vm) {
		err_set(why, "this is a virtual machine, and its CPU shows no Intel PT");
		err_hint(why, "trace on the machine itself, or give guests PT: KVM does with "
			      "kvm_intel.pt_mode=1 and `-cpu host`");
	} else {
		err_set(why, "the CPU has no Intel PT");
		err_hint(why, "Intel's Core and Xeon processors have it since 2015 (Broadwell)");
	}
}

void lack_psb_cyc(struct err *why)
{
	err_set(why, "this CPU's Intel PT cannot count cycles (caps/psb_cyc is not 1): times are "
		     "exact to about 1 us instead of 10 ns");
}

void lack_cycles(const struct host *host, struct err *why)
{
	err_set(why, "the event cycles cannot be had, %s",
		host->core_pmu ? "although there are hardware counters"
			       : "since there are no hardware counters");
	if (host->vm)
		err_hint(why, "a virtual machine has them when it is given a virtual PMU (QEMU: "
			      "-cpu host,pmu=on)");
	else if (host->core_pmu)
		err_hint(why, "another tool may hold them: the NMI watchdog takes one (`sysctl "
			      "kernel.nmi_watchdog=0`)");
}

bool lack_has_lbr(const struct host *host)
{
	return host->pdcm && host->core_pmu && host->cycles;
}

void lack_lbr(const struct host *host, struct err *why)
{
	const char *what = !host->pdcm       ? "not every CPU says that it can (flag pdcm)"
			   : !host->core_pmu ? "there are no hardware counters"
					     : "the event cycles cannot be had";

	err_set(why, "there are no last branch records (LBR) here: %s", what);
	err_hint(why, "-callgraph-mode dwarf works with any program, fp with those built with "
		      "-fno-omit-frame-pointer");
}

bool lack_has_kcore(const struct host *host, const struct perf_version *version, bool privileged)
{
	return (host->kcore || privileged) && version && perf_version_at_least(version, 5, 5);
}

void lack_kcore(const struct host *host, const struct perf_version *version, struct err *why)
{
	const char *lost = "kernel code that changes while it runs (static keys, ftrace, BPF) may "
			   "be decoded wrongly, and on another machine not at all";

	if (!version || !host->kcore) {
		err_set(why,
			"the kernel's code cannot be copied, since /proc/kcore cannot be "
			"read: %s",
			lost);
		err_hint(why, "it takes CAP_SYS_RAWIO, a kernel with CONFIG_PROC_KCORE, and no "
			      "lockdown; MAGIC_TRACE_PERF_NO_KCORE=1 silences this");
		return;
	}
	err_set(why, "the kernel's code cannot be copied, since perf %s has no --kcore: %s",
		version->text, lost);
	err_hint(why, "perf 5.5 or later has it; MAGIC_TRACE_PERF_NO_KCORE=1 silences this");
}

static int lack_kernel_permission(const struct host *host, struct err *why)
{
	err_set(why,
		"the kernel may not be recorded: kernel.perf_event_paranoid is %d, and we have "
		"neither CAP_PERFMON nor CAP_SYS_ADMIN",
		host->paranoid);
	return err_hint(why, "`sudo sysctl kernel.perf_event_paranoid=1` allows it to everybody; "
			     "or run as root; or, if perf itself has CAP_PERFMON, set "
			     "MAGIC_TRACE_PERF_IS_PRIVILEGED=1");
}

static int lack_user_permission(const struct host *host, struct err *why)
{
	if (host->paranoid <= PARANOID_USER || host_is_privileged(host)) {
		err_set(why,
			"perf_event_open(2) is refused although kernel.perf_event_paranoid (%d) "
			"and our capabilities allow it: a seccomp filter or a security module "
			"is in the way",
			host->paranoid);
		return err_hint(why, "in a container: `docker run --cap-add PERFMON`, or a seccomp "
				     "profile that allows perf_event_open");
	}
	err_set(why,
		"recording is not allowed: kernel.perf_event_paranoid is %d, and we have neither "
		"CAP_PERFMON nor CAP_SYS_ADMIN",
		host->paranoid);
	return err_hint(why, "`sudo sysctl kernel.perf_event_paranoid=2` allows it to everybody; "
			     "or run as root; or, if perf itself has CAP_PERFMON, set "
			     "MAGIC_TRACE_PERF_IS_PRIVILEGED=1");
}

int lack_permission(const struct host *host, bool kernel, struct err *why)
{
	bool privileged = host_is_privileged(host), refused;

	if (host->paranoid == HOST_UNKNOWN) {
		err_set(why, "this kernel has no perf events: "
			     "/proc/sys/kernel/perf_event_paranoid is missing");
		return err_hint(why, "it takes a kernel with CONFIG_PERF_EVENTS; in a container, "
				     "/proc/sys must be there");
	}
	refused = host->user_events == HOST_REFUSED ||
		  (host->user_events == HOST_NOT_ASKED && !privileged &&
		   host->paranoid > PARANOID_USER);
	if (refused)
		return lack_user_permission(host, why);
	if (kernel && !privileged && host->paranoid > PARANOID_KERNEL)
		return lack_kernel_permission(host, why);
	return 0;
}
