/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf(2). Called directly rather than through libbpf: at its first use that tries the kernel out
 * with maps and programs of its own, which every start of the command would pay for, and it knows
 * less than newer kernels do.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kern/impl.h"
#include "kern/kern.h"

#define PTR(p) ((uint64_t)(uintptr_t)(p))
/* Bytes of the attributes that a command looks at: the kernel wants the rest to be zero. */
#define UPTO(member) (offsetof(union bpf_attr, member) + sizeof(((union bpf_attr *)0)->member))

int kern_bpf(int cmd, void *attr, size_t size)
{
	long r = syscall(SYS_bpf, cmd, attr, size);

	return r < 0 ? -errno : (int)r;
}

/*
 * Before 5.11 maps and programs are charged to RLIMIT_MEMLOCK, and -EPERM is the answer when that
 * is used up. The limit is raised then, and only then, for it is inherited by the commands we
 * start. True: worth another try.
 */
static bool memlock_raise(void)
{
	struct rlimit now, all = { RLIM_INFINITY, RLIM_INFINITY };

	if (getrlimit(RLIMIT_MEMLOCK, &now) < 0 || now.rlim_cur == RLIM_INFINITY)
		return false;
	return setrlimit(RLIMIT_MEMLOCK, &all) == 0;
}

/* Commands that make an object: once more after -EPERM with a higher limit; -EAGAIN is a pending
 * signal. */
static int bpf_make(int cmd, void *attr, size_t size)
{
	bool raised = false;
	int tries = 0, r;

	for (;;) {
		r = kern_bpf(cmd, attr, size);
		if (r == -EAGAIN && tries++ < 10)
			continue;
		if (r == -EPERM && !raised) {
			raised = true;
			if (memlock_raise())
				continue;
		}
		return r;
	}
}

static void name_set(char to[BPF_OBJ_NAME_LEN], const char *name)
{
	size_t i;

	for (i = 0; name && name[i] && i < BPF_OBJ_NAME_LEN - 1; i++) {
		char c = name[i];
		bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || c == '_' || c == '.';

		to[i] = good ? c : '_';
	}
}

/* ---- maps ---- */

int kern_map_create(enum bpf_map_type type, const char *name, uint32_t key_size,
		    uint32_t value_size, uint32_t max_entries, uint32_t flags)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = type;
	a.key_size = key_size;
	a.value_size = value_size;
	a.max_entries = max_entries;
	a.map_flags = flags;
	name_set(a.map_name, name);
	return bpf_make(BPF_MAP_CREATE, &a, UPTO(map_extra));
}

int kern_map_freeze(int fd)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_fd = fd;
	return kern_bpf(BPF_MAP_FREEZE, &a, UPTO(map_fd));
}

int kern_map_mmap(int fd, size_t len, int prot, void **area)
{
	void *p = mmap(NULL, len, prot, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	*area = p;
	return 0;
}

int kern_area_create(const char *name, size_t size, void **mem)
{
	int fd = kern_map_create(BPF_MAP_TYPE_ARRAY, name, 4, (uint32_t)size, 1, BPF_F_MMAPABLE);

	*mem = NULL;
	if (fd >= 0)
		kern_map_mmap(fd, size, PROT_READ | PROT_WRITE, mem);
	return fd;
}

void kern_area_destroy(int *fd, void *mem, size_t size)
{
	if (mem)
		munmap(mem, size);
	kern_close(fd);
}

static int map_element(int cmd, int fd, const void *key, const void *value, uint64_t flags)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_fd = fd;
	a.key = PTR(key);
	a.value = PTR(value);
	a.flags = flags;
	return kern_bpf(cmd, &a, UPTO(flags));
}

int kern_map_update(int fd, const void *key, const void *value, uint64_t flags)
{
	return map_element(BPF_MAP_UPDATE_ELEM, fd, key, value, flags);
}

int kern_map_lookup(int fd, const void *key, void *value)
{
	return map_element(BPF_MAP_LOOKUP_ELEM, fd, key, value, 0);
}

int kern_map_delete(int fd, const void *key)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_fd = fd;
	a.key = PTR(key);
	return kern_bpf(BPF_MAP_DELETE_ELEM, &a, UPTO(key));
}

/* ---- programs ---- */

int kern_prog_load(const struct kern_prog_attr *attr)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = attr->type;
	a.expected_attach_type = attr->expected_attach_type;
	a.attach_btf_id = attr->attach_btf_id;
	a.insns = PTR(attr->insns);
	a.insn_cnt = attr->insn_cnt;
	a.license = PTR(attr->license ? attr->license : "Dual BSD/GPL");
	a.prog_flags = attr->prog_flags;
	a.fd_array = PTR(attr->fd_array);
	name_set(a.prog_name, attr->name);
	if (attr->btf_fd > 0) {
		a.prog_btf_fd = attr->btf_fd;
		a.func_info = PTR(attr->func_info);
		a.func_info_cnt = attr->func_info_cnt;
		a.func_info_rec_size = sizeof(*attr->func_info);
		a.line_info = PTR(attr->line_info);
		a.line_info_cnt = attr->line_info_cnt;
		a.line_info_rec_size = sizeof(*attr->line_info);
	}
	if (attr->log && attr->log_size)
		attr->log[0] = '\0';
	if (attr->log_level) {
		a.log_level = attr->log_level;
		a.log_buf = PTR(attr->log);
		a.log_size = attr->log_size;
	}
	return bpf_make(BPF_PROG_LOAD, &a, UPTO(core_relo_rec_size));
}

