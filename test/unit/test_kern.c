/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of src/kern. Those that make maps, programs or events need root, and are skipped
 * without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kern/kern.h"

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV_IMM(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define MOV_REG(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define ADD_IMM(d, i) INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o) INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE_IMM(d, o, i) INSN(BPF_ST | BPF_MEM | BPF_DW, d, 0, o, i)
#define MAP_VALUE(d, fd, off) \
	INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_VALUE, 0, fd), INSN(0, 0, 0, 0, off)
#define FETCH_ADD(d, s, o) INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define CALL(f) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define JNE(d, s, o) INSN(BPF_JMP | BPF_JNE | BPF_X, d, s, o, 0)
#define EXIT() INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void need_root(void)
{
	if (geteuid() != 0) {
		print_message("needs root\n");
		skip();
	}
}

static int load(enum bpf_prog_type type, const struct bpf_insn *insns, size_t n)
{
	struct kern_prog_attr a = { .type = type, .name = "test", .insns = insns, .insn_cnt = n };

	return kern_prog_load(&a);
}

static int counter_map(uint64_t **cells, uint32_t n)
{
	void *area;
	int fd = kern_map_create(BPF_MAP_TYPE_ARRAY, "a name that is too long/", 4, n * 8, 1,
				 BPF_F_MMAPABLE);

	assert_true(fd >= 0);
	assert_int_equal(kern_map_mmap(fd, n * 8, PROT_READ | PROT_WRITE, &area), 0);
	*cells = area;
	return fd;
}

/* ---- maps ---- */

static void test_map(void **state)
{
	uint64_t *cells, v = 7, w = 0;
	uint32_t key = 0;
	int fd;

	(void)state;
	need_root();
	fd = counter_map(&cells, 2);
	cells[1] = 42;
	uint64_t both[2] = { 0 };

	assert_int_equal(kern_map_lookup(fd, &key, both), 0);
	assert_int_equal(both[1], 42);
	both[0] = 9;
	assert_int_equal(kern_map_update(fd, &key, both, BPF_ANY), 0);
	assert_int_equal(cells[0], 9);
	key = 1;
	assert_int_equal(kern_map_lookup(fd, &key, both), -ENOENT);
	/* Mapped for writing: it can not be made constant. */
	assert_int_equal(kern_map_freeze(fd), -EBUSY);
	munmap(cells, 16);
	assert_int_equal(kern_map_freeze(fd), 0);
	key = 0;
	assert_int_equal(kern_map_update(fd, &key, both, BPF_ANY), -EPERM);
	kern_close(&fd);
	assert_int_equal(fd, -1);
	kern_close(&fd);

	fd = kern_map_create(BPF_MAP_TYPE_HASH, NULL, 8, 8, 4, 0);
	assert_true(fd >= 0);
	assert_int_equal(kern_map_update(fd, &v, &v, BPF_ANY), 0);
	assert_int_equal(kern_map_lookup(fd, &v, &w), 0);
	assert_int_equal(w, 7);
	assert_int_equal(kern_map_delete(fd, &v), 0);
	assert_int_equal(kern_map_delete(fd, &v), -ENOENT);
	kern_close(&fd);
	assert_int_equal(kern_map_create(BPF_MAP_TYPE_ARRAY, "x", 3, 8, 1, 0), -EINVAL);
	assert_int_equal(kern_map_lookup(-1, &v, &w), -EBADF);
}

/* ---- programs ---- */

