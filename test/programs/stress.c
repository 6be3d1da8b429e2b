/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress CALLS | stress -t SECONDS: the load of test/stress, which knows how often each probe fires.
 *
 * A thread on each CPU that it may use calls getppid(i) with i = 0, 1, 2 ... and before every 16th call probed(i), until
 * it has made CALLS of them, the time is over or its parent is gone.
 *
 * What fires in interrupts is counted by two programs of our own, in cells of memory that they share with us, one
 * cell a CPU. They are attached to the tracepoints that the tracer uses, and they count while the gate in the cell of
 * their CPU is open. counted_at(address of the cells) is called before anything is counted, so that the tracer can look at
 * the same gate. A gate is written by the thread of its CPU alone: all programs on a tracepoint that
 * interrupted this thread, or any other of the CPU, see the same value, and count the same firings.
 *
 * Prints, a line each:
 *	cpu CPU CALLS PROBED TIMERS SOFTIRQS	what was called, and counted in interrupts, on each CPU
 *	timer CPU ADDRESS COUNT			the expiries of each timer of the kernel
 */
#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The D program knows this layout. */
struct cell {
	uint64_t gate;
	uint64_t timers;
	uint64_t softirqs;
	uint64_t address; /* of the cell, in the kernel */
	uint64_t pad[4];
};

struct timer_key {
	uint64_t address, cpu;
};

#define TIMERS_MAX 8192

struct worker {
	pthread_t thread;
	int cpu;
	uint64_t calls, probed;
	int strayed;
};

static uint64_t calls_max = UINT64_MAX;
static struct timespec end;
static pid_t parent;
static int ncpus, cells_fd, timers_fd;
static volatile struct cell *cells;
static pthread_barrier_t start;

/* ---- what the tracer has probes on --------------------------------------------------------------------- */

void probed(uint64_t i) __attribute__((noinline));
void counted_at(uint64_t address) __attribute__((noinline));

void probed(uint64_t i)
{
	(void)i;
}

void counted_at(uint64_t address)
{
	(void)address;
}

/* ---- programs that count ------------------------------------------------------------------------------- */

static int bpf(int cmd, union bpf_attr *a)
{
	return (int)syscall(SYS_bpf, cmd, a, sizeof(*a));
}

static int map_create(uint32_t type, uint32_t key, uint32_t value, uint32_t entries, uint32_t flags)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = type;
	a.key_size = key;
	a.value_size = value;
	a.max_entries = entries;
	a.map_flags = flags;
	return bpf(BPF_MAP_CREATE, &a);
}

#define INSN(code, dst, src, off, imm)             \
	{                                          \
		(code), (dst), (src), (off), (imm) \
	}
#define MOV(dst, src) INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define MOVI(dst, imm) INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm)
#define ADDI(dst, imm) INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm)
#define LOAD(dst, src, off) INSN(BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define STORE(dst, off, src) INSN(BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define STORE4(dst, off, src) INSN(BPF_STX | BPF_MEM | BPF_W, dst, src, off, 0)
#define STOREI(dst, off, imm) INSN(BPF_ST | BPF_MEM | BPF_DW, dst, 0, off, imm)
#define XADD(dst, off, src) INSN(BPF_STX | BPF_ATOMIC | BPF_DW, dst, src, off, BPF_ADD)
#define MAP(dst, fd) \
	INSN(BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_MAP_FD, 0, fd), INSN(0, 0, 0, 0, 0)
