/* SPDX-License-Identifier: BSD-2-Clause */
/* -h and -G: a header and an object for programs with probes of their own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static void usage_fatal(const char *text)
{
	message("%s", text);
	leave(EXIT_USAGE);
}

/* "dir/prov.d" and ".h" -> "prov.h", in the current directory. NULL: it is no script, or not called so. */
static char *derived_name(const struct program *p, const char *suffix)
{
	const char *base = strrchr(p->text, '/') ? strrchr(p->text, '/') + 1 : p->text;
	size_t n = strlen(base);
	char *name;

	if (p->spec != DTRACE_PROBESPEC_NONE || n < 3 || strcmp(base + n - 2, ".d"))
		return NULL;
	name = xalloc(n + strlen(suffix));
	memcpy(name, base, n - 2);
	strcpy(name + n - 2, suffix);
	return name;
}

void header_run(void)
{
	char *derived = NULL;
	const char *name = cmd.ofile;
	FILE *f;

	if (!cmd.nprograms)
		usage_fatal("-h requires one or more scripts or enabling options");
	if (!name && cmd.nprograms > 1)
		usage_fatal("-h requires an output file if multiple scripts are specified");
	if (!name)
		name = derived = derived_name(&cmd.programs[0], ".h");
	if (!name)
		usage_fatal("-h requires an output file if no scripts are specified");
	f = fopen(name, "we");
	if (!f)
		fatal("failed to open header file '%s': %s", name, strerror(errno));
	if (dtrace_program_header(cmd.dtp, f, name) < 0)
		dfatal("failed to create header file %s", name);
	if (fclose(f) == EOF)
		fatal("failed to write header file '%s': %s", name, strerror(errno));
	free(derived);
}

/* Several programs: "d.out.0", "d.out.1" ... */
void link_run(void)
{
	if (!cmd.nprograms)
		usage_fatal("-G requires one or more scripts or enabling options");
	for (size_t i = 0; i < cmd.nprograms; i++) {
		struct program *p = &cmd.programs[i];
		char *derived = NULL, numbered[32];
		const char *name = cmd.ofile;

		if (!name && cmd.nprograms > 1) {
			snprintf(numbered, sizeof(numbered), "d.out.%zu", i);
			name = numbered;
		}
		if (!name)
			name = derived = derived_name(p, ".o");
		if (!name)
			name = "d.out";
		if (dtrace_program_link(cmd.dtp, p->prog, 0, name, cmd.noperands - 1, cmd.operands + 1) < 0)
			dfatal("failed to link %s %s", p->spec == DTRACE_PROBESPEC_NONE ? "script" : "program", p->name);
		free(derived);
	}
}