static void test_prog_run(void **state)
{
	/* Gives its first argument plus one. */
	const struct bpf_insn insns[] = { LOAD(BPF_REG_0, BPF_REG_1, 0), ADD_IMM(BPF_REG_0, 1),
					  EXIT() };
	const uint64_t ctx[1] = { 41 };
	struct kern_cpu_mask saved;
	uint64_t misses = 1;
	uint32_t ret = 0;
	int fd, *cpus;
	size_t n;

	(void)state;
	need_root();
	fd = load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, COUNT(insns));
	assert_true(fd >= 0);
	assert_int_equal(kern_prog_test_run(fd, ctx, sizeof(ctx), -1, &ret), 0);
	assert_int_equal(ret, 42);
	assert_int_equal(kern_prog_test_run(fd, ctx, sizeof(ctx), -1, NULL), 0);
	assert_int_equal(kern_cpus_online(&cpus, &n), 0);
	for (size_t i = 0; i < n; i++) {
		ret = 0;
		assert_int_equal(kern_prog_test_run(fd, ctx, sizeof(ctx), cpus[i], &ret), 0);
		assert_int_equal(ret, 42);
		assert_int_equal(kern_cpu_pin(cpus[i], &saved), 0);
		assert_int_equal(sched_getcpu(), cpus[i]);
		assert_int_equal(kern_cpu_unpin(&saved), 0);
	}
	free(cpus);
	assert_int_equal(kern_prog_recursion_misses(fd, &misses), 0);
	assert_int_equal(misses, 0);
	kern_close(&fd);
	assert_true(kern_prog_recursion_misses(-1, &misses) < 0);
}

static void test_prog_refused(void **state)
{
	/* Register 0 is not set. */
	const struct bpf_insn insns[] = { EXIT() };
	char log[1024], tiny[8];
	struct kern_prog_attr a = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = insns,
		.insn_cnt = 1,
		.log = log,
		.log_size = sizeof(log),
	};

	(void)state;
	need_root();
	strcpy(log, "old");
	assert_true(kern_prog_load(&a) < 0);
	assert_string_equal(log, "");
	a.log_level = 1;
	assert_int_equal(kern_prog_load(&a), -EACCES);
	assert_non_null(strstr(log, "R0 !read_ok"));
	a.log = tiny;
	a.log_size = sizeof(tiny);
	assert_true(kern_prog_load(&a) < 0);
	assert_true(strnlen(tiny, sizeof(tiny)) < sizeof(tiny));
}

/* A BTF of "void f(void)" gives the program's function its name. */
static void test_btf_load(void **state)
{
	/* clang-format off */
	static const struct {
		struct btf_header h;
		struct btf_type integer;
		uint32_t bits;
		struct btf_type proto, func;
		char strings[16];
	} btf = {
		{ BTF_MAGIC, 1, 0, sizeof(struct btf_header), 0, 40, 40, 12 },
		{ 1, BTF_KIND_INT << 24, { 4 } }, BTF_INT_SIGNED << 24 | 32,
		{ 0, BTF_KIND_FUNC_PROTO << 24, { 1 } }, { 5, BTF_KIND_FUNC << 24, { 2 } },
		"\0int\0probed",
	};
	/* clang-format on */
	const struct bpf_insn insns[] = { MOV_IMM(BPF_REG_0, 0), EXIT() };
	const struct bpf_func_info info = { 0, 3 };
	struct kern_prog_attr a = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = insns,
		.insn_cnt = 2,
		.func_info = &info,
		.func_info_cnt = 1,
	};
	char log[256];
	int fd;

	(void)state;
	need_root();
	a.btf_fd = kern_btf_load(&btf, sizeof(btf.h) + 40 + 12, NULL, 0, 0);
	assert_true(a.btf_fd >= 0);
	fd = kern_prog_load(&a);
	assert_true(fd >= 0);
	kern_close(&fd);
	kern_close(&a.btf_fd);
	assert_true(kern_btf_load(&btf, 20, log, sizeof(log), 1) < 0);
}

/* ---- attaching ---- */

static void __attribute__((noinline)) spot(void)
{
	__asm__ volatile("");
}

/* Where spot() is in our file. */
static uint64_t spot_offset(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long from, to, offset, at = (unsigned long)&spot;
	char line[1024];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && from <= at &&
		    at < to)
			break;
	fclose(f);
	return at - from + offset;
}

/*
 * What runs when the wait begins has ended when it returns, on one CPU as on many. Programs on functions of users
 * can be preempted.
 */
