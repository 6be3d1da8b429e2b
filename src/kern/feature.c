/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Feature probes: each asks the kernel for the thing itself, in the smallest form, and takes it
 * away again. Distributions carry features back and leave them out, so a version number says
 * nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kern/impl.h"
#include "kern/insns.h"
#include "kern/kern.h"

#define PTR(p) ((uint64_t)(uintptr_t)(p))
/* A function that every kernel since 5.10 has, that may be traced, and that is not called often. */
#define SOME_FUNCTION "kernel_clone"

/* Known to newer headers than we may be built with. */
#define MAP_TYPE_ARENA 33
#define FUNC_TASK_PT_REGS 175
#define FUNC_GET_ATTACH_COOKIE 174
#define FUNC_LOOP 181
#define FUNC_KTIME_GET_TAI_NS 208

/* ---- building blocks ---- */

static int closed(int fd)
{
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int load(enum bpf_prog_type type, int attach_type, uint32_t btf_id,
		const struct bpf_insn *insns, uint32_t n)
{
	struct kern_prog_attr a = {
		.type = type,
		.expected_attach_type = attach_type,
		.attach_btf_id = btf_id,
		.name = "probe",
		.insns = insns,
		.insn_cnt = n,
	};

	return kern_prog_load(&a);
}

static int load_empty(enum bpf_prog_type type, int attach_type, uint32_t btf_id)
{
	const struct bpf_insn insns[] = { MOVI(BPF_REG_0, 0), EXIT() };

	return load(type, attach_type, btf_id, insns, 2);
}

/* -EINVAL for something new means that the kernel does not know it. */
static int unknown(int r)
{
	return r == -EINVAL ? -EOPNOTSUPP : r;
}

/*
 * May a program of this type call the helper? The call is made without arguments, so that the
 * verifier refuses it in any case: its words tell whether over the helper or over the arguments.
 */
static int probe_helper(enum bpf_prog_type type, int func)
{
	static const char *const refusals[] = { "unknown func", "invalid func",
						"cannot use helper" };
	const struct bpf_insn insns[] = { INSN(BPF_JMP | BPF_CALL, 0, 0, 0, func),
					  MOVI(BPF_REG_0, 0), EXIT() };
	char log[4096];
	struct kern_prog_attr a = {
		.type = type,
		.name = "probe",
		.insns = insns,
		.insn_cnt = 3,
		.log = log,
		.log_size = sizeof(log),
		.log_level = 1,
	};
	int r = kern_prog_load(&a);

	if (r >= 0)
		return closed(r);
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (strstr(log, refusals[i]))
			return -EOPNOTSUPP;
	/* Refused by the verifier for the arguments, or before it saw the program. */
	return log[0] ? 0 : r;
}

static int attach_id(int kind, const char *name)
{
	int id = kern_btf_find_id(kind, name);

	return id == -ENOENT ? -EOPNOTSUPP : id;
}

/* ---- the probes ---- */

static int probe_RAW_TP(void)
{
	return closed(load_empty(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0));
}

static int probe_TP_BTF(void)
{
	int id = attach_id(BTF_KIND_TYPEDEF, "btf_trace_sys_enter");

	return id < 0 ? id
		      : unknown(closed(load_empty(BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, id)));
}

static int probe_RAW_TP_COOKIE(void)
{
	return probe_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, FUNC_GET_ATTACH_COOKIE);
}

static int probe_PERF_EVENT(void)
{
	return closed(load_empty(BPF_PROG_TYPE_PERF_EVENT, 0, 0));
}

static int online_cpu(void)
{
	size_t n;
	int *cpus, r = kern_cpus_online(&cpus, &n);

	if (r < 0)
		return r;
	r = cpus[0];
	free(cpus);
	return r;
}

static int clock_event(void)
{
	int cpu = online_cpu();

	return cpu < 0 ? cpu : kern_perf_cpu_clock_open(cpu, 1000000000);
}

