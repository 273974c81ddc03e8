/* SPDX-License-Identifier: MIT */
/* The files are those of the software's recorder, whose packets and times are known. */
#include "perf/psbs.h"

#include "soft/packet.h"
#include "soft/perfdata.h"
#include "support/scratch.h"
#include "support/suite.h"

#define PID 77

static struct scratch scratch;
static struct err err;

static struct perfdata_config config_of(bool cyc, bool mtc)
{
	static char *command_line[] = { NULL };

	return (struct perfdata_config){
		.pt = { .cyc = cyc, .mtc = mtc, .cbr = 10, .ctc_ratio = 40, .tnt_max = 6 },
		.tsc_hz = 2100000000,
		.command_line = command_line,
		.pid = PID,
		.comm = "prog",
	};
}

/* Jumps from `clock` on, 10 ticks each, so that some kilobytes of packets come out. */
static void put(struct packet *pt, uint64_t clock, unsigned int n)
{
	packet_on(pt, clock, 0x401000);
	for (unsigned int i = 0; i < n; i++) {
		clock += 10;
		packet_indirect(pt, clock, i % 2 ? 0x401000 : 0x8202);
		packet_tick(pt, clock, 0x401000);
	}
	packet_off(pt, clock);
}

static void write_aux(struct perfdata *pd, struct packet *pt, unsigned int index, int cpu)
{
	struct perfdata_aux aux = { .index = index, .pid = PID, .tid = PID, .cpu = cpu, .time = 1 };

	aux.bytes = packet_bytes(pt, &aux.n);
	perfdata_aux(pd, &aux);
	packet_taken(pt, aux.n);
}

/* A recording of two buffers, the second one's times before those of the first. */
static const char *record(const struct perfdata_config *config)
{
	struct packet *a = packet_new(&config->pt), *b = packet_new(&config->pt);
	const char *path = scratch_path(&scratch, "perf.data");
	struct perfdata *pd;

	ck_assert_msg(perfdata_open(path, config, &pd, &err) == 0, "%s", err.msg);
	put(a, 1000000, 3000);
	put(b, 5000, 100);
	write_aux(pd, a, 0, config->per_cpu ? 0 : -1);
	write_aux(pd, b, 1, config->per_cpu ? 1 : -1);
	ck_assert_msg(perfdata_close(pd, &err) == 0, "%s", err.msg);
	packet_free(a);
	packet_free(b);
	return path;
}

/* The first ones are those of which the time is known; the bytes are all of the packets. */
START_TEST(test_times)
{
	struct perfdata_config config = config_of(true, false);
	struct psbs psbs;
	uint64_t bytes = 0;

	scratch_init(&scratch);
	ck_assert_msg(psbs_read(record(&config), &psbs, &err) == 0, "%s", err.msg);
	ck_assert(psbs.steady && psbs.per_thread);
	/* a PSB for each 2 KiB of packets, of at least 5 bytes each */
	ck_assert_uint_gt(psbs.n, 5);
	ck_assert_int_eq(psbs.v[0].time, (int64_t)perfdata_time(&config, 5000));
	ck_assert_int_eq(psbs.v[1].time, (int64_t)perfdata_time(&config, 1000000));
	for (size_t i = 1; i < psbs.n; i++) {
		ck_assert_int_gt(psbs.v[i].time, psbs.v[i - 1].time);
		ck_assert_uint_gt(psbs.v[i].bytes, 0);
		bytes += psbs.v[i].bytes;
	}
	ck_assert_int_le(psbs.v[psbs.n - 1].time, (int64_t)perfdata_time(&config, 1030000));
	ck_assert_uint_gt(bytes, 2048 * (psbs.n - 2));
	psbs_fini(&psbs);
	scratch_fini(&scratch);
}
END_TEST

START_TEST(test_what_times_depend_on)
{
	struct perfdata_config config = config_of(true, true);
	struct psbs psbs;

	scratch_init(&scratch);
	ck_assert_int_eq(psbs_read(record(&config), &psbs, &err), 0);
	ck_assert(!psbs.steady);
	psbs_fini(&psbs);
	config = config_of(false, true);
	config.per_cpu = true;
	config.n_cpus = 2;
	ck_assert_int_eq(psbs_read(record(&config), &psbs, &err), 0);
	ck_assert(psbs.steady);
	ck_assert(!psbs.per_thread);
	psbs_fini(&psbs);
	scratch_fini(&scratch);
}
END_TEST