static void test_wait(void **state)
{
	enum { COPIES = 256, SIZE = 1 << 20 };
	static struct bpf_insn insns[COPIES * 6 + 10];
	size_t n = 0;
	uint64_t *cells;
	pid_t child;
	struct kern_uprobe u = { .offset = spot_offset() };
	int map, prog, link, status;

	(void)state;
	need_root();
	map = counter_map(&cells, SIZE / 8 + 8);
#define PUT(...)                                               \
	do {                                                   \
		const struct bpf_insn put[] = { __VA_ARGS__ }; \
		memcpy(insns + n, put, sizeof(put));           \
		n += COUNT(put);                               \
	} while (0)
	/* Says 1, takes some milliseconds, says 2. */
	PUT(MAP_VALUE(BPF_REG_6, map, 0), STORE_IMM(BPF_REG_6, 0, 1));
	for (int i = 0; i < COPIES; i++)
		PUT(MOV_REG(BPF_REG_1, BPF_REG_6), ADD_IMM(BPF_REG_1, 8), MOV_IMM(BPF_REG_2, SIZE),
		    MOV_REG(BPF_REG_3, BPF_REG_1), CALL(BPF_FUNC_probe_read_kernel));
	PUT(STORE_IMM(BPF_REG_6, 0, 2), MOV_IMM(BPF_REG_0, 0), EXIT());
#undef PUT
	prog = load(BPF_PROG_TYPE_KPROBE, insns, n);
	assert_true(prog >= 0);
	link = kern_uprobe_perf_link(prog, "/proc/self/exe", false, &u);
	if (link == -EOPNOTSUPP)
		skip();
	assert_true(link >= 0);
	child = fork();
	if (!child) {
		spot();
		pause();
	}
	while (!__atomic_load_n(&cells[0], __ATOMIC_RELAXED))
		assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	kern_wait_programs();
	assert_int_equal(__atomic_load_n(&cells[0], __ATOMIC_RELAXED), 2);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	munmap(cells, SIZE + 64);
	kern_close(&link);
	kern_close(&prog);
	kern_close(&map);
}

static void test_raw_tp(void **state)
{
	uint64_t *cells;
	int map, prog, link, i;

	(void)state;
	need_root();
	map = counter_map(&cells, 1);
	/* Counts calls of our own number, so that nobody else's matter. */
	/* clang-format off */
	const struct bpf_insn insns[] = {
		LOAD(BPF_REG_3, BPF_REG_1, 8),
		MOV_IMM(BPF_REG_4, 0x7eed),
		JNE(BPF_REG_3, BPF_REG_4, 4),
		MAP_VALUE(BPF_REG_2, map, 0),
		MOV_IMM(BPF_REG_5, 1),
		FETCH_ADD(BPF_REG_2, BPF_REG_5, 0),
		MOV_IMM(BPF_REG_0, 0),
		EXIT(),
	};
	/* clang-format on */

	prog = load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, COUNT(insns));
	assert_true(prog >= 0);
	assert_int_equal(kern_raw_tp_attach(prog, "no_such_tracepoint"), -ENOENT);
	link = kern_raw_tp_attach(prog, "sys_enter");
	assert_true(link >= 0);
	for (i = 0; i < 100; i++)
		syscall(0x7eed);
	assert_int_equal(cells[0], 100);
	kern_close(&link);
	syscall(0x7eed);
	assert_int_equal(cells[0], 100);
	kern_close(&prog);
	kern_close(&map);
	munmap(cells, 8);
}

