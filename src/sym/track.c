/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings of the kernel's side-band records, one for each CPU; merged by time. */
#include "sym/track.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/now.h"
#include "base/vec.h"
#include "kern/insns.h"
#include "kern/kern.h"

#define RING_PAGES 128 /* of 4 KiB: some 3,000 mappings */

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t size; /* mapped */
};

/* A record copied out of its ring; they are kept until all that is older has been seen. */
struct item {
	uint64_t time;
	size_t at; /* of its perf_event_header in bytes */
};

struct track {
	VEC(struct ring) rings;
	int map_fd, prog_fd, link_fd;
	VEC(struct item) items;
	VEC(uint64_t) bytes;
	uint64_t lost;
};

/* ---- the kernel's side ---- */

static int event_open(int cpu)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(a),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = RING_PAGES * 4096 / 2,
	};
	long fd = syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int ring_open(struct track *t, int cpu)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct ring r = { .fd = event_open(cpu), .size = page + RING_PAGES * 4096 };
	int err;

	if (r.fd < 0)
		return r.fd;
	r.page = mmap(NULL, r.size, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
	if (r.page == MAP_FAILED) {
		err = -errno;
		close(r.fd);
		return err;
	}
	vec_push(&t->rings, r);
	return 0;
}

/* The number of an exec, put into the ring of its CPU. Without it the last program is assumed. */
static void exec_ids(struct track *t, const int *cpus)
{
	int off = kern_btf_member_offset("task_struct", "self_exec_id");

	if (off < 0)
		return;
	t->map_fd = kern_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "dt_execs", 4, 4,
				    (uint32_t)kern_cpus_possible(), 0);
	if (t->map_fd < 0)
		return;
	for (size_t i = 0; i < t->rings.n; i++)
		kern_map_update(t->map_fd, &cpus[i], &t->rings.v[i].fd, 0);
	const struct bpf_insn insns[] = {
		MOV(BPF_REG_6, BPF_REG_1),
		INSN(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_3, BPF_REG_6, 0, 0), /* the task */
		ADDI(BPF_REG_3, off),
		MOV(BPF_REG_1, BPF_REG_10),
		ADDI(BPF_REG_1, -8),
		MOVI(BPF_REG_2, 4),
		CALL(BPF_FUNC_probe_read_kernel),
		MOV(BPF_REG_1, BPF_REG_6),
		INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_2, BPF_PSEUDO_MAP_FD, 0, t->map_fd),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_ALU | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, -1), /* this CPU */
		MOV(BPF_REG_4, BPF_REG_10),
		ADDI(BPF_REG_4, -8),
		MOVI(BPF_REG_5, 8),
		CALL(BPF_FUNC_perf_event_output),
		MOVI(BPF_REG_0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	const struct kern_prog_attr attr = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.name = "dt_exec",
		.insns = insns,
		.insn_cnt = ARRAY_SIZE(insns),
	};
	t->prog_fd = kern_prog_load(&attr);
	if (t->prog_fd >= 0)
		t->link_fd = kern_raw_tp_attach(t->prog_fd, "sched_process_exec");
}

int track_open(struct track **out)
{
	struct track *t = mem_alloc(sizeof(*t));
	size_t n = 0;
	int *cpus = NULL, err;

	t->map_fd = t->prog_fd = t->link_fd = -1;
	err = kern_cpus_online(&cpus, &n);
	for (size_t i = 0; i < n && !err; i++)
		err = ring_open(t, cpus[i]);
	if (!err)
		exec_ids(t, cpus);
	free(cpus);
	if (err) {
		track_close(t);
		return err;
	}
	*out = t;
	return 0;
}

void track_close(struct track *t)
{
	if (!t)
		return;
	kern_close(&t->link_fd);
	kern_close(&t->prog_fd);
	kern_close(&t->map_fd);
	for (size_t i = 0; i < t->rings.n; i++) {
		munmap(t->rings.v[i].page, t->rings.v[i].size);
		close(t->rings.v[i].fd);
	}
	vec_free(&t->rings);
	vec_free(&t->items);
	vec_free(&t->bytes);
	free(t);
}

/* ---- reading ---- */

bool track_pending(const struct track *t)
{
	if (t->items.n)
		return true;
	for (size_t i = 0; i < t->rings.n; i++) {
		const struct perf_event_mmap_page *p = t->rings.v[i].page;

		if (__atomic_load_n(&p->data_head, __ATOMIC_ACQUIRE) != p->data_tail)
			return true;
	}
	return false;
}

