/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2): clocks and their control. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kern/impl.h"
#include "kern/kern.h"

/* An event of one CPU. */
static int event_open(struct perf_event_attr *attr, int cpu)
{
	long fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

static int clock_open(struct perf_event_attr *attr, int cpu, uint64_t period_ns)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CPU_CLOCK;
	attr->sample_period = period_ns;
	attr->disabled = 1;
	return event_open(attr, cpu);
}

int kern_perf_cpu_clock_open(int cpu, uint64_t period_ns)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	return clock_open(&attr, cpu, period_ns);
}

int kern_perf_timer_open(int cpu, uint64_t period_ns, uint64_t config1, uint64_t config2)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.exclude_user = 1;
	attr.exclude_kernel = 1;
	attr.config1 = config1;
	attr.config2 = config2;
	return clock_open(&attr, cpu, period_ns);
}

int kern_perf_event_open(int cpu, const struct kern_perf_event *ev)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = ev->type;
	attr.config = ev->config;
	attr.sample_period = ev->period;
	attr.exclude_user = ev->exclude_user;
	attr.exclude_kernel = ev->exclude_kernel;
	attr.disabled = 1;
	return event_open(&attr, cpu);
}

int kern_perf_tracepoint_open(int cpu, int id)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = id;
	/* No samples: the program is called all the same, and of some events (irq_work_exit) the kernel gives none. */
	attr.disabled = 1;
	return event_open(&attr, cpu);
}

static int control(int fd, unsigned long request, unsigned long arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

int kern_perf_set_prog(int perf_fd, int prog_fd)
{
	return control(perf_fd, PERF_EVENT_IOC_SET_BPF, prog_fd);
}

int kern_perf_enable(int perf_fd)
{
	return control(perf_fd, PERF_EVENT_IOC_ENABLE, 0);
}

int kern_perf_disable(int perf_fd)
{
	return control(perf_fd, PERF_EVENT_IOC_DISABLE, 0);
}

int kern_perf_read(int perf_fd, uint64_t *count)
{
	ssize_t n = read(perf_fd, count, sizeof(*count));

	if (n < 0)
		return -errno;
	return n == sizeof(*count) ? 0 : -EIO;
}

int kern_perf_pmu_type(const char *pmu)
{
	char path[128], *text;
	int r, n;

	n = snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	r = kern_read_file(AT_FDCWD, path, &text, NULL);
	if (r < 0)
		return r;
	r = atoi(text);
	free(text);
	return r;
}

int kern_perf_probe_link(const char *pmu, const struct kern_perf_probe *p, int prog_fd, uint64_t cookie)
{
	struct perf_event_attr attr;
	int type = kern_perf_pmu_type(pmu), fd, link, err;

	if (type < 0)
		return type == -ENOENT ? -EOPNOTSUPP : type;
	memset(&attr, 0, sizeof(attr));
	attr.type = type;
	attr.config = p->config;
	attr.config1 = p->config1;
	attr.config2 = p->config2;
	/* Every process, whatever the CPU: the program is run before the event looks at either. */
	fd = event_open(&attr, 0);
	if (fd < 0)
		return fd;
	link = kern_link_perf_event(prog_fd, fd, cookie);
	err = link < 0 ? 0 : kern_perf_enable(fd);
	if (err < 0) {
		close(link);
		link = err;
	}
	/* The link keeps the event. */
	close(fd);
	return link;
}

uint32_t kern_perf_max_stack(void)
{
	static uint32_t max; /* the same for every thread that may find it unset */
	uint32_t v = __atomic_load_n(&max, __ATOMIC_RELAXED);
	char *text;

	if (v)
		return v;
	v = 127;
	if (!kern_read_file(AT_FDCWD, "/proc/sys/kernel/perf_event_max_stack", &text, NULL)) {
		v = (uint32_t)strtoul(text, NULL, 10);
		free(text);
	}
	/* Whatever root has set, a stack must fit into a record and a tuple. */
	v = v < 2 ? 2 : v > 1024 ? 1024 : v;
	__atomic_store_n(&max, v, __ATOMIC_RELAXED);
	return v;
}