static int probe_PERF_LINK(void)
{
	int prog, event, r;

	r = probe_helper(BPF_PROG_TYPE_PERF_EVENT, FUNC_GET_ATTACH_COOKIE);
	if (r < 0)
		return r;
	event = clock_event();
	if (event < 0)
		return event;
	prog = load_empty(BPF_PROG_TYPE_PERF_EVENT, 0, 0);
	r = prog < 0 ? prog : unknown(closed(kern_link_perf_event(prog, event, 1)));
	kern_close(&prog);
	kern_close(&event);
	return r;
}

static int probe_PERF_CLOCK(void)
{
	return closed(clock_event());
}

static int pmu_type(const char *name)
{
	int r = kern_perf_pmu_type(name);

	return r == -ENOENT ? -EOPNOTSUPP : r;
}

static int probe_KPROBE(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .disabled = 1 };
	int type = pmu_type("kprobe"), fd;

	if (type < 0)
		return type;
	attr.type = type;
	attr.config1 = PTR(SOME_FUNCTION);
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return closed(fd < 0 ? -errno : fd);
}

static int probe_KPROBE_MULTI(void)
{
	const char *syms[] = { SOME_FUNCTION };
	/* The start of union bpf_attr for BPF_LINK_CREATE of this kind. */
	struct {
		uint32_t prog_fd, target_fd, attach_type, flags;
		uint32_t multi_flags, cnt;
		uint64_t syms, addrs, cookies;
	} a = { .attach_type = KERN_KPROBE_MULTI, .cnt = 1, .syms = PTR(syms) };
	int prog, r;

	prog = load_empty(BPF_PROG_TYPE_KPROBE, KERN_KPROBE_MULTI, 0);
	if (prog < 0)
		return unknown(prog);
	a.prog_fd = prog;
	r = unknown(closed(kern_bpf(BPF_LINK_CREATE, &a, sizeof(a))));
	close(prog);
	return r;
}

static int probe_FENTRY(void)
{
	int id = attach_id(BTF_KIND_FUNC, SOME_FUNCTION), prog, r;

	if (id < 0)
		return id;
	prog = load_empty(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, id);
	if (prog < 0)
		return prog;
	r = closed(kern_raw_tp_attach(prog, NULL));
	close(prog);
	return r;
}

static int probe_UPROBE(void)
{
	int type = pmu_type("uprobe");

	return type < 0 ? type : 0;
}

static int probe_UPROBE_MULTI(void)
{
	uint64_t offset = 0;
	struct {
		uint32_t prog_fd, target_fd, attach_type, flags;
		uint64_t path, offsets, ref_ctr_offsets, cookies;
		uint32_t cnt, multi_flags, pid, pad;
	} a = { .attach_type = KERN_UPROBE_MULTI,
		.path = PTR("/"),
		.offsets = PTR(&offset),
		.cnt = 1 };
	int prog, r;

	prog = load_empty(BPF_PROG_TYPE_KPROBE, KERN_UPROBE_MULTI, 0);
	if (prog < 0)
		return unknown(prog);
	a.prog_fd = prog;
	/* A folder is refused, in a way of its own, by the kernels that know the command: nothing
	 * is planted. */
	r = closed(kern_bpf(BPF_LINK_CREATE, &a, sizeof(a)));
	close(prog);
	return r == -EBADF ? 0 : unknown(r);
}

static int probe_MMAP_ARRAY(void)
{
	return unknown(
		closed(kern_map_create(BPF_MAP_TYPE_ARRAY, "probe", 4, 8, 1, BPF_F_MMAPABLE)));
}

static int probe_ARENA(void)
{
	return unknown(closed(kern_map_create(MAP_TYPE_ARENA, "probe", 0, 0, 1, BPF_F_MMAPABLE)));
}

static int probe_ATOMICS(void)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0),
		MOVI(BPF_REG_0, 0),
		MOVI(BPF_REG_1, 1),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_10, BPF_REG_1, -8, BPF_CMPXCHG),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_10, BPF_REG_1, -8, BPF_ADD | BPF_FETCH),
		MOVI(BPF_REG_0, 0),
		EXIT(),
	};

	return unknown(closed(load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, insns, 7)));
}