static void test_tp_btf(void **state)
{
	const struct bpf_insn insns[] = { MOV_IMM(BPF_REG_0, 0), EXIT() };
	struct kern_prog_attr a = {
		.type = BPF_PROG_TYPE_TRACING,
		.expected_attach_type = BPF_TRACE_RAW_TP,
		.name = "test",
		.insns = insns,
		.insn_cnt = 2,
	};
	int id, prog, link;

	(void)state;
	need_root();
	if (!kern_feature(KERN_FEATURE_TP_BTF)) {
		print_message("%s\n", kern_why(kern_feature_error(KERN_FEATURE_TP_BTF)));
		skip();
	}
	id = kern_btf_find_id(BTF_KIND_TYPEDEF, "btf_trace_sys_exit");
	assert_true(id > 0);
	a.attach_btf_id = id;
	prog = kern_prog_load(&a);
	assert_true(prog >= 0);
	link = kern_raw_tp_attach(prog, NULL);
	assert_true(link >= 0);
	kern_close(&link);
	kern_close(&prog);
}

/*
 * The timer that fires on every CPU, idle ones too: a program on hrtimer_expire_entry counts what
 * bears our mark. There is no bound on how long firing takes, so the test waits for it, but not for
 * ever.
 */
static void test_perf_timer(void **state)
{
	const uint64_t mark = 0x5ca1ab1e00000000u | (uint32_t)getpid();
	int hw = kern_btf_member_offset("perf_event", "hw.hrtimer");
	int attr = kern_btf_member_offset("perf_event", "attr.config1");
	int map, prog, link, *cpus, *events, possible = kern_cpus_possible();
	uint64_t *cells;
	size_t n, i, fired, rounds;

	(void)state;
	need_root();
	if (hw < 0 || attr < 0) {
		print_message("no BTF of the kernel\n");
		skip();
	}
	assert_true(possible > 0);
	map = counter_map(&cells, 1 + possible);
	cells[0] = mark;
	const struct bpf_insn insns[] = {
		LOAD(BPF_REG_6, BPF_REG_1, 0),
		ADD_IMM(BPF_REG_6, attr - hw),
		/* config1 and config2 to the stack */
		STORE_IMM(BPF_REG_10, -16, 0),
		STORE_IMM(BPF_REG_10, -8, 0),
		MOV_REG(BPF_REG_1, BPF_REG_10),
		ADD_IMM(BPF_REG_1, -16),
		MOV_IMM(BPF_REG_2, 16),
		MOV_REG(BPF_REG_3, BPF_REG_6),
		CALL(BPF_FUNC_probe_read_kernel),
		MAP_VALUE(BPF_REG_7, map, 0),
		LOAD(BPF_REG_1, BPF_REG_7, 0),
		LOAD(BPF_REG_2, BPF_REG_10, -8),
		JNE(BPF_REG_1, BPF_REG_2, 8),
		/* cells[1 + cpu]++, when config1 is the number of this CPU */
		CALL(BPF_FUNC_get_smp_processor_id),
		LOAD(BPF_REG_1, BPF_REG_10, -16),
		JNE(BPF_REG_0, BPF_REG_1, 5),
		INSN(BPF_JMP | BPF_JGE | BPF_K, BPF_REG_0, 0, 4, possible),
		INSN(BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_0, 0, 0, 3),
		INSN(BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_7, BPF_REG_0, 0, 0),
		MOV_IMM(BPF_REG_1, 1),
		FETCH_ADD(BPF_REG_7, BPF_REG_1, 8),
		MOV_IMM(BPF_REG_0, 0),
		EXIT(),
	};

	prog = load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, COUNT(insns));
	assert_true(prog >= 0);
	link = kern_raw_tp_attach(prog, "hrtimer_expire_entry");
	assert_true(link >= 0);
	assert_int_equal(kern_cpus_online(&cpus, &n), 0);
	events = calloc(n, sizeof(*events));
	for (i = 0; i < n; i++) {
		events[i] = kern_perf_timer_open(cpus[i], 10000000, cpus[i], mark);
		assert_true(events[i] >= 0);
	}
	/* Not enabled: none can have fired. */
	usleep(30000);
	for (i = 0; i < n; i++) {
		assert_int_equal(cells[1 + cpus[i]], 0);
		assert_int_equal(kern_perf_enable(events[i]), 0);
	}
	for (rounds = fired = 0; fired < n && rounds < 1000; rounds++) {
		usleep(10000);
		for (i = fired = 0; i < n; i++)
			fired += __atomic_load_n(&cells[1 + cpus[i]], __ATOMIC_RELAXED) >= 10;
	}
	assert_int_equal(fired, n);
	for (i = 0; i < n; i++) {
		uint64_t count = 0;

		assert_int_equal(kern_perf_disable(events[i]), 0);
		assert_int_equal(kern_perf_read(events[i], &count), 0);
		assert_true(count > 0);
		kern_close(&events[i]);
	}
	free(events);
	free(cpus);
	kern_close(&link);
	kern_close(&prog);
	kern_close(&map);
	munmap(cells, (1 + possible) * 8);
	assert_true(kern_perf_timer_open(1 << 20, 10000000, 0, 0) < 0);
}

