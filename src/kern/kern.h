/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thin wrappers over what the kernel offers: bpf(2), perf_event_open(2), tracefs, BTF of the
 * kernel, CPUs, memory, feature probes. No policy and no knowledge of D.
 *
 * Every function that can fail returns a negative errno; nothing is printed. Descriptors are
 * close-on-exec and belong to the caller, who closes them with close(2) or kern_close(). -EPERM is
 * what the kernel answers without privilege and, for trampolines and some helpers, under lockdown:
 * kern_why() words it.
 */
#ifndef KERN_KERN_H
#define KERN_KERN_H

#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/abi.h"

/* ---- bpf.c: maps, programs, links ---- */

/* Names are cut to the kernel's 15 characters; a character that the kernel refuses becomes '_'.
 * NULL: none. */
int kern_map_create(enum bpf_map_type type, const char *name, uint32_t key_size,
		    uint32_t value_size, uint32_t max_entries, uint32_t flags);
/* From here on the map cannot be written by bpf(2); programs see its contents as constants. */
int kern_map_freeze(int fd);
/* Maps len bytes (rounded up to pages by the kernel) from the start of a BPF_F_MMAPABLE map,
 * shared. prot: PROT_x. 0, and *area to be given to munmap(2) with the same len. */
int kern_map_mmap(int fd, size_t len, int prot, void **area);
/*
 * A map of one element that is mapped here, too: programs write there, we read, or the other way round. Its descriptor; *mem
 * is NULL if it is not there, or negative errno.
 */
int kern_area_create(const char *name, size_t size, void **mem);
/* Accepts what could not be created. */
void kern_area_destroy(int *fd, void *mem, size_t size);
int kern_map_update(int fd, const void *key, const void *value, uint64_t flags);
int kern_map_lookup(int fd, const void *key, void *value);
int kern_map_delete(int fd, const void *key);

struct kern_prog_attr {
	enum bpf_prog_type type;
	enum bpf_attach_type expected_attach_type;
	uint32_t attach_btf_id; /* of the kernel: a function, or the typedef btf_trace_NAME */
	const char *name;	/* as for maps */
	const struct bpf_insn *insns;
	uint32_t insn_cnt;
	const char *license; /* NULL: "Dual BSD/GPL" */
	uint32_t prog_flags; /* BPF_F_SLEEPABLE ... */
	const int *fd_array; /* NULL: none */
	/* BTF of the program; btf_fd 0: none, and then no infos. Records are those of linux/bpf.h.
	 */
	int btf_fd;
	const struct bpf_func_info *func_info;
	uint32_t func_info_cnt;
	const struct bpf_line_info *line_info;
	uint32_t line_info_cnt;
	/* The verifier's words; log_level 0: none. They are NUL-terminated. -ENOSPC: the buffer is
	 * too small. */
	uint32_t log_level;
	char *log;
	uint32_t log_size;
};

int kern_prog_load(const struct kern_prog_attr *attr);
/*
 * Runs a loaded RAW_TRACEPOINT or SYSCALL program once. cpu -1: here and now, in the calling task;
 * else on that CPU (RAW_TRACEPOINT only): when it is another one, in an interrupt there, so that
 * the program sees whatever task it interrupted. ctx of a RAW_TRACEPOINT: its 64-bit arguments.
 * retval may be NULL.
 */
int kern_prog_test_run(int fd, const void *ctx, size_t ctx_len, int cpu, uint32_t *retval);
/* Times that the kernel skipped the program because it was running on that CPU already, in all. */
int kern_prog_recursion_misses(int fd, uint64_t *misses);

int kern_btf_load(const void *data, uint32_t len, char *log, uint32_t log_size, uint32_t log_level);

/* Attaches a RAW_TRACEPOINT program to the tracepoint of this name; name NULL: a TRACING program
 * (raw tracepoint, fentry, fexit) to what it was loaded for. A link: closing the last descriptor
 * detaches. */
