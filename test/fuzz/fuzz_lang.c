/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any text is a D program or is refused with an error: it never crashes, hangs or leaks. Its
 * last byte chooses how the text is given: script or option, with or without arguments.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lang/lang.h"

static int matches(void *arg, const struct probespec *spec, struct diag *d)
{
	(void)arg;
	(void)spec;
	(void)d;
	return 1;
}

static const char *set_option(void *arg, const char *name, const char *value)
{
	(void)arg;
	(void)value;
	return *name == 'x' ? "Invalid option name" : NULL;
}

static void probe_arg(void *arg, const struct probespec *spec, int n, struct lang_probe_arg *out)
{
	struct types *ts = arg;

	(void)spec;
	out->nargs = 3;
	out->multi = n == 2;
	out->from = n;
	out->type = n == 0 ? type_int(ts)
		    : n == 1 ? type_pointer(ts, type_builtin(ts, "char")) : NULL;
}

static bool symbol(void *arg, const char *module, const char *name, struct lang_symbol *sym)
{
	struct types *ts = arg;

	(void)module;
	sym->addr = 0xffffffff81000000;
	sym->type = *name == 'p' ? type_pointer(ts, type_int(ts)) : type_int(ts);
	sym->percpu = *name == 'c';
	return *name != 'x';
}

static void use(struct dsession *s, const struct dprog *prog)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return;
	lang_dump(prog, s->types, f);
	fclose(f);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *args[] = { "fuzz", "-12", "name", "\"a b\"", "0x7fffffffffffffff" };
	struct lang_source src = { .name = "fuzz", .argv = args };
	struct dsession *s = lang_session_create();
	struct diag d = { 0 };
	struct dprog *prog;
	uint8_t how = size ? data[size - 1] : 0;

	src.text = size ? (const char *)data : "";
	src.len = size;
	src.id = lang_source_id(s);
	s->opt.caret = true;
	src.is_file = !(how & 1);
	src.argc = how & 2 ? 5 : 1;
	src.field = how & 4 ? how >> 6 : SPEC_NAME;
	s->opt.argref = how & 8;
	s->opt.defaultargs = how & 16;
	s->opt.empty = how & 32;
	s->hooks = (struct lang_hooks){ .arg = s->types,
					.set_option = set_option,
					.probe_matches = matches,
					.probe_arg = probe_arg,
					.symbol = symbol };
	prog = lang_compile(s, &src, &d);
	if (prog)
		use(s, prog);
	else
		free(lang_diag_text(&d, &src, true));
	if (!prog != d.set)
		abort();
	lang_prog_destroy(prog);
	diag_clear(&d);
	lang_session_destroy(s);
	return 0;
}