static void test_perf_prog(void **state)
{
	const struct bpf_insn insns[] = { MOV_IMM(BPF_REG_0, 0), EXIT() };
	int prog, event, link, *cpus;
	size_t n;

	(void)state;
	need_root();
	assert_int_equal(kern_cpus_online(&cpus, &n), 0);
	prog = load(BPF_PROG_TYPE_PERF_EVENT, insns, COUNT(insns));
	assert_true(prog >= 0);
	event = kern_perf_cpu_clock_open(cpus[0], 1000000000);
	assert_true(event >= 0);
	assert_int_equal(kern_perf_set_prog(event, prog), 0);
	kern_close(&event);
	if (kern_feature(KERN_FEATURE_PERF_LINK)) {
		event = kern_perf_cpu_clock_open(cpus[0], 1000000000);
		link = kern_link_perf_event(prog, event, 99);
		assert_true(link >= 0);
		/* Links of this kind go by closing alone. */
		assert_int_equal(kern_link_detach(link), -EOPNOTSUPP);
		kern_close(&link);
		kern_close(&event);
	}
	kern_close(&prog);
	free(cpus);
}

/* ---- BTF of the kernel ---- */

static void need_btf(void)
{
	if (!kern_feature(KERN_FEATURE_VMLINUX_BTF)) {
		print_message("no BTF of the kernel\n");
		skip();
	}
}

static void test_btf(void **state)
{
	const void *data, *again;
	size_t len;

	(void)state;
	need_btf();
	assert_int_equal(kern_btf_view(&data, &len), 0);
	assert_int_equal(kern_btf_view(&again, &len), 0);
	assert_ptr_equal(data, again);
	assert_true(kern_btf_find_id(BTF_KIND_STRUCT, "task_struct") > 0);
	assert_int_equal(kern_btf_find_id(BTF_KIND_FUNC, "task_struct"), -ENOENT);
	assert_int_equal(kern_btf_find_id(BTF_KIND_STRUCT, "no_such_struct"), -ENOENT);
	assert_int_equal(kern_btf_find_id(BTF_KIND_STRUCT, ""), -ENOENT);
	/* Known from the ABI: the second member of perf_event_attr and, in an anonymous union, the
	 * third. */
	assert_int_equal(kern_btf_member_offset("perf_event_attr", "type"), 0);
	assert_int_equal(kern_btf_member_offset("perf_event_attr", "size"), 4);
	assert_int_equal(kern_btf_member_offset("perf_event_attr", "sample_freq"), 16);
	assert_int_equal(kern_btf_member_offset("perf_event_attr", "config1"), 56);
	assert_int_equal(kern_btf_member_offset("perf_event", "attr.config1"),
			 kern_btf_member_offset("perf_event", "attr") + 56);
	/* The first bit-field behind five words of 8 bytes. */
	assert_int_equal(kern_btf_member_bit("perf_event_attr", "disabled"), 8 * 40);
	assert_int_equal(kern_btf_member_bit("perf_event_attr", "inherit"), 8 * 40 + 1);
	assert_int_equal(kern_btf_member_bit("perf_event_attr", "size"), 8 * 4);
	assert_int_equal(kern_btf_member_bit("perf_event_attr", "no_such_member"), -ENOENT);
	assert_int_equal(kern_btf_member_offset("perf_event_attr", "disabled"), -EINVAL);
	assert_int_equal(kern_btf_member_offset("perf_event_attr", "no_such_member"), -ENOENT);
	assert_int_equal(kern_btf_member_offset("perf_event_attr", "type.inner"), -ENOENT);
	assert_int_equal(kern_btf_member_offset("no_such_struct", "type"), -ENOENT);
	assert_int_equal(kern_btf_percpu_offset("no_such_variable"), -ENOENT);
}

