/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pid namespace that we are in. The kernel's helpers give the numbers of the initial one, system calls and /proc those
 * of ours. A process has a number in its own namespace and in all above it, kept in its struct pid by their levels.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

#include "kern/insns.h"
#include "kern/kern.h"

#define INITIAL_INO 0xeffffffcu /* PROC_PID_INIT_INO: the same on every kernel */
#define PIDTYPE_TGID 1

struct found {
	uint64_t level, ns;
};

static struct abi_pidns pidns;

/* A program that is run once, by us, and looks at our own struct pid. */
static int look_load(int map, int numbers, int ns)
{
	struct insns c = { .n = 0 };

	insns_put(&c, CALL(BPF_FUNC_get_current_task));
	insns_put_word(&c, pidns.thread, 8);
	insns_put(&c, MOV(BPF_REG_6, BPF_REG_0));
	insns_put_word(&c, pidns.pid_level, 4);
	insns_put_imm64(&c, BPF_REG_7, BPF_PSEUDO_MAP_VALUE, map);
	insns_put(&c, STORE(BPF_DW, BPF_REG_7, offsetof(struct found, level), BPF_REG_0));
	insns_put(&c, INSN(BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_0, 0, 0, 4)); /* struct upid */
	insns_put(&c, INSN(BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_0, BPF_REG_6, 0, 0));
	insns_put_word(&c, (uint32_t)(numbers + ns), 8);
	insns_put(&c, STORE(BPF_DW, BPF_REG_7, offsetof(struct found, ns), BPF_REG_0));
	return insns_load(&c, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, "dt_pidns");
}

static int look(struct found *f, int numbers, int ns)
{
	int map = kern_map_create(BPF_MAP_TYPE_ARRAY, "dt_pidns", 4, sizeof(*f), 1, 0);
	int prog = map < 0 ? map : look_load(map, numbers, ns);
	int err = prog < 0 ? prog : kern_prog_test_run(prog, NULL, 0, -1, NULL);
	uint32_t zero = 0;

	if (!err)
		err = kern_map_lookup(map, &zero, f);
	kern_close(&prog);
	kern_close(&map);
	return err;
}

static int member(const char *tag, const char *path, uint32_t *to)
{
	int off = kern_btf_member_offset(tag, path);

	*to = off < 0 ? 0 : (uint32_t)off;
	return off;
}

static void find(void)
{
	struct found f = { 0 };
	uint32_t numbers, nr, ns;
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) < 0 || st.st_ino == INITIAL_INO ||
	    member("task_struct", "thread_pid", &pidns.thread) < 0 ||
	    member("task_struct", "signal", &pidns.signal) < 0 ||
	    member("signal_struct", "pids", &pidns.process) < 0 ||
	    member("pid", "level", &pidns.pid_level) < 0 ||
	    member("pid", "numbers", &numbers) < 0 || member("upid", "nr", &nr) < 0 ||
	    member("upid", "ns", &ns) < 0 || look(&f, (int)numbers, (int)ns) < 0)
		return;
	pidns.process += 8 * PIDTYPE_TGID;
	pidns.level = (uint32_t)f.level;
	pidns.nr = numbers + 16 * pidns.level + nr;
	pidns.at_ns = numbers + 16 * pidns.level + ns;
	pidns.ns = f.ns;
}

const struct abi_pidns *kern_pidns(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find);
	return pidns.ns ? &pidns : NULL;
}