#define CALL(f) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##f)
#define JEQI(dst, imm, off) INSN(BPF_JMP | BPF_JEQ | BPF_K, dst, 0, off, imm)
#define JNEI(dst, imm, off) INSN(BPF_JMP | BPF_JNE | BPF_K, dst, 0, off, imm)
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int attach(const char *tracepoint, const struct bpf_insn *insns, size_t n)
{
	static char log[65536];
	union bpf_attr a;
	int fd;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	a.insns = (uintptr_t)insns;
	a.insn_cnt = (uint32_t)n;
	a.license = (uintptr_t) "GPL";
	a.log_buf = (uintptr_t)log;
	a.log_size = sizeof(log);
	a.log_level = 1;
	fd = bpf(BPF_PROG_LOAD, &a);
	if (fd < 0) {
		fprintf(stderr, "stress: %s: %s\n%s\n", tracepoint, strerror(errno), log);
		return -1;
	}
	memset(&a, 0, sizeof(a));
	a.raw_tracepoint.name = (uintptr_t)tracepoint;
	a.raw_tracepoint.prog_fd = (uint32_t)fd;
	fd = bpf(BPF_RAW_TRACEPOINT_OPEN, &a);
	if (fd < 0)
		fprintf(stderr, "stress: %s: %s\n", tracepoint, strerror(errno));
	return fd;
}

/*
 * The cell of this CPU in r7: its address is noted, and the program ends if the gate is shut (r6: the context, r8: the
 * CPU). The address is written without a test: the kernel runs these programs when it likes.
 */
#define FIND_CELL                                                                                \
	MOV(6, 1), CALL(get_smp_processor_id), MOV(8, 0), STORE4(10, -4, 0), MOV(2, 10),         \
		ADDI(2, -4), MAP(1, cells_fd), CALL(map_lookup_elem), JNEI(0, 0, 2), MOVI(0, 0), \
		EXIT, MOV(7, 0), STORE(7, offsetof(struct cell, address), 7),                    \
		LOAD(1, 7, offsetof(struct cell, gate)), JNEI(1, 0, 2), MOVI(0, 0), EXIT,        \
		MOVI(9, 1)

static int programs_attach(void)
{
	const struct bpf_insn timers[] = {
		FIND_CELL,
		XADD(7, offsetof(struct cell, timers), 9),
		/* The timer's own count; the first time it is made. */
		LOAD(1, 6, 0),
		STORE(10, -24, 1),
		STORE(10, -16, 8),
		MOV(2, 10),
		ADDI(2, -24),
		MAP(1, timers_fd),
		CALL(map_lookup_elem),
		JEQI(0, 0, 3),
		XADD(0, 0, 9),
		MOVI(0, 0),
		EXIT,
		STOREI(10, -32, 1),
		MOV(2, 10),
		ADDI(2, -24),
		MOV(3, 10),
		ADDI(3, -32),
		MOVI(4, BPF_NOEXIST),
		MAP(1, timers_fd),
		CALL(map_update_elem),
		MOVI(0, 0),
		EXIT,
	};
	const struct bpf_insn softirqs[] = {
		FIND_CELL,
		XADD(7, offsetof(struct cell, softirqs), 9),
		MOVI(0, 0),
		EXIT,
	};
	size_t n = sizeof(timers) / sizeof(timers[0]), m = sizeof(softirqs) / sizeof(softirqs[0]);

	return attach("hrtimer_expire_entry", timers, n) < 0 ||
	       attach("softirq_entry", softirqs, m) < 0;
}

/* 0 if the cells are there and their address in the kernel is known. */
static int counters_open(uint64_t *address)
{
	void *mem;
	int cpu;

	cells_fd = map_create(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct cell), (uint32_t)ncpus,
			      BPF_F_MMAPABLE);
	timers_fd = map_create(BPF_MAP_TYPE_HASH, sizeof(struct timer_key), 8, TIMERS_MAX, 0);
	if (cells_fd < 0 || timers_fd < 0) {
		perror("stress: map");
		return -1;
	}
	mem = mmap(NULL, (size_t)ncpus * sizeof(struct cell), PROT_READ | PROT_WRITE, MAP_SHARED,
		   cells_fd, 0);
	if (mem == MAP_FAILED) {
		perror("stress: mmap");
		return -1;
	}
	cells = mem;
	if (programs_attach())
		return -1;
	for (cpu = 0;; cpu = (cpu + 1) % ncpus) {
		if (cells[cpu].address) {
			*address = cells[cpu].address - (uint64_t)cpu * sizeof(struct cell);
			return 0;
		}
		usleep(100); /* a timer, which expires */
	}
}