/* ---- tracefs ---- */

static void test_tracefs(void **state)
{
	size_t n, i, found = 0;
	char **names, *text;

	(void)state;
	need_root();
	assert_int_equal(kern_tracefs_list("events", &names, &n), 0);
	for (i = 0; i < n; i++) {
		found += !strcmp(names[i], "raw_syscalls");
		assert_string_not_equal(names[i], ".");
		assert_string_not_equal(names[i], "..");
		free(names[i]);
	}
	free(names);
	assert_int_equal(found, 1);
	assert_int_equal(kern_tracefs_read("events/raw_syscalls/sys_enter/format", &text), 0);
	assert_non_null(strstr(text, "name: sys_enter"));
	free(text);
	/* Larger than one read. */
	assert_int_equal(kern_tracefs_read("available_events", &text), 0);
	assert_true(strlen(text) > 8192);
	assert_non_null(strstr(text, "raw_syscalls:sys_exit"));
	free(text);
	assert_int_equal(kern_tracefs_read("no/such/file", &text), -ENOENT);
	assert_int_equal(kern_tracefs_list("no/such/folder", &names, &n), -ENOENT);
	assert_int_equal(kern_tracefs_list("available_events", &names, &n), -ENOTDIR);
}

/* ---- CPUs and memory ---- */