int kern_raw_tp_attach(int prog_fd, const char *name);
/* A link of a program and a perf event, with a cookie that bpf_get_attach_cookie() gives. */
int kern_link_perf_event(int prog_fd, int perf_fd, uint64_t cookie);
/* Detaches now, also while other descriptors of the link are open. -EOPNOTSUPP for kinds that
 * cannot: close them. */
int kern_link_detach(int link_fd);

/* Closes *fd unless it is negative, and makes it -1. */
void kern_close(int *fd);
/*
 * Closes all that are not negative, several at a time: for some kinds (perf events of trace events, kprobes, uprobes) the
 * kernel waits for grace periods that it can share.
 */
void kern_close_all(const int *fds, size_t n);
/* Waits until every program that runs now has ended (an RCU grace period: some 20 ms, less on one CPU). */
void kern_wait_programs(void);
/* A reason in the user's words for an error of this header. Good until the thread's next call. */
const char *kern_why(int error);

/* A whole file of unknown size, NUL-terminated, to be freed; dir_fd as for openat(2). *len may be
 * NULL. */
int kern_read_file(int dir_fd, const char *path, char **text, size_t *len);

/* ---- btf.c: BTF of the kernel ---- */

/*
 * The raw BTF of the kernel, mapped where the kernel can map it (no time and no memory), read
 * otherwise; the same area for every call, for the life of the process. Its header was checked; not
 * its types.
 */
int kern_btf_view(const void **data, size_t *len);
/* The id of the first type of this kind (BTF_KIND_x) and name; -ENOENT. Looks through all types:
 * 0.1 to 1 ms. */
int kern_btf_find_id(int kind, const char *name);
/* Offset in bytes of a member of a struct or union: "hw.hrtimer". Anonymous members are looked
 * into. -ENOENT; -EINVAL for a bit-field. */
int kern_btf_member_offset(const char *tag, const char *path);
/* Offset in bits of a member of a struct, which may be a bit-field; -ENOENT. */
int64_t kern_btf_member_bit(const char *tag, const char *name);
/* Value of an enumerator that is not negative, of an enum by its tag; -ENOENT. */
int64_t kern_btf_enumerator(const char *tag, const char *name);
/* Offset of a per-CPU variable from the start of the per-CPU data of a CPU; -ENOENT. */
int64_t kern_btf_percpu_offset(const char *name);

/* ---- proto.c: prototypes in BTF ---- */

/* Calls f with the name of each tracepoint that BTF has the prototype of. 0 or -errno. */
int kern_btf_tracepoints(void (*f)(void *arg, const char *name), void *arg);

#define KERN_BTF_ARGS_MAX 12
struct kern_btf_args {
	int n;
	char type[KERN_BTF_ARGS_MAX][96];
};
/* Spells the types of the arguments of a tracepoint; pointers to what has no name are "void *".
 * -ENOENT. */
int kern_btf_tracepoint_args(const char *name, struct kern_btf_args *args);

/*
 * The types of the parameters of a function of the kernel ("vmlinux") or a loaded module, and of its value: "" for none.
 * -ENOENT: BTF does not have it; -EOPNOTSUPP: structures are passed by value, so that arguments and registers do not go
 * together.
 */
int kern_btf_func_args(const char *module, const char *name, struct kern_btf_args *args,
		       char value[96]);

/* ---- perf.c ---- */

/* cpu-clock of one CPU with a period in ns (at least 10,000), disabled, to be given a program. It
 * misses firings: the kernel throttles it on idle CPUs and does not count what it left out. Prefer
 * kern_perf_timer_open(). */
