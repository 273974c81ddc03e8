/* SPDX-License-Identifier: MIT */
#include "record/host.h"

#include "base/num.h"
#include "base/str.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define DEVICES "/sys/bus/event_source/devices/"
#define SYSCTL  "/proc/sys/kernel/"

/* Of capabilities(7); <linux/capability.h> of older systems lacks the last. */
#define CAP_IPC_LOCK   14
#define CAP_SYS_PTRACE 19
#define CAP_SYS_ADMIN  21
#define CAP_PERFMON    38

static bool exists(const char *root, const char *path)
{
	char *full = xasprintf("%s%s", root, path);
	bool there = access(full, F_OK) == 0;

	free(full);
	return there;
}

/* The first line of a small file, without its end; false when it cannot be read. */
static bool read_line(const char *root, const char *path, char *buf, size_t size)
{
	char *full = xasprintf("%s%s", root, path);
	FILE *file = fopen(full, "re");
	bool ok = file && fgets(buf, (int)size, file);

	free(full);
	if (file)
		fclose(file);
	if (ok)
		buf[strcspn(buf, "\n")] = '\0';
	return ok;
}

static bool read_unsigned(const char *root, const char *path, uint64_t *v)
{
	char buf[64];
	struct str s;

	if (!read_line(root, path, buf, sizeof(buf)))
		return false;
	s = str_of(buf);
	return num_dec(&s, v) && s.n == 0;
}

/* A number that may have a sign, else HOST_UNKNOWN. */
static int read_level(const char *root, const char *path)
{
	char buf[64];
	struct str s;
	bool negative;
	uint64_t v;

	if (!read_line(root, path, buf, sizeof(buf)))
		return HOST_UNKNOWN;
	s = str_of(buf);
	negative = str_starts(s, STR("-"));
	s = str_skip(s, negative);
	if (!num_dec(&s, &v) || s.n || v > INT_MAX)
		return HOST_UNKNOWN;
	return negative ? -(int)v : (int)v;
}

/* Takes blanks and a number off s. */
static bool next_number(struct str *s, uint64_t *v)
{
	while (s->n && *s->p == ' ')
		*s = str_skip(*s, 1);
	return num_dec(s, v);
}

static bool is_one(const char *root, const char *path)
{
	uint64_t v;

	return read_unsigned(root, path, &v) && v == 1;
}

/* Whether one of the words of s, which blanks part, is `word`. */
static bool has_word(struct str s, struct str word)
{
	while (s.n) {
		size_t n = 0;

		while (n < s.n && s.p[n] != ' ')
			n++;
		if (str_eq((struct str){ .p = s.p, .n = n }, word))
			return true;
		s = str_skip(s, n + 1);
	}
	return false;
}

/* "name\t: value\n" is taken apart. */
static bool split(char *line, struct str *name, struct str *value)
{
	char *colon = strchr(line, ':');

	if (!colon)
		return false;
	*name = (struct str){ .p = line, .n = (size_t)(colon - line) };
	while (name->n && (name->p[name->n - 1] == '\t' || name->p[name->n - 1] == ' '))
		name->n--;
	*value = str_of(colon + 1 + strspn(colon + 1, " \t"));
	while (value->n && value->p[value->n - 1] == '\n')
		value->n--;
	return true;
}

static void keep(char *buf, size_t size, struct str s)
{
	snprintf(buf, size, "%.*s", (int)(s.n < size ? s.n : size), s.p);
}

static void read_flags(struct host *host, struct str flags, bool *lacks_pdcm)
{
	host->cpu_pt = host->cpu_pt || has_word(flags, STR("intel_pt"));
	host->vm = host->vm || has_word(flags, STR("hypervisor"));
	host->pdcm = host->pdcm || has_word(flags, STR("pdcm"));
	*lacks_pdcm = *lacks_pdcm || !has_word(flags, STR("pdcm"));
}

static void read_cpuinfo(struct host *host, const char *root)
{
	char *path = xasprintf("%s/proc/cpuinfo", root), *line = NULL;
	FILE *file = fopen(path, "re");
	struct str name, value;
	bool lacks_pdcm = false;
	size_t size = 0;

	free(path);
	while (file && getline(&line, &size, file) > 0) {
		if (!split(line, &name, &value))
			continue;
		if (str_eq(name, STR("processor")))
			host->n_cpus++;
		else if (str_eq(name, STR("model name")))
			keep(host->cpu, sizeof(host->cpu), value);
		else if (str_eq(name, STR("vendor_id")))
			keep(host->vendor, sizeof(host->vendor), value);
		else if (str_eq(name, STR("flags")))
			read_flags(host, value, &lacks_pdcm);
	}
	free(line);
	if (file)
		fclose(file);
	host->pdcm = host->pdcm && !lacks_pdcm;
}

static void read_devices(struct host *host, const char *root)
{
	host->pt = exists(root, DEVICES "intel_pt");
	host->pt_psb_cyc = is_one(root, DEVICES "intel_pt/caps/psb_cyc");
	host->pt_ip_filter = is_one(root, DEVICES "intel_pt/caps/ip_filtering");
	host->hybrid = exists(root, DEVICES "cpu_core");
	host->core_pmu = host->hybrid || exists(root, DEVICES "cpu");
}