static void timers_print(void)
{
	struct timer_key key, next;
	uint64_t count;
	union bpf_attr a;
	int first = 1;

	for (;; first = 0, key = next) {
		memset(&a, 0, sizeof(a));
		a.map_fd = (uint32_t)timers_fd;
		a.key = first ? 0 : (uintptr_t)&key;
		a.next_key = (uintptr_t)&next;
		if (bpf(BPF_MAP_GET_NEXT_KEY, &a))
			return;
		memset(&a, 0, sizeof(a));
		a.map_fd = (uint32_t)timers_fd;
		a.key = (uintptr_t)&next;
		a.value = (uintptr_t)&count;
		if (!bpf(BPF_MAP_LOOKUP_ELEM, &a))
			printf("timer %d %llu %llu\n", (int)next.cpu,
			       (unsigned long long)next.address, (unsigned long long)count);
	}
}

/* ---- the load ------------------------------------------------------------------------------------------- */

static int time_is_over(void)
{
	struct timespec now;

	/* Answered by the vDSO. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	return end.tv_sec && (now.tv_sec > end.tv_sec ||
			      (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec));
}

static void *work(void *arg)
{
	struct worker *w = arg;
	uint64_t i;

	pthread_barrier_wait(&start);
	cells[w->cpu].gate = 1;
	for (i = 0; i < calls_max && !(i % 256 == 0 && time_is_over()); i++) {
		if (i % 16 == 0) {
			w->probed++;
			probed(i);
		}
		w->calls++;
		if (syscall(SYS_getppid, i) != parent)
			break;
		if (sched_getcpu() != w->cpu)
			w->strayed = 1;
	}
	cells[w->cpu].gate = 0;
	return NULL;
}

static int worker_start(struct worker *w, int cpu)
{
	pthread_attr_t attr;
	cpu_set_t set;
	int err;

	w->cpu = cpu;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_attr_init(&attr);
	err = pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	if (!err)
		err = pthread_create(&w->thread, &attr, work, w);
	pthread_attr_destroy(&attr);
	if (err)
		fprintf(stderr, "stress: CPU %d: %s\n", cpu, strerror(err));
	return err;
}

/* Sets the end of the run; not 0: that is no way to call us. */
static int arguments(int argc, char **argv)
{
	if (argc == 2) {
		calls_max = strtoull(argv[1], NULL, 0);
		return calls_max == 0;
	}
	if (argc != 3 || strcmp(argv[1], "-t"))
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += atol(argv[2]);
	return 0;
}

int main(int argc, char **argv)
{
	struct worker *workers;
	cpu_set_t online;
	uint64_t address = 0;
	int i, cpu, count, status = 0;

	if (arguments(argc, argv)) {
		fprintf(stderr, "usage: stress CALLS | stress -t SECONDS\n");
		return 2;
	}
	parent = (pid_t)syscall(SYS_getppid, -1L); /* one more call, with no number that counts */
	if (sched_getaffinity(0, sizeof(online), &online))
		return 1;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &online))
			ncpus = cpu + 1;
	if (counters_open(&address))
		return 1;
	counted_at(address);
	count = CPU_COUNT(&online);
	workers = calloc((size_t)count, sizeof(*workers));
	if (!workers || pthread_barrier_init(&start, NULL, (unsigned int)count))
		return 1;
	for (i = 0, cpu = 0; i < count; cpu++)
		if (CPU_ISSET(cpu, &online) && worker_start(&workers[i++], cpu))
			return 1;
	for (i = 0; i < count; i++)
		pthread_join(workers[i].thread, NULL);
	counted_at(0); /* the cells are gone when we are */
	for (i = 0; i < count; i++) {
		const struct worker *w = &workers[i];

		printf("cpu %d %llu %llu %llu %llu\n", w->cpu, (unsigned long long)w->calls,
		       (unsigned long long)w->probed, (unsigned long long)cells[w->cpu].timers,
		       (unsigned long long)cells[w->cpu].softirqs);
		if (w->strayed) {
			fprintf(stderr, "stress: was moved from CPU %d\n", w->cpu);
			status = 1;
		}
	}
	timers_print();
	free(workers);
	return status;
}
