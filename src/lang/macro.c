/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Macro arguments $0, $1 ... and macro variables $pid, $target ...: their
 * text.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kern/kern.h"
#include "lang/parse.h"

static int64_t var_egid(const struct parse *p)
{
	(void)p;
	return getegid();
}

static int64_t var_euid(const struct parse *p)
{
	(void)p;
	return geteuid();
}

static int64_t var_gid(const struct parse *p)
{
	(void)p;
	return getgid();
}

static int64_t var_pgid(const struct parse *p)
{
	(void)p;
	return getpgid(0);
}

static int64_t var_pid(const struct parse *p)
{
	(void)p;
	return getpid();
}

static int64_t var_ppid(const struct parse *p)
{
	(void)p;
	return getppid();
}

static int64_t var_sid(const struct parse *p)
{
	(void)p;
	return getsid(0);
}

static int64_t var_target(const struct parse *p)
{
	return p->s->opt.target;
}

static int64_t var_uid(const struct parse *p)
{
	(void)p;
	return getuid();
}

/* For the libraries: how the pid namespace that we are in numbers processes; 0 and 0: it is the initial one. */
static int64_t var_pidns(const struct parse *p)
{
	(void)p;
	return kern_pidns() ? (int64_t)kern_pidns()->ns : 0;
}

static int64_t var_pidns_level(const struct parse *p)
{
	(void)p;
	return kern_pidns() ? kern_pidns()->level : 0;
}

static const struct macro_var {
	const char *name;
	int64_t (*value)(const struct parse *p);
} macro_vars[] = {
	{ "_pidns", var_pidns }, { "_pidns_level", var_pidns_level },
	{ "egid", var_egid },	 { "euid", var_euid },
	{ "gid", var_gid },	 { "pgid", var_pgid },
	{ "pid", var_pid },	 { "ppid", var_ppid },
	{ "sid", var_sid },	 { "target", var_target },
	{ "uid", var_uid },
};

static const char *macro_arg(struct parse *p, const char *name, bool *missing)
{
	unsigned long i = strtoul(name, NULL, 10);

	if (i < (unsigned long)p->src->argc) {
		p->arg_used[i] = true;
		return arena_strdup(p->arena, p->src->argv[i]);
	}
	*missing = p->s->opt.defaultargs;
	return *missing ? "" : NULL;
}

const char *macro_text(struct parse *p, const char *word, size_t n, bool *missing)
{
	const char *name = arena_strndup(p->arena, word, n);
	size_t i;

	*missing = false;
	name += strspn(name, "$");
	if (isdigit((unsigned char)*name)) {
		/* "$1x" in an expression is no argument. */
		if (name[strspn(name, "0123456789")])
			return NULL;
		return macro_arg(p, name, missing);
	}
	for (i = 0; i < ARRAY_SIZE(macro_vars); i++)
		if (!strcmp(macro_vars[i].name, name))
			return arena_printf(p->arena, "%lld", (long long)macro_vars[i].value(p));
	return NULL;
}

void macro_check_unused(struct parse *p)
{
	int i;

	if (p->s->opt.argref || p->s->opt.defaultargs)
		return;
	for (i = p->src->argc - 1; i > 0; i--) {
		if (p->arg_used[i])
			continue;
		parse_error(p, (struct srcloc){ .file = p->file, .line = p->line },
			    "D_MACRO_UNUSED", "extraneous argument '%s' ($%d is not referenced)",
			    p->src->argv[i], i);
		return;
	}
}
