/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines "START SIZE NAME", numbers in hexadecimal; a later line wins over an earlier one. */
#include "sym/perfmap.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define SIZE_LIMIT (256 << 20) /* bytes of a file that are read */

struct code {
	uint64_t start, size;
	uint32_t line, name; /* number; offset in text */
};

struct perfmap {
	pid_t pid, inner; /* inner: as the process itself sees its pid */
	char name[32];
	off_t seen;
	struct str text;
	VEC(struct code) v; /* by start, later lines first */
};

/* The last number of "NSpid:" is the pid in the innermost namespace. */
static pid_t inner_pid(pid_t pid)
{
	char path[32], line[256];
	pid_t found = pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		const char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last)
			found = (pid_t)strtol(last, NULL, 10);
	}
	if (f)
		fclose(f);
	return found > 0 ? found : pid;
}

struct perfmap *perfmap_create(pid_t pid)
{
	struct perfmap *m = mem_alloc(sizeof(*m));

	m->pid = pid;
	m->inner = inner_pid(pid);
	snprintf(m->name, sizeof(m->name), "perf-%d.map", (int)m->inner);
	return m;
}

void perfmap_destroy(struct perfmap *m)
{
	if (!m)
		return;
	str_free(&m->text);
	vec_free(&m->v);
	free(m);
}

const char *perfmap_name(const struct perfmap *m)
{
	return m->name;
}

static int code_cmp(const void *x, const void *y)
{
	const struct code *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->line < b->line) - (a->line > b->line);
}

static void parse(struct perfmap *m)
{
	char *p = m->text.s, *nl;
	uint32_t line = 0;

	m->v.n = 0;
	for (; p && (nl = strchr(p, '\n')); p = nl + 1) {
		struct code c = { .line = line++ };
		char *end;

		*nl = 0;
		c.start = strtoull(p, &end, 16);
		if (*end != ' ')
			continue;
		c.size = strtoull(end, &end, 16);
		if (*end != ' ' || !end[1])
			continue;
		c.name = (uint32_t)(end + 1 - m->text.s);
		vec_push(&m->v, c);
	}
	if (m->v.n)
		qsort(m->v.v, m->v.n, sizeof(*m->v.v), code_cmp);
}

static void read_file(struct perfmap *m)
{
	char *there = mem_printf("/proc/%d/root/tmp/%s", (int)m->pid, m->name);
	char *here = mem_printf("/tmp/%s", m->name);
	int fd = open(there, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n;

	if (fd < 0)
		fd = open(here, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	free(there);
	free(here);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size != m->seen &&
	    st.st_size <= SIZE_LIMIT) {
		m->seen = st.st_size;
		m->text.n = 0;
		str_reserve(&m->text, (size_t)st.st_size);
		while (m->text.n < (size_t)st.st_size &&
		       (n = read(fd, m->text.s + m->text.n, (size_t)st.st_size - m->text.n)) > 0)
			m->text.n += (size_t)n;
		m->text.s[m->text.n] = 0;
		parse(m);
	}
	close(fd);
}

static const struct code *find(const struct perfmap *m, uint64_t addr)
{
	size_t low = 0, high = m->v.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->v.v[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	/* Of several at one start, the latest line. */
	while (low > 1 && m->v.v[low - 2].start == m->v.v[low - 1].start)
		low--;
	if (!low || addr - m->v.v[low - 1].start >= m->v.v[low - 1].size)
		return NULL;
	return &m->v.v[low - 1];
}

const char *perfmap_find(struct perfmap *m, uint64_t addr, uint64_t *start)
{
	const struct code *c = find(m, addr);

	if (!c) {
		read_file(m);
		c = find(m, addr);
	}
	if (!c)
		return NULL;
	*start = c->start;
	return m->text.s + c->name;
}
