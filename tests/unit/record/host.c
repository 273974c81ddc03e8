/* SPDX-License-Identifier: MIT */
/*
 * What other machines, kernels and permissions would answer comes from files that the test writes:
 * stand-ins for /proc and /sys. What this machine answers is compared with what it says elsewhere.
 */
#include "record/host.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <sys/resource.h>
#include <sys/utsname.h>

/* Bits of capabilities(7), as /proc/self/status writes them. */
#define IPC_LOCK  ((uint64_t)1 << 14)
#define PTRACE    ((uint64_t)1 << 19)
#define SYS_ADMIN ((uint64_t)1 << 21)
#define PERFMON   ((uint64_t)1 << 38)

static struct scratch scratch;

/* A root directory with the directories that files are put into. */
static void set_up(void)
{
	scratch_init(&scratch);
	ck_assert_int_eq(scratch_run(&scratch, "mkdir -p proc/sys/kernel/yama proc/self "
					       "sys/bus/event_source/devices"),
			 0);
}

static void read_root(struct host *host)
{
	host_read(host, scratch.dir);
}

START_TEST(test_nothing_there)
{
	struct host host;

	set_up();
	read_root(&host);
	ck_assert_str_eq(host.cpu, "");
	ck_assert_str_eq(host.vendor, "");
	ck_assert_str_eq(host.kernel, "");
	ck_assert_uint_ge(host.n_cpus, 1);
	ck_assert(!host.cpu_pt && !host.pt && !host.pt_psb_cyc && !host.pt_ip_filter);
	ck_assert(!host.pdcm && !host.core_pmu && !host.hybrid && !host.cycles && !host.vm);
	ck_assert_int_eq(host.paranoid, HOST_UNKNOWN);
	ck_assert_int_eq(host.yama, HOST_UNKNOWN);
	ck_assert_uint_eq(host.mlock_kb, 0);
	ck_assert_uint_eq(host.max_sample_rate, 0);
	ck_assert_uint_eq(host.capabilities, 0);
	ck_assert_int_eq(host.user_events, HOST_NOT_ASKED);
	ck_assert(!host.kcore);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_a_machine_with_pt)
{
	struct host host;

	set_up();
	scratch_put(&scratch, "proc/cpuinfo",
		    "processor\t: 0\nvendor_id\t: GenuineIntel\n"
		    "model name\t: Intel(R) Xeon(R) CPU @ 2.40GHz\n"
		    "flags\t\t: fpu intel_pt pdcm\n\n"
		    "processor\t: 1\nvendor_id\t: GenuineIntel\n"
		    "model name\t: Intel(R) Xeon(R) CPU @ 2.40GHz\n"
		    "flags\t\t: fpu pdcm intel_pt\n");
	ck_assert_int_eq(scratch_run(&scratch, "cd sys/bus/event_source/devices && "
					       "mkdir -p cpu intel_pt/caps && "
					       "echo 1 >intel_pt/caps/psb_cyc && "
					       "echo 1 >intel_pt/caps/ip_filtering"),
			 0);
	scratch_put(&scratch, "proc/sys/kernel/osrelease", "6.8.0-45-generic\n");
	scratch_put(&scratch, "proc/sys/kernel/perf_event_mlock_kb", "516\n");
	scratch_put(&scratch, "proc/sys/kernel/perf_event_max_sample_rate", "100000\n");
	scratch_put(&scratch, "proc/kcore", "");
	read_root(&host);
	ck_assert_str_eq(host.cpu, "Intel(R) Xeon(R) CPU @ 2.40GHz");
	ck_assert_str_eq(host.vendor, "GenuineIntel");
	ck_assert_str_eq(host.kernel, "6.8.0-45-generic");
	ck_assert_uint_eq(host.n_cpus, 2);
	ck_assert(host.cpu_pt && host.pt && host.pt_psb_cyc && host.pt_ip_filter);
	ck_assert(host.pdcm && host.core_pmu && host.cycles && !host.hybrid && !host.vm);
	ck_assert_uint_eq(host.mlock_kb, 516);
	ck_assert_uint_eq(host.max_sample_rate, 100000);
	ck_assert(host.kcore);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_pt_that_counts_no_cycles)
{
	struct host host;

	set_up();
	ck_assert_int_eq(scratch_run(&scratch, "cd sys/bus/event_source/devices && "
					       "mkdir -p intel_pt/caps && "
					       "echo 0 >intel_pt/caps/psb_cyc"),
			 0);
	read_root(&host);
	ck_assert(host.pt && !host.pt_psb_cyc && !host.pt_ip_filter);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_cpus_of_two_kinds)
{
	struct host host;

	set_up();
	ck_assert_int_eq(scratch_run(&scratch, "cd sys/bus/event_source/devices && "
					       "mkdir cpu_core cpu_atom"),
			 0);
	read_root(&host);
	ck_assert(host.core_pmu && host.hybrid);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_pdcm_must_be_on_every_cpu)
{
	struct host host;

	set_up();
	scratch_put(&scratch, "proc/cpuinfo",
		    "processor\t: 0\nflags\t\t: fpu pdcm sse\n\n"
		    "processor\t: 1\nflags\t\t: fpu sse\n");
	read_root(&host);
	ck_assert(!host.pdcm);
	scratch_put(&scratch, "proc/cpuinfo",
		    "processor\t: 0\nflags\t\t: fpu sse\n\n"
		    "processor\t: 1\nflags\t\t: fpu pdcm\n");
	read_root(&host);
	ck_assert(!host.pdcm);
	/* a word, not a part of one */
	scratch_put(&scratch, "proc/cpuinfo",
		    "processor\t: 0\nflags\t\t: fpu pdcmx xpdcm intel_pt2\n");
	read_root(&host);
	ck_assert(!host.pdcm && !host.cpu_pt);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_virtual_machine)
{
	struct host host;

	set_up();
	scratch_put(&scratch, "proc/cpuinfo",
		    "processor\t: 0\nvendor_id\t: AuthenticAMD\n"
		    "flags\t\t: fpu hypervisor\n");
	read_root(&host);
	ck_assert(host.vm);
	ck_assert_str_eq(host.vendor, "AuthenticAMD");
	scratch_fini(&scratch);
}
END_TEST