/* tid and time: behind the header of a sample, at the end of any other record. */
static const uint64_t *id_words(const struct perf_event_header *h)
{
	const uint64_t *w = (const uint64_t *)h;

	return h->type == PERF_RECORD_SAMPLE ? w + 1 : w + h->size / 8 - 2;
}

static void take(struct track *t, const struct perf_event_header *h)
{
	const uint64_t *w = (const uint64_t *)h;
	struct item it;

	switch (h->type) {
	case PERF_RECORD_LOST: t->lost += h->size >= 24 ? w[2] : 1; return;
	case PERF_RECORD_COMM:
		if (!(h->misc & PERF_RECORD_MISC_COMM_EXEC))
			return;
		break;
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_SAMPLE: break;
	default: return;
	}
	if (h->size < 24 || h->size & 7)
		return;
	it.time = id_words(h)[1];
	it.at = t->bytes.n;
	vec_reserve(&t->bytes, t->bytes.n + h->size / 8);
	memcpy(t->bytes.v + t->bytes.n, h, h->size);
	t->bytes.n += h->size / 8;
	vec_push(&t->items, it);
}

static void ring_read(struct track *t, struct ring *r)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail, mask = RING_PAGES * 4096 - 1;
	const char *data = (const char *)r->page + (r->size - RING_PAGES * 4096);
	union {
		struct perf_event_header h;
		char bytes[65536];
		uint64_t align;
	} *copy = NULL;

	while (tail < head) {
		const struct perf_event_header *h = (const void *)(data + (tail & mask));
		size_t size = h->size, left = (size_t)(mask + 1 - (tail & mask));

		if (size < sizeof(*h)) /* never */
			break;
		if (size > left) { /* it goes on at the ring's start */
			if (!copy)
				copy = mem_alloc(sizeof(*copy));
			memcpy(copy->bytes, h, left);
			memcpy(copy->bytes + left, data, size - left);
			h = &copy->h;
		}
		take(t, h);
		tail += size;
	}
	free(copy);
	/* What was read may be overwritten from here on. */
	__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
}

static int item_cmp(const void *x, const void *y)
{
	const struct item *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* False: of no interest. */
static bool event_make(struct track_event *e, const struct perf_event_header *h)
{
	const uint64_t *w = (const uint64_t *)h;
	const uint32_t *half = (const uint32_t *)h;

	*e = (struct track_event){ .time = id_words(h)[1], .pid = half[2] };
	switch (h->type) {
	case PERF_RECORD_MMAP2: /* pid, addr, len, offset, dev, ino, gen, prot, name */
		if (h->size < 88)
			return false;
		e->kind = TRACK_MMAP;
		e->start = w[2];
		e->len = w[3];
		e->offset = w[4];
		e->ino = h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID ? 0 : w[6];
		e->path = (const char *)(w + 9);
		return memchr(e->path, 0, h->size - 72) != NULL;
	case PERF_RECORD_COMM: e->kind = TRACK_EXEC; return true;
	case PERF_RECORD_FORK: /* pid ppid, tid ptid, time */
		e->kind = TRACK_FORK;
		e->parent = half[3];
		return e->pid != e->parent; /* else a thread */
	case PERF_RECORD_EXIT: e->kind = TRACK_EXIT; return half[2] == half[4];
	default: /* tid, time, size and bytes of the program's */
		e->kind = TRACK_EXEC_ID;
		e->exec_id = half[7];
		return h->size >= 32 && half[6] >= 4;
	}
}

void track_drain(struct track *t, void (*f)(void *arg, const struct track_event *e), void *arg)
{
	uint64_t limit = now_ns();
	struct track_event e;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < t->rings.n; i++)
		ring_read(t, &t->rings.v[i]);
	if (t->items.n)
		qsort(t->items.v, t->items.n, sizeof(*t->items.v), item_cmp);
	/* Of what is younger than this call, a part may still be in a ring that was read before. */
	for (; n < t->items.n && t->items.v[n].time < limit; n++)
		if (event_make(&e, (const void *)(t->bytes.v + t->items.v[n].at)))
			f(arg, &e);
	for (; n < t->items.n; n++)
		t->items.v[kept++] = t->items.v[n];
	t->items.n = kept;
	if (!kept)
		t->bytes.n = 0;
}

uint64_t track_lost(const struct track *t)
{
	return t->lost;
}

size_t track_nfds(const struct track *t)
{
	return t->rings.n;
}

int track_fd(const struct track *t, size_t i)
{
	return t->rings.v[i].fd;
}