static void read_sysctls(struct host *host, const char *root)
{
	uint64_t v;

	host->paranoid = read_level(root, SYSCTL "perf_event_paranoid");
	host->yama = read_level(root, SYSCTL "yama/ptrace_scope");
	if (!read_unsigned(root, SYSCTL "perf_event_mlock_kb", &host->mlock_kb))
		host->mlock_kb = 0;
	if (read_unsigned(root, SYSCTL "perf_event_max_sample_rate", &v) && v <= UINT32_MAX)
		host->max_sample_rate = (uint32_t)v;
	read_line(root, SYSCTL "osrelease", host->kernel, sizeof(host->kernel));
}

/* Whether ids are those of the whole machine: a map of all 32 bits (user_namespaces(7)). */
static bool in_first_user_namespace(const char *root)
{
	uint64_t inside, outside, n;
	char buf[128];
	struct str s;

	if (!read_line(root, "/proc/self/uid_map", buf, sizeof(buf)))
		return true;
	s = str_of(buf);
	return next_number(&s, &inside) && next_number(&s, &outside) && next_number(&s, &n) &&
	       inside == 0 && outside == 0 && n == UINT32_MAX;
}

/* The effective set of /proc/self/status: one line of hex digits (proc(5)). */
static void read_capabilities(struct host *host, const char *root)
{
	char *path = xasprintf("%s/proc/self/status", root), *line = NULL;
	FILE *file = fopen(path, "re");
	struct str name, value;
	size_t size = 0;

	free(path);
	while (file && getline(&line, &size, file) > 0) {
		if (split(line, &name, &value) && str_eq(name, STR("CapEff")) &&
		    !num_hex(&value, &host->capabilities))
			host->capabilities = 0;
	}
	free(line);
	if (file)
		fclose(file);
}

/* Who may open it is not who may read it: CAP_SYS_RAWIO is asked for, and lockdown is in the way.
 */
static bool can_open(const char *root, const char *path)
{
	char *full = xasprintf("%s%s", root, path);
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	free(full);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Opens an event of our own, which is never enabled, and closes it. 0 or the errno. */
static int try_event(struct perf_event_attr *attr)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static bool is_refusal(int why)
{
	return why == EACCES || why == EPERM;
}

static void ask_kernel(struct host *host)
{
	struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
	};
	/* with a period: an event that only counts is no use */
	struct perf_event_attr cycles = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP,
	};
	struct perf_event_attr breakpoint = {
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uintptr_t)host_read,
		.bp_len = sizeof(long),
		.sample_period = 1,
	};
	int why = try_event(&cycles);

	/* we may not know, but a perf that may do more than we will find them */
	host->cycles = why == 0 || (is_refusal(why) && host->core_pmu);
	host->breakpoints = try_event(&breakpoint) == 0;
	host->user_events = is_refusal(try_event(&dummy)) ? HOST_REFUSED : HOST_ALLOWED;
}

static void read_limits(struct host *host)
{
	struct rlimit limit;
	long page = sysconf(_SC_PAGESIZE);

	host->page_size = page > 0 ? (uint32_t)page : 0;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
		host->memlock = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

static void read_machine(struct host *host)
{
	struct utsname name;
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	host->x86_64 = uname(&name) == 0 && !strcmp(name.machine, "x86_64");
	if (host->n_cpus == 0)
		host->n_cpus = n > 0 ? (unsigned int)n : 1;
}

void host_read(struct host *host, const char *root)
{
	*host = (struct host){ .n_cpus = 0 };
	read_cpuinfo(host, root);
	read_machine(host);
	read_devices(host, root);
	read_sysctls(host, root);
	if (in_first_user_namespace(root))
		read_capabilities(host, root);
	read_limits(host);
	host->kcore = can_open(root, "/proc/kcore");
	host->cycles = host->core_pmu;
	host->breakpoints = host->x86_64;
	if (!*root)
		ask_kernel(host);
}

static bool has_capability(const struct host *host, unsigned int bit)
{
	return host->capabilities >> bit & 1;
}

bool host_is_privileged(const struct host *host)
{
	return has_capability(host, CAP_PERFMON) || has_capability(host, CAP_SYS_ADMIN);
}

bool host_may_ptrace(const struct host *host)
{
	return has_capability(host, CAP_SYS_PTRACE);
}

bool host_locks_freely(const struct host *host)
{
	return has_capability(host, CAP_IPC_LOCK) ||
	       (host->paranoid < 0 && host->paranoid != HOST_UNKNOWN) ||
	       host->memlock == UINT64_MAX;
}

uint64_t host_lockable(const struct host *host)
{
	uint64_t bytes;

	if (host_locks_freely(host) || host->mlock_kb == 0)
		return UINT64_MAX;
	if (__builtin_mul_overflow(host->mlock_kb, (uint64_t)1024 * host->n_cpus, &bytes) ||
	    __builtin_add_overflow(bytes, host->memlock, &bytes))
		return UINT64_MAX;
	return bytes;
}