int kern_perf_cpu_clock_open(int cpu, uint64_t period_ns);
/*
 * A timer of one CPU that fires whatever the CPU does, disabled: a cpu-clock event that excludes
 * both user and kernel. No sample ever passes that filter, so nothing is throttled; but the pinned
 * timer below it runs at its period (ns, at least 10,000) in hard interrupt context, on idle CPUs
 * too. A program on the tracepoint hrtimer_expire_entry sees it: its argument is &event->hw.hrtimer
 * of a struct perf_event whose attr.config1 and attr.config2 are the two numbers given here. A
 * random config2 of the process tells its timers from others.
 */
int kern_perf_timer_open(int cpu, uint64_t period_ns, uint64_t config1, uint64_t config2);
struct kern_perf_event {
	uint32_t type;
	uint64_t config, period;
	bool exclude_user, exclude_kernel;
};

/* An event of one CPU, disabled, to be given a program. */
int kern_perf_event_open(int cpu, const struct kern_perf_event *ev);
/* A trace event by its id, disabled, to be given a program that runs on all CPUs. */
int kern_perf_tracepoint_open(int cpu, int id);
int kern_perf_set_prog(int perf_fd, int prog_fd);
int kern_perf_enable(int perf_fd);
int kern_perf_disable(int perf_fd);
/* Frames that the kernel gives of a stack at most (sysctl kernel.perf_event_max_stack). */
uint32_t kern_perf_max_stack(void);
/* The event's count: ns for clocks. */
int kern_perf_read(int perf_fd, uint64_t *count);
/* Number of a dynamic PMU ("kprobe", "uprobe") for perf_event_attr.type; -ENOENT. */
int kern_perf_pmu_type(const char *pmu);

/* ---- uprobe.c ---- */

/* expected_attach_type of a KPROBE program for links of many uprobes; programs for perf links have 0. */
#define KERN_UPROBE_MULTI 48

struct kern_uprobe {
	uint64_t offset;  /* of the instruction in the file */
	uint64_t ref_ctr; /* offset of a 16-bit counter that is kept raised meanwhile; 0: none */
	uint64_t cookie;  /* bpf_get_attach_cookie() of the program */
};

/*
 * One link of n probes in one file, in one process (pid > 0) or in all. All or nothing: -EOPNOTSUPP or -EINVAL
 * if one instruction cannot bear a probe; -ESRCH: no such process.
 */
int kern_uprobe_multi_link(int prog_fd, const char *path, int pid, bool is_return, const struct kern_uprobe *u,
			   uint32_t n);
/* One probe by a perf event, in all processes. */
int kern_uprobe_perf_link(int prog_fd, const char *path, bool is_return, const struct kern_uprobe *u);

/* ---- kprobe.c ---- */

/* expected_attach_type of a KPROBE program for links of many kprobes; programs for perf links have 0. */
#define KERN_KPROBE_MULTI 42

/* One link of n functions by their addresses. All or nothing: -EINVAL and others if one of them cannot be traced. */
int kern_kprobe_multi_link(int prog_fd, bool is_return, const uint64_t *addrs, const uint64_t *cookies, uint32_t n);
/* One function by a perf event. */
int kern_kprobe_perf_link(int prog_fd, bool is_return, uint64_t addr, uint64_t cookie);
/* Calls that a link of either kind did not give to its program; kernels before 6.7 do not count: -EOPNOTSUPP. */
int kern_kprobe_missed(int link_fd, uint64_t *missed);

/* ---- tracefs.c ---- */

/* Paths are relative to tracefs. Where it is not mounted, it is opened without being mounted
 * anywhere. */
/* Names of a folder without "." and "..", in no order; the caller frees each and the array. */
int kern_tracefs_list(const char *dir, char ***names, size_t *count);
/* A whole file, NUL-terminated; the caller frees it. */
int kern_tracefs_read(const char *path, char **text);

/* ---- cpu.c: CPUs and memory ---- */

/* The online CPUs in ascending order; the caller frees the array. */
int kern_cpus_online(int **cpus, size_t *count);
/* One more than the highest CPU number that can ever be: the size of a table by CPU number. */
int kern_cpus_possible(void);

