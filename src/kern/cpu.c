/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs: which there are, binding to one. Memory: how much can be had. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kern/impl.h"
#include "kern/kern.h"

#define CPU_DIR "/sys/devices/system/cpu/"
#define LONG_BITS (8 * (int)sizeof(long))

/* ---- CPUs ---- */

/* Reads "0-3,8,10-11": calls add for each number. */
static int list_parse(const char *s, int (*add)(void *arg, int cpu), void *arg)
{
	char *end;
	long from, to;
	int r;

	while (*s && *s != '\n') {
		from = to = strtol(s, &end, 10);
		if (end == s)
			return -EINVAL;
		if (*end == '-') {
			s = end + 1;
			to = strtol(s, &end, 10);
			if (end == s)
				return -EINVAL;
		}
		if (from < 0 || to < from || to >= 1 << 20)
			return -EINVAL;
		for (; from <= to; from++) {
			r = add(arg, from);
			if (r < 0)
				return r;
		}
		s = end;
		if (*s == ',')
			s++;
	}
	return 0;
}

static int list_read(const char *file, int (*add)(void *arg, int cpu), void *arg)
{
	char *text;
	int r = kern_read_file(AT_FDCWD, file, &text, NULL);

	if (r < 0)
		return r;
	r = list_parse(text, add, arg);
	free(text);
	return r;
}

struct cpus {
	int *v;
	size_t n;
};

static int cpus_add(void *arg, int cpu)
{
	struct cpus *l = arg;
	int *more = realloc(l->v, (l->n + 1) * sizeof(*l->v));

	if (!more)
		return -ENOMEM;
	l->v = more;
	l->v[l->n++] = cpu;
	return 0;
}

int kern_cpus_online(int **cpus, size_t *count)
{
	struct cpus l = { 0 };
	int r = list_read(CPU_DIR "online", cpus_add, &l);

	if (!r && !l.n)
		r = -EINVAL;
	if (r < 0) {
		free(l.v);
		return r;
	}
	*cpus = l.v;
	*count = l.n;
	return 0;
}

static int highest(void *arg, int cpu)
{
	int *max = arg;

	if (cpu > *max)
		*max = cpu;
	return 0;
}

int kern_cpus_possible(void)
{
	int max = -1;
	int r = list_read(CPU_DIR "possible", highest, &max);

	if (r < 0)
		return r;
	return max < 0 ? -EINVAL : max + 1;
}

static int affinity_set(const struct kern_cpu_mask *mask)
{
	return syscall(SYS_sched_setaffinity, 0, sizeof(mask->bits), mask->bits) < 0 ? -errno : 0;
}

int kern_cpu_pin(int cpu, struct kern_cpu_mask *saved)
{
	struct kern_cpu_mask one;

	if (cpu < 0 || cpu >= (int)sizeof(one.bits) * 8)
		return -EINVAL;
	memset(saved, 0, sizeof(*saved));
	if (syscall(SYS_sched_getaffinity, 0, sizeof(saved->bits), saved->bits) < 0)
		return -errno;
	memset(&one, 0, sizeof(one));
	one.bits[cpu / LONG_BITS] = 1UL << cpu % LONG_BITS;
	return affinity_set(&one);
}

int kern_cpu_unpin(const struct kern_cpu_mask *saved)
{
	return affinity_set(saved);
}

/* ---- memory ---- */

int kern_meminfo_available(uint64_t *bytes)
{
	static const char key[] = "\nMemAvailable:";
	char *text, *at;
	int r = kern_read_file(AT_FDCWD, "/proc/meminfo", &text, NULL);

	if (r < 0)
		return r;
	at = strstr(text, key);
	if (at)
		*bytes = strtoull(at + strlen(key), NULL, 10) * 1024;
	free(text);
	return at ? 0 : -ENOENT;
}

/* The two generations of control groups; a machine can have both, and either may hold the memory
 * controller. */
