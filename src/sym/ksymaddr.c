/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of kernel symbols by name. */
#include "sym/ksymaddr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kern/kern.h"

static bool is_core(const char *module)
{
	return !strcmp(module, "vmlinux") || !strcmp(module, "kernel");
}

/* Is the line's rest behind the name that of a symbol of the module? "\t[MODULE]" or nothing. */
static bool module_fits(const char *rest, const char *module)
{
	size_t n;

	if (!module)
		return true;
	if (*rest != '\t')
		return is_core(module);
	n = strlen(module);
	return rest[1] == '[' && !strncmp(rest + 2, module, n) && rest[2 + n] == ']';
}

/* The module of such a rest. */
static void module_copy(const char *rest, char *in)
{
	if (*rest != '\t' || sscanf(rest, "\t[%63[^]]", in) != 1)
		strcpy(in, "vmlinux");
}

/* Lines are "ADDRESS TYPE NAME[\t[MODULE]]". The first that fits. */
static int find(const char *text, const char *module, const char *name, uint64_t *addr, char *in)
{
	size_t n = strlen(name);

	for (const char *p = text; (p = strstr(p, name)); p += n) {
		const char *line = p;

		if (p - text < 4 || p[-1] != ' ' || p[-3] != ' ' ||
		    (p[n] != '\n' && p[n] != '\t' && p[n]) || !module_fits(p + n, module))
			continue;
		while (line > text && line[-1] != '\n')
			line--;
		*addr = strtoull(line, NULL, 16);
		if (in)
			module_copy(p + n, in);
		return 0;
	}
	return -ENOENT;
}

int ksym_address_in(const char *kallsyms, const char *map, const char *module, const char *name,
		    uint64_t *addr, char *in)
{
	uint64_t now, then, at;

	if (!*name)
		return -ENOENT;
	if (!find(kallsyms, module, name, addr, in))
		return 0;
	if (!map || (module && !is_core(module)) || find(map, NULL, name, &at, in) ||
	    find(map, NULL, "_text", &then, NULL) || find(kallsyms, NULL, "_text", &now, NULL) || !now)
		return -ENOENT;
	*addr = at - then + now;
	return 0;
}

/*
 * Symbols of modules follow those of the core kernel, those of BPF programs are the last: with thousands of programs,
 * whoever has loaded them, a read of these takes the kernel many seconds, as it counts up to each from the first.
 */
static int read_core(char **text)
{
	size_t n = 0, cap = 8 << 20;
	char *s = malloc(cap), *more;
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? errno : !s ? ENOMEM : 0;
	ssize_t got = err ? -1 : 1;

	while (got > 0) {
		if (cap - n < 4096) {
			more = realloc(s, cap *= 2);
			if (!more) {
				err = ENOMEM;
				break;
			}
			s = more;
		}
		do
			got = read(fd, s + n, cap - n - 1);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			err = errno;
		n += got > 0 ? got : 0;
		s[n] = '\0';
		if (got > 0 && strstr(s + n - got, "\t["))
			break;
	}
	if (fd >= 0)
		close(fd);
	if (err) {
		free(s);
		return -err;
	}
	*text = s;
	return 0;
}

int ksym_address(const char *module, const char *name, uint64_t *addr, char *in)
{
	char *text = NULL, *map = NULL, path[256];
	struct utsname u;
	size_t len;
	int err = module && is_core(module) ? read_core(&text)
					    : kern_read_file(AT_FDCWD, "/proc/kallsyms", &text, &len);

	if (err < 0)
		return err;
	err = ksym_address_in(text, NULL, module, name, addr, in);
	if (err == -ENOENT && !uname(&u)) {
		snprintf(path, sizeof(path), "/boot/System.map-%s", u.release);
		if (kern_read_file(AT_FDCWD, path, &map, &len) >= 0)
			err = ksym_address_in(text, map, module, name, addr, in);
	}
	free(map);
	free(text);
	return err;
}

bool kmodule_loaded(const char *name)
{
	char path[256];

	if (is_core(name))
		return true;
	/* A part of the core kernel with parameters has a folder too, but no state. */
	if (strchr(name, '/') || snprintf(path, sizeof(path), "/sys/module/%s/initstate", name) >=
					 (int)sizeof(path))
		return false;
	return !access(path, F_OK);
}