struct kern_cpu_mask {
	unsigned long bits[8192 / (8 * sizeof(long))];
};

/* Binds the calling thread to a CPU; *saved for kern_cpu_unpin(). -EINVAL: not online, or not
 * allowed for us. */
int kern_cpu_pin(int cpu, struct kern_cpu_mask *saved);
int kern_cpu_unpin(const struct kern_cpu_mask *saved);

/* Bytes that can be had without swapping (MemAvailable). */
int kern_meminfo_available(uint64_t *bytes);
/* The lowest memory limit of our cgroup and those above it (v2, and v1); UINT64_MAX: none. */
int kern_cgroup_memory_max(uint64_t *bytes);
/* The same with what is in use taken off: what may be charged until the lowest limit is met. */
int kern_cgroup_memory_room(uint64_t *bytes);

/* ---- pidns.c ---- */

/* Of a process in a pid namespace of its own; NULL in the initial one, or where it cannot be found. */
const struct abi_pidns *kern_pidns(void);

/* ---- feature.c ---- */

#define KERN_FEATURES(X)                                                        \
	X(RAW_TP, "raw_tp", "programs on raw tracepoints")                      \
	X(TP_BTF, "tp_btf", "programs on raw tracepoints with typed arguments") \
	X(RAW_TP_COOKIE, "raw_tp_cookie", "cookies of raw tracepoint links")    \
	X(PERF_EVENT, "perf_event", "programs on perf events")                  \
	X(PERF_LINK, "perf_link", "links of perf events, with cookies")         \
	X(PERF_CLOCK, "perf_clock", "the cpu-clock software event")             \
	X(KPROBE, "kprobe", "kprobes")                                          \
	X(KPROBE_MULTI, "kprobe_multi", "many kprobes by one link")             \
	X(FENTRY, "fentry", "trampolines on kernel functions")                  \
	X(UPROBE, "uprobe", "uprobes")                                          \
	X(UPROBE_MULTI, "uprobe_multi", "many uprobes by one link")             \
	X(MMAP_ARRAY, "mmap_array", "array maps that can be mapped")            \
	X(ARENA, "arena", "arena maps")                                         \
	X(ATOMICS, "atomics", "atomic exchange and fetch instructions")         \
	X(SIGNED_DIV, "signed_div", "signed division instructions")             \
	X(LOOP, "loop", "bpf_loop()")                                           \
	X(TASK_PT_REGS, "task_pt_regs", "bpf_task_pt_regs()")                   \
	X(KTIME_TAI, "ktime_tai", "bpf_ktime_get_tai_ns()")                     \
	X(WRITE_USER, "write_user", "bpf_probe_write_user()")                   \
	X(SEND_SIGNAL, "send_signal", "bpf_send_signal()")                      \
	X(READ_CAST, "read_cast", "loads from any address of the kernel")       \
	X(BREAKPOINT, "breakpoint", "breakpoints of the processor")             \
	X(VMLINUX_BTF, "vmlinux_btf", "BTF of the kernel")

enum kern_feature {
#define X(id, name, text) KERN_FEATURE_##id,
	KERN_FEATURES(X)
#undef X
		KERN_FEATURE_MAX
};

/* 0: this kernel has it, for this process. Else why not, as an errno: -EOPNOTSUPP, -EPERM ... Asked
 * of the kernel once a process, at the first call; never derived from a version number. Safe from
 * several threads. */
int kern_feature_error(enum kern_feature f);
bool kern_feature(enum kern_feature f);
/*
 * With KERN_FEATURE_READ_CAST: the kernel's function (BTF id) that makes of any number a pointer to a type (BTF id), eight
 * bytes that are read as numbers of any size. A load that faults gives 0.
 */
int kern_read_cast(int *func, int *type);
const char *kern_feature_name(enum kern_feature f); /* "raw_tp" */
const char *kern_feature_text(enum kern_feature f); /* "programs on raw tracepoints" */

#endif