static const struct hierarchy {
	const char *fstype;
	const char
		*controller; /* among the options of the mount and the names in /proc/self/cgroup */
	const char *limit, *used;
} hierarchies[] = {
	{ "cgroup2", "", "memory.max", "memory.current" },
	{ "cgroup", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes" },
};

/* Is name one of "a,b,c"? The empty name only is in the empty list. */
static bool list_has(const char *list, size_t len, const char *name)
{
	size_t n = strlen(name);
	const char *end = list + len;

	for (;;) {
		size_t item = strcspn(list, ",");

		if (item > (size_t)(end - list))
			item = end - list;
		if (item == n && !strncmp(list, name, n))
			return true;
		if (list + item >= end)
			return false;
		list += item + 1;
	}
}

/* "ID PARENT DEV ROOT MOUNT OPTIONS ... - FSTYPE SOURCE OPTIONS" */
static bool mount_is(const char *line, const struct hierarchy *h)
{
	const char *type = strstr(line, " - "), *options;
	size_t n = strlen(h->fstype);

	if (!type || strncmp(type + 3, h->fstype, n) || type[3 + n] != ' ')
		return false;
	options = strrchr(line, ' ') + 1;
	return !*h->controller || list_has(options, strlen(options), h->controller);
}

/* Where a hierarchy is mounted, and which of its folders that mount shows ("/" mostly). */
static int cgroup_mount(const struct hierarchy *h, char **root, char **mount)
{
	char *text, *line, *rest;
	int r = kern_read_file(AT_FDCWD, "/proc/self/mountinfo", &text, NULL);

	if (r < 0)
		return r;
	r = -ENOENT;
	for (line = strtok_r(text, "\n", &rest); line && r; line = strtok_r(NULL, "\n", &rest)) {
		if (!mount_is(line, h))
			continue;
		*root = *mount = NULL;
		if (sscanf(line, "%*d %*d %*s %ms %ms", root, mount) == 2)
			r = 0;
		else
			free(*root);
	}
	free(text);
	return r;
}

/* Our cgroup as a path below the mount: "ID:CONTROLLERS:/PATH" is the line in /proc/self/cgroup. */
static int cgroup_self(const struct hierarchy *h, const char *root, const char *mount, char **path)
{
	size_t n = strcmp(root, "/") ? strlen(root) : 0;
	char *text, *line, *rest;
	int r = kern_read_file(AT_FDCWD, "/proc/self/cgroup", &text, NULL);

	if (r < 0)
		return r;
	r = -ENOENT;
	for (line = strtok_r(text, "\n", &rest); line && r == -ENOENT;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *list = strchr(line, ':'), *name = list ? strchr(list + 1, ':') : NULL;

		if (!name || !list_has(list + 1, name - list - 1, h->controller))
			continue;
		name++;
		/* What is above the mount's own root cannot be seen. */
		if (n && !strncmp(name, root, n) && (name[n] == '/' || !name[n]))
			name += n;
		r = asprintf(path, "%s%s", mount, name) < 0 ? -ENOMEM : 0;
	}
	free(text);
	return r;
}

/* UINT64_MAX for "max", for the huge number that means the same, and for a file that is not there.
 */
static uint64_t cgroup_number(const char *dir, const char *file)
{
	uint64_t v = UINT64_MAX;
	char *path, *text;

	if (asprintf(&path, "%s/%s", dir, file) < 0)
		return v;
	if (kern_read_file(AT_FDCWD, path, &text, NULL) == 0) {
		if (text[0] >= '0' && text[0] <= '9')
			v = strtoull(text, NULL, 10);
		free(text);
	}
	free(path);
	return v >= UINT64_MAX / 4 ? UINT64_MAX : v;
}

/* The lowest limit from path up to the mount, whose length is top. */
static uint64_t limit_upwards(const struct hierarchy *h, char *path, size_t top, bool less_used)
{
	uint64_t lowest = UINT64_MAX;
	char *slash;

	for (;;) {
		uint64_t max = cgroup_number(path, h->limit);
		uint64_t used = less_used && max != UINT64_MAX ? cgroup_number(path, h->used) : 0;

		if (used != UINT64_MAX && max != UINT64_MAX)
			max = max > used ? max - used : 0;
		if (max < lowest)
			lowest = max;
		slash = strrchr(path, '/');
		if (!slash || (size_t)(slash - path) < top)
			return lowest;
		*slash = '\0';
	}
}

static int cgroup_lowest(const struct hierarchy *h, bool less_used, uint64_t *bytes)
{
	char *root, *mount, *path;
	uint64_t lowest;
	int r;

	r = cgroup_mount(h, &root, &mount);
	if (r < 0)
		return r;
	r = cgroup_self(h, root, mount, &path);
	if (r == 0) {
		lowest = limit_upwards(h, path, strlen(mount), less_used);
		if (lowest < *bytes)
			*bytes = lowest;
		free(path);
	}
	free(root);
	free(mount);
	return r;
}

static int cgroup_memory(bool less_used, uint64_t *bytes)
{
	size_t i;
	int r;

	*bytes = UINT64_MAX;
	for (i = 0; i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++) {
		r = cgroup_lowest(&hierarchies[i], less_used, bytes);
		if (r < 0 && r != -ENOENT)
			return r;
	}
	return 0;
}

int kern_cgroup_memory_max(uint64_t *bytes)
{
	return cgroup_memory(false, bytes);
}

int kern_cgroup_memory_room(uint64_t *bytes)
{
	return cgroup_memory(true, bytes);
}
