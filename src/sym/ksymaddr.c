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

/* Lines are "ADDRESS TYPE NAME[\t[MODULE]]". The first that fits. */
static int find(const char *text, const char *module, const char *name, uint64_t *addr)
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
		return 0;
	}
	return -ENOENT;
}

int ksym_address_in(const char *kallsyms, const char *map, const char *module, const char *name,
		    uint64_t *addr)
{
	uint64_t now, then, at;

	if (!*name)
		return -ENOENT;
	if (!find(kallsyms, module, name, addr))
		return 0;
	if (!map || (module && !is_core(module)) || find(map, NULL, name, &at) ||
	    find(map, NULL, "_text", &then) || find(kallsyms, NULL, "_text", &now) || !now)
		return -ENOENT;
	*addr = at - then + now;
	return 0;
}

int ksym_address(const char *module, const char *name, uint64_t *addr)
{
	char *text = NULL, *map = NULL, path[256];
	struct utsname u;
	size_t len;
	int err = kern_read_file(AT_FDCWD, "/proc/kallsyms", &text, &len);

	if (err < 0)
		return err;
	err = ksym_address_in(text, NULL, module, name, addr);
	if (err == -ENOENT && !uname(&u)) {
		snprintf(path, sizeof(path), "/boot/System.map-%s", u.release);
		if (kern_read_file(AT_FDCWD, path, &map, &len) >= 0)
			err = ksym_address_in(text, map, module, name, addr);
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