static int level(const char *text)
{
	struct host host;

	scratch_put(&scratch, "proc/sys/kernel/perf_event_paranoid", text);
	scratch_put(&scratch, "proc/sys/kernel/yama/ptrace_scope", text);
	read_root(&host);
	ck_assert_int_eq(host.paranoid, host.yama);
	return host.paranoid;
}

START_TEST(test_levels)
{
	set_up();
	ck_assert_int_eq(level("-1\n"), -1);
	ck_assert_int_eq(level("0\n"), 0);
	ck_assert_int_eq(level("3\n"), 3);
	ck_assert_int_eq(level("4"), 4);
	ck_assert_int_eq(level(""), HOST_UNKNOWN);
	ck_assert_int_eq(level("\n"), HOST_UNKNOWN);
	ck_assert_int_eq(level("-\n"), HOST_UNKNOWN);
	ck_assert_int_eq(level("2x\n"), HOST_UNKNOWN);
	ck_assert_int_eq(level("99999999999\n"), HOST_UNKNOWN);
	scratch_fini(&scratch);
}
END_TEST

static uint64_t capabilities(const char *status, const char *uid_map)
{
	struct host host;

	scratch_put(&scratch, "proc/self/status", status);
	scratch_put(&scratch, "proc/self/uid_map", uid_map);
	read_root(&host);
	return host.capabilities;
}