int kern_prog_test_run(int fd, const void *ctx, size_t ctx_len, int cpu, uint32_t *retval)
{
	union bpf_attr a;
	int r;

	memset(&a, 0, sizeof(a));
	a.test.prog_fd = fd;
	a.test.ctx_in = PTR(ctx);
	a.test.ctx_size_in = ctx_len;
	if (cpu >= 0) {
		a.test.flags = BPF_F_TEST_RUN_ON_CPU;
		a.test.cpu = cpu;
	}
	r = kern_bpf(BPF_PROG_TEST_RUN, &a, UPTO(test));
	if (r >= 0 && retval)
		*retval = a.test.retval;
	return r;
}

int kern_object_info(int fd, void *info, uint32_t size)
{
	union bpf_attr a;

	memset(info, 0, size);
	memset(&a, 0, sizeof(a));
	a.info.bpf_fd = fd;
	a.info.info_len = size;
	a.info.info = PTR(info);
	return kern_bpf(BPF_OBJ_GET_INFO_BY_FD, &a, UPTO(info));
}

int kern_prog_recursion_misses(int fd, uint64_t *misses)
{
	struct bpf_prog_info info;
	int r = kern_object_info(fd, &info, sizeof(info));

	if (r >= 0)
		*misses = info.recursion_misses;
	return r;
}

int kern_btf_load(const void *data, uint32_t len, char *log, uint32_t log_size, uint32_t log_level)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.btf = PTR(data);
	a.btf_size = len;
	if (log && log_size)
		log[0] = '\0';
	if (log_level) {
		a.btf_log_buf = PTR(log);
		a.btf_log_size = log_size;
		a.btf_log_level = log_level;
	}
	return bpf_make(BPF_BTF_LOAD, &a, UPTO(btf_log_level));
}

/* ---- links ---- */

int kern_raw_tp_attach(int prog_fd, const char *name)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.raw_tracepoint.name = PTR(name);
	a.raw_tracepoint.prog_fd = prog_fd;
	return bpf_make(BPF_RAW_TRACEPOINT_OPEN, &a, UPTO(raw_tracepoint.prog_fd));
}

int kern_link_perf_event(int prog_fd, int perf_fd, uint64_t cookie)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.link_create.prog_fd = prog_fd;
	a.link_create.target_fd = perf_fd;
	a.link_create.attach_type = BPF_PERF_EVENT;
	a.link_create.perf_event.bpf_cookie = cookie;
	return bpf_make(BPF_LINK_CREATE, &a, UPTO(link_create.perf_event));
}

int kern_link_detach(int link_fd)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.link_detach.link_fd = link_fd;
	return kern_bpf(BPF_LINK_DETACH, &a, UPTO(link_detach));
}

/* ---- small things ---- */

void kern_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

struct closing {
	const int *fds;
	size_t n, next; /* next: taken by atomic addition */
};

static void *close_next(void *arg)
{
	struct closing *c = arg;

	for (;;) {
		size_t i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED);

		if (i >= c->n)
			return NULL;
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	}
}

#define CLOSERS_MAX 16

void kern_close_all(const int *fds, size_t n)
{
	struct closing c = { .fds = fds, .n = n };
	pthread_t thread[CLOSERS_MAX];
	size_t nthreads = 0;

	/* A thread that cannot be had leaves its work to the others, at the last to this one. */
	while (nthreads + 1 < n && nthreads < CLOSERS_MAX && !pthread_create(&thread[nthreads], NULL, close_next, &c))
		nthreads++;
	close_next(&c);
	for (size_t i = 0; i < nthreads; i++)
		pthread_join(thread[i], NULL);
}

const char *kern_why(int error)
{
	int e = error < 0 ? -error : error;

	switch (e) {
	case EPERM:
	case EACCES:
		return "permission denied: needs root (CAP_BPF, CAP_PERFMON), "
		       "or the kernel is locked down";
	case ENOMEM: return "not enough memory";
	case EMFILE: return "too many open files";
	case E2BIG: return "too big for the kernel";
	case ENOSYS:
	case EOPNOTSUPP: return "not supported by this kernel";
	}
	return strerror(e);
}

/*
 * After another map has become an element of a map of maps, the kernel waits until no program uses the one before, and
 * returns then.
 */
static int wait_by_map(void)
{
	int inner = kern_map_create(BPF_MAP_TYPE_ARRAY, "dt_wait", 4, 8, 1, 0), outer, err;
	union bpf_attr a;
	uint32_t key = 0;

	if (inner < 0)
		return inner;
	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_ARRAY_OF_MAPS;
	a.key_size = a.value_size = 4;
	a.max_entries = 1;
	a.inner_map_fd = inner;
	err = outer = bpf_make(BPF_MAP_CREATE, &a, UPTO(inner_map_fd));
	if (outer >= 0) {
		memset(&a, 0, sizeof(a));
		a.map_fd = outer;
		a.key = PTR(&key);
		a.value = PTR(&inner);
		err = kern_bpf(BPF_MAP_UPDATE_ELEM, &a, UPTO(flags));
		close(outer);
	}
	close(inner);
	return err;
}

void kern_wait_programs(void)
{
	/*
	 * membarrier is the second choice: it is refused where some CPUs run without a timer tick, and waits for nothing
	 * where there is one CPU, on which programs can be preempted all the same. Any program of microseconds has ended
	 * after the third.
	 */
	if (wait_by_map() >= 0)
		return;
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(50000);
}