/* Cut, it is refused; with any byte of its head changed, it is read or refused. */
START_TEST(test_damaged)
{
	struct perfdata_config config = config_of(true, false);
	struct psbs psbs;
	const char *path;
	char *bytes;
	size_t n;
	FILE *f;

	scratch_init(&scratch);
	bytes = scratch_get(record(&config), &n);
	path = scratch_path(&scratch, "cut");
	/* its end says nothing of PT */
	for (size_t i = 0; i < n / 2; i += i < 2000 ? 7 : 997) {
		f = fopen(path, "w");
		fwrite(bytes, 1, i, f);
		fclose(f);
		ck_assert_int_eq(psbs_read(path, &psbs, &err), -1);
		ck_assert_ptr_null(psbs.v);
	}
	for (size_t i = 0; i < 2000; i++) {
		bytes[i] ^= 0x55;
		f = fopen(path, "w");
		fwrite(bytes, 1, n, f);
		fclose(f);
		bytes[i] ^= 0x55;
		if (psbs_read(path, &psbs, &err) == 0)
			psbs_fini(&psbs);
	}
	free(bytes);
	ck_assert_int_eq(psbs_read(scratch_path(&scratch, "none"), &psbs, &err), -1);
	ck_assert_int_eq(psbs_read("/dev/null", &psbs, &err), -1);
	scratch_fini(&scratch);
}
END_TEST

/* A data file with these bytes for its PT data. */
static void read_bytes(const unsigned char *bytes, size_t n, struct psbs *psbs)
{
	struct perfdata_config config = config_of(true, false);
	struct perfdata_aux aux = {
		.pid = PID, .tid = PID, .cpu = -1, .time = 1, .bytes = bytes, .n = n
	};
	const char *path = scratch_path(&scratch, "perf.data");
	struct perfdata *pd;

	ck_assert_msg(perfdata_open(path, &config, &pd, &err) == 0, "%s", err.msg);
	perfdata_aux(pd, &aux);
	ck_assert_msg(perfdata_close(pd, &err) == 0, "%s", err.msg);
	ck_assert_msg(psbs_read(path, psbs, &err) == 0, "%s", err.msg);
}

#define PSB      2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82
#define TSC(low) 0x19, (low)&255, (low) >> 8, 0, 0, 0, 0, 0

/* The packets of the Intel SDM, volume 3, "Packet Definitions", that can stand before the TSC. */
START_TEST(test_packets_before_the_time)
{
	static const unsigned char bytes[] = {
		PSB,
		TSC(5000),
		/* a packet before it ends as it begins; PAD, MODE, MTC, CBR, PIP, TMA, VMCS */
		2,
		0x82,
		PSB,
		0,
		0x99,
		1,
		0x59,
		7,
		2,
		3,
		10,
		0,
		2,
		0x43,
		1,
		2,
		3,
		4,
		5,
		6,
		2,
		0x73,
		1,
		2,
		3,
		4,
		5,
		2,
		0xc8,
		1,
		2,
		3,
		4,
		5,
		TSC(6000),
		/* behind these there is none */
		PSB,
		2,
		0x23,
		TSC(7000),
		PSB,
		0x71,
		1,
		2,
		3,
		4,
		5,
		6,
		TSC(8000),
		PSB,
		0x19,
		1,
		2,
	};
	struct perfdata_config config = config_of(true, false);
	struct psbs psbs;

	scratch_init(&scratch);
	read_bytes(bytes, sizeof(bytes), &psbs);
	ck_assert_uint_eq(psbs.n, 2);
	ck_assert_int_eq(psbs.v[0].time, (int64_t)perfdata_time(&config, 5000));
	ck_assert_int_eq(psbs.v[1].time, (int64_t)perfdata_time(&config, 6000));
	ck_assert_uint_eq(psbs.v[0].bytes, 24);
	psbs_fini(&psbs);
	scratch_fini(&scratch);
}
END_TEST

/* Some in between are left out; the bytes are all that there are. */
START_TEST(test_too_many)
{
	static const unsigned char psb[] = { PSB };
	size_t n = 3 * PSBS_MAX + 5, size = sizeof(psb) + 8;
	unsigned char *bytes = calloc(n, size);
	struct perfdata_config config = config_of(true, false);
	struct psbs psbs;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t clock = 10 * i;

		memcpy(bytes + i * size, psb, sizeof(psb));
		bytes[i * size + sizeof(psb)] = 0x19;
		memcpy(bytes + i * size + sizeof(psb) + 1, &clock, 7);
	}
	scratch_init(&scratch);
	read_bytes(bytes, n * size, &psbs);
	free(bytes);
	ck_assert_uint_le(psbs.n, PSBS_MAX);
	ck_assert_uint_ge(psbs.n, PSBS_MAX / 2);
	ck_assert_int_eq(psbs.v[0].time, (int64_t)perfdata_time(&config, 0));
	for (size_t i = 0; i < psbs.n; i++) {
		ck_assert(i == 0 || psbs.v[i].time > psbs.v[i - 1].time);
		sum += psbs.v[i].bytes;
	}
	ck_assert_uint_eq(sum, n * size);
	psbs_fini(&psbs);
	scratch_fini(&scratch);
}
END_TEST

SUITE_MAIN("psbs", test_times, test_what_times_depend_on, test_damaged,
	   test_packets_before_the_time, test_too_many)