START_TEST(test_capabilities)
{
	static const char all[] = "         0          0 4294967295\n";
	static const char mapped[] = "         0       1000          1\n";
	static const char status[] = "Name:\tx\nCapPrm:\tffffffffffffffff\n"
				     "CapEff:\t0000004000004000\nCapBnd:\tffffffffffffffff\n";

	set_up();
	ck_assert_uint_eq(capabilities(status, all), PERFMON | IPC_LOCK);
	ck_assert_uint_eq(capabilities("CapEff:\t0000000000000000\n", all), 0);
	ck_assert_uint_eq(capabilities("CapEff:\tffffffffffffffffffff\n", all), 0);
	ck_assert_uint_eq(capabilities("CapEff:\n", all), 0);
	/* root of a container is not the root that the kernel asks for */
	ck_assert_uint_eq(capabilities(status, mapped), 0);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_privileges)
{
	struct host host = { .paranoid = 2, .memlock = 8 << 20 };

	ck_assert(!host_is_privileged(&host) && !host_locks_freely(&host));
	ck_assert(!host_may_ptrace(&host));
	host.capabilities = PERFMON;
	ck_assert(host_is_privileged(&host) && !host_locks_freely(&host));
	host.capabilities = SYS_ADMIN;
	ck_assert(host_is_privileged(&host) && !host_locks_freely(&host));
	host.capabilities = IPC_LOCK;
	ck_assert(!host_is_privileged(&host) && host_locks_freely(&host));
	host.capabilities = PTRACE;
	ck_assert(!host_is_privileged(&host) && host_may_ptrace(&host));
	host.capabilities = 0;
	host.paranoid = -1;
	ck_assert(host_locks_freely(&host));
	host.paranoid = HOST_UNKNOWN;
	ck_assert(!host_locks_freely(&host));
	host.memlock = UINT64_MAX;
	ck_assert(host_locks_freely(&host));
}
END_TEST

START_TEST(test_lockable)
{
	struct host host = { .paranoid = 2, .memlock = 8 << 20, .mlock_kb = 516, .n_cpus = 4 };

	ck_assert_uint_eq(host_lockable(&host), 4u * 516 * 1024 + (8u << 20));
	host.mlock_kb = 0;
	ck_assert_uint_eq(host_lockable(&host), UINT64_MAX);
	host.mlock_kb = UINT64_MAX / 512;
	ck_assert_uint_eq(host_lockable(&host), UINT64_MAX);
	host.mlock_kb = 516;
	host.capabilities = IPC_LOCK;
	ck_assert_uint_eq(host_lockable(&host), UINT64_MAX);
}
END_TEST

/* A number that a command prints. */
static long printed(const char *command)
{
	FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c) */
	char line[64] = "";

	ck_assert_ptr_nonnull(pipe);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), pipe));
	pclose(pipe);
	return strtol(line, NULL, 10);
}

START_TEST(test_this_machine)
{
	struct host host;
	struct rlimit limit;
	struct utsname name;

	host_read(&host, "");
	ck_assert_int_eq(uname(&name), 0);
	ck_assert_str_eq(host.kernel, name.release);
	ck_assert_int_eq(host.x86_64, strcmp(name.machine, "x86_64") == 0);
	ck_assert_int_eq(host.n_cpus, printed("getconf _NPROCESSORS_ONLN"));
	ck_assert_int_eq(host.page_size, printed("getconf PAGESIZE"));
	ck_assert_int_eq(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	ck_assert(limit.rlim_cur == RLIM_INFINITY ? host.memlock == UINT64_MAX
						  : host.memlock == limit.rlim_cur);
	if (host.paranoid != HOST_UNKNOWN)
		ck_assert_int_eq(host.paranoid,
				 printed("cat /proc/sys/kernel/perf_event_paranoid"));
	ck_assert_int_ne(host.user_events, HOST_NOT_ASKED);
	/* no cycles where there is no PMU */
	ck_assert(!host.cycles || host.core_pmu);
}
END_TEST

SUITE_MAIN("host", test_nothing_there, test_a_machine_with_pt, test_pt_that_counts_no_cycles,
	   test_cpus_of_two_kinds, test_pdcm_must_be_on_every_cpu, test_virtual_machine,
	   test_levels, test_capabilities, test_privileges, test_lockable, test_this_machine)