static void test_cpu(void **state)
{
	struct kern_cpu_mask saved;
	int *cpus, possible = kern_cpus_possible();
	size_t n, i;

	(void)state;
	assert_int_equal(kern_cpus_online(&cpus, &n), 0);
	assert_int_equal(n, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(possible >= (int)n);
	for (i = 0; i < n; i++) {
		assert_true(cpus[i] < possible);
		assert_true(!i || cpus[i] > cpus[i - 1]);
	}
	free(cpus);
	assert_int_equal(kern_cpu_pin(-1, &saved), -EINVAL);
	assert_int_equal(kern_cpu_pin(8191, &saved), -EINVAL);
	assert_int_equal(kern_cpu_pin(1 << 30, &saved), -EINVAL);
}

static void test_memory(void **state)
{
	uint64_t avail = 0, max = 0, room = 0;

	(void)state;
	assert_int_equal(kern_meminfo_available(&avail), 0);
	assert_true(avail > 1 << 20);
	assert_int_equal(kern_cgroup_memory_max(&max), 0);
	assert_int_equal(kern_cgroup_memory_room(&room), 0);
	assert_true(max > 1 << 20);
	assert_true(room <= max);
}

/* ---- features ---- */

static void test_feature(void **state)
{
	int f, r;

	(void)state;
	for (f = 0; f < KERN_FEATURE_MAX; f++) {
		r = kern_feature_error(f);
		assert_true(r <= 0);
		assert_int_equal(kern_feature_error(f), r);
		assert_int_equal(kern_feature(f), r == 0);
		assert_non_null(kern_feature_text(f));
		print_message("%-14s %s\n", kern_feature_name(f), r ? kern_why(r) : "yes");
	}
	if (geteuid() == 0) {
		assert_true(kern_feature(KERN_FEATURE_RAW_TP));
		assert_true(kern_feature(KERN_FEATURE_PERF_EVENT));
		assert_true(kern_feature(KERN_FEATURE_PERF_CLOCK));
		assert_true(kern_feature(KERN_FEATURE_MMAP_ARRAY));
		assert_true(kern_feature(KERN_FEATURE_ATOMICS));
	}
	/* A failed probe leaves no descriptor behind, nor does a successful one. */
	r = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(r);
	assert_true(r < 16);
}

static void test_why(void **state)
{
	(void)state;
	assert_non_null(strstr(kern_why(-EPERM), "permission"));
	assert_string_equal(kern_why(-ENOENT), strerror(ENOENT));
	assert_string_equal(kern_why(EOPNOTSUPP), kern_why(-EOPNOTSUPP));
}

static void test_enumerator(void **state)
{
	(void)state;
	if (!kern_feature(KERN_FEATURE_VMLINUX_BTF))
		skip();
	assert_int_equal(kern_btf_enumerator("pid_type", "PIDTYPE_PID"), 0);
	assert_int_equal(kern_btf_enumerator("pid_type", "PIDTYPE_TGID"), 1);
	assert_int_equal(kern_btf_enumerator("pid_type", "PIDTYPE_NONE"), -ENOENT);
	assert_int_equal(kern_btf_enumerator("no_such_enum", "PIDTYPE_PID"), -ENOENT);
}

static void test_func_args(void **state)
{
	struct kern_btf_args args;
	char value[96];

	(void)state;
	if (!kern_feature(KERN_FEATURE_VMLINUX_BTF))
		skip();
	assert_int_equal(kern_btf_func_args("vmlinux", "vfs_write", &args, value), 0);
	assert_int_equal(args.n, 4);
	assert_string_equal(args.type[0], "struct file *");
	assert_string_equal(args.type[1], "const char *");
	assert_string_equal(args.type[2], "size_t");
	assert_string_equal(args.type[3], "loff_t *");
	assert_string_equal(value, "ssize_t");
	assert_int_equal(kern_btf_func_args("vmlinux", "exit_creds", &args, value), 0);
	assert_int_equal(args.n, 1);
	assert_string_equal(value, "");
	assert_int_equal(kern_btf_func_args("vmlinux", "no_such_function", &args, value), -ENOENT);
	assert_int_equal(kern_btf_func_args("no_such_module", "vfs_write", &args, value), -ENOENT);
	assert_int_equal(kern_btf_func_args("../btf/vmlinux", "vfs_write", &args, value), -ENOENT);
}

static void test_close_all(void **state)
{
	int fds[200], last = open("/dev/null", O_RDONLY);

	(void)state;
	for (size_t i = 0; i < COUNT(fds); i++)
		fds[i] = i % 7 == 3 ? -1 : dup(last);
	kern_close_all(fds, COUNT(fds));
	for (size_t i = 0; i < COUNT(fds); i++)
		if (fds[i] >= 0)
			assert_int_equal(fcntl(fds[i], F_GETFD), -1);
	assert_true(fcntl(last, F_GETFD) >= 0);
	kern_close_all(NULL, 0);
	kern_close_all(&last, 1);
	assert_int_equal(fcntl(last, F_GETFD), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map),	     cmocka_unit_test(test_prog_run),
		cmocka_unit_test(test_prog_refused), cmocka_unit_test(test_btf_load),
		cmocka_unit_test(test_raw_tp),	     cmocka_unit_test(test_tp_btf),
		cmocka_unit_test(test_perf_timer),   cmocka_unit_test(test_perf_prog),
		cmocka_unit_test(test_btf),	     cmocka_unit_test(test_tracefs),
		cmocka_unit_test(test_cpu),	     cmocka_unit_test(test_memory),
		cmocka_unit_test(test_feature),	     cmocka_unit_test(test_why),
		cmocka_unit_test(test_wait),	     cmocka_unit_test(test_close_all),
		cmocka_unit_test(test_func_args),    cmocka_unit_test(test_enumerator),
	};

	return cmocka_run_group_tests_name("kern", tests, NULL, NULL);
}