static int probe_SIGNED_DIV(void)
{
	const struct bpf_insn insns[] = {
		MOVI(BPF_REG_0, -8),
		/* Offset 1 makes the division a signed one. */
		INSN(BPF_ALU64 | BPF_DIV | BPF_K, BPF_REG_0, 0, 1, 2),
		MOVI(BPF_REG_0, 0),
		EXIT(),
	};

	return unknown(closed(load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, insns, 4)));
}

static int probe_LOOP(void)
{
	return probe_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, FUNC_LOOP);
}

static int probe_TASK_PT_REGS(void)
{
	return probe_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, FUNC_TASK_PT_REGS);
}

static int probe_KTIME_TAI(void)
{
	return probe_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, FUNC_KTIME_GET_TAI_NS);
}

static int probe_WRITE_USER(void)
{
	return probe_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_probe_write_user);
}

static int probe_SEND_SIGNAL(void)
{
	return probe_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_send_signal);
}

int kern_read_cast(int *func, int *type)
{
	static int found[2]; /* as looked up, in any thread the same */

	if (!__atomic_load_n(&found[1], __ATOMIC_ACQUIRE)) {
		found[0] = kern_btf_find_id(BTF_KIND_FUNC, "bpf_rdonly_cast");
		__atomic_store_n(&found[1], kern_btf_find_id(BTF_KIND_STRUCT, "timespec64"), __ATOMIC_RELEASE);
	}
	*func = found[0];
	*type = found[1];
	return *func < 0 ? *func : *type < 0 ? *type : 0;
}

static int probe_READ_CAST(void)
{
	int func, type;

	if (kern_read_cast(&func, &type) < 0)
		return -EOPNOTSUPP;
	const struct bpf_insn insns[] = {
		MOVI(BPF_REG_1, 0),
		MOVI(BPF_REG_2, type),
		INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, func),
		INSN(BPF_LDX | BPF_MEM | BPF_B, BPF_REG_0, BPF_REG_0, 7, 0),
		MOVI(BPF_REG_0, 0),
		EXIT(),
	};

	/* The newest type of program it is used in: what has it there has it everywhere. */
	return unknown(closed(load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, insns, 6)));
}

static void __attribute__((noinline)) come_by(void)
{
	__asm__ volatile("");
}

/* Some hypervisors let them be set, and never report one. */
static int probe_BREAKPOINT(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = PTR(come_by),
		.bp_len = sizeof(long),
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	uint64_t seen = 0;
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	come_by();
	if (read(fd, &seen, sizeof(seen)) != sizeof(seen))
		seen = 0;
	close(fd);
	return seen ? 0 : -EOPNOTSUPP;
}

static int probe_VMLINUX_BTF(void)
{
	const void *data;
	size_t len;
	int r = kern_btf_view(&data, &len);

	return r == -ENOENT ? -EOPNOTSUPP : r;
}

/* ---- the table ---- */

static const struct {
	const char *name, *text;
	int (*probe)(void);
} features[] = {
#define X(id, name, text) { name, text, probe_##id },
	KERN_FEATURES(X)
#undef X
};

_Static_assert(sizeof(features) / sizeof(features[0]) == KERN_FEATURE_MAX, "one row a feature");

/* DTRACE_WITHOUT=NAME,NAME: do without, as on a kernel that has it not. For tests of the other way. */
static bool unwanted(const char *name)
{
	const char *list = getenv("DTRACE_WITHOUT"), *at = list ? strstr(list, name) : NULL;
	size_t n = strlen(name);

	while (at && ((at > list && at[-1] != ',') || (at[n] && at[n] != ',')))
		at = strstr(at + 1, name);
	return at;
}

int kern_feature_error(enum kern_feature f)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct {
		bool known;
		int error;
	} found[KERN_FEATURE_MAX];
	int r;

	pthread_mutex_lock(&lock);
	if (!found[f].known) {
		found[f].error = unwanted(features[f].name) ? -EOPNOTSUPP : features[f].probe();
		found[f].known = true;
	}
	r = found[f].error;
	pthread_mutex_unlock(&lock);
	return r;
}

bool kern_feature(enum kern_feature f)
{
	return kern_feature_error(f) == 0;
}

const char *kern_feature_name(enum kern_feature f)
{
	return features[f].name;
}

const char *kern_feature_text(enum kern_feature f)
{
	return features[f].text;
}
