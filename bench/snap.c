/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snap KEYS ROUNDS: a client of the library that takes a snapshot of an aggregation of KEYS keys, which is then
 * updated again, ROUNDS times, for each of two kinds of key. A line for each snapshot: the kind, which snapshot it is
 * (the first, or one of those in which every key is known), its milliseconds. Status 1 if a key or a count is missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <dtrace.h>

static dtrace_hdl_t *dtp;
static long keys, seen, wrong;
static uint64_t expected;

static void die(const char *what)
{
	fprintf(stderr, "snap: %s: %s\n", what, dtrace_errmsg(dtp, dtrace_errno(dtp)));
	exit(1);
}

/* Of the thread: that others run as well is not the snapshot's fault. */
static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int on_key(const dtrace_aggdata_t *data, void *arg)
{
	const dtrace_recdesc_t *value =
		&data->dtada_desc->dtagd_rec[data->dtada_desc->dtagd_nrecs - 1];

	(void)arg;
	seen++;
	wrong += *(const uint64_t *)(data->dtada_data + value->dtrd_offset) != expected;
	return DTRACE_AGGWALK_NEXT;
}

static void one_kind(const char *kind, const char *key, int rounds)
{
	dtrace_prog_t *prog;
	char text[256];
	int error;

	snprintf(text, sizeof(text), "syscall::getppid:entry /pid == %d/ { @[%s] = count(); }",
		 (int)getpid(), key);
	dtp = dtrace_open(DTRACE_VERSION, 0, &error);
	if (!dtp || dtrace_setopt(dtp, "aggsize", "32m") < 0)
		die("dtrace_open");
	prog = dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (!prog || dtrace_program_exec(dtp, prog, NULL) < 0 || dtrace_go(dtp) < 0)
		die("enabling");
	for (int r = 1; r <= rounds; r++) {
		double start;

		for (long i = 0; i < keys; i++)
			syscall(SYS_getppid, i);
		start = now_ms();
		if (dtrace_aggregate_snap(dtp) < 0)
			die("snapshot");
		printf("%s %s %.3f\n", kind, r == 1 ? "first" : "later", now_ms() - start);
		seen = wrong = 0;
		expected = r;
		if (dtrace_aggregate_walk(dtp, on_key, NULL) < 0)
			die("walk");
		if (seen != keys || wrong) {
			fprintf(stderr, "snap: %ld of %ld keys, %ld wrong\n", seen, keys, wrong);
			exit(1);
		}
	}
	dtrace_close(dtp);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	keys = atol(argv[1]);
	one_kind("number", "arg0", atoi(argv[2]));
	one_kind("five-numbers", "arg0, pid, tid, uid, gid", atoi(argv[2]));
	return 0;
}
